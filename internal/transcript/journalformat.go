package transcript

import (
	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// journalKey marks a line of a journal. Its value is the version of the format.
const journalKey = "sentinelJournal"

// journalRecords are in Sentinel's own format. Package agent has the names of the others.
var journalRecords = knownFormat{name: "journal", format: journalFormat{}, shows: func(f *features) bool { return f.journal }}

type journalFormat struct{}

func (journalFormat) read(s *jsonscan.Scanner, w *row) {
	b := block{}
	s.Object(func(key []byte) {
		switch string(key) {
		case "agent":
			w.agent = w.name(s)
		case "session":
			w.session = w.name(s)
		case "dir":
			w.dir = s.Text(maxTarget)
		case "time":
			w.time = stamp(s)
		case "kind":
			w.kind = w.name(s)
		case "text":
			b.text, b.cut = w.words(s)
		case "id":
			b.id = w.name(s)
		case "tool":
			b.tool = w.name(s)
		case "args":
			w.arguments(s, &b)
		case "cut":
			on, _ := s.Flag()
			b.cut = b.cut || on
		case "failed":
			b.failed, _ = s.Flag()
		case "came":
			if n, ok := s.Integer(); ok && n <= int64(sentinel.ResultRunning) {
				b.came = sentinel.Result(max(n, 0))
			}
		case "denied":
			b.denied, _ = s.Flag()
		}
	})
	for k := Human; k <= Result; k++ {
		if k.String() == w.kind {
			b.kind = k
			w.add(b)
		}
	}
}

package transcript

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// geminiMessage is the type of a message of the model in Gemini CLI's records.
const geminiMessage = "gemini"

var geminiRecords = knownFormat{name: agent.FormatGemini, format: gemini{}, whole: true, shows: func(f *features) bool {
	switch {
	case f.uuid:
		return false
	case f.set, f.session && f.project:
		return true
	}
	return f.id && f.stamped && f.contents && (f.kind == "user" || f.kind == geminiMessage)
}}

// gemini reads the chat recording of Gemini CLI: a line for each message, written
// again under the same id when it grows, and lines that set what belongs to the
// session. Versions before 0.50 write one JSON document instead: see [document].
type gemini struct{}

func (gemini) read(s *jsonscan.Scanner, w *row) {
	s.Object(func(key []byte) {
		switch string(key) {
		case "sessionId":
			w.session = w.name(s)
		case "$rewindTo":
			s.Skip()
			w.add(rewound())
		default: // $set repeats or summarises earlier messages
			w.member(s, key)
		}
	})
	w.finish()
}

// member reads one member of a message.
func (w *row) member(s *jsonscan.Scanner, key []byte) {
	switch string(key) {
	case "id":
		w.message = w.name(s)
	case "type":
		w.kind = w.name(s)
	case "kind":
		w.chain = w.name(s) == "subagent"
	case "timestamp":
		w.time = stamp(s)
	case "content":
		w.blocks = slices.DeleteFunc(w.blocks, func(b block) bool { return b.status == "" && !b.shown })
		w.geminiContent(s, false)
	case "displayContent":
		w.geminiContent(s, true)
	case "toolCalls":
		w.blocks = slices.DeleteFunc(w.blocks, func(b block) bool { return b.status != "" })
		s.Array(func() { w.toolCall(s) })
	}
}

// geminiContent reads a text, a part or a list of parts. shown marks the text as the
// user typed it, before files were added to it.
func (w *row) geminiContent(s *jsonscan.Scanner, shown bool) {
	from := len(w.blocks)
	if s.Token() == '{' {
		w.part(s)
	} else {
		w.parts(s)
	}
	for i := from; i < len(w.blocks); i++ {
		w.blocks[i].shown = shown
	}
}

// toolCall reads one call of a message, with its result when there is one.
func (w *row) toolCall(s *jsonscan.Scanner) {
	call, result := block{kind: Call, status: "-"}, block{kind: Result}
	display := ""
	s.Object(func(key []byte) {
		switch string(key) {
		case "id":
			call.id = w.name(s)
		case "name":
			call.tool = w.name(s)
		case "args":
			w.arguments(s, &call)
		case "result":
			w.output(s, &result)
		case "status":
			result.status = w.name(s)
		case "displayName":
			display = w.name(s)
		}
	})
	if call.id == "" {
		call.id = w.message + "#" + strconv.Itoa(len(w.blocks))
	}
	if tool, server, ok := strings.Cut(strings.TrimSuffix(display, " MCP Server)"), " ("); ok && strings.HasSuffix(display, " MCP Server)") {
		call.target = server + ":" + tool
	}
	w.add(call)
	switch result.status {
	case "success", "error", "cancelled":
		result.id, result.tool = call.id, call.tool
		outcome(&result, result.status)
		w.add(result)
	}
}

// finish gives the blocks of a message their kind.
func (w *row) finish() {
	if w.message == "" {
		return
	}
	switch w.kind {
	case "user":
		if slices.ContainsFunc(w.blocks, func(b block) bool { return b.shown && !blank(b.text) }) {
			w.blocks = slices.DeleteFunc(w.blocks, func(b block) bool { return b.role == "text" && !b.shown })
		}
		w.spoken(Human)
		for i := range w.blocks {
			if b := &w.blocks[i]; b.kind == Result {
				outcome(b, "")
			}
		}
	case geminiMessage:
		w.spoken(Assistant)
	default:
		w.skip = true
	}
}

// maxSeen is how many messages are remembered that may be written again.
const maxSeen = 16

// message is one that may be written again, with the parts that were returned.
type message struct {
	ID    string `json:"id"`
	Text  uint64 `json:"text,omitempty"`  // digest of its words
	Calls int    `json:"calls,omitempty"` // how many
}

// remembers reports whether a message may be written again.
func (st *known) remembers(id string) bool {
	return slices.ContainsFunc(st.Seen, func(m message) bool { return m.ID == id })
}

// held is a message that may be written again in the lines that follow; then only
// the last one counts.
type held struct {
	id     string
	blocks []block
	sub    bool
	time   time.Time
	offset int64
	from   mark
}

// hold keeps a message until another one follows or the lines end.
func (r *Reader) hold(w *row, offset int64) {
	from := r.line0
	if r.held != nil && r.held.id != w.message {
		r.release()
	}
	if r.held != nil {
		from = r.held.from
	}
	r.held = &held{id: w.message, blocks: slices.Clone(w.blocks), sub: w.sub, time: w.time, offset: offset, from: from}
}

// release queues the new parts of the held message.
func (r *Reader) release() {
	h := r.held
	if h == nil {
		return
	}
	r.held, r.line0 = nil, h.from
	seen := message{ID: h.id}
	rest := make([]message, 0, len(r.state.Seen)+1)
	for _, m := range r.state.Seen {
		if m.ID == h.id {
			seen = m
		} else {
			rest = append(rest, m)
		}
	}
	fresh := r.news(h.blocks, &seen)
	rest = append(rest, seen)
	r.state.Seen = rest[max(0, len(rest)-maxSeen):]
	r.events(fresh, Entry{Sub: h.sub, Time: h.time, Offset: h.offset})
}

// news are the blocks of a message that were not returned before.
func (r *Reader) news(blocks []block, seen *message) []block {
	sum := fnv.New64a()
	var said, did []block
	calls := 0
	for _, b := range blocks {
		switch b.kind {
		case Human, Assistant:
			if blank(b.text) {
				continue
			}
			sum.Write([]byte(b.text))
			said = append(said, b)
		case Call:
			if calls++; calls > seen.Calls {
				did = append(did, b)
			}
		case Result:
			b.awaited = true
			did = append(did, b)
		}
	}
	seen.Calls = max(seen.Calls, calls)
	if len(said) == 0 || sum.Sum64() == seen.Text {
		return did
	}
	seen.Text = sum.Sum64()
	return append(said, did...)
}

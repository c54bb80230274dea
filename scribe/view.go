package scribe

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// A line is one event of a session as the model sees it.
type line struct {
	index int // in the part of the session that was read
	entry transcript.Entry
	text  string // as shown
	chars int

	corrective bool // near an error, a refusal or a revision
	wrong      bool // Call: failed, was refused or was revised
	denied     bool // Call: the user refused it
	right      bool // Call: replaced a wrong one
}

// speaker is the author of a line. The prompt of a subagent is from the agent that
// started it.
func (l *line) speaker() transcript.Kind {
	if l.entry.Sub && l.entry.Kind == transcript.Human {
		return transcript.Assistant
	}
	return l.entry.Kind
}

const (
	// followed is how many events after an error, a refusal or a revision belong
	// to its correction: a word of the agent, the new call, its result, once more.
	followed = 6
	// remembered is how many of the last events are searched for a call.
	remembered = 64
	// maxLineChars bounds a line that is not from the user.
	maxLineChars = 400
	// 1/share of the budget is the bound of the beginning, of the end, and of one
	// remark of the user.
	share = 4
)

// A view keeps the part of a session that the model sees: its beginning, its end, and
// between them the user's words and the corrections. Its size is a small multiple of
// its budget, however long the session is.
type view struct {
	budget int
	count  int

	agent string // of the session, with its working folder; "" if not known
	dir   string

	head      []*line
	headChars int
	said      window // words of the user
	corrected window // errors and corrections
	tail      window // everything

	recent  []*line        // the last events, to find calls in
	written map[string]int // path of a file to the event that wrote it last
	follow  int            // events that still belong to a correction
	failing int            // events within which a call may be the right one
}

func newView(budget int) *view {
	return &view{
		budget: budget, written: map[string]int{},
		said: window{max: budget}, corrected: window{max: budget}, tail: window{max: budget},
	}
}

// A window holds the last lines that fit into a number of characters.
type window struct {
	lines []*line
	chars int
	max   int
}

func (w *window) add(l *line) {
	if n := len(w.lines); n > 0 && w.lines[n-1].index >= l.index { // an earlier line that turned out to matter
		i, found := slices.BinarySearchFunc(w.lines, l.index, func(a *line, index int) int { return a.index - index })
		if found {
			return
		}
		w.lines = slices.Insert(w.lines, i, l)
	} else {
		w.lines = append(w.lines, l)
	}
	w.chars += l.chars
	drop := 0
	for w.chars > w.max && drop < len(w.lines)-1 {
		w.chars -= w.lines[drop].chars
		drop++
	}
	w.lines = slices.Delete(w.lines, 0, drop)
}

// add takes the next event of the session.
func (v *view) add(e transcript.Entry) {
	l := &line{index: v.count, entry: slim(e)}
	v.count++
	most := maxLineChars
	if l.speaker() == transcript.Human {
		most = max(v.budget/share, maxLineChars/2)
	}
	l.text = middle(text.Clean(e.Line()), min(most, v.budget))
	l.chars = utf8.RuneCountInString(l.text) + 1

	if v.headChars += l.chars; v.headChars <= v.budget/share {
		v.head = append(v.head, l)
	}
	v.tail.add(l)
	v.weigh(l)
	v.recent = append(v.recent, l)
	if len(v.recent) > 2*remembered {
		v.recent = slices.Delete(v.recent, 0, remembered)
	}
}

// weigh finds out whether a line belongs to a correction.
func (v *view) weigh(l *line) {
	if v.follow > 0 {
		v.follow--
		v.correct(l)
	}
	switch l.speaker() {
	case transcript.Human:
		v.said.add(l)
		if call := v.lastCall(""); call != nil { // the remark may be about it
			v.said.add(call)
		}
	case transcript.Call:
		v.weighCall(l)
	case transcript.Result:
		v.weighResult(l)
	}
}

func (v *view) weighCall(l *line) {
	if v.failing > 0 {
		l.right = true // until its result says otherwise
	}
	path, writes := writtenPath(&l.entry)
	if !writes {
		return
	}
	if at, before := v.written[path]; before && l.index-at <= remembered {
		if first := v.find(at); first != nil && !first.wrong {
			first.wrong = true // write → revise
			v.correct(first)
			l.right = true
		}
		for _, between := range v.recent { // the agent may name the fault there
			if between.index > at && between.index >= l.index-followed {
				v.correct(between)
			}
		}
		v.correct(l)
		v.follow = max(v.follow, followed/2)
	}
	if len(v.written) > 4*remembered {
		clear(v.written)
	}
	v.written[path] = l.index
}

func (v *view) weighResult(l *line) {
	call := v.lastCall(l.entry.CallID)
	if !l.entry.Failed && !l.entry.Denied {
		if call != nil && call.right {
			v.failing = 0
		} else if v.failing > 0 {
			v.failing--
		}
		return
	}
	if l.entry.Denied && byHook(l.entry.Text) {
		return // a rule decided: this is not a correction by the user
	}
	v.correct(l)
	v.follow, v.failing = followed, followed
	if call == nil {
		return
	}
	call.wrong, call.right = true, false
	call.denied = call.denied || l.entry.Denied
	v.correct(call)
}

// byHook reports whether a hook refused a call, and not the user.
func byHook(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "pretooluse") || strings.Contains(text, "hook") || strings.Contains(text, "sentinel")
}

func (v *view) correct(l *line) {
	l.corrective = true
	v.corrected.add(l)
}

// lastCall is the call of a result, or the last one.
func (v *view) lastCall(id string) *line {
	for _, l := range slices.Backward(v.recent) {
		if l.entry.Kind == transcript.Call && (id == "" || l.entry.CallID == id) {
			return l
		}
	}
	return nil
}

func (v *view) find(index int) *line {
	for _, l := range slices.Backward(v.recent) {
		if l.index == index {
			return l
		}
	}
	return nil
}

// worthAsking reports whether the session has words of the user or a correction.
func (v *view) worthAsking() bool { return len(v.said.lines) > 0 || len(v.corrected.lines) > 0 }

// lines returns the lines for the model, as many as fit: first those of the beginning
// and the end, then the user's words, then corrections, the later ones before the
// earlier, then the rest from the end.
func (v *view) lines() []*line {
	chosen := map[int]*line{}
	room := v.budget
	take := func(limit int, lines []*line) {
		for _, l := range lines {
			const mark = 2 // a gap is marked by a line of its own
			if _, in := chosen[l.index]; in {
				continue
			}
			if l.chars+mark > min(room, limit) {
				return
			}
			chosen[l.index] = l
			room -= l.chars + mark
			limit -= l.chars + mark
		}
	}
	backward := func(w *window) []*line {
		lines := slices.Clone(w.lines)
		slices.Reverse(lines)
		return lines
	}
	take(v.budget/share, v.head)
	take(v.budget/share, backward(&v.tail))
	take(room, backward(&v.said))
	take(room, backward(&v.corrected))
	take(room, backward(&v.tail))

	all := make([]*line, 0, len(chosen))
	for _, l := range chosen {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *line) int { return a.index - b.index })
	return all
}

// render is the text of lines, with a mark where some were left out.
func render(lines []*line) string {
	var text []byte
	next := 0
	for _, l := range lines {
		if l.index != next {
			text = append(text, "…\n"...)
		}
		text = append(append(text, l.text...), '\n')
		next = l.index + 1
	}
	return string(text)
}

// writtenPath is the file that a call writes, by the name of its tool. It only serves
// to notice that a file is written again; for rules the mapper maps calls.
func writtenPath(e *transcript.Entry) (path string, writes bool) {
	tool := strings.ToLower(e.Tool)
	for _, verb := range [...]string{"write", "edit", "patch", "replace", "create", "insert"} {
		if strings.Contains(tool, verb) {
			return e.Text, e.Text != "" // the essential argument of such a call
		}
	}
	return "", false
}

// slim is an entry without arguments that are too large for cases. Of a large write it
// keeps the path.
func slim(e transcript.Entry) transcript.Entry {
	e.Text = text.Cut(e.Text, maxArgs)
	if e.Call == nil || len(e.Call.Args) <= maxArgs {
		return e
	}
	path, writes := writtenPath(&e)
	if !writes {
		e.Call = nil
		return e
	}
	call := *e.Call
	call.Args, _ = json.Marshal(map[string]string{"file_path": path, "content": ""}) // two texts can always be marshalled
	e.Call = &call
	return e
}

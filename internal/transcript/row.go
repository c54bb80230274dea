package transcript

import (
	"encoding/json"
	"strings"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
)

// A row is the content of one line in the terms of all agents. Reading changes only
// the row, so that an incomplete or broken line has no effect.
type row struct {
	kind    string // the line's own type
	message string // Gemini: id of a message that may be written again
	session string
	dir     string
	agent   string // journal: the agent of the event
	time    time.Time
	sub     bool
	chain   bool // the whole file is a subagent's
	skip    bool // nothing in it is an event
	blocks  []block
	left    int // bytes that the line may still keep

	scratch jsonscan.Piece // of the last output
}

// A block is one event of a line.
type block struct {
	kind   Kind
	role   string // the agent's own word for what it is
	text   string // words, or the beginning of the output
	tail   string // the end of the output
	id     string
	tool   string
	target string // essential argument, if args do not have it
	args   json.RawMessage
	cut    bool
	came   sentinel.Result // Result: of a command
	failed bool
	denied bool
	worded bool // denied only by the wording of the output
	quiet  bool // no event of its own, unless it fails

	status  string // Gemini: of a call; "-" of a call itself
	shown   bool   // Gemini: as the user typed it
	awaited bool   // Result: only while its call waits for one
	coded   bool   // Result: the end of the output of a shell tells its exit code

	ownTool bool // Human: only if the call with this id was to a tool of the agent itself
	repeat  bool // Call: an earlier row may have it already
	outcome bool // the outcome of a call whose result is in another line
}

// Bounds of one line and of an output, in bytes.
const (
	maxRow     = 1 << 20
	outputHead = 4 << 10
	outputTail = 512
)

// reset forgets the last line.
func (w *row) reset() {
	clear(w.blocks)
	*w = row{blocks: w.blocks[:0], left: maxRow, scratch: w.scratch}
}

// add appends a block and returns it. It is valid up to the next add.
func (w *row) add(b block) *block {
	if len(w.blocks) >= maxPerLine {
		w.left = 0
		w.blocks[maxPerLine-1] = b
	} else {
		w.blocks = append(w.blocks, b)
	}
	return &w.blocks[len(w.blocks)-1]
}

// words reads words of the user or the agent.
func (w *row) words(s *jsonscan.Scanner) (text string, cut bool) { return w.read(s, MaxText) }

// only calls take for the value of one key of an object.
func only(s *jsonscan.Scanner, key string, take func()) {
	s.Object(func(k []byte) {
		if string(k) == key {
			take()
		}
	})
}

// read reads a text of at most limit bytes.
func (w *row) read(s *jsonscan.Scanner, limit int) (text string, cut bool) {
	p := jsonscan.Piece{Limit: min(limit, w.left)}
	s.Piece(&p)
	w.left -= p.Size()
	return p.Text(), p.Cut
}

// output reads the output of a tool: a string, or the text in a list of blocks.
func (w *row) output(s *jsonscan.Scanner, b *block) {
	p := &w.scratch
	p.Reset()
	p.Limit, p.Keep = min(outputHead, w.left), outputTail
	w.outputInto(s, p, 4)
	w.left -= p.Size()
	b.text, b.tail = p.Text(), p.Last()
}

// outputInto reads the texts of a value in any form that agents use: a string, a list
// of blocks, or an object with a text in one of its members. depth bounds the nesting.
func (w *row) outputInto(s *jsonscan.Scanner, p *jsonscan.Piece, depth int) {
	switch s.Token() {
	case '"':
		if p.Size() > 0 {
			p.Add([]byte{'\n'})
		}
		s.Piece(p)
	case '[':
		s.Array(func() {
			if depth > 0 {
				w.outputInto(s, p, depth-1)
			}
		})
	case '{':
		s.Object(func(key []byte) {
			switch string(key) {
			case "text", "content", "output", "error", "message", "stdout", "stderr", "llmContent", "functionResponse", "response":
				if depth > 0 {
					w.outputInto(s, p, depth-1)
				}
			}
		})
	default:
		s.Skip()
	}
}

// arguments reads the arguments of a call.
func (w *row) arguments(s *jsonscan.Scanner, b *block) {
	b.args, b.cut = s.Raw(min(MaxArgs, w.left), nil)
	w.left -= len(b.args)
}

// name reads a name or an id.
func (w *row) name(s *jsonscan.Scanner) string { return s.Text(maxName) }

// stamp reads a time as agents write it: RFC 3339, or milliseconds since 1970.
func stamp(s *jsonscan.Scanner) time.Time {
	if s.Token() != '"' {
		if ms, ok := s.Integer(); ok && ms > 0 {
			return time.UnixMilli(ms).UTC()
		}
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s.Text(40))
	if err != nil {
		return time.Time{}
	}
	return t
}

// apply turns the row into entries.
func (r *Reader) apply(w *row, offset int64) {
	if w.session != "" && !(r.state.Sub && r.state.Session != "") {
		r.state.Session = w.session
	}
	if w.dir != "" {
		r.state.Dir = w.dir
	}
	if w.agent != "" {
		r.state.Origin = w.agent
	}
	r.state.Sub = r.state.Sub || w.chain
	if w.skip {
		return
	}
	if w.message != "" {
		r.hold(w, offset)
		return
	}
	if len(w.blocks) == 0 {
		return
	}
	r.release()
	r.events(w.blocks, Entry{Sub: w.sub, Time: w.time, Offset: offset})
}

// events queues the entries of blocks. e has their common fields.
func (r *Reader) events(blocks []block, e Entry) {
	e.Sub = e.Sub || r.state.Sub
	for i := range blocks {
		if b := &blocks[i]; !r.known(b) {
			e.Kind, e.CallID, e.Tool, e.Truncated = b.kind, b.id, b.tool, b.cut
			r.event(e, b)
		}
	}
}

// known reports whether a block has nothing new.
func (r *Reader) known(b *block) bool {
	switch {
	case b.ownTool:
		return !r.ownTool(b.id)
	case b.repeat:
		return r.state.index(b.id) >= 0
	case b.awaited:
		return r.state.index(b.id) < 0
	case b.outcome:
		r.state.ended(b.id, b.came, b.failed, b.denied)
		return true
	}
	return false
}

// event queues one entry.
func (r *Reader) event(e Entry, b *block) {
	switch b.kind {
	case Human:
		r.human(e, b)
	case Assistant:
		if e.Text = b.text; !blank(e.Text) {
			r.emit(e)
		}
	case Call:
		r.call(e, b)
	case Result:
		r.result(e, b)
	}
}

// ownTool reports whether a result of this row belongs to a known call of a tool that
// is not on an MCP server.
func (r *Reader) ownTool(id string) bool {
	for _, e := range r.queue {
		if e.Kind == Result && e.CallID == id && e.Tool != "" {
			_, _, mcp := splitMCP(e.Tool)
			return !mcp
		}
	}
	return false
}

// call emits a call, unless its tool only serves the agent's book-keeping.
func (r *Reader) call(e Entry, b *block) {
	c := openCall{ID: b.id, Tool: b.tool, Meta: Leaves(b.tool), Quiet: b.quiet}
	r.state.opened(c)
	if c.Meta || c.Quiet {
		return
	}
	if len(b.args) == 0 {
		b.args = json.RawMessage("{}")
	}
	e.Call = &sentinel.ToolCall{ID: b.id, Name: b.tool, Args: b.args}
	if e.Text = b.target; e.Text == "" {
		e.Text = essential(b.tool, b.args)
	}
	r.emit(e)
}

// result emits the result of a call.
func (r *Reader) result(e Entry, b *block) {
	if c, ok := r.state.closed(b.id); ok {
		b.failed, b.denied, b.came = b.failed || c.Failed, b.denied || c.Denied, settled(b.came, sentinel.Result(c.Came))
		if c.Meta || c.Quiet && !b.failed {
			return
		}
		if e.Tool == "" {
			e.Tool = c.Tool
		}
	}
	if code, ok := exitCode(b.tail); ok && b.coded && code != "0" && (e.Tool == "" || runs(e.Tool)) {
		b.failed = true
	}
	if b.worded && strings.HasPrefix(e.Tool, "mcp_") {
		b.denied = false // a server may use any wording
	}
	if b.coded && b.came == sentinel.ResultUnknown {
		b.came = r.results.OfParts(b.text, b.tail)
	}
	if b.failed || b.denied {
		b.came = sentinel.ResultFailed
	}
	e.Failed, e.Denied, e.Came, e.Truncated = b.failed, b.denied, b.came, false
	e.Text = resultLine(b.text, b.tail, b.failed || b.denied)
	r.emit(e)
}

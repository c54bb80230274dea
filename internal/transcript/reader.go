package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// ErrFormat is the error for a file that is no transcript of a known agent.
var ErrFormat = errors.New("no transcript of an agent that is known")

// Options of [Open]. A nil *Options is the zero value.
type Options struct {
	// Agent is whose transcript the caller takes it for. The content decides,
	// not the name or the place: a hook that was made for one agent is called by
	// others too. It only tells apart agents that write the same rows, which are
	// copilot and vscode.
	Agent string
}

// A Reader reads the entries of one session. It is not safe for concurrent use.
type Reader struct {
	path string
	file *os.File
	scan *scanner
	hint string // Options.Agent

	format    format // nil until the agent is known
	state     known
	at        int64 // behind the last complete line
	lines     int   // that were read and told nothing about the agent
	queue     []Entry
	restarted bool
	row       row  // the line being read
	line0     mark // before the line being read
	held      *held
	doc       *document // not nil: the file is one JSON document
}

// maxUnknown is how many lines may tell nothing about the agent before the file
// is taken for something else.
const maxUnknown = 200

// Open opens a transcript for reading from a position. A file that is no longer
// the one the position belongs to is read from its beginning.
//
// Only a regular file is opened, and what is written to it after Open is left
// to the next Reader. A missing file is an error that wraps [fs.ErrNotExist].
func Open(path string, from Position, opts *Options) (*Reader, error) {
	if opts == nil {
		opts = &Options{}
	}
	file, info, err := safefile.Open(path)
	if errors.Is(err, safefile.ErrNotRegular) {
		return nil, fmt.Errorf("transcript: %s: a transcript %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	r, err := newReader(path, file, info, from, opts)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("transcript: %s: %w", path, err)
	}
	return r, nil
}

func newReader(path string, file *os.File, info fs.FileInfo, from Position, opts *Options) (*Reader, error) {
	r := &Reader{path: path, file: file}
	if err := r.resume(from, info.Size()); err != nil {
		return nil, err
	}
	r.hint, r.format = opts.Agent, formatOf(r.state.Agent)
	r.scan = newScanner(file, r.at, info.Size())
	return r, nil
}

// resume takes a position, if it belongs to the file as it is now.
func (r *Reader) resume(from Position, size int64) error {
	if from == (Position{}) {
		return nil
	}
	r.restarted = true
	st, ok := decodeState(from.State)
	if ok && from.Digest == documentDigest {
		r.restarted, r.state = false, st
		r.state.Agent, r.doc = "gemini", &document{count: st.Count}
		return nil
	}
	if !ok || from.Offset <= 0 || from.Offset > size || st.Agent != "" && formatOf(st.Agent) == nil {
		return nil
	}
	now, err := digestAt(r.file, from.Offset)
	if err != nil || now != from.Digest {
		return err
	}
	r.restarted, r.state, r.at = false, st, from.Offset
	return nil
}

// Next returns the next entry. It returns [io.EOF] behind the last complete
// line, and an error that wraps [ErrFormat] when the file is no transcript. A
// line that is no JSON or of a kind that says nothing is skipped.
func (r *Reader) Next() (Entry, error) {
	for len(r.queue) == 0 {
		if err := r.line(); err != nil {
			return Entry{}, err
		}
	}
	e := r.queue[0]
	r.queue = r.queue[1:]
	return e, nil
}

// line reads one line into the queue.
func (r *Reader) line() error {
	r.line0 = mark{r.at, r.state}
	r.queue = r.queue[:0]
	if r.doc != nil {
		return r.element()
	}
	s := r.scan
	start := r.at
	s.seek(start)
	if r.format == nil {
		return r.recognise(start)
	}
	r.row.reset()
	r.format.read(s, &r.row)
	if !s.endLine() {
		return r.end()
	}
	if !s.bad {
		r.apply(&r.row, start)
	}
	r.at = s.offset()
	return nil
}

// recognise reads one line to see whose it is.
func (r *Reader) recognise(start int64) error {
	s := r.scan
	s.doc = start == 0
	agent, whole := recognise(s)
	s.doc = false
	s.seek(start)
	if !whole && !s.endLine() {
		return r.end()
	}
	if agent == "copilot" && r.hint == "vscode" {
		agent = r.hint
	}
	if agent != "" {
		r.state.Agent, r.format = agent, formatOf(agent)
		if whole {
			r.doc = &document{}
		}
		return nil // it is read again, now with its format
	}
	r.lines++
	if r.lines >= maxUnknown {
		return fmt.Errorf("transcript: %s: %w", r.path, ErrFormat)
	}
	r.at = s.offset()
	return nil
}

// end is the error behind the last complete line.
func (r *Reader) end() error {
	r.release()
	if len(r.queue) > 0 {
		return nil
	}
	if r.scan.err != nil {
		return fmt.Errorf("transcript: %s: %w", r.path, r.scan.err)
	}
	return io.EOF
}

// emit queues an entry of the current line.
func (r *Reader) emit(e Entry) {
	if len(r.queue) < maxPerLine {
		r.queue = append(r.queue, e)
	}
}

// maxPerLine is how many entries one line may have.
const maxPerLine = 4096

// A mark is a place between two lines, with what is known there.
type mark struct {
	at    int64
	state known
}

// Position is behind the last line all of whose entries were returned, so that
// nothing is lost when reading stops before [io.EOF]. It is the zero Position as
// long as the agent is not known, and after Close.
func (r *Reader) Position() Position {
	m := mark{r.at, r.state}
	switch {
	case len(r.queue) > 0:
		m = r.line0
	case r.held != nil:
		m = r.held.from
	}
	if r.doc != nil {
		return Position{Offset: m.at, Digest: documentDigest, State: m.state.encode()}
	}
	if r.format == nil || m.at == 0 {
		return Position{}
	}
	sum, err := digestAt(r.file, m.at)
	if err != nil || sum == "" {
		return Position{} // unreadable or cut meanwhile: begin anew
	}
	return Position{Offset: m.at, Digest: sum, State: m.state.encode()}
}

// Restarted says that the position given to [Open] did not belong to the file,
// which is therefore read from its beginning.
func (r *Reader) Restarted() bool { return r.restarted }

// Agent is whose transcript it is: claude, codex, copilot, vscode, gemini, qwen
// or journal. It is "" until a line has told.
func (r *Reader) Agent() string { return r.state.Agent }

// Session is the id of the session as the transcript tells it, "" where it does
// not. It is hostile: never a path by itself.
func (r *Reader) Session() string { return r.state.Session }

// Dir is the folder the agent works in, as the transcript last told it; "" where
// it does not.
func (r *Reader) Dir() string { return r.state.Dir }

// Event is the hook call before the tool call of an entry: what a rule would
// have been asked. An entry that is no Call has no tool in it. In a journal the
// agent is the one whose events were kept.
func (r *Reader) Event(e Entry) sentinel.Event {
	agent := r.Agent()
	if r.state.Origin != "" {
		agent = r.state.Origin
	}
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: agent, Session: r.Session(), Dir: r.Dir(), Transcript: r.path}
	if e.Call != nil {
		ev.Tool = *e.Call
	}
	return ev
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

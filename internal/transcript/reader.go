package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// ErrFormat is the error of a file that is not a transcript of a known agent.
var ErrFormat = errors.New("no transcript of an agent that is known")

// Options of [Open]. A nil *Options is the zero value.
type Options struct {
	// Agent is the agent that the caller expects. The content decides, because a
	// hook for one agent is called by others too. Agent only distinguishes agents
	// that write the same rows, which are copilot and vscode.
	Agent string
	// Format is the format in which that agent writes, for an agent that none of
	// [Formats] is called like; "" otherwise.
	Format string
}

// A Reader reads the entries of one session. It is not safe for concurrent use.
type Reader struct {
	path string
	file *os.File
	scan *jsonscan.Scanner
	opts Options

	format    format        // nil until the agent is known
	results   agent.Results // how that agent tells results
	state     known
	at        int64 // behind the last complete line
	lines     int   // that did not tell the agent
	queue     []Entry
	restarted bool
	row       row  // the line being read
	line0     mark // before the line being read
	held      *held
	doc       *document // not nil: the file is one JSON document
}

// maxUnknown is how many lines may not tell the agent before the file counts as
// something else.
const maxUnknown = 200

// Open opens a transcript for reading from a position. If the position belongs to another
// file, the file is read from its beginning.
//
// Only a regular file is opened. Lines that are written after Open are left to the
// next Reader. The error of a missing file wraps [fs.ErrNotExist].
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
	r.opts = *opts
	r.format, r.results = r.state.formatOf()
	r.scan = jsonscan.New(file, r.at, info.Size())
	return r, nil
}

// resume continues at a position, if it belongs to the file as it is now.
func (r *Reader) resume(from Position, size int64) error {
	if from == (Position{}) {
		return nil
	}
	r.restarted = true
	st, ok := decodeState(from.State)
	if ok && from.Digest == documentDigest {
		r.restarted, r.state = false, st
		r.doc = &document{count: st.Count}
		if name := wholeFormat(); r.state.Format != name {
			r.state.Agent, r.state.Format = name, ""
		}
		return nil
	}
	if !ok || from.Offset <= 0 || from.Offset > size {
		return nil
	}
	if f, _ := st.formatOf(); st.Agent != "" && f == nil {
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
// line, and an error that wraps [ErrFormat] when the file is not a transcript. A line
// that is not JSON or of an unknown kind is skipped.
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
	s.GoTo(start)
	if r.format == nil {
		return r.recognise(start)
	}
	r.row.reset()
	r.format.read(s, &r.row)
	if !s.EndLine() {
		return r.end()
	}
	if !s.Broken() {
		r.apply(&r.row, start)
	}
	r.at = s.Offset()
	return nil
}

// recognise reads one line to find the agent.
func (r *Reader) recognise(start int64) error {
	s := r.scan
	s.Document = start == 0
	name, whole := recognise(s)
	s.Document = false
	s.GoTo(start)
	if !whole && !s.EndLine() {
		return r.end()
	}
	if name != "" {
		r.state.Agent = r.opts.owner(name)
		if _, isFormat := formatNamed(r.state.Agent); !isFormat {
			r.state.Format = name
		}
		r.format, r.results = r.state.formatOf()
		if whole {
			r.doc = &document{}
		}
		return nil // it is read again, now with its format
	}
	r.lines++
	if r.lines >= maxUnknown {
		return fmt.Errorf("transcript: %s: %w", r.path, ErrFormat)
	}
	r.at = s.Offset()
	return nil
}

// end is the error behind the last complete line.
func (r *Reader) end() error {
	r.release()
	if len(r.queue) > 0 {
		return nil
	}
	if r.scan.Err() != nil {
		return fmt.Errorf("transcript: %s: %w", r.path, r.scan.Err())
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

// A mark is a place between two lines, with the state there.
type mark struct {
	at    int64
	state known
}

// Position is behind the last line with no entry left to return, so that nothing is
// lost when reading stops before [io.EOF]. It is the zero Position as
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
		return Position{} // unreadable or truncated now: begin at the start
	}
	return Position{Offset: m.at, Digest: sum, State: m.state.encode()}
}

// Restarted reports that the position given to [Open] did not belong to the file, so
// that it is read from its beginning.
func (r *Reader) Restarted() bool { return r.restarted }

// Agent is the agent of the transcript: claude, codex, copilot, vscode, gemini, qwen,
// pi or journal. It is "" until a line tells it.
func (r *Reader) Agent() string { return r.state.Agent }

// Session is the id of the session in the transcript, "" if it has none. It is
// hostile: never use it as a path.
func (r *Reader) Session() string { return r.state.Session }

// OfSubagent reports whether all of the transcript is a subagent's. Session is then not
// that of the events that hooks get.
func (r *Reader) OfSubagent() bool { return r.state.Sub }

// Dir is the agent's working folder, the last one in the transcript; "" if it has
// none.
func (r *Reader) Dir() string { return r.state.Dir }

// Event is the hook call before the tool call of an entry, as rules would judge it. An
// entry that is not a Call gives an event without a tool. The agent of a journal's
// event is the agent that the journal was kept for.
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

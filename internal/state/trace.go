package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/filelock"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// A Trace keeps, for each session, that a hook began to answer a call and that it
// answered: two short lines for a call, whatever came of it. It may be used
// concurrently, by many processes, and waits for no lock.
//
// Each line is sealed with the user's key: another program could say that a call was
// judged. Lines that do not verify are left out.
type Trace struct {
	dir string
	key func() []byte
	now func() time.Time
}

// NewTrace keeps the lines in files of dir, one for each session, sealed with key.
// Nothing is touched before the first call. A nil now means time.Now.
func NewTrace(dir string, key func() []byte, now func() time.Time) *Trace {
	if now == nil {
		now = time.Now
	}
	return &Trace{dir, key, now}
}

const (
	// maxTrace is from where the file of a session is put aside, in bytes. There is one
	// such older file, so that a session keeps its last 3,500 calls and more.
	maxTrace  = 512 << 10
	traceAge  = 31 * 24 * time.Hour
	maxTraces = 200
	olderFile = ".1"
	// traceTail is what a hook reads of it to find an unanswered call, in bytes: about
	// the last 25 calls.
	traceTail = 4 << 10
	// maxHook is after how long a process with the number of a hook is another one.
	maxHook = time.Hour
)

// A Session is what is known of the session that a trace is of. Its texts are hostile.
type Session struct {
	Agent      string `json:"agent"`
	ID         string `json:"session"`              // "" of an agent that names none
	Dir        string `json:"dir"`                  // where its first call was made
	Transcript string `json:"transcript,omitempty"` // of the agent, where its events name it
}

// maxSessionText bounds a text of a Session, in bytes. A longer one is left out.
const maxSessionText = 1 << 10

// A traceHead is the first line of a file.
type traceHead struct {
	Session
	Part  int   `json:"part"`            // from 1: how many files the session has had
	Began int64 `json:"began,omitempty"` // its first call, in microseconds since 1970
}

func (s Session) bounded() Session {
	for _, text := range []*string{&s.Agent, &s.ID, &s.Dir, &s.Transcript} {
		if len(*text) > maxSessionText {
			*text = ""
		}
	}
	return s
}

// name is the file of a session. An agent that names none has one in a folder.
func (s Session) name() string {
	if s.ID == "" {
		return fileName("no session", s.Agent, s.Dir)
	}
	return fileName(s.ID)
}

// An Outcome says how a hook answered a call.
type Outcome byte

// The outcomes. They are written, so their values stay.
const (
	TraceOpen     Outcome = 0   // it has not, or not yet
	TraceNoRule   Outcome = 'n' // no rule is about the call
	TracePassed   Outcome = 'c' // rules were judged, and let it go on
	TraceStopped  Outcome = 'b' // it was stopped, or the user asked
	TraceUnjudged Outcome = 'e' // it was not understood, which the answer said, and nobody wanted it stopped for that
	TraceFailed   Outcome = 'x' // the hook failed, or ran out of time, and nobody wanted it stopped for that
	TraceAlone    Outcome = 'l' // time ran out: it was judged by the user's own rules alone
	TraceRelayed  Outcome = 'r' // another hook process has judged the same call
)

func (o Outcome) known() bool { return o != 0 && strings.IndexByte("ncbexlr", byte(o)) >= 0 }

// A Traced is one call of a trace.
type Traced struct {
	ID      uint64 // digest of the agent's id of the call; 0 if it sent none
	Args    uint64 // [ArgsDigest] of its arguments
	Tool    string // the beginning of its name; other characters than letters, digits and .:_- are replaced
	Began   time.Time
	Process int           // number of the hook's process
	Took    time.Duration // until the answer
	Outcome Outcome
}

// Lost reports whether the call may have gone on unjudged: its hook ended without an
// answer, or failed.
func (c *Traced) Lost(now time.Time) bool {
	if c.Outcome != TraceOpen {
		return c.Outcome == TraceFailed
	}
	return now.Sub(c.Began).Abs() > maxHook || c.Process != os.Getpid() && !subprocess.Alive(c.Process)
}

// Of reports whether the call is one of the tool with this name.
func (c *Traced) Of(tool string) bool { return c.Tool == traceName(tool) }

// key joins the two lines of a call.
func (c *Traced) key() string {
	return fmt.Sprintf("%016x %08x", uint64(c.Began.UnixMicro()), uint32(c.Process))
}

// CallDigest represents the agent's id of a call; 0 for none.
func CallDigest(id string) uint64 {
	if id == "" {
		return 0
	}
	sum := digest.List(id)
	return binary.BigEndian.Uint64(sum[:]) | 1 // never 0
}

// A Mark is the right to write that a call was answered. A nil Mark can be used: it
// does nothing.
type Mark struct {
	trace *Trace
	path  string
	file  *os.File
	call  Traced
	tail  []byte
}

// Begin writes that a hook begins to answer a call, and uses its ID, Args and
// Tool. The result is nil if it cannot be written.
func (t *Trace) Begin(s Session, c Traced) *Mark {
	if t == nil || len(t.key()) == 0 {
		return nil
	}
	s = s.bounded()
	m := &Mark{trace: t, path: filepath.Join(t.dir, s.name()), call: c}
	m.call.Began, m.call.Process = t.now().Truncate(time.Microsecond), os.Getpid()
	size, err := m.open()
	if err != nil {
		return nil
	}
	if size > maxTrace && m.putAside() {
		m.file.Close()
		if size, err = m.open(); err != nil {
			return nil
		}
	}
	seal := t.seal(filepath.Base(m.path))
	var lines []byte
	if size == 0 {
		lines = seal.line(lines, "h "+t.newHead(s, m.call.Began))
	} else {
		m.readTail(size)
	}
	c = m.call
	lines = seal.line(lines, fmt.Sprintf("s %s %016x %016x %s", c.key(), c.ID, c.Args, traceName(c.Tool)))
	if _, err := m.file.Write(lines); err != nil {
		m.file.Close()
		return nil
	}
	return m
}

// open opens the file, and makes it where it is missing.
func (m *Mark) open() (size int64, err error) {
	f, info, err := safefile.OpenAppend(m.path, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(m.trace.dir, 0o700); err == nil {
			f, info, err = safefile.OpenAppend(m.path, 0o600)
		}
	}
	if err != nil {
		return 0, err
	}
	m.file = f
	return info.Size(), nil
}

func isTraceName(name string) bool { return isFileName(strings.TrimSuffix(name, olderFile)) }

// putAside makes room. It reports whether the path now leads to another file. Only the
// holder of the file's lock at the path renames it, and no process waits for it.
func (m *Mark) putAside() bool {
	if errors.Is(filelock.Try(m.file), filelock.ErrHeld) {
		return false
	}
	if !isNamed(m.file, m.path) {
		return true // another process was first
	}
	return os.Rename(m.path, m.path+olderFile) == nil
}

func (m *Mark) readTail(size int64) {
	from := max(0, size-traceTail)
	tail := make([]byte, size-from)
	n, _ := m.file.ReadAt(tail, from) // what could be read is enough
	m.tail = tail[:n]
}

// maxCreated bounds the files that one call creates, of those that are kept.
const maxCreated = 32

// End writes how the call was answered, and after what time. A call that went on creates
// the files at the paths.
func (m *Mark) End(o Outcome, took time.Duration, created ...string) {
	if m == nil {
		return
	}
	seal := m.trace.seal(filepath.Base(m.path))
	var lines []byte
	if o != TraceStopped && o != TraceRelayed {
		for _, path := range created[:min(len(created), maxCreated)] {
			lines = seal.line(lines, fmt.Sprintf("c %016x %016x", CallDigest(path), uint64(m.call.Began.Add(took).UnixMicro())))
		}
	}
	ms := min(max(took.Milliseconds(), 0), 1<<32-1)
	lines = seal.line(lines, fmt.Sprintf("e %s %08x %c", m.call.key(), uint32(ms), o))
	m.file.Write(lines) // what cannot be written looks like a hook that was killed
	m.file.Close()
}

// Started is when the first call of the session with this id began; zero if that is not
// known.
func (t *Trace) Started(id string) (at time.Time) {
	name := fileName(Session{ID: id}.bounded().ID)
	for _, name := range []string{name, name + olderFile} {
		if h, ok := t.head(name); id != "" && ok && h.ID == id && h.Began > 0 {
			at = time.UnixMicro(h.Began)
		}
	}
	return at
}

// Created reports when a call of the session with this id was answered that created the file
// at a path, the latest; zero if none did. The session's trace is read at the first question.
// The function may be used concurrently.
func (t *Trace) Created(id string) func(path string) time.Time {
	id = Session{ID: id}.bounded().ID
	name := fileName(id)
	lines := sync.OnceValue(func() map[string][]byte { // the last one about each path
		all := map[string][]byte{}
		for _, name := range []string{name + olderFile, name} {
			data, _ := Read(filepath.Join(t.dir, name)) // what cannot be read tells nothing
			for line := range bytes.Lines(data) {
				if len(line) > createdDigest && line[0] == 'c' {
					all[string(line[:createdDigest])] = line
				}
			}
		}
		return all
	})
	return func(path string) (at time.Time) {
		begin := fmt.Sprintf("c %016x ", CallDigest(path))
		line := lines()[begin]
		if id == "" || line == nil {
			return at
		}
		said, ok := t.seal(name).verified(line)
		if n, err := strconv.ParseUint(strings.TrimPrefix(string(said), begin), 16, 63); ok && err == nil {
			at = time.UnixMicro(int64(n))
		}
		return at
	}
}

// createdDigest is the length of a line about a created file up to its time.
const createdDigest = 2 + 16 + 1

// Lost are the calls just before this one that may have gone on unjudged, see
// [Traced.Lost].
func (m *Mark) Lost() (lost []Traced) {
	if m == nil {
		return nil
	}
	open := unjudged(m.tail)
	if len(open) == 0 { // the usual case
		return nil
	}
	calls, _ := m.trace.seal(filepath.Base(m.path)).parse(open)
	return slices.DeleteFunc(calls, func(c Traced) bool { return !c.Lost(m.trace.now()) })
}

// newHead is the first line of a file.
func (t *Trace) newHead(s Session, now time.Time) string {
	prune(t.dir, isTraceName, traceAge, maxTraces)
	before, _ := t.head(s.name() + olderFile)
	head, _ := json.Marshal(traceHead{s, before.Part + 1, cmp.Or(before.Began, now.UnixMicro())}) // texts always encode
	return string(head)
}

// A Receipts is the trace of one session.
type Receipts struct {
	Session
	Calls []Traced // in the order in which they began
	Whole bool     // none of its calls was forgotten to keep the trace small
}

// Read returns the trace of a session; fs.ErrNotExist if there is none.
func (t *Trace) Read(s Session) (*Receipts, error) { return t.read(s.bounded().name()) }

func (t *Trace) read(name string) (*Receipts, error) {
	var r Receipts
	var heads []traceHead
	err := error(fs.ErrNotExist)
	for _, name := range []string{name + olderFile, name} {
		data, failed := Read(filepath.Join(t.dir, name))
		if errors.Is(failed, fs.ErrNotExist) {
			continue
		}
		if err = failed; err != nil {
			return nil, err
		}
		calls, found := t.seal(name).parse(data)
		r.Calls, heads = append(r.Calls, calls...), append(heads, found...)
	}
	switch {
	case err != nil:
		return nil, err
	case len(heads) == 0:
		return nil, fmt.Errorf("state: %s: %w", filepath.Join(t.dir, name), ErrSeal)
	}
	r.Session, r.Whole = heads[0].Session, heads[0].Part == 1
	return &r, nil
}

// All are the traces that are kept of sessions that want accepts, those first whose
// calls are the latest.
func (t *Trace) All(want func(Session) bool) (all []*Receipts) {
	files := list(t.dir, isFileName)
	for _, f := range slices.Backward(files) {
		if h, ok := t.head(f.name); ok && want(h.Session) {
			if r, err := t.read(f.name); err == nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// head reads whose trace a file is.
func (t *Trace) head(name string) (h traceHead, ok bool) {
	f, _, err := Open(filepath.Join(t.dir, name))
	if err != nil {
		return h, false
	}
	defer f.Close()
	data := make([]byte, 32*maxSessionText) // JSON takes up to six bytes for one
	n, _ := io.ReadFull(f, data)            // a shorter file is the usual one
	_, heads := t.seal(name).parse(data[:n])
	if len(heads) == 0 {
		return h, false
	}
	return heads[0], true
}

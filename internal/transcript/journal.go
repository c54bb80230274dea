package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/jsonscan"
	"github.com/agentsentinel/sentinel/internal/state"
)

// JournalOptions are the options of [OpenJournal]. A nil *JournalOptions is the
// zero value.
type JournalOptions struct {
	// MaxBytes bounds the file. 0 is 4 MB; less than 64 KB is 64 KB. When a line
	// would go beyond it, the newer half of the lines is kept.
	MaxBytes int64

	// Mask removes secrets from a text before it is written; nil writes the text
	// unchanged. It gets every text in the arguments of a call.
	Mask func(text string) string

	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

// Bounds of a journal, in bytes.
const (
	defaultJournal = 4 << 20
	minJournal     = 64 << 10
	journalText    = 8 << 10  // of words of the user
	journalArgs    = 16 << 10 // of the arguments of a call
)

// A Journal is Sentinel's own record of a session, for agents that have none or do not
// say where it is. [Open] reads it. Many processes may write one journal
// at once: each line is one write under the file's lock. It may be used
// concurrently.
type Journal struct {
	path string
	opts JournalOptions
}

// OpenJournal returns the Journal in the file at path. It touches nothing before the
// first event. The file must not be a symbolic link, nor any folder on the way to it
// below a folder .sentinel.
func OpenJournal(path string, opts *JournalOptions) (*Journal, error) {
	if path == "" {
		return nil, errors.New("transcript: a journal needs a path")
	}
	if opts == nil {
		opts = &JournalOptions{}
	}
	j := &Journal{path: path, opts: *opts}
	if j.opts.MaxBytes == 0 {
		j.opts.MaxBytes = defaultJournal
	}
	j.opts.MaxBytes = max(j.opts.MaxBytes, minJournal)
	if j.opts.Mask == nil {
		j.opts.Mask = func(text string) string { return text }
	}
	if j.opts.Now == nil {
		j.opts.Now = time.Now
	}
	return j, nil
}

// Append writes what an event says: a prompt, a call or its result. Of a
// tool's output, only the line with its outcome is kept. An event of another phase says
// nothing, and nothing is written.
func (j *Journal) Append(ev sentinel.Event) error {
	line := j.line(ev)
	if line == nil {
		return nil
	}
	f, err := state.OpenLocked(j.path)
	if err != nil {
		return fmt.Errorf("transcript: journal: %w", err)
	}
	err = j.write(f, line)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("transcript: journal %s: %w", j.path, err)
	}
	return nil
}

// Close gives back what the journal holds: nothing between two events.
func (j *Journal) Close() error { return nil }

// write adds a line to the end.
func (j *Journal) write(f *os.File, line []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size+int64(len(line))+1 > j.opts.MaxBytes {
		if size, err = halve(f, size, j.opts.MaxBytes/2); err != nil {
			return err
		}
	}
	if size > 0 { // a process that died in the middle left half a line
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.WriteAt(line, size)
	return err
}

// halve keeps the newest lines, at most keep bytes of them, and returns the new
// size.
func halve(f *os.File, size, keep int64) (int64, error) {
	b := make([]byte, min(keep, size))
	if _, err := f.ReadAt(b, size-int64(len(b))); err != nil && err != io.EOF {
		return size, err
	}
	if i := bytes.IndexByte(b, '\n'); i >= 0 && int64(len(b)) < size {
		b = b[i+1:]
	}
	if _, err := f.WriteAt(b, 0); err != nil {
		return size, err
	}
	return int64(len(b)), f.Truncate(int64(len(b)))
}

// line is the line of an event; nil when it says nothing.
func (j *Journal) line(ev sentinel.Event) []byte {
	out := jsonscan.AppendString([]byte(`{"`+journalKey+`":1,"agent":`), jsonscan.Cut(ev.Agent, maxName))
	member := func(key, text string) {
		if text != "" {
			out = jsonscan.AppendString(append(out, `,"`+key+`":`...), text)
		}
	}
	member("session", jsonscan.Cut(ev.Session, maxName))
	member("dir", jsonscan.Cut(ev.Dir, maxTarget))
	member("time", j.opts.Now().UTC().Format(time.RFC3339Nano))
	switch ev.Phase {
	case sentinel.PhasePrompt:
		if blank(ev.Prompt) {
			return nil
		}
		member("kind", Human.String())
		member("text", jsonscan.Cut(j.masked(ev.Prompt, journalText), journalText))
	case sentinel.PhasePre:
		member("kind", Call.String())
		member("id", jsonscan.Cut(ev.Tool.ID, maxName))
		member("tool", jsonscan.Cut(ev.Tool.Name, maxName))
		args, cut := j.args(ev.Tool.Args)
		out = append(append(out, `,"args":`...), args...)
		out = strconv.AppendBool(append(out, `,"cut":`...), cut)
	case sentinel.PhasePost:
		member("kind", Result.String())
		member("id", jsonscan.Cut(ev.Tool.ID, maxName))
		member("tool", jsonscan.Cut(ev.Tool.Name, maxName))
		member("text", j.result(ev.Tool))
		out = strconv.AppendBool(append(out, `,"failed":`...), ev.Tool.Failed)
		out = strconv.AppendUint(append(out, `,"came":`...), uint64(ev.Tool.Result), 10)
	default:
		return nil
	}
	return append(out, '}', '\n')
}

// masked is the beginning of a text without secrets. More than the kept part is
// masked, so that a secret at the cut is recognised as a whole.
func (j *Journal) masked(text string, keep int) string {
	return j.opts.Mask(jsonscan.Cut(text, keep+jsonscan.MaskMargin))
}

// result is the line of an output that tells the outcome.
func (j *Journal) result(call sentinel.ToolCall) string {
	tail := call.Output[max(0, len(call.Output)-outputTail):]
	return resultLine(j.masked(call.Output, outputHead), j.opts.Mask(tail), call.Failed)
}

// args are the arguments of a call within bounds and without secrets. Arguments that
// are not JSON become a JSON text.
func (j *Journal) args(args json.RawMessage) (kept json.RawMessage, cut bool) {
	if len(bytes.TrimSpace(args)) == 0 {
		return json.RawMessage("{}"), false
	}
	s := jsonscan.Bytes(args)
	kept, cut = s.Raw(journalArgs, j.opts.Mask)
	if !s.OK() {
		text := jsonscan.Cut(j.masked(string(args), journalArgs), journalArgs)
		return jsonscan.AppendString(nil, text), len(text) < len(args)
	}
	return kept, cut
}

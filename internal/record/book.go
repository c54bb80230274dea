package record

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A Book is where calls are recorded: a log, a file of prompts, and notes. It may be
// used concurrently, by many processes.
type Book struct {
	StateDir string           // the user's, for notes; "" keeps none
	Root     string           // the project's folder, which notes name; "" for none
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger     // nil discards
	Off      bool             // write no log and no prompts

	// Log is the log that is written; with nil, or without a path and a sink, none is.
	// It is asked when there is something to write.
	Log func() Log

	// Prompts is where prompts and answers are kept, "" for nowhere. They show what
	// is judged: it is a file of the user's own.
	Prompts   string
	PromptsMB int // from where it is rotated
}

// A Log is a file of telemetry and how it is written.
type Log struct {
	// Sink gets the lines in the place of the file, which the rest describes but for
	// Threshold; nil writes the file.
	Sink func([]telemetry.Record) error

	Path      string // absolute
	Within    string // folder that a planted link must not lead the log out of; "" means none
	MaxMB     int
	Keep      int     // rotated files that are kept; 0 keeps none
	Threshold float64 // as in [telemetry.Records]
}

// write appends lines to the log.
func (l Log) write(lines []telemetry.Record, logger *slog.Logger) error {
	switch {
	case l.Sink == nil:
		return l.Open(logger).Write(lines)
	case len(lines) == 0:
		return nil
	}
	return l.Sink(lines)
}

// Open opens the file for writing.
func (l Log) Open(logger *slog.Logger) *telemetry.Log {
	keep := cmp.Or(l.Keep, -1) // 0 is the default there; none are kept
	return telemetry.Open(l.Path, &telemetry.Options{MaxMB: l.MaxMB, Keep: keep, Within: l.Within, Logger: logger})
}

func (b *Book) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

// Write records a decision and returns what was recorded of it, nil for a decision
// that leaves no record: no rule was about the call, or another process has judged
// it. It also notes a tool that is unknown.
func (b *Book) Write(c *Call, d sentinel.Decision, ev sentinel.Event) error {
	if d.Relayed || c == nil || c.Quiet() {
		return nil
	}
	return errors.Join(b.lines(c, ev.Phase == sentinel.PhasePost), b.keepPrompts(ev, d))
}

// WriteShadow records the findings of shadow rules that were judged after the answer.
func (b *Book) WriteShadow(c *Call, d sentinel.Decision, ev sentinel.Event) error {
	return errors.Join(b.keepPrompts(ev, d), b.lines(c, true))
}

// lines appends the lines about a call; without that of the decision where the call
// has one already.
func (b *Book) lines(c *Call, decided bool) error {
	log, ok := b.log()
	if !ok {
		return nil
	}
	lines := c.Lines(log.Threshold)
	if decided {
		lines = slices.DeleteFunc(lines, func(r telemetry.Record) bool { return r.Level == telemetry.LevelDecision })
	}
	return log.write(lines, b.Logger)
}

func (b *Book) log() (Log, bool) {
	if b.Off || b.Log == nil {
		return Log{}, false
	}
	log := b.Log()
	return log, log.Path != "" || log.Sink != nil
}

// Append adds records about work that is not a call: a summary, a draft.
func (b *Book) Append(records ...telemetry.Record) error {
	log, ok := b.log()
	if !ok {
		return nil
	}
	return log.write(records, b.Logger)
}

// Note keeps something that the user should hear of later.
func (b *Book) Note(kind, agent, text string) error {
	if b.StateDir == "" {
		return nil
	}
	return state.Append(b.StateDir, state.Note{Time: b.now(), Kind: kind, Agent: agent, Text: text, Root: b.Root})
}

// noteRepeat is after how long the same note is kept again.
const noteRepeat = 24 * time.Hour

// NoteOnce is [Book.Note] for what may happen again with every turn of an agent: the
// same text is kept once a day.
func (b *Book) NoteOnce(kind, agent, text string) error {
	if b.StateDir == "" || b.given().Repeated("notes", kind+" "+agent, text, noteRepeat) {
		return nil
	}
	return b.Note(kind, agent, text)
}

// NoteSeal notes that a file of Sentinel's own, which what names, was left out because
// its seal does not verify. There is one such note a day for all files: where the key was
// replaced, none of them verifies.
func (b *Book) NoteSeal(what string, err error) {
	if b.StateDir == "" || b.given().Repeated("notes", "seal", "", noteRepeat) {
		return
	}
	b.Note("seal", "", fmt.Sprintf("%s: %v. It was left out, as is every file that does not carry the seal of your key", what, err))
}

// Forget forgets which texts were given in a session, so that they are given again:
// for the moment at which the agent forgets them itself, when it clears or compacts
// its context. A session that is not known is not an error.
func (b *Book) Forget(session string) error {
	if b.StateDir == "" {
		return nil
	}
	return b.given().Forget(session)
}

func (b *Book) given() *state.Given { return state.GivenIn(b.StateDir, b.Now) }

// User records what a user did: a line for each of the records, or one without records, and
// a note.
func (b *Book) User(level, by, what string, records []telemetry.Record) error {
	if len(records) == 0 {
		records = []telemetry.Record{{}}
	}
	target := what
	for i := range records {
		r := &records[i]
		r.Time, r.Level, r.By, r.Reason = b.now(), level, by, what
		if r.Target != "" {
			target = fmt.Sprintf("%s: %s [%s]", what, r.Target, r.RuleID)
		}
	}
	return errors.Join(b.Note(level, records[0].Agent, cmp.Or(by, "a person")+": "+target), b.Append(records...))
}

const (
	promptsKept = 1       // rotated files in addition to the one that is written
	maxPrompts  = 8 << 20 // bytes of one line that is read back
)

// keepPrompts keeps what judges were asked about a call, as far as the attempts
// kept it.
func (b *Book) keepPrompts(ev sentinel.Event, d sentinel.Decision) error {
	if b.Prompts == "" || b.Off {
		return nil
	}
	traces := telemetry.Traces(b.now(), ev, d)
	return telemetry.Open(b.Prompts, &telemetry.Options{MaxMB: b.PromptsMB, Keep: promptsKept, Logger: b.Logger}).WriteTraces(traces)
}

// ReadPrompts returns what was kept of the call, or the finding, with this id: see
// telemetry.Record.ID. It is not an error if they were not kept, or are gone.
func (b *Book) ReadPrompts(id string) ([]telemetry.Trace, error) {
	var found []telemetry.Trace
	if b.Prompts == "" || id == "" {
		return nil, nil
	}
	for _, name := range telemetry.Files(b.Prompts) {
		f, _, err := safefile.OpenNoFollow(name, os.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // rotated away meanwhile
		}
		if err != nil {
			return found, fmt.Errorf("%s: %w", name, err)
		}
		found = appendTraces(found, f, id)
		f.Close()
	}
	return found, nil
}

// appendTraces reads the traces of one file. Lines that are torn, or longer than
// any that is written, are passed over.
func appendTraces(found []telemetry.Trace, r io.Reader, id string) []telemetry.Trace {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxPrompts)
	for lines.Scan() {
		var t telemetry.Trace
		if json.Unmarshal(lines.Bytes(), &t) == nil && telemetry.SameCall(t.ID, id) && (t.ID == id || !strings.Contains(id, ".")) {
			found = append(found, t)
		}
	}
	return found
}

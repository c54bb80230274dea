package contextacc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// The defaults of [Options]: the first two are those of the configuration
// reference.
const (
	DefaultMinEvents = 3
	DefaultMaxWords  = 150
	// DefaultTimeout is long: nobody waits for a summary, and a judge that comes
	// between interrupts the call.
	DefaultTimeout = time.Minute
)

// A Session is whose summary is kept.
type Session struct {
	Dir        string // absolute: the session's folder, below .sentinel in the project
	Agent      string // whose transcript it is; "" is found out from its content
	Transcript string // path of the transcript, or of Sentinel's own journal
}

// Options say who is asked and for how much. A Backend is needed; every other
// field has a default.
type Options struct {
	Backend   sentinel.Backend
	Model     string        // "" means the backend's default
	MinEvents int           // new events before the summary is written anew; 0 means DefaultMinEvents
	MaxWords  int           // of the whole summary; 0 means DefaultMaxWords
	Timeout   time.Duration // the model's own time; 0 means DefaultTimeout

	// LockDir is a folder of the user's in which the processes that work on a
	// session meet. "" means that no other process does.
	LockDir string

	// FenceKey is the user's secret, by which what the model is shown is fenced.
	// nil still gives a fence that does not occur in the text.
	FenceKey []byte
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger     // nil discards
}

// filled returns a copy of o in which every default stands.
func (o *Options) filled() (*Options, error) {
	if o == nil || o.Backend == nil {
		return nil, errors.New("contextacc: there is no model to ask: Options.Backend is nil")
	}
	c := *o
	if c.MinEvents == 0 {
		c.MinEvents = DefaultMinEvents
	}
	if c.MaxWords == 0 {
		c.MaxWords = DefaultMaxWords
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &c, nil
}

// A Result is what [Update] came to.
type Result struct {
	Events   int  // that were new, of the last look
	Written  bool // the summary was brought up to date
	Busy     bool // another process is at it, and was asked to look again
	Summary  Summary
	Response sentinel.Response // who wrote it last, and at what cost in all
}

// then adds a later look to a result. One that finds nothing new takes nothing
// away, and one that asks again does not forget what was paid before.
func (r Result) then(next Result) Result {
	if !r.Written {
		return next
	}
	next.Written = true
	before, after := r.Response, next.Response
	if after == (sentinel.Response{}) {
		next.Response = before
		return next
	}
	for _, paid := range []*sentinel.Response{&before, &after} {
		if paid.Cached {
			paid.PromptTokens, paid.OutputTokens = 0, 0
		}
	}
	next.Response.Cached = before.Cached && after.Cached
	if !next.Response.Cached {
		next.Response.PromptTokens = before.PromptTokens + after.PromptTokens
		next.Response.OutputTokens = before.OutputTokens + after.OutputTokens
	}
	return next
}

// maxLooks bounds how often one process looks again for others.
const maxLooks = 8

// checkpoint is how far a session was read into its summary.
type checkpoint struct {
	Position transcript.Position `json:"position"`
}

// Update brings the summary of a session up to date, if at least MinEvents are
// new. When it fails the checkpoint stays where it was, so that the next call sees
// the same events and those that have come since. The error wraps what the backend
// said, or fs.ErrNotExist for a transcript that is not there.
func Update(ctx context.Context, s Session, o *Options) (Result, error) {
	o, err := o.filled()
	if err != nil {
		return Result{}, err
	}
	folder, err := state.OpenFolder(s.Dir, true)
	if err != nil {
		return Result{}, fmt.Errorf("contextacc: %w", err)
	}
	defer folder.Close()

	// The mark comes before the try: whoever has the turn at that moment looks for
	// it after giving the turn back.
	if err := folder.Replace(againName, nil); err != nil {
		return Result{}, fmt.Errorf("contextacc: %w", err)
	}
	var all Result
	for range maxLooks {
		done, mine := o.turn(s.Dir)
		if !mine {
			all.Busy = true
			return all, nil
		}
		folder.Remove(againName)
		res, err := o.look(ctx, folder, s)
		done()
		if all = all.then(res); err != nil {
			return all, err
		}
		if !folder.Has(againName) {
			break
		}
	}
	return all, nil
}

// turn takes the session for this process.
func (o *Options) turn(dir string) (done func(), mine bool) {
	if o.LockDir == "" {
		return func() {}, true
	}
	return state.NewLocks(o.LockDir).Try(dir)
}

// look reads what is new and has it summarized.
func (o *Options) look(ctx context.Context, folder *state.Folder, s Session) (Result, error) {
	old, from := o.begin(folder)
	latest, to, err := read(ctx, s, from)
	res := Result{Events: latest.events, Summary: old}
	if err != nil {
		return res, fmt.Errorf("contextacc: the transcript: %w", err)
	}
	if latest.events < o.MinEvents {
		return res, nil
	}
	next, resp, err := o.ask(ctx, old, latest)
	res.Response = resp
	if err != nil {
		return res, fmt.Errorf("contextacc: %w", err)
	}
	next.Updated = o.Now().UTC().Truncate(time.Second)
	// In this order: what is killed in between sees the same events once more.
	if err := errors.Join(writeJSON(folder, summaryName, next), writeJSON(folder, checkpointName, checkpoint{to})); err != nil {
		return res, fmt.Errorf("contextacc: %w", err)
	}
	res.Summary, res.Written = next, true
	return res, nil
}

// begin is the summary so far and where reading goes on. Garbage counts as
// missing; without either of the two the session is read from its beginning.
func (o *Options) begin(folder *state.Folder) (Summary, transcript.Position) {
	old, err := loadSummary(folder)
	if err != nil {
		o.replaced(summaryName, err)
		return Summary{}, transcript.Position{}
	}
	var cp checkpoint
	if err := readJSON(folder, checkpointName, &cp); err != nil {
		o.replaced(checkpointName, err)
		return old, transcript.Position{}
	}
	return old, cp.Position
}

func (o *Options) replaced(name string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		o.Logger.Warn("contextacc: a file is not used and will be replaced", "file", name, "error", err)
	}
}

// read takes in what stands behind from in the transcript.
func read(ctx context.Context, s Session, from transcript.Position) (*news, transcript.Position, error) {
	latest := newNews()
	r, err := transcript.Open(s.Transcript, from, &transcript.Options{Agent: s.Agent})
	if err != nil {
		return latest, from, err
	}
	defer r.Close()
	for {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return latest, r.Position(), nil
		case err != nil:
			return latest, from, err
		case ctx.Err() != nil:
			return latest, from, ctx.Err()
		}
		latest.add(e)
	}
}

// ask has the summary brought up to date.
func (o *Options) ask(ctx context.Context, old Summary, latest *news) (Summary, sentinel.Response, error) {
	q := o.question(old, latest)
	resp, err := o.Backend.Complete(ctx, sentinel.Request{
		System: q.system, Prompt: q.prompt, Schema: json.RawMessage(answerSchema), Model: o.Model,
		MaxTokens: answerTokens(o.MaxWords), Temperature: temperature,
		Timeout: o.Timeout, Priority: sentinel.PriorityAccumulator,
		Valid: func(text string) error { _, err := parseAnswer(text, q.fence); return err },
	})
	if err != nil {
		return Summary{}, resp, err
	}
	s, err := parseAnswer(resp.Text, q.fence)
	if err != nil {
		return Summary{}, resp, err
	}
	return s.cut(o.MaxWords), resp, nil
}

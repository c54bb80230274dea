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

// The defaults of [Options]. The first two are those of the configuration.
const (
	DefaultMinEvents = 3
	DefaultMaxWords  = 150
	// DefaultTimeout is long: no user waits for a summary, and a judge interrupts
	// the call.
	DefaultTimeout = time.Minute
)

// A Session is one whose summary is kept.
type Session struct {
	Dir        string // absolute: the session's folder, below .sentinel in the project
	Agent      string // that wrote the transcript; "" means that the content says so
	Transcript string // path of the transcript, or of Sentinel's own journal
}

// Options are the settings of [Update]. A Backend is required; every other field has
// a default.
type Options struct {
	Backend   sentinel.Backend
	Model     string        // "" means the backend's default
	MinEvents int           // new events before the summary is written again; 0 means DefaultMinEvents
	MaxWords  int           // of the whole summary; 0 means DefaultMaxWords
	Timeout   time.Duration // the model's own time; 0 means DefaultTimeout

	// LockDir is the user's folder of locks between processes. "" means that no
	// other process works on the session.
	LockDir string

	// FenceKey is the user's secret that makes the fence around the data
	// unpredictable. With nil the fence still does not occur in the data.
	FenceKey []byte
	Now      func() time.Time // nil means time.Now
	Logger   *slog.Logger     // nil discards
}

// filled returns a copy of o with all defaults set.
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

// A Result is the result of [Update].
type Result struct {
	Events   int  // new ones at the last look
	Written  bool // the summary was brought up to date
	Busy     bool // another process does the work, and was asked to look again
	Summary  Summary
	Response sentinel.Response // the last answer, with the cost of all
}

// then adds a later look to a result. A look that finds nothing new keeps the earlier
// summary, and one that asks again adds its cost to the earlier one.
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
// new. When it fails the checkpoint does not move, so that the next call reads the
// same events and the later ones. The error wraps that of the backend, or
// fs.ErrNotExist for a missing transcript.
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

	// The mark is set before the lock is tried: the process that has the lock looks
	// for the mark after it has released the lock.
	if err := folder.Replace(againName, nil); err != nil {
		return Result{}, fmt.Errorf("contextacc: %w", err)
	}
	var all Result
	for range maxLooks {
		done, mine := o.claim(s.Dir)
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

// claim locks the session for this process.
func (o *Options) claim(dir string) (done func(), mine bool) {
	if o.LockDir == "" {
		return func() {}, true
	}
	return state.NewLocks(o.LockDir).Try(dir)
}

// look reads the new events and asks for the summary.
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
	// In this order a process that is killed in between reads the same events again.
	if err := errors.Join(writeJSON(folder, summaryName, next), writeJSON(folder, checkpointName, checkpoint{to})); err != nil {
		return res, fmt.Errorf("contextacc: %w", err)
	}
	res.Summary, res.Written = next, true
	return res, nil
}

// begin returns the summary so far and the position to read from. Unusable files
// count as missing. If one of the two is missing, reading begins at the start.
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

// read reads the transcript from a position to its end.
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

// ask asks the model for the new summary.
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

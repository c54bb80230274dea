package background

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// Time bounds what one process does. No session's summary takes that long.
const Time = 20 * time.Minute

// An Observer gets the decision on a call.
type Observer func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error

// Run does a job. opts are those of project.Open. A failure is noted for the user,
// who does not see this process, and returned.
func Run(ctx context.Context, j *Job, opts project.Options, observe Observer) (err error) {
	ctx, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	notes := &noteHandler{agent: j.Agent()}
	opts.Logger = slog.New(notes)
	w := &worker{job: j, opts: opts, observe: observe, notes: notes}
	var errs []error
	for _, task := range []struct {
		kind string
		do   func(context.Context) error
	}{{"observe", w.show}, {"shadow", w.judgeShadow}, {"session", w.remember}} {
		if err := w.guarded(ctx, task.do); err != nil {
			w.open().Past().Book().NoteOnce(task.kind, j.Agent(), text.OneLine(err.Error()))
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

type worker struct {
	job     *Job
	opts    project.Options
	observe Observer
	notes   *noteHandler
	project *project.Project
}

// guarded keeps a task that panics from the others.
func (w *worker) guarded(ctx context.Context, do func(context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	return do(ctx)
}

// open opens the project that the job is about.
func (w *worker) open() *project.Project {
	if w.project == nil {
		starts := w.job.Starts
		if w.job.Shadow != nil {
			for _, source := range w.job.Shadow.sources() {
				if dir := filepath.Dir(source); !slices.Contains(starts, dir) {
					starts = append(starts, dir)
				}
			}
			w.opts.Shadow = sentinel.ShadowOnly
		}
		w.project = project.Open(starts, &w.opts)
		w.notes.book = w.project.Past().Book()
	}
	return w.project
}

// observeTime bounds one call of the observer.
const observeTime = 30 * time.Second

func (w *worker) show(ctx context.Context) error {
	if w.job.Seen == nil {
		return nil
	}
	if w.observe == nil {
		return errors.New("this build of sentinel has no observer")
	}
	return w.tell(ctx, w.job.Seen)
}

// tell shows a call to the observer: the findings that were judged with it.
func (w *worker) tell(ctx context.Context, c *record.Call) error {
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	d := c.Decision
	d.Findings = nil
	for _, f := range c.Decision.Concluded() {
		d.Findings = append(d.Findings, *f)
	}
	return w.observe(ctx, c.At, c.Event, d)
}

// shadowTime bounds the judging of shadow rules: their model may wait for the GPU.
const shadowTime = 5 * time.Minute

// shadowMark is at the end of a call's name in the names of findings that were
// judged after its answer.
const shadowMark = "s"

// judgeShadow judges the shadow rules of a call and records what each would have
// done. A rule that has changed its place since, or is gone, is left out.
func (w *worker) judgeShadow(ctx context.Context) error {
	s := w.job.Shadow
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shadowTime)
	defer cancel()
	p := w.open()
	d, err := p.MatchSources(ctx, s.Event, s.sources()).Judge(ctx)
	d.Findings = slices.DeleteFunc(d.Findings, func(f sentinel.Finding) bool { return !s.wants(&f) })
	d.Verdict, d.Actions, d.ID = sentinel.VerdictAllow, s.Event.Actions, ""
	if s.ID != "" {
		d.ID = s.ID + shadowMark
	}
	if len(d.Findings) == 0 {
		return err
	}
	c := record.Of(w.now(), s.Event, d)
	err = errors.Join(err, p.Past().Book().WriteShadow(c, d, s.Event))
	if w.observe != nil {
		err = errors.Join(err, w.tell(ctx, c))
	}
	return err
}

func (w *worker) now() time.Time {
	if w.opts.Now != nil {
		return w.opts.Now()
	}
	return time.Now()
}

// remember brings the memory of a session up to date; when one starts, models are
// loaded too.
func (w *worker) remember(ctx context.Context) error {
	s := w.job.Session
	if s == nil {
		return nil
	}
	p := w.open()
	ev := sentinel.Event{Phase: s.Phase, Agent: s.Agent, Session: s.ID, Transcript: s.Transcript}
	if len(w.job.Starts) > 0 {
		ev.Dir = w.job.Starts[0]
	}
	var warmed error
	if s.Phase == sentinel.PhaseStart {
		warmed = p.Models().Warm(ctx)
	}
	return errors.Join(warmed, p.Memory().Work(ctx, ev))
}

func randomName() string { return strings.ToLower(rand.Text()) }

// noteHandler keeps warnings of a process that has no output as notes, which
// "sentinel doctor" shows.
type noteHandler struct {
	book  *record.Book
	agent string
	attrs []slog.Attr
}

// Enabled implements [slog.Handler].
func (n *noteHandler) Enabled(_ context.Context, level slog.Level) bool {
	return n.book != nil && level >= slog.LevelWarn
}

// Handle implements [slog.Handler].
func (n *noteHandler) Handle(_ context.Context, r slog.Record) error {
	said := r.Message
	add := func(a slog.Attr) bool {
		said += " " + a.String()
		return true
	}
	for _, a := range n.attrs {
		add(a)
	}
	r.Attrs(add)
	return n.book.NoteOnce("session", n.agent, text.OneLine(said))
}

// WithAttrs implements [slog.Handler].
func (n *noteHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *n
	c.attrs = append(c.attrs[:len(c.attrs):len(c.attrs)], attrs...)
	return &c
}

// WithGroup implements [slog.Handler]. A note is one line: groups add nothing.
func (n *noteHandler) WithGroup(string) slog.Handler { return n }

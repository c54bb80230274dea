package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// What the hook does at events that are not judged: advice after a tool, the
// memory of a session, and the work behind both that nobody waits for.

// afterTool gives what rules with post have to say about the call, together with
// what the agent could not take before it.
func (h *hookCall) afterTool() int {
	d := h.keptAdvice()
	p := h.project()
	if said, err := p.Evaluate(context.Background(), h.event); err == nil { // whatever goes wrong is silence
		defer h.observe(said)
		if err := p.Record(h.event, said); err != nil {
			p.Note("log", h.event.Agent, err.Error())
		}
		defer h.judgeLater(p, said)
		d.Findings = append(d.Findings, said.Findings...)
	}
	status := h.write(h.agent.Encode(h.event, d))
	h.journal(p)
	return status
}

// inSession answers an event about the course of a session, and then starts what
// is to be done behind it.
func (h *hookCall) inSession() int {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if h.event.Phase == sentinel.PhaseStart || h.event.Phase == sentinel.PhasePrompt {
		d = h.keptAdvice()
	}
	if h.event.Phase == sentinel.PhaseUnknown {
		return h.write(h.agent.Encode(h.event, d))
	}
	p := h.project()
	if h.event.Phase == sentinel.PhaseStart {
		h.begin(p)
		d.Notice = p.DraftsNotice(h.event)
	}
	status := h.write(h.agent.Encode(h.event, d))
	h.journal(p)
	if err := h.workBehind(p); err != nil {
		p.NoteOnce("session", h.event.Agent, err.Error())
	}
	return status
}

// begin forgets what the session that begins does not know any more.
func (h *hookCall) begin(p *project.Project) {
	var err error
	switch h.event.Source {
	case "compact", "clear":
		err = p.ForgetTold(h.event.Session)
	}
	if err == nil {
		err = p.BeginSession(h.event)
	}
	if err != nil {
		p.NoteOnce("session", h.event.Agent, err.Error())
	}
}

// journal keeps the event where the agent itself keeps no record of its sessions.
func (h *hookCall) journal(p *project.Project) {
	if err := p.Journal(h.event); err != nil {
		p.NoteOnce("session", h.event.Agent, err.Error())
	}
}

// workBehind starts the process that does what nobody waits for; with --wait it
// is waited for all the same.
func (h *hookCall) workBehind(p *project.Project) error {
	if !p.HasSessionWork(h.event.Phase) {
		return nil
	}
	err := p.KeepSession(h.event)
	wait, failed := detach(childEnv(h.env.Environ, p.KeyNames()), newSessionWork(h.event, h.starts()))
	if failed == nil && h.flags.wait {
		wait() // what went wrong there the child has noted itself
	}
	return errors.Join(err, failed)
}

// workTime bounds what one child does. No session's summary takes that long.
const workTime = 20 * time.Minute

// runSessionWork is the hidden command that a hook starts: see [detach].
func runSessionWork(env *Env) (status int) {
	debug.SetGCPercent(50) // nobody waits for it, and it shares a machine with the agent: memory before time
	p, ev, err := openSessionWork(env)
	if err != nil {
		fmt.Fprintln(env.Stderr, text.OneLine("sentinel "+sessionCommand+": "+err.Error()))
		return exitError
	}
	defer func() {
		if cause := recover(); cause != nil {
			p.NoteOnce("session", ev.Agent, fmt.Sprintf("internal error: %v", cause))
			status = exitError
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), workTime)
	defer cancel()
	if err := p.SessionWork(ctx, ev); err != nil {
		p.NoteOnce("session", ev.Agent, text.OneLine(err.Error()))
		return exitError
	}
	return exitOK
}

// openSessionWork reads the work and opens the project that it is about.
func openSessionWork(env *Env) (*project.Project, sentinel.Event, error) {
	input, err := io.ReadAll(io.LimitReader(env.Stdin, maxWork+1))
	if err != nil {
		return nil, sentinel.Event{}, err
	}
	var w sessionWork
	if err := json.Unmarshal(input, &w); err != nil {
		return nil, sentinel.Event{}, fmt.Errorf("the work on standard input is not understood; a hook starts this, not a person: %w", err)
	}
	ev, err := w.event()
	if err != nil {
		return nil, sentinel.Event{}, err
	}
	notes := &noteHandler{agent: ev.Agent}
	opts := env.project()
	opts.Logger = slog.New(notes)
	p := project.Open(w.Starts, opts)
	notes.project = p
	return p, ev, nil
}

// noteHandler keeps warnings of a process that nobody sees as notes, which
// "sentinel doctor" shows.
type noteHandler struct {
	project *project.Project
	agent   string
	attrs   []slog.Attr
}

// Enabled implements [slog.Handler].
func (n *noteHandler) Enabled(_ context.Context, level slog.Level) bool {
	return n.project != nil && level >= slog.LevelWarn
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
	return n.project.NoteOnce("session", n.agent, text.OneLine(said))
}

// WithAttrs implements [slog.Handler].
func (n *noteHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *n
	c.attrs = append(c.attrs[:len(c.attrs):len(c.attrs)], attrs...)
	return &c
}

// WithGroup implements [slog.Handler]. A note is one line: groups add nothing.
func (n *noteHandler) WithGroup(string) slog.Handler { return n }

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// observeCommand is the hidden command by which a hook has [Env.Observe] called
// in a process that is left behind. Its input is an [observation].
const observeCommand = "observe-work"

// maxObservation bounds what is handed over, in bytes: some thousand findings.
const maxObservation = 1 << 20

// observeTime bounds the process.
const observeTime = 30 * time.Second

// observe has somebody told what was answered. The agent has its answer: nothing
// that goes wrong here may change it.
func (h *hookCall) observe(d sentinel.Decision) {
	if h.env.Observe == nil || d.Relayed {
		return
	}
	at := h.env.Now()
	defer func() {
		if cause := recover(); cause != nil {
			h.unobserved(fmt.Errorf("internal error: %v", cause))
		}
	}()
	findings := d.Concluded()
	if len(findings) == 0 && d.Err == nil && d.Verdict != sentinel.VerdictUndecided {
		return
	}
	input, err := json.Marshal(newObservation(at, h.event, d, findings))
	if err == nil && len(input) > maxObservation {
		err = fmt.Errorf("a decision of %d findings is described by %d bytes, more than %d", len(findings), len(input), maxObservation)
	}
	if err != nil {
		h.unobserved(err)
		return
	}
	wait, err := leaveBehind(childEnv(h.env.Environ, observerNames(h.env.Environ)), observeCommand, input)
	switch {
	case err != nil:
		h.unobserved(err)
	case h.flags.wait:
		wait() // what went wrong there the child has noted itself
	}
}

// unobserved keeps for the person why nobody was told.
func (h *hookCall) unobserved(err error) {
	h.project().NoteOnce("observe", h.event.Agent, text.OneLine("sentinel: the decision could not be handed over: "+err.Error()))
}

// observeHere is [hookCall.observe] for a process that is itself left behind.
func observeHere(ctx context.Context, env *Env, p *project.Project, ev sentinel.Event, d sentinel.Decision) {
	findings := d.Concluded()
	if env.Observe == nil || len(findings) == 0 {
		return
	}
	o := newObservation(env.Now(), ev, d, findings)
	seen, told := o.decode() // what must not be known stays behind here too
	if err := env.Observe(ctx, o.At, seen, told); err != nil {
		p.NoteOnce("observe", ev.Agent, text.OneLine(err.Error()))
	}
}

// observerNames are the variables by which an exporter of telemetry is told where
// to send it, and of what it is a part.
func observerNames(environ []string) []string {
	var names []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "OTEL_") || name == "TRACEPARENT" || name == "TRACESTATE" {
			names = append(names, name)
		}
	}
	return names
}

// runObserve is the process that was left behind.
func runObserve(env *Env) (status int) {
	var agent string
	fail := func(err error) int {
		opts := env.project()
		project.Open(nil, opts).NoteOnce("observe", agent, text.OneLine(err.Error()))
		fmt.Fprintln(env.Stderr, text.OneLine("sentinel "+observeCommand+": "+err.Error()))
		return exitError
	}
	defer func() {
		if cause := recover(); cause != nil {
			status = fail(fmt.Errorf("internal error: %v", cause))
		}
	}()
	if env.Observe == nil {
		return fail(fmt.Errorf("this build of sentinel tells nobody"))
	}
	input, err := io.ReadAll(io.LimitReader(env.Stdin, maxObservation+1))
	if err != nil {
		return fail(err)
	}
	var o observation
	if err := json.Unmarshal(input, &o); err != nil {
		return fail(fmt.Errorf("the decision on standard input is not understood; a hook starts this, not a person: %w", err))
	}
	agent = o.Agent
	ev, d := o.decode()
	ctx, cancel := context.WithTimeout(context.Background(), observeTime)
	defer cancel()
	if err := env.Observe(ctx, o.At, ev, d); err != nil {
		return fail(err)
	}
	return exitOK
}

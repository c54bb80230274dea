package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/hook"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// defaultDeadline is below the timeout of 20 seconds that init registers: to an
// agent, a hook that timed out has allowed the call.
const defaultDeadline = 15 * time.Second

// deadlineMargin is how long before the agent's timeout the answer is given.
const deadlineMargin = time.Second

// maxEvent bounds an event. Agents send whole files, not file systems.
const maxEvent = 256 << 20

// memoryLimit is from where a hook collects garbage after all, in bytes.
const memoryLimit = 128 << 20

const hookUsage = `usage: sentinel hook [--agent NAME] [--phase PHASE] [--deadline 15s] [--wait]

Reads one event from standard input, as an agent's hook sends it, and answers in
that agent's own way. Agents start it; to try a rule, use "sentinel check".

  --agent NAME      whose event it is; without it the event itself tells
  --phase PHASE     start, prompt, pre, post, stop or end; without it the event tells
  --deadline TIME   answer within this time, whatever the judges do (default 15s,
                    or a second less than the agent itself waits)
  --wait            end only when the work behind the event is done (for tests, and
                    for containers that end with the agent)
`

// hookFlags are the flags of the hook.
type hookFlags struct {
	agent    string
	phase    sentinel.Phase
	deadline time.Duration // 0: by the agent
	wait     bool          // for the process that does what nobody waits for
}

func parseHookFlags(env *Env, args []string) (hookFlags, error) {
	var f hookFlags
	set := flag.NewFlagSet("hook", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.agent, "agent", "", "")
	set.BoolVar(&f.wait, "wait", false, "")
	set.Func("deadline", "", func(text string) (err error) {
		if f.deadline, err = time.ParseDuration(text); err == nil && f.deadline <= 0 {
			err = fmt.Errorf("it must be above 0")
		}
		return err
	})
	set.Func("phase", "", func(name string) (err error) {
		f.phase, err = sentinel.ParsePhase(name)
		return err
	})
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(env.Stdout, hookUsage)
	case err == nil && set.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	return f, err
}

// runHook answers one event. Whatever goes wrong here, the agent gets an answer
// that means what it says: never a crash that happens to look like "allowed"
// where the project is strict.
func runHook(env *Env, args []string) (status int) {
	// A hook lives for milliseconds: collecting garbage would cost it more than
	// the memory. The limit is for events that hold whole files.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	f, err := parseHookFlags(env, args)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if recursion.Guarded(env.stateDir(), env.Getenv(recursion.Variable)) {
		return exitOK // a judge's own agent asks: judging it would start the judge again
	}
	h := &hookCall{env: env, flags: f, agent: unknownAgent{}}
	h.project = sync.OnceValue(func() *project.Project { return project.Open(h.starts(), h.options()) })
	defer func() {
		if p := recover(); p != nil {
			status = h.crashed(p)
		}
	}()
	if err != nil {
		return h.refuse(fmt.Errorf("sentinel hook: %w", err))
	}
	if err := h.read(); err != nil {
		return h.refuse(err)
	}
	return h.answer()
}

// A hookCall is one event on its way to an answer.
type hookCall struct {
	env     *Env
	flags   hookFlags
	agent   hook.Agent
	event   sentinel.Event
	project func() *project.Project
	stops   bool // the answer stops the call, or asks about it
}

func (h *hookCall) options() *project.Options {
	o := h.env.project()
	o.Deadline = h.deadline()
	o.ForAgent, o.Numbered = true, hook.NumbersCalls(h.agent)
	o.Shadow = sentinel.ShadowLater
	return o
}

// deadline is the flag's, else one that comes before the agent's own timeout, for
// a hook that was registered without any.
func (h *hookCall) deadline() time.Duration {
	if h.flags.deadline > 0 {
		return h.flags.deadline
	}
	limit := hook.DefaultTimeout(h.agent, h.event.Phase)
	if limit == 0 {
		return defaultDeadline
	}
	return min(defaultDeadline, max(limit-deadlineMargin, limit/2))
}

// starts are the folders from which rules are looked for: where the call runs,
// and where the agent says that its project is.
func (h *hookCall) starts() []string {
	dir := h.event.Dir
	if dir == "" {
		dir = h.env.Dir // an event that could not be read
	}
	return append([]string{dir, h.env.Getenv("CLAUDE_PROJECT_DIR")}, h.event.Roots...)
}

// read takes the event from standard input.
func (h *hookCall) read() error {
	stdin, err := io.ReadAll(io.LimitReader(h.env.Stdin, maxEvent+1))
	switch {
	case err != nil:
		return fmt.Errorf("sentinel hook: reading the event: %w", err)
	case len(stdin) > maxEvent:
		return fmt.Errorf("sentinel hook: the event is larger than %d bytes", maxEvent)
	}
	agent, err := hook.Resolve(h.flags.agent, stdin)
	if err != nil {
		return err
	}
	h.agent = agent
	if h.event, err = h.agent.Decode(stdin); err != nil {
		return err
	}
	if h.flags.phase != sentinel.PhaseUnknown {
		h.event.Phase = h.flags.phase
	}
	if h.event.Dir == "" {
		h.event.Dir = h.env.Dir
	}
	return nil
}

// answer judges the event.
func (h *hookCall) answer() int {
	switch h.event.Phase {
	case sentinel.PhasePre:
		status := h.judge()
		h.journal(h.project())
		return status
	case sentinel.PhasePost:
		return h.afterTool()
	}
	return h.inSession()
}

func (h *hookCall) judge() int {
	p := h.project()
	d, err := p.Evaluate(context.Background(), h.event)
	if err != nil {
		return h.refuse(err)
	}
	if err := p.Record(h.event, d); err != nil {
		p.Note("log", h.event.Agent, err.Error()) // the answer matters more than its record
	}
	h.stops = d.Verdict >= sentinel.VerdictAsk
	status := h.write(h.agent.Encode(h.event, d))
	h.judgeLater(p, d)
	h.observe(d)
	return status
}

// keptAdvice is what the agent could not take before a tool ran.
func (h *hookCall) keptAdvice() sentinel.Decision {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	kept := h.kept()
	if kept == nil {
		return d
	}
	texts, err := kept.Take(h.event.Session)
	if err != nil {
		return d // advice that is lost harms nobody
	}
	for _, text := range texts {
		d.Findings = append(d.Findings, sentinel.Finding{
			Rule: &sentinel.RuleSpec{}, Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow, Advice: text,
		})
	}
	return d
}

// kept is where texts wait for a moment at which the agent reads them.
func (h *hookCall) kept() *state.Kept {
	if dir := h.env.stateDir(); dir != "" && h.event.Session != "" { // without a session it would be anybody's
		return state.NewKept(filepath.Join(dir, "kept"))
	}
	return nil
}

// refuse answers what cannot be judged at all: a line for the person and no
// block, or the agent's deny where a folder of rules is strict.
func (h *hookCall) refuse(err error) int {
	p := h.project()
	d := sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: err}
	h.event.Phase = sentinel.PhasePre // what could not be read may have been one
	if len(p.Folders) > 0 {
		p.Note("bad-event", h.flags.agent, err.Error())
		p.Record(h.event, d) // the answer matters more than its record
		defer h.observe(d)
	}
	if errors.Is(err, project.ErrStrict) || p.Strict() && !p.Paused() {
		h.stops = true
		return h.write(h.agent.Encode(h.event, d))
	}
	fmt.Fprintln(h.env.Stderr, text.OneLine(err.Error()))
	if h.agent.Name() == "copilot" || h.flags.agent == "copilot" {
		return exitOK // to this agent any other status is a deny
	}
	return exitError
}

// crashed answers for a bug of ours: as what cannot be judged, and where even
// that fails, with the line alone.
func (h *hookCall) crashed(cause any) (status int) {
	err := fmt.Errorf("sentinel: internal error: %v", cause)
	defer func() {
		if recover() != nil {
			fmt.Fprintln(h.env.Stderr, text.OneLine(err.Error()))
			status = exitError
		}
	}()
	return h.refuse(err)
}

func (h *hookCall) write(a hook.Answer) int {
	if kept := h.kept(); kept != nil && len(a.Kept) > 0 {
		kept.Add(h.event.Session, a.Kept) // advice that is lost harms nobody
	}
	h.env.Stderr.Write(a.Stderr)
	if len(a.Stdout) == 0 {
		return a.Exit
	}
	if _, err := h.env.Stdout.Write(a.Stdout); err != nil {
		return h.unheard(err)
	}
	return a.Exit
}

// unheard is the exit status for an answer that could not be written: what was to
// be stopped is stopped by the status, which most agents understand.
func (h *hookCall) unheard(err error) int {
	fmt.Fprintln(h.env.Stderr, text.OneLine("sentinel hook: the answer cannot be written: "+err.Error()))
	if h.stops {
		return exitBlock
	}
	return exitError
}

// unknownAgent answers an event of which nobody knows whose it is: exit status 2
// stops the call in every agent that knows exit statuses.
type unknownAgent struct{}

func (unknownAgent) Name() string { return "" }

func (unknownAgent) Decode([]byte) (sentinel.Event, error) {
	return sentinel.Event{}, sentinel.ErrEvent
}

func (unknownAgent) Encode(_ sentinel.Event, d sentinel.Decision) hook.Answer {
	return hook.Answer{Stderr: []byte(text.OneLine("Sentinel blocked this: "+d.Reason()) + "\n"), Exit: exitBlock}
}

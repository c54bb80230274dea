package hook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// A reply is the answer to an event, and the work that follows it.
type reply struct {
	answer agent.Answer
	after  []func() // in this order, once the answer is given
	late   bool     // the work is too late, and the watchdog answers
}

// then adds work that follows the answer.
func (r reply) then(work func()) reply {
	r.after = append(r.after, work)
	return r
}

// say is the reply with a decision, in the words of the agent.
func (c *call) say(d sentinel.Decision) reply { return reply{answer: c.agent.Encode(c.event, d)} }

// tooLate is the status of work that gave no answer, because the watchdog does.
const tooLate = -1

// send gives the answer, unless the watchdog does, and does what follows it.
func (c *call) send(r reply) int {
	if r.late || !c.clock.take() {
		return tooLate
	}
	status := c.clock.give(c.put(r.answer))
	c.clock.came(c.comes)
	for _, work := range r.after {
		work()
	}
	return status
}

// refuse answers what cannot be judged at all: a line for the user and no block, or
// the agent's deny where a folder of rules is strict.
func (c *call) refuse(err error) (r reply) {
	p := c.open()
	d := sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: err}
	c.suppose()
	if errors.Is(err, project.ErrStrict) || p.Strict() && !p.Gate().Paused() {
		c.stops, c.comes = true, state.TraceStopped
		r = c.say(d)
	} else {
		c.comes = cmp.Or(c.comes, state.TraceUnjudged)
		r = reply{answer: c.refused(err)}
	}
	if len(p.Folders) == 0 {
		return r
	}
	p.Past().Book().Note("bad-event", c.flags.agent, err.Error())
	rec := record.Of(c.env.Now(), c.event, d)
	p.Past().Book().Write(rec, d, c.event) // the answer matters more than its record
	return r.then(func() { c.after(rec, d) })
}

// suppose takes an event for one before a tool, which what could not be read may have
// been. A question about a call is answered as one.
func (c *call) suppose() {
	if c.event.Phase != sentinel.PhasePermission {
		c.event.Phase = sentinel.PhasePre
	}
}

// refused is the answer about a call that cannot be judged where no strict project stops
// it.
func (c *call) refused(err error) agent.Answer {
	a := agent.Answer{Stderr: line(err.Error()), Exit: exit.Error}
	if c.agent.Abilities.ErrorDenies || c.env.Agents.ErrorDenies(c.flags.agent) {
		a.Exit = exit.OK // to this agent any other status is a deny
	}
	return a
}

// blind answers without a look at any file: it is not known whether the project is strict.
func (c *call) blind(err error) reply {
	c.stops = true
	return reply{answer: unknownAgent().Encode(c.event, sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: err})}
}

// catch makes a panic an answer. It is to be deferred.
func (c *call) catch(status *int) {
	p := recover()
	switch {
	case p == nil:
	case c.clock.taken.Load(): // a second answer would make none of the first
		*status = c.clock.status()
	default:
		*status = c.crashed(p)
	}
}

// crashed answers for a bug of ours: as what cannot be judged, and where even
// that fails, with the line alone.
func (c *call) crashed(cause any) (status int) {
	err := fmt.Errorf("sentinel: internal error: %v", cause)
	c.comes = state.TraceFailed
	defer func() {
		if recover() != nil {
			outlivePipes()
			c.env.Stderr.Write(line(err.Error()))
			status = exit.Error
		}
	}()
	return c.send(c.refuse(err))
}

// line is a line for the user.
func line(said string) []byte { return []byte(text.OneLine(said) + "\n") }

// put writes the answer and returns its exit status.
func (c *call) put(a agent.Answer) int {
	if len(a.Kept) > 0 {
		c.keep(a.Kept)
	}
	if len(a.Stdout)+len(a.Stderr) > 0 {
		outlivePipes()
	}
	c.env.Stderr.Write(a.Stderr)
	if len(a.Stdout) == 0 {
		return a.Exit
	}
	if _, err := c.env.Stdout.Write(a.Stdout); err != nil {
		return c.unheard(err)
	}
	if c.stops && isNull(c.env.Stdout) {
		return c.unheard(errors.New("standard output is closed, or the null device"))
	}
	return a.Exit
}

// outlivePipes makes a write to a closed pipe an error. Otherwise the write kills the process, and most
// agents then let the call pass.
func outlivePipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// isNull reports whether w discards its input. Go opens the null device in the place of a
// standard output that is closed.
func isNull(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	// On Windows os.SameFile takes all devices and pipes for one file.
	return err == nil && info.Mode().Type() == null.Mode().Type() && os.SameFile(null, info)
}

// unheard is the exit status for an answer that could not be written: what was to
// be stopped is stopped by the status, which most agents understand.
func (c *call) unheard(err error) int {
	c.env.Stderr.Write(line(c.command("hook") + ": the answer cannot be written: " + err.Error()))
	if c.stops {
		return exit.Block
	}
	return exit.Error
}

// maxKept bounds the texts of one session that wait, in bytes.
const maxKept = 64 << 10

// kept is where texts wait for a moment at which the agent reads them.
func (c *call) kept() *state.Outbox {
	if dir := c.env.Project().StateDir; dir != "" && c.event.Session != "" { // without a session it would be anybody's
		return state.NewOutbox(filepath.Join(dir, "kept"), maxKept)
	}
	return nil
}

// keep keeps texts for that moment.
func (c *call) keep(texts []string) {
	if kept := c.kept(); kept != nil {
		kept.Add(c.event.Session, texts) // lost advice does no harm
	}
}

// keptAdvice is what the agent could not take before a tool ran.
func (c *call) keptAdvice() sentinel.Decision {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	kept := c.kept()
	if kept == nil {
		return d
	}
	texts, err := kept.Take(c.event.Session)
	if err != nil {
		return d // lost advice does no harm
	}
	for _, text := range texts {
		d.Findings = append(d.Findings, advice(text))
	}
	return d
}

// advice is a text for the agent that goes with no rule.
func advice(text string) sentinel.Finding {
	return sentinel.Finding{Rule: &sentinel.RuleSpec{}, Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow, Advice: text}
}

// observerNames are the variables that tell an exporter of telemetry where to send it, and
// what it is a part of.
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

// unknownAgent answers an event whose agent is not known: exit status 2 stops the call
// in every agent that knows exit statuses.
func unknownAgent() *agent.Agent {
	return &agent.Agent{Encode: func(_ sentinel.Event, d sentinel.Decision) agent.Answer {
		return agent.Answer{Stderr: line("Sentinel blocked this: " + d.Reason()), Exit: exit.Block}
	}}
}

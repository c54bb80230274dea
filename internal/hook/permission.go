package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// beforeQuestion answers an agent that is about to ask its user about a call. It is the net
// below [call.beforeTool]: a call is judged here if no hook has answered for it there,
// because none was started or it was killed. A call that a rule blocks is denied. To all else
// the answer is silence: the user is asked anyway, and nothing is allowed here.
func (c *call) beforeQuestion() reply {
	p, ctx := c.open(), context.Background()
	quiet := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	if len(p.Folders) == 0 || c.answered(p) {
		return c.say(quiet)
	}
	ev := c.event
	ev.Phase = sentinel.PhasePre
	c.tighten()
	docket := p.Match(ctx, ev)
	if docket.Late() {
		return reply{late: true} // as before a tool
	}
	if docket.Empty() {
		return c.say(quiet)
	}
	d, rec, err := c.judge(ctx, docket)
	if err != nil {
		d = sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: err}
		if !errors.Is(err, project.ErrStrict) && (!p.Strict() || p.Gate().Paused()) {
			d.Verdict = sentinel.VerdictAllow
		}
	}
	docket.Undo(ctx, &d, false)
	c.stops = d.Verdict == sentinel.VerdictBlock || d.Verdict == sentinel.VerdictUndecided
	return c.say(d).then(func() { c.after(rec, d) })
}

// answeredWithin is how long after a hook has answered for a call the agent may ask its
// user about it: other hooks take their time.
const answeredWithin = 10 * time.Minute

// answered reports whether a hook has answered for this very call before the tool: the
// event does not name the call, so its arguments have to tell.
func (c *call) answered(p *project.Project) bool {
	ev := &c.event
	trace := p.Past().Trace()
	if trace == nil {
		return false
	}
	receipts, err := trace.Read(state.Session{Agent: ev.Agent, ID: ev.Session, Dir: ev.Dir})
	if err != nil {
		return false
	}
	args := state.ArgsDigest(ev.Tool.Args)
	return slices.ContainsFunc(receipts.Calls, func(t state.Traced) bool {
		ended := t.Outcome != state.TraceOpen && t.Outcome != state.TraceFailed && t.Outcome != state.TraceAlone
		return ended && t.Args == args && t.Of(ev.Tool.Name) && c.env.Now().Sub(t.Began).Abs() < answeredWithin
	})
}

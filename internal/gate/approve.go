package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// ApprovedFor is how long a call that a user has approved may pass, once.
const ApprovedFor = state.AllowedFor

// A Stopped is a call that an agent was stopped at, and that a user may approve by
// the code that the agent was given.
type Stopped struct {
	Code    string
	Project string    // absolute: the folder that the call belongs to
	At      time.Time // when it was stopped last
	Allowed time.Time // when a user approved it; zero if it is not approved
	By      string    // the user who did
	Call    *record.Call
}

func (g *Gate) approvals() *state.Approvals {
	return state.NewApprovals(filepath.Join(g.StateDir, "stopped"), g.Seal, g.Now)
}

// approve takes what a user has approved out of a decision that would stop the
// call; else it adds a code.
func (p *Pass) approve(d *sentinel.Decision, c *record.Call) error {
	if d.Verdict < sentinel.VerdictAsk || !hasFinding(d) {
		return nil
	}
	code, allowed, err := p.gate.approvals().Stop(state.Stopped{
		Action: p.action(), Project: p.call.Root, Detail: c.Detail(state.MaxDetail),
	})
	switch {
	case err != nil:
		return fmt.Errorf("gate: no code can be kept for a stopped call: %w", err)
	case allowed != nil:
		waive(d)
		waive(&c.Decision)
	default:
		d.Code, d.Program = code, p.gate.Program
	}
	return nil
}

// waive takes what stops a call, or asks about it, out of the verdict.
func waive(d *sentinel.Decision) {
	d.Verdict = sentinel.VerdictAllow
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Verdict >= sentinel.VerdictAsk {
			f.Waived, f.Verdict = true, sentinel.VerdictAllow
		}
		d.Verdict = max(d.Verdict, f.Verdict)
	}
}

// FindStopped returns the call that waits for a code. The error says why there is
// none.
func (g *Gate) FindStopped(code string) (*Stopped, error) {
	if g.StateDir == "" {
		return nil, errNoState
	}
	found, err := g.approvals().Find(code)
	if err != nil {
		return nil, codeError(code, err)
	}
	s, err := stoppedOf(found)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Waiting are the calls of all projects that wait for a user, those that were stopped
// last first. newer is how many more a newer version of this program has stopped: they
// stay as they are. A call that is not kept well enough is left out.
func (g *Gate) Waiting() (calls []*Stopped, newer int, err error) {
	if g.StateDir == "" {
		return nil, 0, errNoState
	}
	all, err := g.approvals().Waiting()
	if err != nil {
		return nil, 0, codeError("", err)
	}
	for _, found := range all {
		switch s, err := stoppedOf(found); {
		case err == nil:
			calls = append(calls, s)
		case errors.Is(err, sentinel.ErrJSONVersion):
			newer++
		}
	}
	return calls, newer, nil
}

var errNoState = errors.New("no folder keeps codes; set HOME or XDG_STATE_HOME")

func stoppedOf(found state.Stopped) (*Stopped, error) {
	s := &Stopped{Code: found.Code, Project: found.Project, At: found.At, Allowed: found.Allowed, By: found.By, Call: &record.Call{}}
	err := json.Unmarshal(found.Detail, s.Call)
	switch {
	case errors.Is(err, sentinel.ErrJSONVersion):
		return nil, fmt.Errorf("project: the call under %s was stopped by a newer version of this program: %w", found.Code, err)
	case err != nil || len(s.Call.Decision.Findings) == 0:
		return nil, fmt.Errorf("project: what was stopped under %s is not known any more; let the agent try the call again", found.Code)
	}
	return s, nil
}

// Allow lets the call pass once, within [ApprovedFor]. by is the user. It is
// written to the gate's log, which should be that of the call's project.
func (g *Gate) Allow(s *Stopped, by string) error {
	allowed, err := g.approvals().Allow(s.Code, by)
	if err != nil {
		return codeError(s.Code, err)
	}
	s.Allowed, s.By = allowed.Allowed, allowed.By
	var records []telemetry.Record
	for _, line := range s.Call.Lines(0) {
		if line.Level == telemetry.LevelDecision {
			continue
		}
		records = append(records, telemetry.Record{
			RuleID: line.RuleID, Trigger: line.Trigger, Target: line.Target, Severity: line.Severity,
			Session: line.Session, Agent: line.Agent, Tool: line.Tool,
		})
	}
	return g.log(telemetry.LevelAllowed, by, "a person let this call through once, with the code "+s.Code, records)
}

// codeError says what is wrong with a code, for the user who entered it.
func codeError(code string, err error) error {
	switch {
	case errors.Is(err, state.ErrNoCode):
		return fmt.Errorf("%q is not a code; it has four letters and digits, none of 0, 1, 2, 5, 8 and B, I, L, O, S, U, Z: such as K7QX", code)
	case errors.Is(err, state.ErrUnknown):
		return fmt.Errorf("no call waits for the code %s; a code is good for an hour after the call was stopped, and for %d minutes once it was allowed",
			code, int(ApprovedFor.Minutes()))
	case errors.Is(err, state.ErrCodeUsed):
		return fmt.Errorf("the code %s was used already; a call is let through once", code)
	}
	return fmt.Errorf("project: the codes cannot be read: %w", err)
}

// Package turn keeps what an agent did since its last turn ended, for the rules with
// `phase: stop`, and bounds how often an agent is kept at work.
package turn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
)

const (
	// MaxBytes bounds what is kept of one turn; what is done later is not.
	MaxBytes     = 1 << 20
	maxReminders = 3 // of one turn: then it ends all the same
	maxObliged   = 2 // of them, where an obligation alone keeps it from ending
	// twinStops is how long after a reminder another end of the same turn, with nothing
	// done between, is seen by a second hook of the agent: an agent that tries again asks
	// its model first.
	twinStops = time.Second
)

// A Turn is what an agent did since its last turn ended.
type Turn struct {
	Actions   []sentinel.Action
	reminders int       // how often it was kept from ending
	reminded  time.Time // when, if nothing was done since
	now       time.Time
	kept      []string
	outbox    *state.Outbox
	session   string
}

// A done is one line of a turn.
type done struct {
	Trigger  sentinel.Trigger `json:"trigger,omitempty"`
	Op       sentinel.Op      `json:"op,omitempty"`
	Target   string           `json:"target,omitempty"` // of a file its absolute path
	Dir      string           `json:"dir,omitempty"`
	Tool     string           `json:"tool,omitempty"`
	From     string           `json:"from,omitempty"`
	Reminded time.Time        `json:"reminded,omitzero"` // the agent was told to go on
}

// Add keeps what a call did.
func Add(outbox *state.Outbox, session string, actions []sentinel.Action) error {
	lines := make([]string, 0, len(actions))
	for i := range actions {
		if a := &actions[i]; a.Carrier == "" {
			lines = append(lines, doneLine(a))
		}
	}
	return outbox.Add(session, lines)
}

func doneLine(a *sentinel.Action) string {
	one := done{Trigger: a.Trigger, Op: a.Op, Target: a.Target, Dir: a.Dir, Tool: a.Tool, From: a.DerivedFrom}
	if a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead {
		one.Target = safefile.Rooted(a.Root, a.Path)
	}
	line, _ := json.Marshal(one) // such values can be written
	return string(line)
}

// Take returns what the agent of an event did since its last turn ended, and forgets it. It
// is nil when nothing was kept.
func Take(outbox *state.Outbox, ev *sentinel.Event, now time.Time) (*Turn, error) {
	lines, err := outbox.Take(ev.Session)
	if len(lines) == 0 {
		return nil, err
	}
	t := &Turn{kept: lines, outbox: outbox, session: ev.Session, now: now}
	for _, line := range lines {
		var one done
		if json.Unmarshal([]byte(line), &one) != nil {
			continue
		}
		if t.reminded = one.Reminded; !t.reminded.IsZero() {
			t.reminders++
			continue
		}
		t.Actions = append(t.Actions, sentinel.Action{
			Trigger: one.Trigger, Op: one.Op, Target: one.Target, Path: one.path(), Dir: one.Dir, Tool: one.Tool, DerivedFrom: one.From, Agent: ev.Agent,
		})
	}
	return t, err
}

// twin reports whether another hook has just seen the same end of the turn.
func (t *Turn) twin() bool {
	age := t.now.Sub(t.reminded)
	return !t.reminded.IsZero() && age >= 0 && age < twinStops
}

func (d *done) path() string {
	if d.Trigger == sentinel.FileWrite || d.Trigger == sentinel.FileRead {
		return d.Target
	}
	return ""
}

// Conclude bounds a decision about the turn: an agent that is kept at work goes on with
// the same turn, and one that was told often enough may end it. The user is told
// what does not hold then, and all that only a user can decide. stays says that the
// agent can be kept at work.
func (t *Turn) Conclude(d *sentinel.Decision, stays bool) error {
	blocks := stays && d.Verdict == sentinel.VerdictBlock
	if blocks && t.twin() {
		return t.outbox.Add(t.session, t.kept)
	}
	most := maxObliged
	if slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool {
		return f.Verdict == sentinel.VerdictBlock && !f.Rule.Obliges
	}) {
		most = maxReminders
	}
	if blocks && t.reminders < most {
		line, _ := json.Marshal(done{Reminded: t.now})
		return t.outbox.Add(t.session, append(t.kept, string(line)))
	}
	var said []string
	for _, f := range d.Concluded() {
		if f.Verdict > sentinel.VerdictAllow {
			said = append(said, strings.TrimSpace(f.Text())+" ["+f.Rule.ID+"]")
		}
	}
	if len(said) == 0 {
		return nil
	}
	why := ""
	if t.reminders > 0 {
		why = fmt.Sprintf(", although the agent was told to go on %d times", t.reminders)
	}
	d.Notice = cmp.Or(d.Notice, "the turn ended"+why+": "+strings.Join(said, "; "))
	for i := range d.Findings {
		d.Findings[i].Verdict = sentinel.VerdictAllow
	}
	d.Verdict = sentinel.VerdictAllow
	return nil
}

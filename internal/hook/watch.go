package hook

import (
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
)

// An agent's settings decide whether this hook is started at all, and a process that no
// rule has seen can change them. So they are compared with what they were when the session
// began: after each tool, at the end of a turn, and where the agent tells of a change.

// watch compares the settings of this session; nil where there is nothing to guard, or
// nowhere to remember it.
func (c *call) watch() *setup.Watch {
	p := c.open()
	if c.event.Session == "" || c.env.Project().StateDir == "" || len(p.Folders) == 0 {
		return nil
	}
	a, err := c.env.Agents.Named(c.event.Agent)
	if err != nil {
		return nil
	}
	return &setup.Watch{Project: p, Opts: c.env.Project(), Agent: a, Session: c.event.Session, Dir: filepath.Clean(c.event.Dir)}
}

// tighten makes the session strict until a person has looked at what was changed.
func (c *call) tighten() {
	defer c.contain("session")
	w := c.watch()
	c.note("session", w.Ensure())
	if c.alarm = w.Alarm(); c.alarm != nil {
		c.open().Tighten()
	}
}

// compare looks at the settings after a tool, and at an event about the course of a
// session.
func (c *call) compare() {
	defer c.contain("session")
	w := c.watch()
	if c.event.Phase == sentinel.PhaseStart || c.event.Phase == sentinel.PhasePrompt && c.agent.Abilities.NoStart {
		c.note("session", w.Begin())
		return
	}
	c.note("session", w.Ensure())
	w.Look()
}

// addAlarm adds what was changed to a decision: for the user and for the model, once.
func (c *call) addAlarm(d *sentinel.Decision) {
	defer c.contain("session")
	if c.alarm = c.watch().Alarm(); c.alarm == nil {
		return
	}
	d.Notice = text.Join(c.alarmNotice(), d.Notice)
	const then = ". Tell the user. Until they have looked at it, calls whose effect is not certain are asked about. Do not change these files."
	if said := c.open().Notices().Once(c.event, "alarm-model", "what guards this project was changed: "+c.alarm.String()+then); said != "" {
		d.Findings = append(d.Findings, advice(said))
	}
}

// alarmNotice tells the user about a change, once in a session.
func (c *call) alarmNotice() string {
	if c.alarm == nil {
		return ""
	}
	kind := "alarm"
	if c.event.Phase == sentinel.PhaseChange {
		kind = "alarm-change" // not everybody sees what is said between two calls
	}
	return c.open().Notices().Once(c.event, kind, "what guards this project was changed: "+c.alarm.String()+
		". Sentinel is strict until you have looked at it: put it back (`"+c.command("doctor")+"` shows the hooks), or run `"+c.command("accept")+"`.")
}

// changed answers an agent that tells of a change of its settings, or of a file that it
// was asked to watch. Settings with which this hook would not be started as before are
// refused.
func (c *call) changed() reply {
	d := sentinel.Decision{Verdict: sentinel.VerdictAllow}
	w := c.watch()
	if lost := w.Look(); len(lost) > 0 && c.event.Source != "" {
		why := lost[0] + ". The settings that the session began with stay in force; the next session starts with those on disk. Put them back, or run `" + c.command("accept") + "`"
		d.Verdict = sentinel.VerdictBlock
		d.Findings = []sentinel.Finding{{
			Rule:    &sentinel.RuleSpec{ID: "sentinel:own-hooks", Source: "(built in)", Severity: sentinel.SeverityBlock},
			Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Reason: why,
		}}
		return c.say(d)
	}
	w.Weakened()
	if c.alarm = w.Alarm(); c.alarm != nil {
		d.Notice = c.alarmNotice()
	}
	d.Notice = text.Join(d.Notice, c.open().Notices().Held(c.event))
	return c.say(d)
}

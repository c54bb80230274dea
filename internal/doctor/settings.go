package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
)

// examine looks at one settings file.
func (a *patient) examine(ctx context.Context, r registration) {
	for _, off := range r.Off {
		a.add(fail(a.name, a.display(r.File)+": "+off, "take that out, if the hook is to run"))
	}
	if len(r.Entries) == 0 && len(r.Others) == 0 {
		a.hookless(r)
		return
	}
	before := len(a.found)
	a.events(r)
	a.tools(r)
	a.times(r)
	var told []string
	for _, e := range r.Others {
		if !slices.Contains(told, e.Command) {
			told = append(told, e.Command)
			a.composed(r, e)
		}
	}
	tried := a.tries(ctx, r)
	switch unremarkable := len(a.found) == before; {
	case len(r.Entries) == 0:
	case r.Changed:
		a.add(info(a.name, a.display(r.File)+" is not as Sentinel wrote it", "if that was not meant, delete it, then "+a.command(r.scope)))
	case unremarkable && !r.Current:
		a.add(warn(a.name, a.display(r.File)+" has a hook that is out of date: its tools, time limit or strictness are not what the rules need now",
			"`"+a.command(r.scope)+" --dry-run` shows what; without --dry-run it is corrected"))
	case unremarkable:
		a.add(ok(a.name, fmt.Sprintf("hook in %s, %s", a.display(r.File), a.time(r))))
	}
	a.found = append(a.found, tried...)
}

// hookless reports a file without the hook where each file holds for itself: those of
// agents that users made.
func (a *patient) hookless(r registration) {
	if a.ofOneAgent(r) {
		a.add(warn(a.name, a.display(r.File)+" is an agent without the hook: nothing that it does is checked", a.command(r.scope)))
	}
}

// ofOneAgent reports whether a settings file is that of one of the agents that users
// make within this one.
func (a *patient) ofOneAgent(r registration) bool { return a.agent.Settings.FormOf(r.File).Alone }

// time says how long the agent waits.
func (a *patient) time(r registration) string {
	e := r.Entries[0]
	if e.Timeout == 0 {
		return "timeout of the agent's own"
	}
	return fmt.Sprintf("timeout %v, answers within %v", e.Timeout, deadline(e))
}

// deadline is within what time the hook answers.
func deadline(e install.Entry) time.Duration {
	c, plain := e.Call()
	if d, ok := c.Deadline(); plain && ok && d > 0 {
		return d
	}
	return install.DefaultDeadline
}

// events reports those that the hook is not registered for. Where the hook is not called
// before tools run, nothing can be stopped.
func (a *patient) events(r registration) {
	if len(r.Entries) == 0 || len(r.Missing) == 0 {
		return
	}
	var before, stop, other []string
	for _, event := range r.Missing {
		switch {
		case a.elsewhere(r, event):
		case r.Settings.IsBefore(event):
			before = append(before, event)
		case a.stops != "" && r.Settings.IsStop(event):
			stop = append(stop, event)
		default:
			other = append(other, event)
		}
	}
	if len(before) > 0 {
		a.add(fail(a.name, a.display(r.File)+" has no hook for "+strings.Join(before, ", ")+": what comes that way is not checked", a.command(r.scope)))
	}
	if len(stop) > 0 {
		a.add(fail(a.name, a.display(r.File)+" has no hook for "+strings.Join(stop, ", ")+": the rule "+a.stops+" is not judged", a.command(r.scope)))
	}
	if len(other) > 0 {
		a.add(warn(a.name, a.display(r.File)+" has no hook for "+strings.Join(other, ", ")+": advice after a tool, summaries, learning, or word of changed settings miss it", a.command(r.scope)))
	}
}

// tools reports those that the hook is not started for, though a rule may be about them.
func (a *patient) tools(r registration) {
	if len(r.Lacks) == 0 {
		return
	}
	a.add(fail(a.name, a.display(r.File)+" does not start the hook for "+text.OneLine(strings.Join(r.Lacks, ", "))+": rules are not asked there",
		setup.Rehook(a.Project.Program, a.name, r.scope == install.User)))
}

// elsewhere reports whether another settings file that holds at the same time has
// the hook for an event.
func (a *patient) elsewhere(r registration, event string) bool {
	if a.ofOneAgent(r) {
		return false
	}
	return slices.ContainsFunc(a.files, func(o registration) bool {
		return o.File != r.File && !a.ofOneAgent(o) &&
			slices.ContainsFunc(o.Entries, func(e install.Entry) bool { return e.Event == event })
	})
}

// Sane times for a hook. Most agents let a call pass whose hook is
// late, so it must not be shorter than the time that Sentinel takes; and a time of
// hours is as a rule milliseconds in the place of seconds.
const (
	margin      = time.Second
	longestWait = 10 * time.Minute
)

// times looks at how long the agent waits, in each entry.
func (a *patient) times(r registration) {
	for _, e := range r.Entries {
		c, plain := e.Call()
		if !plain {
			continue
		}
		f := Finding{}
		switch _, sane := c.Deadline(); {
		case !sane:
			f = fail(a.name, fmt.Sprintf("%s tells the hook a --deadline that is no time: `%s`", a.display(r.File), e.Command), a.command(r.scope))
		case e.Timeout > longestWait && e.Timeout != r.want.Timeout:
			f = warn(a.name, fmt.Sprintf("%s has %s wait %v for the hook: it counts in %s; is the number meant in another unit?",
				a.display(r.File), a.name, e.Timeout, unitName(a.agent.Settings.FormOf(r.File).Unit)), a.command(r.scope))
		case e.Timeout > 0 && e.Timeout < deadline(e)+margin:
			f = fail(a.name, fmt.Sprintf("%s has %s wait %v, and the hook takes up to %v: a call whose hook is late goes on unchecked",
				a.display(r.File), a.name, e.Timeout, deadline(e)), a.command(r.scope))
		}
		if f.Name != "" && !slices.Contains(a.found, f) {
			a.add(f)
		}
	}
}

// unitName is the unit in which an agent counts.
func unitName(unit time.Duration) string {
	if unit == time.Millisecond {
		return "milliseconds"
	}
	return "seconds"
}

// composed reports a command that names sentinel and is not a hook that init writes.
func (a *patient) composed(r registration, e install.Entry) {
	at := a.display(r.File)
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if install.IsPython(e.Command, nil) {
		a.add(warn(a.name, fmt.Sprintf("%s: `%s` is the Python Sentinel: with both, each call is judged twice", at, e.Command), "sentinel init --replace-python"))
		return
	}
	what := fmt.Sprintf("%s: `%s` was composed by hand: it was not run, and nobody can tell whether it works", at, e.Command)
	if strings.Contains(e.Command, "go run") {
		what = fmt.Sprintf("%s: `%s` compiles Sentinel for every call, and was not run", at, e.Command)
	}
	a.add(warn(a.name, what, a.command(r.scope)+" adds one that can be examined"))
}

package project

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/pin"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

// Notices are the lines that the user, or the agent, is told about the project itself; each
// is "" where there is nothing to say. It is safe for concurrent use.
type Notices struct{ project *Project }

// noticed reports whether a notice was given before, and remembers it: in the session, or
// without one in the last day over all sessions.
func (o *Options) noticed(session, kind, what string) bool {
	within := time.Duration(0)
	if session == "" {
		within = 24 * time.Hour
	}
	return state.GivenIn(o.StateDir, o.Now).Repeated(session, "notice:"+kind, what, within)
}

// Held is the text for the user about folders whose pinned rules are in force, or
// whose files cannot be understood; "" without such a folder, or when the session
// had the text before. It also writes a note of it.
func (n *Notices) Held(ev sentinel.Event) string {
	p := n.project
	return p.warning(ev, p.Folders)
}

func (p *Project) warning(ev sentinel.Event, folders []*Folder) string {
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	for _, f := range folders {
		said := f.warning(&p.opts, ev.Phase == sentinel.PhaseStart)
		if said == "" {
			continue
		}
		if !p.opts.noticed(ev.Session, "pin", f.Dir+"\n"+said) {
			p.Past().Book().Note("pin", ev.Agent, said) // the notice itself matters more than its record
			return said
		}
	}
	return ""
}

// maxNamed bounds the differences that a notice names.
const maxNamed = 3

// warning is one line about the folder. It says at the start of each session that a pin
// cannot be kept: without a place to keep things, Sentinel cannot remember that it said so.
func (f *Folder) warning(o *Options, begins bool) string {
	var held, broken, faults []string
	for _, d := range f.found {
		switch {
		case d.Held:
			held = append(held, d.String())
		case d.Kind == pin.KindBroken:
			broken = append(broken, d.String())
		case d.Kind == pin.KindPin && (begins || !strings.Contains(d.What, notKept)):
			faults = append(faults, d.What)
		}
	}
	where := f.Root
	if f.User {
		where = f.Dir
	}
	switch {
	case len(held) > 0:
		return text.Line(fmt.Sprintf("the rules of %s stop less than those that you know, so the pinned ones stay in force: %s. `%s` shows the difference and takes it over.", where, named(held), text.Command(o.Program, "accept")))
	case len(broken) > 0:
		becomes := "What they are about is let through"
		if !f.Config.FailOpen {
			becomes = "What they are about is stopped"
		}
		return text.Line(fmt.Sprintf("%s of %s cannot be understood: %s. %s until that is mended (`%s`).", text.Count(len(broken), "file"), where, named(broken), becomes, text.Command(o.Program, "rules lint")))
	case len(faults) > 0 && strings.Contains(faults[0], notKept):
		return text.Line(fmt.Sprintf("%s: %s. What the folder has is in force, also when it stops less than before. `%s` says what is wrong with the state folder.", where, faults[0], text.Command(o.Program, "doctor")))
	case len(faults) > 0:
		return text.Line(fmt.Sprintf("%s: %s. `%s` pins what the folder has.", where, faults[0], text.Command(o.Program, "accept")))
	}
	return ""
}

// named lists the first of some texts.
func named(all []string) string {
	more := ""
	if len(all) > maxNamed {
		more = fmt.Sprintf("; and %d more", len(all)-maxNamed)
		all = all[:maxNamed]
	}
	return strings.Join(all, "; ") + more
}

// maxFaults bounds how many broken files of a folder are named.
const maxFaults = 20

// faultsOf says of each broken file, in one line, where it is and what is wrong with it.
// Where that is not a rule, it is the configuration or a folder.
func faultsOf(problems ...[]rule.Problem) []string {
	var faults []string
	seen := map[string]bool{}
	for _, list := range problems {
		for i := range list {
			if p := &list[i]; !p.Warning && !seen[p.File] && len(faults) < maxFaults {
				seen[p.File] = true
				faults = append(faults, text.Line(p.Error()))
			}
		}
	}
	return faults
}

// Broken says of each file of the folder that is not in force, in one line, where it is
// and what is wrong with it: of the first twenty.
func (f *Folder) Broken() []string { return f.faults }

// warnedOf reports whether [Notices.Held] names the file that a fault is in.
func (f *Folder) warnedOf(fault string) bool {
	return slices.ContainsFunc(f.found, func(d pin.Difference) bool {
		return (d.Held || d.Kind == pin.KindBroken) && strings.HasPrefix(fault, text.Line(d.File)+":")
	})
}

// Faults is a line for the user about files that are not in force and that
// [Notices.Held] does not name, such as a configuration, or a rule that no backend
// judges. It is given once in a session, and again when there are other files; else it is
// "".
func (n *Notices) Faults(ev sentinel.Event) string {
	p := n.project
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	count, first, all := 0, "", ""
	open := true
	for _, f := range p.Folders {
		for _, fault := range f.faults {
			if f.warnedOf(fault) {
				continue
			}
			if count++; first == "" {
				first, open = fault, f.Config.FailOpen
			}
			all += f.Dir + "\n" + fault + "\n"
		}
	}
	if count == 0 {
		return ""
	}
	if p.opts.noticed(ev.Session, "faults", all) {
		return ""
	}
	effect := "what it is about goes on unjudged"
	if !open {
		effect = "what it is about is stopped (fail_open: false)"
	}
	more := ""
	if count > 1 {
		more = fmt.Sprintf(" There are %d such files.", count)
	}
	notice := text.Line(fmt.Sprintf("not in force: %s. Until it is corrected %s.%s `%s` names every fault.", first, effect, more, text.Command(p.opts.Program, "rules lint")))
	p.Past().Book().Note("rules", ev.Agent, notice) // the notice itself matters more than its record
	return notice
}

// Lost is a line for the user about a call that may have gone on unjudged, since
// its hook was killed or failed: once for each. It is "" if there is nothing to say.
func (n *Notices) Lost(ev sentinel.Event, lost []state.Traced) string {
	p := n.project
	for _, c := range lost {
		if state.GivenIn(p.opts.StateDir, p.opts.Now).Repeated("lost", "notice:lost", fmt.Sprintf("%s %d %d", ev.Session, c.Began.UnixMicro(), c.Process), lostRepeat) {
			continue
		}
		what := "ended without an answer (it was killed, or it crashed)"
		if c.Outcome == state.TraceFailed {
			what = "failed and could not judge it"
		}
		notice := text.Line(fmt.Sprintf("the hook that was asked about the call of %s at %s %s. The agent may have let that call pass. "+
			"`%s` shows which one it was.", c.Tool, c.Began.Local().Format(time.TimeOnly), what, text.Command(p.opts.Program, "verify --last")))
		p.Past().Book().Note("lost", ev.Agent, notice) // the notice itself matters more than its record
		return notice
	}
	return ""
}

// lostRepeat is longer than a trace is kept.
const lostRepeat = 40 * 24 * time.Hour

// Borrowed says whose rules hold in a working tree that has none; "" where every folder
// is a project's own.
func (n *Notices) Borrowed() string {
	p := n.project
	for _, f := range p.Folders {
		if f.Tree != "" {
			return text.Line(fmt.Sprintf("the working tree %s has no rules of its own: those of the main checkout %s hold here", f.Tree, f.Root))
		}
	}
	return ""
}

// Once is a notice for the user, and "" when the session was given it before.
func (n *Notices) Once(ev sentinel.Event, kind, notice string) string {
	p := n.project
	if p.opts.StateDir != "" && state.GivenIn(p.opts.StateDir, p.opts.Now).Repeated(ev.Session, "notice:"+kind, notice, 0) {
		return ""
	}
	return text.Line(notice)
}

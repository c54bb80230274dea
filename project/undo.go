package project

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/undo"
)

// trash is the folder into which calls move what they would have deleted: in it is a
// folder for each project, and in that one for each call. It is next to Sentinel's own
// state, which no call may write. "" means no trash.
func (o *Options) trash() string {
	if !filepath.IsAbs(o.StateDir) {
		return ""
	}
	return filepath.Clean(o.StateDir) + "-trash"
}

// Undo completes a decision that stops a command, where each rule that does has a
// [sentinel.RuleSpec.Undo], by a command that does the same and loses nothing. It is offered
// only where all rules let it pass. replaces says that the agent can put it in the place of the call when
// it asks its user.
func (d *Docket) Undo(ctx context.Context, out *sentinel.Decision, replaces bool) {
	if out.Verdict < sentinel.VerdictAsk || out.ID == "" || d.Event.Phase != sentinel.PhasePre {
		return
	}
	a := d.command()
	if a == nil {
		return
	}
	line := d.undoLine(out, a)
	args, ok := undo.WithCommand(d.Event.Tool.Args, a.Command.Text, line)
	if line == "" || !ok {
		return
	}
	passes, certain := d.passes(ctx, args)
	if !passes {
		return
	}
	out.Instead = line
	offered := slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Folder.Config.OfferUndo })
	if replaces && offered && certain && out.Verdict == sentinel.VerdictAsk {
		out.Input = args
	}
}

// undoLine is the line that all findings that stop the command have for it; "" without one.
func (d *Docket) undoLine(out *sentinel.Decision, a *sentinel.Action) (line string) {
	at := d.undoPlace(a, out.ID)
	for i := range out.Findings {
		f := &out.Findings[i]
		if f.Verdict < sentinel.VerdictAsk || f.Rule != nil && f.Rule.Shadow {
			continue
		}
		if f.Rule == nil || f.Rule.Undo == "" {
			return ""
		}
		one := undo.Line(f.Rule.Undo, a.Command, at)
		if one == "" || line != "" && one != line {
			return ""
		}
		line = one
	}
	return line
}

// command is the action of a tool that runs one command and does nothing else.
func (d *Docket) command() (found *sentinel.Action) {
	if len(d.Parts) == 0 {
		return nil
	}
	for i := range d.Parts[0].Actions {
		switch a := &d.Parts[0].Actions[i]; {
		case a.DerivedFrom != "":
		case a.Trigger != sentinel.Bash || a.Command == nil || found != nil:
			return nil
		default:
			found = a
		}
	}
	return found
}

// undoPlace is where a call is made, and its own folder in the trash.
func (d *Docket) undoPlace(a *sentinel.Action, id string) undo.Place {
	root := d.Event.Dir
	if f := d.project.nearest(); f != nil {
		root = f.at()
	}
	o := &d.project.opts
	return undo.NewPlace(root, a.Dir, o.trash(), o.now().UTC().Format("20060102")+"-"+id)
}

// passes reports whether all rules let the call pass with other arguments. No model is
// asked; certain is false where one would be.
func (d *Docket) passes(ctx context.Context, args json.RawMessage) (passes, certain bool) {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	p := *d.project
	p.opts.NoModel, p.opts.NoLog = true, true
	ev := d.Event
	ev.Tool.Args = args
	docket := p.Match(ctx, ev)
	certain = true
	for i := range docket.Parts {
		part := &docket.Parts[i]
		if part.Err != nil || part.Unknown {
			return false, false
		}
		if part.docket == nil {
			continue
		}
		out, err := part.docket.Judge(ctx)
		if err != nil || out.Verdict != sentinel.VerdictAllow && out.Verdict != sentinel.VerdictWarn {
			return false, false
		}
		for _, f := range out.Findings {
			judged := f.Outcome == sentinel.OutcomePass || f.Outcome == sentinel.OutcomeViolation
			certain = certain && (judged || f.Rule.Shadow)
		}
	}
	return true, certain
}

package rule

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

const (
	maxCulprits = 400 // commands of a line that are looked at
	maxBlamed   = 24  // of them, those that the expression is evaluated for
)

// Culprit returns the simple command of a compound line that the rule is about by itself:
// its scope matches it and `when` is true of it alone. It is nil for another action, a rule
// without `when`, and where it takes several commands. It takes up to 24 times as long as
// When, and is for what a person is told about a violation.
func (r *Rule) Culprit(ctx context.Context, a *sentinel.Action) *shell.Command {
	if r.def.When == "" || r.def.obliges() || a.Command == nil || len(a.Command.Commands) < 2 {
		return nil
	}
	blamed := 0
	for i := range min(len(a.Command.Commands), maxCulprits) {
		alone := single(a, i)
		m := r.Match(alone)
		if !m.OK {
			continue
		}
		if blamed++; blamed > maxBlamed {
			return nil
		}
		if holds, err := r.holds(ctx, alone, m, &whenNotes{}); holds && err == nil {
			return &a.Command.Commands[i]
		}
	}
	return nil
}

// single is an action of one command of the line.
func single(a *sentinel.Action, i int) *sentinel.Action {
	line := &shell.Line{Text: a.Command.Text, Commands: a.Command.Commands[i : i+1 : i+1]}
	for _, e := range a.Command.Effects {
		if e.Command == i {
			e.Command = 0
			line.Effects = append(line.Effects, e)
		}
	}
	alone := *a
	alone.Command, alone.Forms = line, []string{line.Commands[0].Text}
	return &alone
}

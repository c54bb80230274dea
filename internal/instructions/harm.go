package instructions

import (
	"context"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/shell"
)

// An obstacle is why a statement that a form is about has no draft.
type obstacle struct {
	why   string
	never bool // no model could hold it either
}

// harms are effects of commands that no rule may order: an agent would run what a line says, to go
// on with its work.
var harms = []shell.EffectKind{shell.EffectDelete, shell.EffectSend, shell.EffectLose, shell.EffectDatabase}

// doesHarm says why commands must not be an obligation: "" where they may be one.
func doesHarm(commands ...string) string {
	for _, cmd := range commands {
		line := shell.Parse(cmd, nil)
		for i := range line.Effects {
			if e := &line.Effects[i]; slices.Contains(harms, e.Kind) || e.Kind == shell.EffectRun && e.Remote {
				return "A rule must not order what may do damage: `" + cmd + "` would " + e.Describe() + "."
			}
		}
		if id := stoppedByPack(cmd); id != "" {
			return "A rule must not order what may do damage: the rule " + id + " is there to stop `" + cmd + "`."
		}
	}
	return ""
}

// stoppedByPack is the id of the first ready rule that blocks a command: "" for none.
func stoppedByPack(cmd string) string {
	ev, err := (&ruletest.Case{Case: rule.Case{Bash: cmd}}).Event(ruletext.Imagined)
	if err != nil {
		return ""
	}
	ready := packRules()
	d, err := ready.Evaluate(context.Background(), ev)
	if err != nil {
		return ""
	}
	for _, id := range ready.ids {
		if slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool { return f.Rule.ID == id && f.Outcome == sentinel.OutcomeViolation }) {
			return id
		}
	}
	return ""
}

// A ready is the ready rules that block commands, in one engine: a command is read once for all.
type ready struct {
	*sentinel.Rulebook
	ids []string // in the order of the packs
}

// lenient is the text of a rule that blocks nothing.
var lenient = lazy.Regexp{Source: `(?m)^severity: (?:ask|warn|info)$`}

var packRules = sync.OnceValue(func() ready {
	files, err := packs.Files(packs.All)
	if err != nil {
		panic("instructions: " + err.Error())
	}
	var parsed []rule.File
	for _, f := range files {
		if !lenient.Get().Match(f.Data) { // most are, and reading them takes time
			parsed = append(parsed, rule.Parse(f.Name, f.Data))
		}
	}
	all, _ := rule.Build(parsed, nil)
	all = slices.DeleteFunc(all, func(r *rule.Rule) bool { return r.Spec().Severity != sentinel.SeverityBlock })
	opts := ruletext.NoModel()
	opts.CollectAll = true
	engine, err := sentinel.New(all, &opts)
	if err != nil {
		panic("instructions: " + err.Error())
	}
	out := ready{Rulebook: engine}
	for _, r := range all {
		out.ids = append(out.ids, r.Spec().ID)
	}
	return out
})

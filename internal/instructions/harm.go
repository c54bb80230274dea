package instructions

import (
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
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

// stoppedByPack is the id of a ready rule that blocks a command: "" for none.
func stoppedByPack(cmd string) string {
	for _, r := range packRules() {
		if r.stops(rule.Case{Bash: cmd}) {
			return r.id
		}
	}
	return ""
}

type packRule struct {
	id    string
	stops trial
}

// packRules are the ready rules that block commands.
var packRules = sync.OnceValue(func() (list []packRule) {
	files, err := packs.Files(packs.All)
	if err != nil {
		panic("instructions: " + err.Error())
	}
	for _, f := range files {
		suite := ruletest.NewSuite(f.Name, f.Data)
		rules, _ := rule.Build([]rule.File{suite.File}, &rule.Options{})
		if len(rules) == 1 && rules[0].Spec().Severity == sentinel.SeverityBlock {
			list = append(list, packRule{rules[0].Spec().ID, try(rules[0].Spec().ID, f.Data)})
		}
	}
	return list
})

package rule

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// whenEffect is an effect of a command as an expression sees it.
type whenEffect struct {
	Kind      string `expr:"kind"`
	Path      string `expr:"path"`
	Object    string `expr:"object"`
	To        string `expr:"to"`
	Origin    string `expr:"origin"`
	Recursive bool   `expr:"recursive"`
	Remote    bool   `expr:"remote"`
	Certain   bool   `expr:"certain"`
	Program   string `expr:"program"`
}

// addEffects adds the effects of a command line, and those of the kinds that have a
// list of their own.
func (e *whenEnv) addEffects(w *whenProgram, a *sentinel.Action) {
	lists := [...]struct {
		name string
		kind shell.EffectKind // EffectNone is every kind
		list *[]whenEffect
	}{
		{"effects", shell.EffectNone, &e.Effects},
		{"sends", shell.EffectSend, &e.Sends},
		{"runs", shell.EffectRun, &e.Runs},
		{"loses", shell.EffectLose, &e.Loses},
	}
	for _, l := range lists {
		if !w.reads(l.name) {
			continue
		}
		for i := range a.Command.Effects {
			f := &a.Command.Effects[i]
			if l.kind != shell.EffectNone && l.kind != f.Kind {
				continue
			}
			if len(*l.list) == whenList {
				e.cut = true
				break
			}
			*l.list = append(*l.list, newEffect(a, f))
		}
	}
}

func newEffect(a *sentinel.Action, f *shell.Effect) whenEffect {
	e := whenEffect{
		Kind: f.Kind.String(), Object: f.Object, To: f.To, Origin: f.Origin.String(),
		Recursive: f.Recursive, Remote: f.Remote, Certain: f.Certain,
	}
	if f.Path != "" {
		e.Path = fromRoot(a, f, f.Path)
	}
	if f.Kind == shell.EffectMove && f.To != "" {
		e.To = fromRoot(a, f, f.To)
	}
	if f.Command >= 0 && f.Command < len(a.Command.Commands) {
		e.Program = a.Command.Commands[f.Command].Program
	}
	return e
}

package scope

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// effectPrefix begins a command pattern about an effect: effect:delete matches a line
// in which a command deletes something, whatever the command is called.
const effectPrefix = "effect:"

// effectKind returns the kind that a pattern about an effect names.
func effectKind(pattern string) (kind shell.EffectKind, ok bool) {
	name, ok := strings.CutPrefix(pattern, effectPrefix)
	if !ok || kind.UnmarshalText([]byte(name)) != nil || kind == shell.EffectNone {
		return shell.EffectNone, false
	}
	return kind, true
}

// anyCommand is the index of no command in particular.
const anyCommand = -1

// effect returns the first effect of a kind that a command has.
func (v *view) effect(kind shell.EffectKind, command int) *shell.Effect {
	for i := range v.line.Effects {
		if e := &v.line.Effects[i]; e.Kind == kind && (command == anyCommand || e.Command == command) {
			return e
		}
	}
	return nil
}

// matchEffect tries a pattern about an effect on one simple command.
func (p *commandPattern) matchEffect(v *view, i int) (form string, ok bool) {
	if v.effect(p.kind, i) == nil {
		return "", false
	}
	return v.line.Commands[i].Text, true
}

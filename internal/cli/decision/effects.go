package decision

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// effects shows what the commands of a line do, and how certain that is.
func (p *Printer) effects(line *shell.Line) {
	for i := range line.Effects {
		p.Line("  does: %s", text.OneLine(effect(&line.Effects[i])))
	}
}

// effect is an effect in words: "delete src, with everything below".
func effect(e *shell.Effect) string {
	said := []string{e.Kind.String()}
	switch {
	case e.Path != "" && e.Object != "":
		said = append(said, e.Object, "of", e.Path)
	default:
		said = append(said, e.Path+e.Object)
	}
	if e.To != "" {
		said = append(said, "to", e.To)
	}
	out := strings.Join(said, " ")
	if e.DirUnknown {
		out += ", in a folder that is not known"
	} else if e.Dir != "" && !strings.HasPrefix(e.Path, "/") && !strings.HasPrefix(e.Path, "~") {
		out += ", in " + e.Dir
	}
	out += text.When(e.Recursive && e.Kind != shell.EffectSend, ", with everything below")
	if e.Kind == shell.EffectRun {
		out += text.When(e.Remote, ", from another machine")
	} else {
		out += text.When(e.Remote, ", on another machine") + origin(e.Origin)
	}
	return out + text.Unless(e.Certain, " (a guess)")
}

// origin says where a path or an object is from.
func origin(o shell.Origin) string {
	switch o {
	case shell.OriginLiteral:
		return ""
	case shell.OriginGlob:
		return ", from a pattern"
	case shell.OriginStdin:
		return ", from a pipe"
	case shell.OriginUnknown:
		return ", from what a command prints"
	}
	return ", from a " + o.String()
}

package shell

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/text"
)

// Describe says in words what the effect is: "delete src, with everything below". The
// texts of the command are in it as they are.
func (e *Effect) Describe() string {
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
	out += text.When(e.Recursive && e.Kind != EffectSend, ", with everything below")
	if e.Kind == EffectRun {
		out += text.When(e.Remote, ", from another machine")
	} else {
		out += text.When(e.Remote, ", on another machine") + e.Origin.from()
	}
	return out + text.Unless(e.Certain, " (a guess)")
}

// from says in words where a path or an object is from.
func (o Origin) from() string {
	switch o {
	case OriginLiteral:
		return ""
	case OriginGlob:
		return ", from a pattern"
	case OriginStdin:
		return ", from a pipe"
	case OriginUnknown:
		return ", from what a command prints"
	case OriginSettings:
		return ", as the program's settings say"
	}
	return ", from a " + o.String()
}

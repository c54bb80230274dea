package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// vanished returns a command without the unknown variables that are written into the name
// of its program, of its sub-command or of an option: r${x}m is rm, and pu${x}sh is push,
// where x is not set. ok is false if there are none.
func (s simple) vanished() (bare simple, ok bool) {
	if !slices.ContainsFunc(s.words, func(f field) bool { return len(f.gone) > 0 }) {
		return s, false
	}
	program := programName(s.words[0].without())
	if _, wraps := table.FindWrapper(program); wraps || !table.Known(program) {
		return s, false
	}
	bare = s
	bare.name, bare.words, bare.bare = "", slices.Clone(s.words), true
	operands := 0
	for i, f := range s.words {
		text := f.without()
		option := strings.HasPrefix(text, "-")
		if i > 0 && !option {
			operands++
		}
		switch {
		case len(f.gone) == 0:
			continue
		case i == 0 && !strings.Contains(f.text[f.gone[len(f.gone)-1].End:], "/"):
		case i > 0 && !option && operands == 1 && isName(text) && table.Find(program).Has("subcommands"):
		case option && isName(text) && (strings.HasPrefix(text, "--") || f.gone[len(f.gone)-1].End < len(f.text)):
		default:
			continue
		}
		bare.words[i].text, bare.words[i].gone, ok = text, nil, true
	}
	return bare, ok
}

// without is the text of a word without the variables that may be nothing.
func (f *field) without() string {
	text := f.text
	for _, s := range slices.Backward(f.gone) {
		text = text[:s.Start] + text[s.End:]
	}
	return text
}

// isName reports whether a text can be the name of a sub-command or an option.
func isName(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// mayVanish reports whether a variable that the line does not set is nothing if it is set
// nowhere else.
func mayVanish(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Length || p.Excl || p.Names != 0 || p.NestedParam != nil {
		return false
	}
	switch p.Param.Value {
	case "HOME", "PWD", "0", "$", "?", "#", "-", "IFS", "PATH":
		return false
	}
	return p.Exp == nil || p.Exp.Op > syntax.AssignUnsetOrNull // the others give it a value
}

package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// givenAt is a name of several words behind the time that it belongs to, as "after code changes: ‹t›", or
	// behind what is made with it.
	givenAt = lazy.Regexp{Source: `(?:^|[.:] )(?:(?:re-?(?:build|generate|compile)|always) )?after [^:;.‹]*(?:‹[pa]\d+›[^:;.‹]*)?: ‹t\d+›|\b(?:rebuild|regenerate|recompile|validate|lint)\b[^‹.;:]*(?:‹[pa]\d+›[^‹.;:]*)?(?: (?:using|via|with|by running)|:) ‹t\d+›`}
	// commandLine is a program with its arguments.
	commandLine = lazy.Regexp{Source: `^[a-z][a-z\d]*(?:[-_.][a-z\d]+)*(?: [\w./:=*<>@-]+)+$`}
)

// given marks the last name as a command if it reads as a command line, whatever its program.
func (p *phrase) given(s string) string {
	marks := mark.Get().FindAllString(s, -1)
	last := marks[len(marks)-1]
	t := p.termIn(last)
	first, _, _ := strings.Cut(t.text, " ")
	if !commandLine.Get().MatchString(t.text) || words().verbs[first] {
		return s
	}
	t.kind = command
	return strings.TrimSuffix(s, last) + strings.Replace(last, "‹t", "‹c", 1)
}

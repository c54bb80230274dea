package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// installing are the commands of npm and pip that add what they name and, without a name, install
// what is declared already.
var installing = []string{"npm install ?*", "npm i ?*", "pip install ?*", "uv pip install ?*"}

// ofDeclared are those that name no package: options alone, the project itself, a file of
// requirements, and the manager.
const ofDeclared = "(cmd.text matches `^(?:npm (?:install|i)(?: --?[\\w-]+(?:=\\S+)?)+|(?:uv )?pip3? install(?: (?:-r|--requirement|-c|--constraint|-e|--editable)[ =]?[^\\s:]+| \\.(?:\\[[\\w,-]+\\])?| (?:pip|setuptools|wheel)| --?[\\w-]+(?:=\\S+)?)+)$`)"

// installsNamed is a line about what is installed, declared or not.
var installsNamed = lazy.Regexp{Source: `(?i)\binstall(?:s|ing|ed|ation)?\b`}

// sparesDeclared lets the calls pass that install what a project has declared, in a rule about new
// dependencies.
func (b *builder) sparesDeclared(r *ruletext.Rule) {
	if r.Trigger != "bash" || r.Phase != "" || r.Requires != nil || installsNamed.Get().MatchString(b.quote) {
		return
	}
	if !slices.ContainsFunc(installing, func(c string) bool { return slices.Contains(r.Scope, c) }) {
		return
	}
	r.Except(ofDeclared)
	for _, cmd := range []string{"npm install --no-audit", "pip install -r requirements.txt", "pip install -e '.[dev]'"} {
		if slices.ContainsFunc(r.Scope, func(c string) bool { return strings.HasPrefix(cmd, strings.TrimSuffix(c, "?*")) }) {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd}))
		}
	}
}

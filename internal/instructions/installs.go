package instructions

import (
	"fmt"
	"regexp"
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

// addsFrom are the commands that add a package by its name, by the registry that a line names with the
// program for it.
var addsFrom = map[string][]string{
	"npm": {"npm install", "npm i", "npm add", "pnpm add", "pnpm install", "yarn add", "yarn global add", "bun add", "bun install"},
	"pip": {"pip install", "pip3 install", "uv pip install", "uv add", "pipx install", "poetry add"}, "cargo": {"cargo install", "cargo add"}, "gem": {"gem install"},
}

// packageName is the name of a package, with its scope.
var packageName = lazy.Regexp{Source: `^(?:@[\w.-]+/)?[A-Za-z][\w.-]*$`}

// notInstalled forbids to install one package.
func (b *builder) notInstalled() []ruletext.Rule {
	name := b.hit.Slots["package"]
	if t := b.termOf(name); t.Text != "" {
		name = t.Text
	}
	adds := addsFrom[b.termOf("‹"+b.hit.Slots["manager"]+"›").Text]
	if len(adds) == 0 || !packageName.Get().MatchString(name) || common(name) {
		return nil
	}
	r := ruletext.Rule{ID: name, Trigger: "bash", Message: b.withUnless("Do not install " + name + ".")}
	r.When = fmt.Sprintf("any(cmd.operands, # matches `^%s([@=<>~!\\[].*)?$`)", regexp.QuoteMeta(name))
	for _, a := range adds {
		r.Scope = append(r.Scope, a+" *")
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: a + " " + name}))
	}
	r.Why = "It stops installations of " + name + "."
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: adds[0] + " " + name + "-other"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"}))
	return []ruletext.Rule{r}
}

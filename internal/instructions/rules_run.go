package instructions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// preparations are commands of managers of Python's packages that install what a project
// needs.
var preparations = []string{"uv sync", "poetry install", "pdm install", "pipenv install", "pip install -r", "pip install -e"}

// otherPreparations warns of other managers that install what a Python project needs.
func (b *builder) otherPreparations(m []string) []ruletext.Rule {
	wanted := m[1]
	var scope, bad []string
	for _, c := range preparations {
		if of := sentence.Program(c); of == wanted || b.namesCommand(of) || of == "pip" && b.namesCommand("uv pip") {
			continue
		}
		scope = append(scope, c, c+" *")
		if strings.HasPrefix(c, "pip ") {
			c += " x"
		}
		bad = append(bad, c)
	}
	if len(bad) == 0 {
		return nil
	}
	return b.direct(wanted+" install", scope, m[1]+" "+m[2], bad...)
}

// fetches are the commands that run programs of packages, with their managers.
var fetches = []string{"npx", "bunx", "pnpm dlx", "pnpm exec", "yarn dlx", "yarn exec"}

// managerOf is the package manager of a command that runs a program of a package.
func managerOf(fetch string) string {
	switch sentence.Program(fetch) {
	case "npx":
		return "npm"
	case "bunx":
		return "bun"
	}
	return sentence.Program(fetch)
}

// otherFetches warns of other package managers' commands that run a program of a package.
func (b *builder) otherFetches(m []string) []ruletext.Rule {
	wanted, name := m[1], m[2]
	var bad []string
	for _, f := range fetches {
		if of := managerOf(f); of != managerOf(wanted) && !b.namesCommand(of) && !b.namesCommand(f) {
			bad = append(bad, f)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	list := b.direct(wanted+" "+name, []string{name, name + " *"}, wanted+" "+name, pathglob.Each(bad, func(f string) string { return f + " " + name })...)
	list[0].When = "any(cmd.wrappers, # in [" + strings.Join(pathglob.Each(bad, strconv.Quote), ", ") + "])"
	return list
}

// started is what may start a tool.
var started = lazy.Regexp{Source: `^(?:(?:npx|bunx|uvx|pnpm exec|pnpm dlx|yarn|uv run|poetry run|python3? -m) )+`}

// everydayTools are programs that people also use outside of a project's jobs, or together
// with other programs.
var everydayTools = []string{"rg", "fd", "prettier"}

// toBeRun is the beginning of a clause that says to run, or to use, what follows.
var toBeRun = lazy.Regexp{Source: `\b(?:run|use|execute|using|with|via|by) (?:the )?$`}

// otherTools warns of other tools for the job of one that a line runs. A tool's name alone
// may be there for anything.
func (b *builder) otherTools(t sentence.Term, cmd string) []ruletext.Rule {
	before, _, _ := strings.Cut(b.hit.Phrase.Words, b.hit.Slots["use"])
	if !t.Code || !strings.Contains(t.Text, " ") && !toBeRun.Get().MatchString(before) || slices.ContainsFunc(b.s.Phrases, func(p sentence.Phrase) bool { return sentence.Denies.Get().MatchString(p.Words) }) {
		return nil
	}
	if cmd = started.Get().ReplaceAllString(cmd, ""); insideOther.Get().MatchString(cmd) {
		return nil // it is about the tool that runs there
	}
	tool := sentence.Program(cmd)
	others := forms.All().Alternatives[tool]
	if sub := strings.Fields(cmd); len(sub) > 1 && forms.All().Alternatives[tool+" "+sub[1]] != nil {
		tool = tool + " " + sub[1]
		others = forms.All().Alternatives[tool]
	}
	others = slices.DeleteFunc(slices.Clone(others), b.namesTool)
	if len(others) == 0 || slices.Contains(everydayTools, tool) {
		return nil
	}
	return b.direct(tool, allExact(others), tool, others...)
}

// namesTool reports whether the project's files name a command that begins so, whatever
// starts it.
func (b *builder) namesTool(tool string) bool {
	return slices.ContainsFunc(b.p.Commands, func(c string) bool {
		c = sentence.Settings.Get().ReplaceAllString(c, "")
		bare := started.Get().ReplaceAllString(c, "")
		return strings.HasPrefix(c+" ", tool+" ") || strings.HasPrefix(bare+" ", tool+" ")
	})
}

// through warns of the programs that do the jobs of a project themselves, where it runs them
// by one command.
func (b *builder) through() []ruletext.Rule {
	use := b.hit.Terms("use")
	if len(use) == 0 || survey.Operator.Get().MatchString(use[0].Text) {
		return nil
	}
	wanted := sentence.Program(sentence.Cleaned(use[0]))
	var bad []string
	for _, job := range []string{"test", "lint", "typecheck"} {
		for _, n := range forms.All().Runners[job] {
			if sentence.Program(n) != wanted && !slices.Contains([]string{"npm", "npx", "python"}, sentence.Program(n)) && !b.namesTool(n) {
				bad = append(bad, n)
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	list := b.direct(wanted, allExact(bad), wanted, bad...)
	list[0].When = strings.Replace(givenItself, `["sudo"`, `["npx", "sudo"`, 1)
	list[0].Why = "It warns of programs that run tests and checks themselves: the project runs them by " + wanted + "."
	return list
}

var runners = lazy.Regexp{Source: `\b(uv|poetry|pipenv|hatch|pdm)\b`}

// runner is how a program that the sentence forbids may be run all the same: "" for not at all.
func (b *builder) runner() string {
	m := runners.Get().FindString(b.s.Text)
	if m == "" || slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return strings.HasPrefix(t.Text, m) }) {
		return ""
	}
	return m + " run"
}

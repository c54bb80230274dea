package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A name in a line may be of another kind of thing than a form takes it for: an option of a
// tool's call does not occur in code, and a part of a path is not a file.

var (
	// asManager chooses a program for packages.
	asManager = lazy.Regexp{Source: `\b(?:package|dependenc(?:y|ies)|environment) (?:and \w+ )?(?:manager|management)\b|\bas (?:the |our |your |a )*package manager\b`}
	// toBeCommitted is about what goes into the repository.
	toBeCommitted = lazy.Regexp{Source: `(?i)‹a\d+›|\b(?:commit\w*|git|repo(?:sitory)?|version control|source control|diffs?|patch(?:es)?|prs?|pull requests?|stag(?:e|ed|ing)|check(?:ed)? in|changes|push\w*)\b`}
	// including leaves something out of another thing.
	including = lazy.Regexp{Source: `\b(?:never|not|n't|avoid) (?:\w+ )?includ(?:e|ing)\b`}
	// optionName is an option of a call of an agent's tool, toolName the name of one.
	optionName = lazy.Regexp{Source: `^["']?(?:isolation|run_in_background|runInBackground|subagent_type|subagentType|dangerouslyDisableSandbox|replace_all|multiSelect|permissionMode|bypassPermissions|team_name)["']?\b`}
	toolName   = lazy.Regexp{Source: `^(?:TodoWrite|TodoRead|WebFetch|WebSearch|AskUserQuestion|EnterPlanMode|ExitPlanMode|EnterWorktree|NotebookEdit|MultiEdit|BashOutput|KillShell|SlashCommand|SendMessage|Task(?:Create|Update|List|Get|Output|Stop)|browser_\w+)(?:\(|$)`}
	// withOptions is a name with a value, as options are written, ofAgents a text about agents.
	withOptions = lazy.Regexp{Source: `^["']?\w+["']? ?[:=] ?["']?[\w-]+["']?$`}
	ofAgents    = lazy.Regexp{Source: `(?i)\b(?:sub-?agents?|(?:agent|task) tools?|agent calls?|spawn\w*|dispatch\w*|tool calls?)\b`}
	snake       = lazy.Regexp{Source: `^[a-z]+(?:[_-][a-z]+)+(?:\(.*\))?$`}
	ofServer    = lazy.Regexp{Source: `(?i)\bMCP\b|\bbrowser (?:tools?|automation)\b|\b(?:notion|linear|figma|jira|confluence|asana) (?:pages?|tools?|issues?|server|api calls?|databases?)\b`}
)

// ofSpelling reports whether a name is not to be included in something else than a commit: in
// paths, in links.
func (b *builder) ofSpelling() bool {
	words := b.hit.Phrase.Words
	return including.Get().MatchString(words) && !toBeCommitted.Get().MatchString(strings.Join([]string{words, b.s.Lead, b.s.Heading()}, "\n"))
}

// ofAgentTool reports whether a name is that of a tool of an agent, or an option of its calls,
// which no file has.
func (b *builder) ofAgentTool(t string) bool {
	if optionName.Get().MatchString(t) || toolName.Get().MatchString(t) || ofForge.Get().MatchString(t) {
		return true
	}
	about := strings.Join([]string{b.s.Text, b.s.Lead, b.s.Heading()}, "\n")
	return withOptions.Get().MatchString(t) && ofAgents.Get().MatchString(about) || snake.Get().MatchString(t) && ofServer.Get().MatchString(about)
}

// besideItself are the rules of the commands that are not to be used, which may install the manager
// that is.
func (b *builder) besideItself(use string) []ruletext.Rule {
	list := b.commands()
	for i := range list {
		list[i].Exclude = append(list[i].Exclude, installsOf(use)...)
	}
	return list
}

// installsOf are the commands of other managers that install a manager.
func installsOf(manager string) []string {
	var with []string
	switch manager {
	case "uv", "poetry", "pdm", "pipenv", "hatch":
		with = []string{"pip install ", "pip install -U ", "pip install --upgrade ", "pip3 install ", "python -m pip install ", "python3 -m pip install ", "pipx install "}
	case "pnpm", "yarn", "bun":
		with = []string{"npm install -g ", "npm i -g ", "npm install --global "}
	}
	return pathglob.Each(with, func(w string) string { return w + manager })
}

// usesManager is a sentence that wants a manager of packages.
var usesManager = lazy.Regexp{Source: `(?i)\buse ` + "`?" + `(uv|poetry|pdm|pipenv|hatch|pnpm|yarn|bun)\b`}

// sparesManager lets the manager be installed that the sentence, or the one in front of a ban, wants.
func (b *builder) sparesManager(r *ruletext.Rule) {
	if b.hit.Form.Rule != "commands" || r.Trigger != "bash" {
		return
	}
	manager := ""
	if before, _, ok := strings.Cut(b.s.Text, b.quote); ok {
		if m := usesManager.Get().FindStringSubmatch(before); m != nil {
			manager = m[1]
		}
	}
	for _, t := range b.hit.Phrase.Terms {
		if manager == "" && len(installsOf(t.Text)) > 0 && !b.denies(t.Text) {
			manager = t.Text
		}
	}
	for _, cmd := range installsOf(manager) {
		if of := sentence.Program(cmd); slices.Contains(r.Scope, of+" *") && !slices.Contains(r.Exclude, cmd) {
			r.Exclude = append(r.Exclude, cmd)
			if b.p == nil || !b.p.Known() || b.passes(r, cmd, r.When) { // a script of the project may run the other manager
				r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: cmd}))
			}
		}
	}
}

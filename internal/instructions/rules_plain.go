package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// featureBranch warns of work on the main branches, where a line wants it on others.
func (b *builder) featureBranch() []ruletext.Rule {
	b.hit.Slots["branch"] = "main or master"
	return b.branch()
}

// neverSkip wants what a line says is never to be left out.
func (b *builder) neverSkip() []ruletext.Rule {
	b.hit.Slots["run"] = b.hit.Slots["skip"]
	return b.requires()
}

// imperative wants messages that begin with a verb in the imperative. It knows other forms
// of usual verbs.
func (b *builder) imperative() []ruletext.Rule {
	if strings.Contains(b.hit.Phrase.Words, "title") && !strings.Contains(b.hit.Phrase.Words, "commit") {
		return nil // those of pull requests
	}
	const verbs = `add(s|ed|ing)|fix(es|ed|ing)|updat(es|ed|ing)|remov(es|ed|ing)|chang(es|ed|ing)|implement(s|ed|ing)|improv(es|ed|ing)|refactor(s|ed|ing)|creat(es|ed|ing)|delet(es|ed|ing)|renam(es|ed|ing)|mov(es|ed)|introduc(es|ed|ing)|correct(s|ed)|replac(es|ed|ing)|enabl(es|ed)|disabl(es|ed)|upgrad(es|ed|ing)|bump(s|ed|ing)`
	return b.onCommits("", commitMessage()+"message matches `(?i)^(\\w+(\\([^)]*\\))?!?: *)?("+verbs+")\\s`",
		"It stops commits whose message begins with a verb in another form than the imperative, as in `Added …`.", "Begin the message with an imperative, as in `Add the thing`.", "fix: Add the thing", "Added the thing")
}

// references wants the number of an issue in messages, or in the texts of pull requests.
func (b *builder) references() []ruletext.Rule {
	const number = `#\d+|\b[A-Z][A-Z\d]+-\d+\b|/issues/\d+`
	if slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == "pull-request" }) {
		r := ruletext.Rule{ID: "in pull requests", Trigger: "bash", Scope: []string{"gh pr create*"}, Message: "Name the issue in the text, as in `Closes #12`."}
		r.When = `hasFlag(cmd, "--body", "-b") and not (cmd.text contains "$") and not (cmd.text matches ` + "`" + number + "`)"
		r.Why = "It stops pull requests whose text names no issue."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title x --body 'The thing'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title x --body 'Closes #12'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
		return []ruletext.Rule{r}
	}
	return b.onCommits("", commitMessage()+"message != \"\" and not (message startsWith \"$\") and not (cmd.text matches `"+number+"`)",
		"It stops commits whose message names no issue.", "Name the issue in the message, as in `(#12)`.", "fix: the thing (#12)", "fix: the thing")
}

// outside forbids changes of all files but those of a folder.
func (b *builder) outside() []ruletext.Rule {
	globs, names := b.paths("path")
	if len(globs) == 0 {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "file_write", Scope: []string{"**"}, Exclude: globs, Message: "Stay in " + strings.Join(names, ", ") + "."}
	r.Why = "It stops changes outside of " + strings.Join(names, ", ") + "."
	beyond := other(globs)
	if areas := b.areas(); len(areas) > 0 {
		r.Scope, beyond = areas, pathglob.Sample(areas[0])
		if dir, ok := ruletext.AreaFolder(areas[0]); ok {
			beyond = pathglob.Sample(dir) + "/beyond/a.ts"
		}
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: beyond, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: pathglob.Sample(globs[0]), Content: "x"})}
	return []ruletext.Rule{r}
}

// asDraft is a line about pull requests that are drafts.
var asDraft = lazy.Regexp{Source: `(?i)\bdrafts?\b`}

// draftPulls wants pull requests to be drafts.
func (b *builder) draftPulls() []ruletext.Rule {
	if b.act().Name != "pull-request" || !asDraft.Get().MatchString(b.quote) {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"gh pr create*"}, When: `not hasFlag(cmd, "--draft", "-d")`, Message: "Open it with gh pr create --draft."}
	r.Why = "It stops pull requests that are no drafts."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --fill"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --draft --fill"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr view"})}
	return []ruletext.Rule{r}
}

// ciFirst wants a look at the checks of a pull request before it is merged.
func (b *builder) ciFirst() []ruletext.Rule {
	if b.act().Name != "merge" {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: b.act().Commands, Message: "See with gh pr checks whether they pass. {{missing}}"}
	r.Requires = &ruletext.Requires{Ran: []string{"gh pr checks*", "gh run watch*", "gh run view*", "gh pr view*"}}
	r.Why = "It stops merges of pull requests whose checks the session has not looked at."
	late := ruletext.Case{Bash: b.act().Example, Before: []ruletext.Step{{Bash: "gh pr checks 12"}}}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: b.act().Example}), ruletext.AsPass(late)}
	return []ruletext.Rule{r}
}

// tracker warns of other places for tasks, where a line chooses one.
func (b *builder) tracker() (list []ruletext.Rule) {
	use := b.hit.Slots["use"]
	if t := b.termOf(use); t.Text != "" {
		use = t.Text
	}
	if use == "gh" || strings.Contains(strings.ToLower(use), "todo") || strings.HasPrefix(use, "gh ") {
		return nil
	}
	if !b.namesCommand("gh issue") && !strings.Contains(strings.ToLower(b.quote), "github") {
		r := ruletext.Rule{ID: "issues", Trigger: "bash", Scope: []string{"gh issue create*"}, Message: "Note it where the project keeps its tasks."}
		r.Why = "It stops issues on GitHub."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh issue create --title x"}), ruletext.AsPass(ruletext.Case{Bash: "gh issue list"})}
		list = append(list, r)
	}
	if use != "" {
		b.hit.Slots["kind"] = "todo files"
		list = append(b.kinds(), list...)
	}
	return list
}

// testCommands are those of usual test runners, where the project's own are not known.
var testCommands = []string{"npm test*", "npm run test*", "pnpm test*", "pnpm run test*", "yarn test*", "bun test*", "bun run test*", "pytest*", "python -m pytest*", "go test*", "cargo test*", "make test*", "just test*", "mvn test*", "./gradlew test*", "dotnet test*"}

// allPatterns are the patterns of the calls of all these commands.
func allPatterns(commands []string) (list []string) {
	for _, c := range commands {
		p, _ := patterns(c)
		list = append(list, p...)
	}
	return list
}

// gateOfJob is a gate that a sentence names by its job: the tests, or a server's start.
func (b *builder) gateOfJob() *gate {
	if b.has("starting") {
		a := forms.ActOf(sentence.Term{Kind: 'a', Text: "dev-server"})
		return &gate{"bash", a.Commands, ruletext.Case{Bash: a.Example}, "`" + a.Example + "`"}
	}
	if !b.has("testing") {
		return nil
	}
	commands := b.p.CommandsOf("test")
	if strings.Contains(b.hit.Slots["testing"], "e") { // end-to-end tests
		commands = slices.Concat(commands, slices.DeleteFunc(slices.Clone(b.p.Commands), func(c string) bool { return !endToEnd.Get().MatchString(c) }))
	}
	scope := allPatterns(commands)
	if len(scope) == 0 {
		scope = testCommands
	}
	example := strings.TrimRight(scope[0], "* ")
	return &gate{"bash", scope, ruletext.Case{Bash: example}, "`" + example + "`"}
}

var endToEnd = lazy.Regexp{Source: `\b(?:e2e|playwright test|cypress)\b`}

// showsHow is above a command that runs a part: it forbids nothing. "Run specific tests:"
var showsHow = lazy.Regexp{Source: `(?i)^\W*(?:to )?run(?:ning)? (?:an? |the )?(?:single|individual|targeted|specific|focused|relevant|affected)\b[^:,;(]*:$`}

// job forbids the bare command of a job: with a path or an option it passes.
func (b *builder) job() []ruletext.Rule {
	if showsHow.Get().MatchString(strings.TrimSpace(b.quote)) {
		return nil
	}
	list := b.jobCommands(b.hit.Slots["job"])
	if tool := b.termOf(b.hit.Slots["tool"]).Text; tool != "" {
		list = []string{tool, tool + " run", "npx " + tool, "npx " + tool + " run"}
	}
	if len(list) == 0 || survey.Operator.Get().MatchString(list[0]) {
		return nil
	}
	cmd := list[0]
	if !b.has("tool") {
		list = list[:1]
	}
	r := ruletext.Rule{ID: cmd, Trigger: "bash", Scope: list, Message: "Run the part that the change is about."}
	r.Why = "It stops " + cmd + " without a path or an option."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: cmd}), ruletext.AsPass(ruletext.Case{Bash: cmd + " src/a.test.ts"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}

// jobBanned forbids the commands of a job.
func (b *builder) jobBanned() []ruletext.Rule {
	scope := allPatterns(b.jobCommands(b.hit.Slots["job"]))
	if len(scope) == 0 {
		return nil
	}
	example := strings.TrimRight(scope[0], "* ")
	r := ruletext.Rule{ID: b.hit.Slots["job"], Trigger: "bash", Scope: scope, Message: "Leave it to the user."}
	r.Why = "It stops " + example + "."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: example}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}

// branchBanned forbids pushes to branches, where they are what a line is about.
func (b *builder) branchBanned() []ruletext.Rule {
	if b.act().Name == "force-push" {
		return nil
	}
	return b.branch()
}

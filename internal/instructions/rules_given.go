package instructions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// What a command is given: files, a text in front of it, variables.

// sourceNamed is the name of a file of code, which no file of settings has.
const sourceNamed = `(?i)^[^-].*\.([cm]?[jt]sx?|vue|svelte|py|go|rs|rb|java|kts?|swift|php|cs|c|cc|cpp|h|hpp|exs?|dart|scala|lua|sql|css|scss|html|sh)$`

// settingsNamed is one of those that have.
const settingsNamed = `(?i)(^|[./_-])(config|conf|setup|rc)\.\w+$`

// onFiles forbids to give files to commands.
func (b *builder) onFiles() (list []ruletext.Rule) {
	for _, t := range b.hit.Terms("deny") {
		cmd := sentence.Cleaned(t)
		if t.Kind != sentence.Command || cmd == "" || survey.Operator.Get().MatchString(cmd) || placeholder.Get().MatchString(cmd) {
			continue
		}
		scope, example := patterns(cmd)
		r := ruletext.Rule{ID: cmd, Trigger: "bash", Scope: scope, Message: b.withUnless("Run " + cmd + " without the names of files.")}
		r.When = fmt.Sprintf("any(cmd.operands, # matches `%s` and not (# matches `%s`))", sourceNamed, settingsNamed)
		r.Why = "It stops " + cmd + " with files of code as arguments."
		r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: example + " src/a.ts"}), ruletext.AsStop(ruletext.Case{Bash: example + " app/main.py"}), ruletext.AsPass(ruletext.Case{Bash: example}), ruletext.AsPass(ruletext.Case{Bash: example + " -p tsconfig.json"})}
		list = append(list, r)
	}
	return list
}

// changesFolder is a command that goes to a folder, with what is run there or not.
var changesFolder = lazy.Regexp{Source: `^(?:cd|pushd)(?: [^&;|]*)?(?:&&.*)?$`}

// changesDir forbids to go to a folder in front of other commands.
func (b *builder) changesDir() []ruletext.Rule {
	all := b.hit.Terms("deny")
	if len(all) == 0 || !changesFolder.Get().MatchString(all[0].Text) {
		return nil
	}
	r := ruletext.Rule{ID: "cd", Trigger: "bash", Scope: []string{"cd *", "pushd *"}, Message: b.withUnless("Run the command from the folder that you are in, or change the folder once.")}
	r.When, r.Why = "len(commands) > 1", "It stops lines that begin with cd and go on with another command."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "cd web && make test"}), ruletext.AsPass(ruletext.Case{Bash: "cd web"}), ruletext.AsPass(ruletext.Case{Bash: "make test"})}
	if ofGit.Get().MatchString(b.said("what")) {
		r.When, r.Why = `any(commands, .program == "git")`, "It stops lines that go to a folder to run git there."
		r.Tests[0] = ruletext.AsStop(ruletext.Case{Bash: "cd web && git status"})
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "cd web && make test"}))
	}
	return []ruletext.Rule{r}
}

// systemPrograms are the programs of a language that a system brings.
var systemPrograms = map[string][]string{"ruby": {"ruby", "gem"}, "python": {"python", "python3", "pip", "pip3"}, "node": {"node", "npm", "npx"}, "node.js": {"node", "npm", "npx"}}

// ofSystem forbids the programs of the system for a language, where the line has others.
func (b *builder) ofSystem() []ruletext.Rule {
	use := b.hit.Terms("use")
	list := systemPrograms[strings.TrimSpace(b.hit.Slots["language"])]
	if len(use) == 0 || len(list) == 0 || use[0].Kind != sentence.Command && use[0].Kind != sentence.File {
		return nil
	}
	wanted := strings.TrimRight(slot.Get().ReplaceAllString(use[0].Text, ""), " -")
	if slices.Contains(list, sentence.Program(wanted)) {
		return nil
	}
	r := b.direct(strings.TrimSpace(b.hit.Slots["language"]), allExact(list), wanted, list[0]+" a", list[1]+" a")[0]
	r.When += ` and not (cmd.path contains "/") and not any(commands, .program in ["source", "."])`
	r.Why = "It stops " + strings.Join(list, ", ") + " of the system: the line has others."
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: placeholder.Get().ReplaceAllString(wanted, "x") + " a.txt"}))
	return []ruletext.Rule{r}
}

// allExact are the patterns of the calls of programs.
func allExact(programs []string) (list []string) {
	for _, p := range programs {
		list = append(list, p, p+" *")
	}
	return list
}

// parses forbids to read data of one form by programs of a line.
func (b *builder) parses() []ruletext.Rule {
	form := strings.ToLower(b.hit.Slots["data"])
	var programs []string
	for _, t := range b.hit.Terms("deny") {
		if name := sentence.Cleaned(t); slices.Contains([]string{"node", "python", "python3", "ruby", "perl"}, name) {
			programs = append(programs, name)
		}
	}
	if len(programs) == 0 {
		return nil
	}
	if slices.Contains(programs, "python") && !slices.Contains(programs, "python3") {
		programs = append(programs, "python3")
	}
	use := "the program that the project uses for " + strings.ToUpper(form)
	if list := b.wantedOwn(); len(list) > 0 {
		use = list[0].Text
	}
	r := ruletext.Rule{ID: form + " " + strings.Join(programs, " "), Trigger: "bash", Scope: allExact(programs), Message: b.withUnless("Use " + use + " instead.")}
	r.When = fmt.Sprintf("any(cmd.args, # in [\"-c\", \"-e\", \"-p\", \"-pe\", \"-m\"]) and cmd.text matches `(?i)\\b%s\\b`", form)
	r.Why = "It stops code of " + strings.Join(programs, ", ") + " in the line of a command that reads " + strings.ToUpper(form) + "."
	code := map[string]string{"python": " -c ", "python3": " -c "}[programs[0]]
	if code == "" {
		code = " -e "
	}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: programs[0] + code + "'" + form + ".load(f)'"}), ruletext.AsPass(ruletext.Case{Bash: programs[0] + " tools/a." + form}), ruletext.AsPass(ruletext.Case{Bash: programs[0] + code + "'print(1)'"})}
	return []ruletext.Rule{r}
}

// insideRunner is a line about what commands are run in.
var insideRunner = lazy.Regexp{Source: `\b(?:inside|within)(?: of)? ‹c`}

// runInside makes the command that runs others of the name of an environment.
func (b *builder) runInside(use []sentence.Term) {
	if name := use[0].Text; insideRunner.Get().MatchString(b.hit.Phrase.Words) && slices.Contains([]string{"uv", "poetry", "pipenv"}, name) {
		use[0].Text = name + " run"
		b.hit.Slots["use"] = b.hit.Phrase.Add(sentence.Command, use[0].Text, true)
	}
}

// substituted is the form of a command in the place of words of another one.
var substituted = lazy.Regexp{Source: `^\$\((?:\.\.\.|…|[\w ]*)\)$|^\$\($`}

// substitution warns of commands in the place of words of others.
func (b *builder) substitution() []ruletext.Rule {
	if t := b.termOf(b.hit.Slots["name"]); b.has("name") && !substituted.Get().MatchString(t.Text) {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", When: `any(commands, "$(…)" in .wrappers)`, Message: "Write it without $(…), in steps."}
	r.Why = "It stops lines with $(…)."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "echo $(ls)"}), ruletext.AsPass(ruletext.Case{Bash: "ls"}), ruletext.AsPass(ruletext.Case{Bash: "echo '$(ls)'"})}
	return []ruletext.Rule{r}
}

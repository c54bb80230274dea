package instructions

import (
	"cmp"
	"regexp"
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

// inPackage are the options of a package manager that name a part of the project.
const inPackage = `(?: workspaces? (?:foreach )?[\w@/.*-]+| (?:--filter|-F|-C|--dir|--cwd|--prefix|-w|--workspace)[= ][\w@/.*{}^!-]+| (?:-r|--recursive|-s|--silent|-ws|--workspaces|--if-present|-w|--workspace-root|-A|--all))*`

var (
	// scripted is a command of a package manager that the others have too: it runs a script,
	// or installs all that is needed. Options may say in which part of the project.
	scripted = lazy.Regexp{Source: `^(?:(npm)` + inPackage + ` (?:run` + inPackage + ` ([\w:.-]+)|(test|start|ci|install|i))|(pnpm|yarn|bun)` + inPackage + ` (?:run` + inPackage + ` )?([a-z][\w:.-]*))(?: .*)?$`}
	// noScript are sub-commands of a package manager that are not scripts.
	noScript = lazy.Regexp{Source: `^(?:publish|audit|login|logout|pack|version|dlx|exec|create|init|link|unlink|outdated|x|why|add|remove|rm|update|upgrade|up|patch|store|config|import|run|list|ls|info|view|dedupe|prune|cache|self-update|workspaces?|node|pm|repl|set|plugin|global|link|deploy|fetch|rebuild|root|bin|env|approve-builds|patch-commit|constraints|npm|whoami|owner|team)$|\.`}
	installs = lazy.Regexp{Source: `^(?:ci|install|i)$`}
	// globally is a command about the whole machine.
	globally = lazy.Regexp{Source: `^\w+ (?:publish|login|view|info|audit|pack|version)\b| (?:-g|--global)\b`}
	// inside is a command that runs another one in an environment.
	inside = lazy.Regexp{Source: `^(uv run|poetry run|pdm run|hatch run|pipenv run|bundle exec) ([a-z][\w-]*)(?: |$)`}
	// changed is the folder that a command is run in.
	changed = lazy.Regexp{Source: `^(?:cd|pushd) (?:"[^"&]+"|[\w./~$<>{}-]+) ?&& ?`}
	// onward is the rest of a line behind its first command.
	onward = lazy.Regexp{Source: ` (?:&&|\|\|?|;|>>?|2>).*$`}
	// fetched is a command that runs a program of a package.
	fetched = lazy.Regexp{Source: `^(npx|bunx|pnpm exec|pnpm dlx|yarn dlx|yarn exec|npm exec)(?: --?[\w-]+)* ([a-z@][\w@/.-]*)(?: .*)?$`}
	// prepared is a command of a manager of Python's packages that installs what a project needs.
	prepared = lazy.Regexp{Source: `^(uv|poetry|pdm|pipenv) (sync|install|pip install (?:-r|-e|--editable|--requirement)\b.*)(?: --?[\w-]+(?:[= ][\w.,/-]+)?)*$`}
	// wrapper is a command of the project's own that represents others.
	wrapper = lazy.Regexp{Source: `^(?:make|just|task|mise run) [\w:-]+$|^(?:\./)?(?:scripts?|bin|tools|hack)/[\w./-]+$`}
	// wrapped is what one runs, behind it in parentheses.
	wrapped = lazy.Regexp{Source: `^(?: ?\((?:(?:it |which |that )?(?:runs?|uses?|calls?|wraps?|invokes?|=|→) )?(‹c\d+›)\)| (?:—|–|-|→|:) (?:runs|it runs|wraps) (‹c\d+›)(?:[.,;)]|$))`}
	// target is the name of one that does a job as a whole.
	target = lazy.Regexp{Source: `[ /](?:run[-_])?(tests?|lint|type-?check|check-types|fmt|format)(?:[:_-](?:all|fix))?(?:\.\w+)?$`}
	// slot is a name in a command for what is to be put there.
	slot = lazy.Regexp{Source: `<[\w -]+>`}
	// local is a program that a project brings itself, and the one of the machine.
	local = lazy.Regexp{Source: `^\./(gradlew|mvnw)(?: |$)`}
)

// forAlone introduces the commands for which alone a program is to be used.
var forAlone = lazy.Regexp{Source: `(?i)\bonly for\b`}

// asksForRun is a line that wants something to run, whatever program does it.
var asksForRun = lazy.Regexp{Source: `(?i)\b(?:before|prior to|must (?:all )?(?:pass|succeed)|make sure|ensure|verify that|post-?migration|after (?:every|each|any|all|your|the|editing|making|changing|migrating|creating))\b`}

// scripts warns of other ways to run what a line runs by the project's own means, where no
// line names them.
func (b *builder) scripts() []ruletext.Rule {
	if forAlone.Get().MatchString(b.s.Lead) || asksForRun.Get().MatchString(b.s.Lead+"\n"+survey.Plain(b.quote)) {
		return nil
	}
	for _, t := range b.hit.Terms("use") {
		if b.runsElsewhere(t.Text) {
			continue
		}
		cmd := changed.Get().ReplaceAllString(sentence.Cleaned(t), "")
		if t.Kind != sentence.Command || strings.Contains(cmd, "$(") || b.deniesProgram(cmd) || b.onlyMentions(t.Text) {
			continue
		}
		cmd = sentence.Settings.Get().ReplaceAllString(onward.Get().ReplaceAllString(cmd, ""), "")
		var list []ruletext.Rule
		switch m := inside.Get().FindStringSubmatch(cmd); {
		case m != nil:
			list = b.bareOf(m[2], m[1]+" "+m[2])
		case local.Get().MatchString(cmd):
			program := local.Get().FindStringSubmatch(cmd)[1]
			list = b.bareOf(strings.TrimSuffix(program, "w"), "./"+program)
		case wrapper.Get().MatchString(cmd):
			list = b.behind(cmd)
		case prepared.Get().MatchString(cmd):
			list = b.otherPreparations(prepared.Get().FindStringSubmatch(cmd))
		case fetched.Get().MatchString(cmd):
			list = b.otherFetches(fetched.Get().FindStringSubmatch(cmd))
		default:
			list = b.otherManagers(cmd)
		}
		if len(list) == 0 {
			list = b.otherTools(t, cmd)
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// namesCommand reports whether the project's files name a command that begins so.
func (b *builder) namesCommand(begin string) bool {
	return slices.ContainsFunc(b.p.Commands, func(c string) bool {
		return (c == begin || strings.HasPrefix(c, begin+" ")) && !globally.Get().MatchString(c)
	})
}

// namesWhole reports whether the project's files name a command, with options or not.
func (b *builder) namesWhole(cmd string) bool {
	return slices.ContainsFunc(b.p.Commands, func(c string) bool {
		c = sentence.Settings.Get().ReplaceAllString(c, "")
		return c == cmd || strings.HasPrefix(c, cmd+" -")
	})
}

// givenItself holds for a command that a line gives, also behind a program that only
// starts it: not for one that a runner such as `uv run` or a script starts.
const givenItself = `all(cmd.wrappers, # in ["sudo", "env", "time", "timeout", "nice", "nohup", "rtk", "command", "exec", "bash -c", "sh -c", "python -m"])`

// direct makes a rule about commands that a line itself gives, not those that another
// command runs.
func (b *builder) direct(id string, scope []string, wanted string, bad ...string) []ruletext.Rule {
	r := ruletext.Rule{ID: id, Trigger: "bash", Scope: scope, When: givenItself, Message: "Use " + wanted + " instead."}
	r.Why = "It stops " + strings.Join(bad, ", ") + ": the project uses " + wanted + "."
	for _, c := range bad {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: c}), ruletext.AsStop(ruletext.Case{Bash: "cd sub && timeout 60 " + c}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: wanted}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"}))
	return []ruletext.Rule{r}
}

// bareOf warns of a program that is run without what should run it.
func (b *builder) bareOf(program, wanted string) []ruletext.Rule {
	if program == "python" || program == "python3" || b.namesCommand(program) {
		return nil
	}
	list := b.direct(wanted, []string{program, program + " *"}, wanted, program)
	if stub := binstub(b.p, wanted); stub != "" {
		list[0].Except("(cmd.path endsWith " + strconv.Quote(stub) + ")")
		list[0].Tests = append(list[0].Tests, ruletext.AsPass(ruletext.Case{Bash: stub}), ruletext.AsPass(ruletext.Case{Bash: "./" + stub + " x"}))
	}
	return list
}

// otherManagers warns of the other package managers' commands for the same.
func (b *builder) otherManagers(cmd string) []ruletext.Rule {
	cmd = placeholder.Get().ReplaceAllString(cmd, "x")
	m := scripted.Get().FindStringSubmatch(cmd)
	if m == nil || globally.Get().MatchString(cmd) {
		return nil
	}
	wanted, script := m[1]+m[4], cmp.Or(m[2]+m[3], m[5])
	if m[1] == "" && noScript.Get().MatchString(script) || m[4] == "bun" && script == "build" && !strings.HasPrefix(cmd, "bun run") {
		return nil
	}
	install := installs.Get().MatchString(script)
	if install && slices.ContainsFunc(strings.Fields(cmd)[1:], func(w string) bool { return w != script && !strings.HasPrefix(w, "-") }) {
		return nil // of one package
	}
	var scope, bad []string
	for _, other := range forms.All().Rivals[0] {
		if other == wanted || b.namesCommand(other) || b.p.OnlyBy(other, wanted) {
			continue
		}
		calls := []string{other + " run", other + " test", other + " start"}
		switch {
		case install && other == "npm":
			calls = []string{"npm install", "npm ci", "npm i"}
		case install:
			calls = []string{other + " install"}
		case other == "bun": // whose build bundles, and runs no script
			calls = append(calls, "bun dev", "bun lint")
		case other != "npm":
			calls = append(calls, other+" build", other+" dev", other+" lint")
		}
		if install && other == "yarn" { // alone it installs
			scope = append(scope, other)
		}
		scope = append(scope, allExact(calls)...)
		bad = append(bad, calls[0])
		if !install {
			bad[len(bad)-1] += " build"
		}
	}
	if len(bad) == 0 {
		return nil
	}
	kind := "scripts"
	if install {
		kind = "install"
	}
	list := b.direct(wanted+" "+kind, scope, cmd, bad...)
	list[0].When += ` and not hasFlag(cmd, "-g", "--global")`
	list[0].Message = "Use " + wanted + " instead, as in " + cmd + "."
	list[0].Why = "It stops " + kind + " by " + strings.Join(pathglob.Each(bad, sentence.Program), ", ") + ": the project uses " + wanted + "."
	list[0].Tests = append(list[0].Tests, ruletext.AsPass(ruletext.Case{Bash: "npm install -g x"}))
	return list
}

// languages are those of programs that have one way to do a job, which is in tests.
func languages() map[string]string {
	return map[string]string{"go": "go", "golangci-lint": "go", "gofmt": "go", "cargo": "rust", "uv": "python", "poetry": "python", "python": "python", "python3": "python", "pip": "python", "ruff": "python", "mypy": "python", "pytest": "python"}
}

func tests() map[string]string {
	return map[string]string{"go test": "go", "cargo test": "rust", "pytest": "python", "golangci-lint run": "go", "cargo clippy": "rust", "cargo fmt": "rust"}
}

// behind warns of what a command of the project's own runs: of that which the line says, or of
// the programs that do the job in the languages of the project, over all of it.
func (b *builder) behind(wanted string) []ruletext.Rule {
	_, rest, _ := strings.Cut(b.hit.Phrase.Words, b.hit.Slots["use"])
	if m := wrapped.Get().FindStringSubmatch(rest); m != nil {
		cmd := sentence.Cleaned(b.termOf(m[1] + m[2]))
		if !strings.Contains(cmd, " ") { // a linter by its name alone
			if !strings.Contains(wanted, "lint") {
				return nil
			}
			i := slices.IndexFunc(forms.All().Runners["lint"], func(n string) bool { return sentence.Program(n) == cmd && n != cmd })
			if i < 0 {
				return nil
			}
			cmd = forms.All().Runners["lint"][i]
		}
		if survey.Operator.Get().MatchString(cmd) || placeholder.Get().MatchString(cmd) || survey.TooWide(cmd, false) || wrapper.Get().MatchString(cmd) {
			return nil
		}
		return b.direct(wanted, []string{cmd}, wanted, cmd)
	}
	m := target.Get().FindStringSubmatch(wanted)
	if m == nil {
		return nil
	}
	job, known := survey.JobOf(strings.Replace(strings.TrimPrefix(m[1], "check-"), "fmt", "format", 1)), map[string]bool{}
	of, in := languages(), tests()
	for _, c := range b.p.Commands {
		known[sentence.Program(c)] = true
		known[of[sentence.Program(c)]] = true
	}
	delete(known, "")
	var scope, bad []string
	for _, n := range forms.All().Runners[job] {
		whole := []string{n, n + " .", n + " ./..."}
		if !known[sentence.Program(n)] && !known[in[n]] || slices.ContainsFunc(whole, b.namesWhole) {
			continue
		}
		if n == "go test" {
			whole = whole[2:]
		}
		scope, bad = append(scope, whole...), append(bad, whole[0])
	}
	if len(bad) != 1 || b.inOtherChain(bad[0]) {
		return nil // nothing that is known, or which of them it runs is not
	}
	return b.direct(wanted, scope, wanted, bad...)
}

// withoutArguments is a command that has names for what is to be put there, without these
// and the options in front of them: it has run with whatever was put there.
func withoutArguments(cmd string) string {
	loc := slot.Get().FindStringIndex(cmd)
	if loc == nil {
		return cmd
	}
	before := valued.Get().ReplaceAllString(cmd[:loc[0]], "")
	if at := strings.LastIndex(before, " "); at > 0 && before == cmd[:loc[0]] && inName.Get().MatchString(before) { // the name is a part of an argument
		before = before[:at]
	}
	cmd, _, _ = strings.Cut(before, " -")
	return strings.TrimRight(cmd, " =:/.@")
}

// lastly wants a commit or a push at the end of the work.
func (b *builder) lastly() []ruletext.Rule {
	name := b.act().Name
	if name != "push" && name != "commit" {
		return nil
	}
	b.hit.Slots["run"], b.hit.Slots["done"] = b.hit.Phrase.Add(sentence.Command, "git "+name, true), ""
	return b.requires()
}

// dependencies wants a command to run after changes of what the project needs.
func (b *builder) dependencies() []ruletext.Rule {
	if a := forms.ActOf(b.termOf(sentence.Mark.Get().FindString(b.hit.Slots["words"]))); a != nil && !strings.HasSuffix(a.Name, "dependencies") {
		return nil
	}
	delete(b.hit.Slots, "words")
	b.hit.Slots["generic"], b.hit.Slots["changed"] = "dependencies", ""
	return b.requires()
}

// ownBranch warns of work on the main branches, where a line wants a new one.
func (b *builder) ownBranch() []ruletext.Rule {
	if b.act().Name != "branch-create" || b.above.words != "" || ofReleases.Get().MatchString(b.s.Heading()) {
		return nil
	}
	b.hit.Slots["branch"] = "main or master"
	return b.branch()
}

// ofReleases is the heading of how releases are made.
var ofReleases = lazy.Regexp{Source: `(?i)\b(?:releas(?:e|es|ing)|hotfix(?:es)?|backport(?:s|ing)?)\b`}

// pullBase wants pull requests for one branch.
func (b *builder) pullBase() []ruletext.Rule {
	if b.act().Name != "pull-request" {
		return nil
	}
	return b.base()
}

// english wants messages of commits in English: it knows other languages by their letters.
func (b *builder) english() []ruletext.Rule {
	r := b.onCommits("", "cmd.text matches `[\\p{Han}\\p{Hiragana}\\p{Katakana}\\p{Hangul}\\p{Cyrillic}\\p{Arabic}\\p{Greek}]`",
		"It stops commits whose message has letters of another alphabet.", "Write the message in English.", "fix: x", "fix: исправить")
	if b.onTitles() || ofPullText.Get().MatchString(b.quote) && !strings.Contains(strings.ToLower(b.quote), "commit") {
		r[0].Scope, r[0].Why = pullTexts, "It stops pull requests whose text has letters of another alphabet."
		r[0].Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title исправить"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title 'Fix the thing'"})}
	}
	return r
}

// toldFolder is the folder, or the package, that a command says to run in.
var toldFolder = lazy.Regexp{Source: `(?:^|\s)(?:cd |(?:--dir|--prefix|--cwd|-C|-w|--workspace)[ =])["']?([\w@./-]+)`}

// fromTheRoot says that commands of a folder's file run in the project's folder.
var fromTheRoot = lazy.Regexp{Source: `(?i)\b(?:from|in|at) the (?:\w+ )?(?:repo(?:sitory)?|project|workspace|monorepo)(?:['’]s)? root\b|\bfrom the root of the (?:repo(?:sitory)?|project|workspace|monorepo)\b`}

// runsElsewhere reports whether a command of a folder's file runs in another folder.
func (b *builder) runsElsewhere(cmd string) bool {
	m, own := toldFolder.Get().FindStringSubmatch(cmd), b.s.OfFolder()
	if own != "" && (fromTheRoot.Get().MatchString(b.s.Lead) || fromTheRoot.Get().MatchString(b.s.Text)) {
		return true
	}
	if m == nil || own == "" {
		return false
	}
	return strings.HasPrefix(m[1], "@") || b.p.Known() && b.p.Has(m[1]) && !b.p.Has(own+"/"+m[1]) && m[1] != own
}

// ofPullText is a line about the texts of pull requests alone.
var ofPullText = lazy.Regexp{Source: `(?i)\b(?:prs?|pull[- ]requests?) (?:titles?|descriptions?|bod(?:y|ies)|text)\b`}

// environment warns of Python outside of the environment of the project.
func (b *builder) environment() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"python", "python *", "python3", "python3 *", "pytest", "pytest *", "pip *", "pip3 *"}, Message: "Activate the environment in the same line."}
	r.When = givenItself + ` and not (cmd.path contains "/") and not any(commands, .program in ["source", "."])`
	r.Why = "It stops Python in a line that does not activate the environment."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "python a.py"}), ruletext.AsPass(ruletext.Case{Bash: "source .venv/bin/activate && python a.py"}), ruletext.AsPass(ruletext.Case{Bash: ".venv/bin/python a.py"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})}
	return []ruletext.Rule{r}
}

// toInstall ends in front of a name that is not to be installed.
var toInstall = lazy.Regexp{Source: `\binstall(?:ing)? (?:the |any )*(?:‹\w\d+›(?:,? (?:and|or) |, ?(?:and |or )?))*$`}

// installers lists the commands that install programs and add no dependencies.
var installers = []string{"pnpm install *", "pnpm i *", "bun install *", "pip3 install *", "pipx install *", "uv tool install *", "cargo install *", "go install *", "brew install *", "apt install *", "apt-get install *"}

// installation forbids the installation of programs, and lets them run. There is no rule where the sentence
// is about something else.
func (b *builder) installation() []ruletext.Rule {
	var names []string
	words := b.hit.Phrase.Words
	denied := b.denied()
	for _, at := range sentence.Mark.Get().FindAllStringIndex(words, -1) {
		name := b.termOf(words[at[0]:at[1]]).Text
		isDenied := slices.ContainsFunc(denied, func(t sentence.Term) bool { return t.Text == name })
		if isDenied && !strings.ContainsAny(name, " *<") && toInstall.Get().MatchString(words[:at[0]]) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "bash", Message: b.withUnless("Leave it uninstalled, or ask the user.")}
	r.Scope = slices.Concat(forms.ActOf(sentence.Term{Kind: 'a', Text: "dependencies"}).Commands, installers)
	r.When = "any(cmd.operands, # matches `^(" + strings.Join(pathglob.Each(names, regexp.QuoteMeta), "|") + ")(@.|[=<>~!]|$)`)"
	r.Why = "It stops the installation of " + strings.Join(names, ", ") + "."
	for _, name := range names {
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "npm install -D " + name}), ruletext.AsStop(ruletext.Case{Bash: "pnpm add other " + name + "@2"}), ruletext.AsPass(ruletext.Case{Bash: name + " --version"}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "npm install other"}))
	return []ruletext.Rule{r}
}

// installsWith forbids the installation with a package manager, and lets its other commands run.
func (b *builder) installsWith() []ruletext.Rule {
	if b.has("act") && b.act().Name != "dependencies" {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Message: otherWay}
	if use := b.hit.Terms("use"); len(use) > 0 {
		r.Message = "Use " + use[0].Text + " instead."
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: sentence.Cleaned(use[0]) + " x"}))
	}
	var names []string
	for _, t := range b.hit.Terms("deny") {
		name := sentence.Program(sentence.Cleaned(t))
		if !slices.ContainsFunc(forms.All().Rivals, func(group []string) bool { return slices.Contains(group, name) }) {
			return nil
		}
		names = append(names, name)
		for _, sub := range []string{"install", "i", "add"} {
			r.Scope = append(r.Scope, name+" "+sub, name+" "+sub+" *")
		}
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: name + " install x"}), ruletext.AsPass(ruletext.Case{Bash: name + " list"}))
	}
	r.ID = strings.Join(names, " ")
	r.Why = "It stops installations with " + strings.Join(names, ", ") + "."
	return []ruletext.Rule{r}
}

// denied are the acts and commands that a sentence forbids.
func (b *builder) denied() (list []sentence.Term) {
	if b.hit.Form.Act != "" {
		return []sentence.Term{{Kind: 'a', Text: b.hit.Form.Act}}
	}
	if b.has("plain") {
		for _, name := range strings.Split(b.hit.Slots["plain"], " or ") {
			list = append(list, sentence.CommandTerm(name))
		}
		return list
	}
	for _, t := range b.hit.Terms("object") { // what something is done to, which only acts tell
		if forms.ActOf(t) != nil {
			list = append(list, t)
		}
	}
	deny, _, _ := strings.Cut(b.hit.Slots["deny"], " + ") // two as one: the second alone is another thing
	if i := strings.Index(deny, ", run ‹"); i > 0 && !strings.Contains(deny, " or run ‹") && !strings.Contains(deny[:i], ",") {
		deny = deny[:i] // "never ‹a›, run ‹c›" says what to do instead; "never ‹a›, ‹a›, run ‹c›" is a list
	}
	return b.spelledOutActs(append(list, b.hit.Phrase.TermsIn(deny)...))
}

// patternsBelow are the patterns of a command and of the commands in its namespace.
func patternsBelow(cmd string) (list []string, example string) {
	if list, example = patterns(cmd); namespaced.Get().MatchString(cmd) {
		list = []string{cmd + "*"}
	}
	return list, example
}

// namespaced are commands that are namespaces, too: rails credentials has credentials:edit.
var namespaced = lazy.Regexp{Source: `^(?:(?:bin/)?rails|rake|(?:php )?artisan|mix) [a-z]\w{3,}$`}

// ofPlace is the beginning of a sentence about the files of a place.
var ofPlace = lazy.Regexp{Source: `^(?:all |the |any )?[a-z][\w ]{2,40} (?:in|under|below|inside) (?:the )?‹p\d+›`}

// programLabel is a program in front of what is said of its commands.
var programLabel = lazy.Regexp{Source: `^\W*(?:with |for |in )?([a-z][a-z0-9-]+)(?: commands?| cli)?\W*[:—–]`}

// underProgram is a command with the program that a label, or the heading, names for it: "terraform:
// never run ‹apply›".
func (b *builder) underProgram(cmd string) string {
	if sentence.Words().IsProgram[sentence.Program(cmd)] || strings.ContainsAny(sentence.Program(cmd), "./") {
		return cmd
	}
	for _, above := range []string{b.hit.Phrase.Words, strings.ToLower(b.s.Heading()) + ":"} {
		if m := programLabel.Get().FindStringSubmatch(above); m != nil && sentence.Words().IsProgram[m[1]] {
			return m[1] + " " + cmd
		}
	}
	return cmd
}

// byPath is the condition of a rule about a program that is to be run by the path of the project's
// own: "" for others.
func (b *builder) byPath(use []sentence.Term) string {
	for _, t := range slices.Concat(use, b.hit.Phrase.Terms) {
		own, here := strings.CutPrefix(sentence.Program(sentence.Cleaned(t)), "./")
		at := strings.LastIndexByte(own, '/')
		if here && at < 0 && slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return sentence.Program(sentence.Cleaned(t)) == own }) {
			return "cmd.path != " + strconv.Quote("./"+own)
		}
		if at >= 0 && slices.ContainsFunc(b.denied(), func(t sentence.Term) bool { return sentence.Program(sentence.Cleaned(t)) == own[at+1:] }) {
			return "cmd.path not in [" + strconv.Quote(own) + ", " + strconv.Quote("./"+own) + "]"
		}
	}
	return ""
}

package instructions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

var (
	multi       = lazy.Regexp{Source: `\bmulti-?line\b`}
	either      = lazy.Regexp{Source: `^(gh \w+|gh) (\w+)/(\w+)(.*)$`}
	placeholder = lazy.Regexp{Source: `<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\$\{?\w+\}?|[ =]\.\.\.|…|"[^"]*"|'[^']*'`}
	openEnd     = lazy.Regexp{Source: ` (?:\.\.\.|…)$`}
	ofGit       = lazy.Regexp{Source: `(?i)\bgit\b`}
)

// toolchain is a command by a toolchain that it names.
var toolchain = lazy.Regexp{Source: `^cargo \+[\w.-]+ (\w.*)$`}

// patterns are the patterns of scope for a command, with an example of it.
func patterns(cmd string) (list []string, example string) {
	if strings.HasPrefix(cmd, "*:") { // a tool
		if server, tool, ok := strings.Cut(strings.TrimPrefix(cmd, "*:"), "_"); ok { // some write the server in front
			return []string{cmd, server + ":" + tool}, cmd
		}
		return []string{cmd}, cmd
	}
	if list = powerShellRuns(cmd, "pwsh * ./", "powershell * ./"); list != nil {
		return list, cmd
	}
	if m := toolchain.Get().FindStringSubmatch(cmd); m != nil { // a scope is about the command without it
		list, _ = patterns("cargo " + m[1])
		return list, cmd
	}
	if m := either.Get().FindStringSubmatch(cmd); m != nil { // `gh issue/pr comment`
		list, example = patterns(m[1] + " " + m[2] + m[4])
		more, _ := patterns(m[1] + " " + m[3] + m[4])
		return append(list, more...), example
	}
	if loc := placeholder.Get().FindStringIndex(cmd); loc != nil {
		before := strings.TrimRight(cmd[:loc[0]], " -=:/.@")
		if strings.HasPrefix(cmd[len(before):], " -- ") { // files follow
			before += " --"
		}
		if before == "" || len(strings.Fields(before)) < 2 && !sentence.Words().IsProgram[before] {
			return nil, ""
		}
		if strings.HasPrefix(cmd[len(before):], "=") { // --filter=… or NAME=…
			if list = []string{before + "=*"}; strings.Contains(before, " -") {
				list = append(list, before+" *")
			}
			return list, before + "=x"
		}
		return []string{before + " *"}, before + " x"
	}
	if strings.HasSuffix(cmd, ":") && strings.Contains(cmd, " ") { // the tasks of that kind
		return []string{cmd + "?*"}, cmd + "x"
	}
	if files, ok := strings.CutSuffix(cmd, " *"); ok && ofFilesHere.Get().MatchString(files) { // the shell's sign, as it is
		return []string{files + ` \*`, files + ` \* *`}, cmd
	}
	if strings.HasSuffix(cmd, "*") {
		return []string{cmd}, strings.TrimSpace(strings.TrimRight(cmd, "*")) + " x"
	}
	list = []string{cmd, cmd + " *"}
	if m := shortened.Get().FindStringSubmatch(cmd); m != nil {
		list = append(list, "cargo "+m[1], "cargo "+m[1]+" *")
	}
	return list, cmd
}

// ofFilesHere is a command on files, where a * is all of those in the folder.
var ofFilesHere = lazy.Regexp{Source: `^(?:git (?:add|rm|stage)|rm)(?: -\S+)*$`}

// shortened are sub-commands of cargo that it knows by their first letters, too.
var shortened = lazy.Regexp{Source: `^cargo ([tbcrd])(?:est|uild|heck|un|oc)$`}

// untilPassed is a condition that another form makes an obligation of.
var untilPassed = lazy.Regexp{Source: `\bunless (?:the )?‹c\d+› (?:passes|pass|succeeds|is green|is clean|has passed)\b`}

// inBulk is an act on many files at once, which a call does not show.
var inBulk = lazy.Regexp{Source: `‹a\d+› (?:in bulk|en masse|wholesale)\b`}

// commands forbids commands.
func (b *builder) commands() []ruletext.Rule {
	if list, ok := b.noCommands(); ok {
		return list
	}
	if list := b.installation(); len(list) > 0 || untilPassed.Get().MatchString(b.hit.Phrase.Words) {
		return list
	}
	if inGuidance.Get().MatchString(b.hit.Phrase.Words) || b.namesStaging() || b.judgedByQuality() || byState.Get().MatchString(b.hit.Phrase.Words) || b.ofOtherShell() || b.ofSomeObjects() || b.forbidsUse() {
		return nil
	}
	var r ruletext.Rule
	var names, said []string
	use := b.hit.Terms("use")
	if len(use) == 0 {
		use = slices.DeleteFunc(b.usedInstead(), func(t sentence.Term) bool { return t.Kind != sentence.Command })
	}
	if strings.Contains(b.hit.Slots["deny"], " + ") && b.hit.Severity == "block" { // one behind the other
		b.hit.Severity = forms.Reminder
	}
	if before, _, _ := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["deny"])); b.hit.Severity == "block" && (ofPlace.Get().MatchString(before) || (len(use) > 0 || forms.Has(before, "c")) && b.underTopic()) {
		b.hit.Severity = forms.Reminder
	}
	if b.hit.Severity == "block" && b.asksElsewhere() {
		b.hit.Severity = "ask"
	}
	denied, own := b.eachOption(b.denied())
	for i, t := range denied {
		if b.hit.Severity == "block" && b.permitted(t.Text) {
			b.hit.Severity = forms.Reminder
		}
		if b.optioned(t) || rewrites(t) != "" && b.ofPushed() || t.Text == "delete-files" && inBulk.Get().MatchString(b.hit.Phrase.Words) || strings.HasPrefix(t.Text, "*:") || sentence.SQLStatement.Get().MatchString(t.Text) { // tools are no commands
			continue
		}
		if a := forms.ActOf(t); a != nil {
			if example := b.ofAct(&r, b.onNamed(a), t); example != "" {
				names, said = append(names, a.Name), append(said, a.Name+" (`"+example+"`)")
			}
			continue
		}
		cmd := anyOfKind(b.underProgram(sentence.Cleaned(t)))
		if cmd == "" || survey.TooWide(cmd, len(use) > 0 || b.has("another")) || survey.Operator.Get().MatchString(slot.Get().ReplaceAllString(cmd, "")) {
			continue
		}
		list, example := meantBy(cmd, use)
		if len(list) == 0 || slices.Contains(r.Scope, list[0]) {
			continue
		}
		if of := readerOf(example); of != nil && b.changesOnly() {
			example += " " + of.adds
		}
		r.Scope = append(r.Scope, list...)
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: example}), ruletext.AsStop(ruletext.Case{Bash: "cd sub && " + example}))
		if said = append(said, cmd); i < own {
			names = append(names, strings.TrimSpace(placeholder.Get().ReplaceAllString(cmd, "")))
		}
	}
	if len(r.Scope) == 0 {
		return append(b.declared(), b.sql()...)
	}
	r.Trigger, r.ID = "bash", strings.Join(names, " ")
	r.Why = "It stops " + strings.Join(said, ", ") + "."
	r.Message = otherWay
	b.sayInstead(&r, use, names)
	r.Message = b.ofSomeDependencies(b.withUnless(r.Message))
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "echo " + strings.ReplaceAll(names[0], "'", "")}), ruletext.AsPass(ruletext.Case{Bash: harmless(&r)}))
	b.inFolder(&r)
	if run := b.runner(); run != "" && !strings.Contains(names[0], " ") { // `uv run pytest` is what is wanted
		r.When = fmt.Sprintf("not any(cmd.wrappers, # startsWith %q)", run)
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: run + " " + names[0]}))
	}
	if r.When == "" {
		r.When = b.byPath(use)
	}
	if r.When == "" {
		r.When = b.givenBy()
	}
	b.onlyAtTop(&r)
	return slices.Concat([]ruletext.Rule{r}, b.declared(), b.sql())
}

// harmless is a command that a rule about others lets pass.
func harmless(r *ruletext.Rule) string {
	if slices.Contains(r.Scope, "ls") {
		return "pwd"
	}
	return "ls -l"
}

// ofAct adds the commands of an act to a rule that forbids them, with one as an example: "" for
// none.
func (b *builder) ofAct(r *ruletext.Rule, a *forms.Act, t sentence.Term) (example string) {
	list, example := b.operated(a, t), a.Example
	if len(list) < len(a.Commands) && !slices.ContainsFunc(list, func(c string) bool { return strings.HasPrefix(example, strings.TrimRight(c, "*")) }) {
		example = strings.TrimRight(list[0], " ?*") + " x"
	}
	if a.Name == "destructive" && ofGit.Get().MatchString(b.quote) {
		list, example = slices.DeleteFunc(slices.Clone(list), func(c string) bool { return !strings.HasPrefix(c, "git ") }), "git reset --hard"
	}
	if a.Name == "migrate" && ownScript.Get().MatchString(b.quote) {
		return "" // a script that the line means, and no tool of a database
	}
	if a.Name == "dependencies" {
		if list = b.addsDependencies(list); len(list) == 0 || ownPackage.Get().MatchString(b.quote) || partOfManifest.Get().MatchString(b.hit.Phrase.Words) {
			return ""
		}
		if len(list) < len(a.Commands) {
			example = strings.TrimRight(list[0], " ?*") + " x"
		}
	}
	r.Scope = append(r.Scope, list...)
	r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: example}))
	if a.Except != "" && (a.Name != "dependencies" || example == a.Example) {
		r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: a.Except}))
	}
	if a.Name == "pull-request" && asDraft.Get().MatchString(b.quote) {
		r.When, r.Tests = `hasFlag(cmd, "--draft", "-d")`, []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --draft --fill"}), ruletext.AsPass(ruletext.Case{Bash: example})}
		return "gh pr create --draft --fill"
	}
	if a.When != "" {
		r.When = a.When
		for _, c := range a.Harmless {
			r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: c}))
		}
	}
	if a.Name == "switch-branch" {
		b.switches(r, a)
	}
	return example
}

// andAnother is a further thing to use behind the first one.
var andAnother = lazy.Regexp{Source: `^[*_]* and [*_]*(‹[cpt]\d+›)`}

// wanted are the commands to use: of several in a row each.
func (b *builder) wanted(use []sentence.Term, first string) string {
	if _, behind, ok := strings.Cut(b.hit.Phrase.Words, sentence.Mark.Get().FindString(b.hit.Slots["use"])); ok && b.has("use") {
		if m := andAnother.Get().FindStringSubmatch(behind); m != nil && !strings.Contains(b.hit.Slots["deny"], m[1]) {
			return first + " and " + sentence.Cleaned(b.termOf(m[1]))
		}
	}
	if said := sentence.Mark.Get().ReplaceAllString(b.hit.Slots["use"], ""); len(use) != 2 || strings.TrimSpace(said) != "/" && strings.TrimSpace(said) != "or" {
		return first
	}
	return first + " or " + use[1].Text
}

var managed = lazy.Regexp{Source: `^(?:npm|pnpm|yarn|bun|pip|uv|poetry) (?:install|ci|sync|i)(?: --?[\w-]+)*$`}

// act is the act that a line is about; one without a name for none.
func (b *builder) act() *forms.Act {
	return cmp.Or(forms.ActOf(b.termOf(b.hit.Slots["act"])), &forms.Act{})
}

// via wants a command of its own for an act.
func (b *builder) via() []ruletext.Rule {
	use := b.hit.Terms("use")
	cmd := ""
	if len(use) > 0 {
		cmd = sentence.Cleaned(use[0])
	}
	if a := forms.ActOf(b.termOf(b.hit.Slots["deny"])); a == nil ||
		cmd == "" ||
		!slices.Contains([]string{"commit", "push", "publish", "pull-request", "deploy", "tag"}, a.Name) ||
		strings.HasPrefix(cmd, "git") ||
		strings.HasPrefix(cmd, "gh") ||
		strings.Fields(cmd)[0] == strings.Fields(a.Example)[0] {
		return nil
	}
	return b.commands()
}

// runners warns of the programs that do a job, where the project has a command for it.
func (b *builder) runners() []ruletext.Rule {
	use := b.hit.Terms("use")
	if len(use) == 0 || sentence.Cleaned(use[0]) == "" || b.inSteps() {
		return nil
	}
	wanted := sentence.Cleaned(use[0])
	b.hit.Slots["deny"] = ""
	language := languageOf(sentence.Program(wanted))
	for _, n := range forms.All().Runners[survey.JobOf(b.hit.Slots["job"])] {
		if sentence.Program(n) == sentence.Program(wanted) || language >= 0 && languageOf(sentence.Program(n)) != language { // which other code may have
			continue
		}
		if b.namesTool(n) || slices.ContainsFunc(b.p.Commands, func(c string) bool { return strings.HasPrefix(c, n) }) {
			return nil // the project uses it too
		}
		b.hit.Slots["deny"] += b.hit.Phrase.Add(sentence.Command, n, true)
	}
	list := b.commands()
	if wholeSuite.Get().MatchString(b.hit.Phrase.Words) {
		return ofWholeRuns(list)
	}
	return list
}

// prints forbids commands that show secrets.
func (b *builder) prints() []ruletext.Rule {
	r := ruletext.Rule{Trigger: "bash", Message: "Use the secret without showing it."}
	r.Why = "It stops commands that show files of secrets, the environment, or a variable that is called so."
	r.When = "any(commands, .program in [\"printenv\", \"env\"] and len(.operands) == 0)\n" +
		"  or any(commands, .program in [\"cat\", \"head\", \"tail\", \"less\", \"more\", \"bat\"] and any(.operands, secretFile(#)))\n" +
		"  or any(commands, .program in [\"echo\", \"printf\"] and .text matches `(?i)\\$\\{?\\w*(token|secret|password|api_?key)`)"
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "cat .env"}), ruletext.AsStop(ruletext.Case{Bash: "printenv"}), ruletext.AsStop(ruletext.Case{Bash: "echo $API_KEY"}), ruletext.AsPass(ruletext.Case{Bash: "cat src/a.ts"}), ruletext.AsPass(ruletext.Case{Bash: "echo $HOME"})}
	return []ruletext.Rule{r}
}

// rivals forbids the programs that do the same as the one that is wanted.
func (b *builder) rivals() []ruletext.Rule {
	use := b.hit.Terms("use")
	install := b.hit.Terms("manager")
	if len(install) > 0 && managed.Get().MatchString(install[0].Text) {
		use = []sentence.Term{sentence.CommandTerm(strings.Fields(install[0].Text)[0])}
		b.hit.Slots["use"] = b.hit.Phrase.Add(sentence.Command, use[0].Text, true)
	}
	if len(use) == 0 || use[0].Kind != sentence.Command {
		return nil
	}
	b.runInside(use)
	for _, run := range []string{"uv run", "poetry run", "pipenv run"} {
		if of := sentence.Program(run); strings.HasPrefix(use[0].Text+" ", run+" ") && asManager.Get().MatchString(b.hit.Phrase.Words) { // it is not about what is run
			use = []sentence.Term{sentence.CommandTerm(of)}
			b.hit.Slots["use"] = b.hit.Phrase.Add(sentence.Command, of, true)
		} else if strings.HasPrefix(use[0].Text, run+" ") {
			use = []sentence.Term{sentence.CommandTerm(run)}
		}
	}
	for _, group := range forms.All().Rivals {
		if !slices.Contains(group, use[0].Text) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(group), func(n string) bool {
			return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Text == n || strings.HasPrefix(t.Text, n+" ") })
		})
		if len(install) == 0 { // others may run what they are for besides
			others = slices.DeleteFunc(others, func(n string) bool { return n == "bun" && b.p.Runs(n) })
		}
		if use[0].Text == "uv" { // it has commands of that name
			others = slices.DeleteFunc(others, func(n string) bool { return n == "uv" })
		}
		if strings.HasPrefix(use[0].Text, "pip") && !strings.HasPrefix(use[0].Text, "pipenv") { // two names of one program
			others = slices.DeleteFunc(others, func(n string) bool { return n == "pip" || n == "pip3" })
		}
		b.hit.Slots["deny"] = ""
		for _, n := range others {
			if len(install) == 0 {
				b.hit.Slots["deny"] += b.hit.Phrase.Add(sentence.Command, n, true)
			} else if !slices.ContainsFunc(b.p.Commands, func(c string) bool { return strings.HasPrefix(c, n+" ") }) {
				b.hit.Slots["deny"] += b.hit.Phrase.Add(sentence.Command, n+" install", true) + b.hit.Phrase.Add(sentence.Command, n+" add", true)
			}
		}
		return b.besideItself(use[0].Text)
	}
	return nil
}

// branch forbids commits and pushes to branches.
func (b *builder) branch() []ruletext.Rule {
	if b.hit.Form.Name == "never-branch" && b.ofPullsAlone() {
		return nil
	}
	names := b.branchesNamed()
	if len(names) == 0 || !b.actsOnBranches() {
		return nil
	}
	if remoteName.Get().MatchString(strings.Join(names, " ")) {
		return b.toRemote(names)
	}
	pattern := strings.Join(pathglob.Each(names, branchesOf), "|")
	r := ruletext.Rule{ID: strings.Join(names, " "), Trigger: "bash", Message: "Work on a branch of your own, and open a pull request."}
	acts := slices.DeleteFunc(slices.Clone(b.hit.Phrase.Terms), func(t sentence.Term) bool { return t.Kind != 'a' })
	if len(acts) > 0 && !slices.ContainsFunc(acts, func(t sentence.Term) bool { return t.Text != "force-push" }) {
		return b.forced(r, names, pattern)
	}
	b.onBranches(&r, names, pattern)
	return []ruletext.Rule{r}
}

// branchesNamed are the branches that a line names.
func (b *builder) branchesNamed() (names []string) {
	said := sentence.Mark.Get().ReplaceAllStringFunc(b.hit.Slots["branch"], func(m string) string { return strings.TrimPrefix(b.termOf(m).Text, "origin/") })
	said = mainBranches.Get().ReplaceAllStringFunc(said, func(list string) string { return strings.ReplaceAll(list, "/", " / ") })
	for _, n := range regexp.MustCompile(`[\w./*-]+`).FindAllString(said, -1) {
		if n != "or" && n != "and" && n != "the" && n != "/" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// forced forbids to overwrite branches.
func (b *builder) forced(r ruletext.Rule, names []string, pattern string) []ruletext.Rule {
	r.Scope, r.Message = []string{"git push*"}, "Leave the history of "+strings.Join(names, ", ")+" as it is."
	r.Why = "It stops pushes that overwrite " + strings.Join(names, ", ") + "."
	r.When = fmt.Sprintf("(hasFlag(cmd, \"--force\", \"-f\", \"--force-with-lease\") or any(cmd.operands, # startsWith \"+\")) and any(cmd.operands, # matches `^\\+?([^:]*:)?(refs/heads/)?(%s)$`)", pattern)
	for _, n := range names {
		n = oneBranch(n)
		r.Tests = append(r.Tests, ruletext.AsStop(ruletext.Case{Bash: "git push --force origin " + n}), ruletext.AsPass(ruletext.Case{Bash: "git push origin " + n}))
	}
	r.Tests = append(r.Tests, ruletext.AsPass(ruletext.Case{Bash: "git push --force origin my-feature"}))
	return []ruletext.Rule{r}
}

// termOf is the term of a mark.
func (b *builder) termOf(m string) sentence.Term {
	if list := b.hit.Phrase.TermsIn(m); len(list) == 1 {
		return list[0]
	}
	return sentence.Term{}
}

// other is a path that none of the patterns matches.
func other(globs []string) string {
	paths := scope.NewPaths(globs, false)
	for _, p := range []string{"src/other.ts", "lib/other.py", "notes/other.txt", "zz/other.bin"} {
		if _, ok := paths.Match(p); !ok {
			return p
		}
	}
	return "zz"
}

// paths are the patterns of the paths in a slot, and what they are called.
func (b *builder) paths(slot string) (globs, names []string) {
	for _, t := range b.hit.Terms(slot) {
		if list := statement.GlobsOf(t.Text); len(list) > 0 {
			globs, names = append(globs, list...), append(names, t.Text)
		}
	}
	return globs, names
}

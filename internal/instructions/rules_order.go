package instructions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// valueOf begins an expression: it gives a name to the value of an option, "" without it.
// is says of an argument that it is the option, whose long form has two dashes.
func valueOf(long, is, name string) string {
	return "let at = findIndex(cmd.args, # " + is + ");\n" +
		"let inline = find(cmd.args, # startsWith \"" + long + "=\") ?? \"\";\n" +
		"let " + name + " = inline != \"\" ? trimPrefix(inline, \"" + long + "=\") : (at != nil ? (get(cmd.args, at + 1) ?? \"\") : \"\");\n"
}

// commitMessage begins an expression about the message of a commit, as far as the command
// tells it.
func commitMessage() string {
	return valueOf("--message", "matches `^(-[a-zA-Z]*m|--message)$`", "message")
}

// byPerson is the case of a message that somebody else writes.
var byPerson = lazy.Regexp{Source: `^(?:if|when|whenever) (?:the |an? )?(?:humans?|persons?|people|users?|authors?|maintainers?|reviewers?) (?:\w+ly )?(?:authors?|writes?|commits?|creates?|pushes|push|merges?|squash\w*|makes?|types?|drafts?|‹a\d+›)\b`}

// onCommits makes a rule about messages of commits, where the agent writes them.
func (b *builder) onCommits(id, when, why, message, good, bad string) []ruletext.Rule {
	if byPerson.Get().MatchString(sentence.NewPhrase(b.quote).Words) {
		return nil
	}
	r := ruletext.Rule{ID: id, Trigger: "bash", Scope: []string{"git commit*"}, When: when, Message: message, Why: why}
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "git commit -m '" + bad + "'"}), ruletext.AsStop(ruletext.Case{Bash: "git commit -am '" + bad + "'"}),
		ruletext.AsPass(ruletext.Case{Bash: "git commit -m '" + good + "'"}), ruletext.AsPass(ruletext.Case{Bash: "git commit"}), ruletext.AsPass(ruletext.Case{Bash: "git commit --amend --no-edit"})}
	return []ruletext.Rule{r}
}

// ofTitles is a heading of what is said of the titles of pull requests.
var ofTitles = lazy.Regexp{Source: `(?i)\b(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?)\b.*\btitles?\b`}

// coAuthor is a sentence about these trailers alone.
var coAuthor = lazy.Regexp{Source: `^(?:[^‹]*\b)?co-?author\w*(?: (?:footers?|trailers?|lines?|tags?))?(?:$|[.,;)])`}

// ofPulls is a heading of what is said of the texts of pull requests.
var ofPulls = lazy.Regexp{Source: `(?i)^\W*(?:writing |creating |opening )?(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?) (?:titles?|descriptions?|bod(?:y|ies)|texts?|templates?)(?: and \w+)?\W*$`}

// andPulls is a sentence about commits and the texts of pull requests.
var andPulls = lazy.Regexp{Source: `(?i)\bcommit(?:s|[- ]messages?|[- ]bod(?:y|ies)|)(?:,? (?:and|or) |, |/)(?:(?:[\w-]+ ){0,2}[\w-]+(?:,| or| and) )?(?:(?:and|or) )?(?:in |to )?(?:any |the |your )?(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?)\b`}

// pullTexts are the commands that write the texts of pull requests.
var pullTexts = []string{"gh pr create*", "gh pr edit*"}

// pullLabel is the label of a line about them.
var pullLabel = lazy.Regexp{Source: `(?i)^\W*(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?)(?: (?:titles?|descriptions?|bod(?:y|ies)))?\W{0,2}:`}

// conventional wants messages of the form type(scope): subject.
func (b *builder) conventional() []ruletext.Rule {
	if ofBranches.Get().MatchString(b.hit.Phrase.Words) && !ofTexts.Get().MatchString(b.hit.Phrase.Words) {
		return nil
	}
	if list := b.hit.Terms("types"); b.hit.Form.Name == "message-form" && (len(list) != 1 || !messageForm.Get().MatchString(list[0].Text)) {
		return nil
	} else if b.hit.Form.Name == "commit-types" && (len(list) < 2 || slices.ContainsFunc(list, func(t sentence.Term) bool { return !ofMessage.Get().MatchString(t.Text) })) {
		return nil // other prefixes
	}
	if b.hit.Severity == "block" && b.openTypes() {
		b.hit.Severity = forms.Reminder
	}
	if b.onTitles() {
		return b.titles()
	}
	return b.onCommits("", commitMessage()+"message != \"\" and not (message startsWith \"$\") and not (message matches `^(?i)("+b.types()+")(\\([^)]*\\))?!?: \\S|^(Merge|Revert|fixup!|squash!) "+b.openings()+"`)",
		"It stops commits whose message does not begin with a type, as in `fix: …`.", "Begin the message with "+b.typesWanted()+".", b.sampleType()+"(api): the thing", "Fix the thing")
}

// untyped forbids the types of conventional commits.
func (b *builder) untyped() []ruletext.Rule {
	return b.onCommits("", commitMessage()+"message matches `^(?i)(feat|fix|chore|refactor|perf|style|revert|ci)(\\([^)]*\\))?!?: `",
		"It stops commits whose message begins with a type, as in `fix: …`.", "Begin the message with what changed, without a type.", "Fix the thing", "fix: the thing")
}

// onTitles reports whether a line about messages is about the titles of pull requests alone.
func (b *builder) onTitles() bool {
	said := statement.Conventions.Get().ReplaceAllString(b.hit.Phrase.Words, "")
	return ofTitles.Get().MatchString(b.s.Heading()) || (strings.Contains(said, "title") || b.ofTitle()) && !strings.Contains(said, "commit") &&
		!slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Kind == 'a' && t.Text == "commit" })
}

// ofMessage is the beginning of a message, with its sign: a type alone may be anything.
var ofMessage = lazy.Regexp{Source: `^(?:` + survey.Types + `)(?:\([^)]*\))?!?:(?: ?<?[\w -]*>?)?$`}

// messageForm is the form of a message with names for its parts.
var messageForm = lazy.Regexp{Source: `^["']?<?type>?\s*(?:\[?\(<?[\w -]+>?\)\]?)?!?:\s*\S`}

// titles wants titles of pull requests of the form type(scope): subject.
func (b *builder) titles() []ruletext.Rule {
	r := ruletext.Rule{ID: "titles", Trigger: "bash", Scope: pullTexts, Message: "Begin the title with " + b.typesWanted() + "."}
	r.When = valueOf("--title", `in ["-t", "--title"]`, "title") +
		"title != \"\" and not (title startsWith \"$\") and not (title matches `^(?i)(" + b.types() + ")(\\([^)]*\\))?!?: \\S|^Revert " + b.openings() + "`)"
	r.Why = "It stops pull requests whose title does not begin with a type, as in `fix: …`."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title 'Fix the thing'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title '" + b.sampleType() + ": the thing'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// attribution forbids lines about who or what wrote a commit.
func (b *builder) attribution() []ruletext.Rule {
	if !credits.Get().MatchString(b.quote) || len(b.quote) > maxQuote {
		return nil
	}
	by, author, only := b.trailers()
	if only {
		return b.onCommits("", "cmd.text matches `(?i)"+by+"`", "It stops commits with lines that name a program as their author.", "Leave these lines out of the message.", "fix: x\n\nCo-Authored-By: A <a@example.com>", "fix: x\n\n"+author)
	}
	r := b.onCommits("", "cmd.text matches `(?i)"+by+`|(generated|written|created|authored) (with|by) \[?`+writers+"|noreply@anthropic`",
		"It stops commits with lines about a co-author or a program that wrote them.", "Leave these lines out of the message.", "fix: x", "fix: x\n\n"+author)
	if (ofPulls.Get().MatchString(b.s.Heading()) || pullLabel.Get().MatchString(b.quote)) && !strings.Contains(b.hit.Phrase.Words, "commit") {
		r[0].Scope, r[0].Why = pullTexts, "It stops pull requests with lines about a co-author or a program that wrote them."
		if coAuthor.Get().MatchString(b.hit.Phrase.Words) { // a footer that names a program is another thing
			r[0].When, author = "cmd.text matches `(?i)co-authored-by:`", "Co-Authored-By: A <a@example.com>"
		}
		r[0].Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title x --body 'x\n\n" + author + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title x --body x"})}
		return r
	}
	if andPulls.Get().MatchString(b.quote) {
		r[0].Scope, r[0].Why = append(r[0].Scope, pullTexts...), "It stops commits and pull requests with lines about a co-author or a program that wrote them."
		r[0].Tests = append(r[0].Tests, ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title x --body 'x\n\n" + author + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title x --body x"}))
	}
	r[0].Tests = append(r[0].Tests, ruletext.AsPass(ruletext.Case{Bash: "git commit -m 'Fix the parts that claude and anthropic send'"}))
	return r
}

var (
	// credits is a sentence about who or what wrote a commit.
	credits = lazy.Regexp{Source: `(?i)\b(?:co-?author\w*|as (?:an? |the )?authors?|attribut(?:ion|ed?|ing)|generated[ -](?:with|by)|signatures?)\b|\b(?:claude|ai|anthropic|bot|llms?|yourself|codex|copilot)\b.*\b(?:commits?|prs?|pull requests?)\b|\b(?:commits?|prs?|pull requests?)\b.*\b(?:claude|ai|anthropic|llms?)\b`}
	// machine is one about programs as authors alone.
	machine = lazy.Regexp{Source: `(?i)\b(?:claude|ai|anthropic|bot|llms?|yourself|codex|copilot)\b`}
)

// subject bounds the first line of messages.
func (b *builder) subject() []ruletext.Rule {
	n := 0
	for _, c := range b.hit.Slots["number"] {
		n = n*10 + int(c-'0')
	}
	if n < 30 || n > 200 || b.onTitles() {
		return nil
	}
	long := "fix: " + strings.Repeat("x", n)
	return b.onCommits(fmt.Sprint(n), commitMessage()+fmt.Sprintf("len(first(split(message, \"\\n\")) ?? \"\") > %d and not (message startsWith \"$\")", n),
		fmt.Sprintf("It stops commits whose subject has more than %d characters.", n), fmt.Sprintf("Write a subject of at most %d characters.", n), "fix: x", long)
}

// A gate is what something has to happen before.
type gate struct {
	trigger string
	scope   []string
	call    ruletext.Case // one that it is about
	named   string
}

// actOnChanges is a step, and no occasion.
var actOnChanges = lazy.Regexp{Source: `^(?:\w+ and )?(?:check|review|verify|commit|stage|push|see|view|show|list|test|make|apply|revert|undo|save|discard|pull|fetch|track|log|preview|watch|deploy|get|inspect|diff|submit|publish|merge|validate|build|format|lint) (?:\w+ )?changes?\b`}

// gateOf is the gate that a sentence names; nil for the end of the turn. It is not ok if
// it names something else.
func (b *builder) gateOf() (g *gate, ok bool) {
	if words := b.said("words"); b.hit.Form.Name == "remind-run" {
		if !forms.Tells(words) ||
			!changes.Get().MatchString(words) ||
			actOnChanges.Get().MatchString(words) ||
			len(b.s.Code) > 0 && !strings.Contains(b.quote, b.termOf(sentence.Mark.Get().FindString(b.hit.Slots["run"])).Text) {
			return nil, false
		}
		b.hit.Slots["gate"] = "commit"
	}
	if g := b.gateOfJob(); g != nil {
		return g, true
	} else if gateNoun.Get().MatchString(b.hit.Phrase.Quote) {
		return nil, false
	}
	if b.has("first") {
		globs, p := b.firstFiles()
		return &gate{"file_write", globs, ruletext.Case{Write: p, Content: "x"}, "the first write"}, true
	}
	if gate := b.hit.Slots["gate"]; strings.HasPrefix(gate, "submit") || gate == "review" {
		b.hit.Slots["gate"] = b.hit.Phrase.Add('a', "pull-request", false)
	}
	if b.hit.Slots["gate"] == "merg" {
		b.hit.Slots["gate"] = b.hit.Phrase.Add('a', "merge", false)
	}
	if b.hit.Slots["gate"] == "commit" {
		b.hit.Slots["gate"] = b.hit.Phrase.Add('a', "commit", false)
	}
	if !strings.HasPrefix(b.hit.Slots["gate"], "‹") {
		return nil, true
	}
	t := b.termOf(b.hit.Slots["gate"])
	if sub, is := strings.CutPrefix(t.Text, "git "); is { // `git push`
		t = sentence.Term{Kind: 'a', Text: sub}
	}
	if a := forms.ActOf(t); a != nil && a.Name == "dependencies" && strings.Contains(b.hit.Phrase.Words, "without") {
		return nil, false // what is missing then comes after them
	} else if a != nil {
		if g, ok := b.pullGate(a); ok {
			return g, g != nil
		}
		a = b.onNamed(a)
		return &gate{"bash", a.Commands, ruletext.Case{Bash: a.Example}, "`" + a.Example + "`"}, true
	}
	if list, example := gateCommand(t); len(list) > 0 {
		g := &gate{"bash", list, ruletext.Case{Bash: example}, "`" + example + "`"}
		b.furtherGates(g)
		return g, true
	}
	return nil, false
}

// gateNoun is a noun that an act only describes: "a merge gate".
var gateNoun = lazy.Regexp{Source: `(?i)\bbefore [^.;,]{0,20}\b(?:merge|commit|push|release|deploy(?:ment)?) (?:gates?|queues?|windows?|trains?|freezes?|conflicts?)\b`}

// has reports whether the pattern that was found has a slot; it may be empty.
func (b *builder) has(slot string) bool { return b.hit.Has(slot) }

var (
	// byHand are commands with what one case is about, such as a branch with several commits, or that ask.
	byHand = lazy.Regexp{Source: `^git (?:rebase (?:-i|--interactive)|add (?:-p|-i)|bisect|reset|revert|cherry-pick|merge --squash|commit (?:[^&|;]* )?(?:--amend|--fixup|--squash))\b|\bHEAD[~^]`}
	// looks are commands that only show something.
	looks = lazy.Regexp{Source: `^[\w./-]+(?: [\w:-]+)? (?:search|list|ls|show|info|view|status|log|help|describe|get|find|query|inspect|outdated|--help|--version|-h)\b`}
	// ofPart are commands about a part of the project.
	ofPart = lazy.Regexp{Source: ` (?:-p|--package|--filter|-pl|--project)[ =]`}
)

var jobNames = lazy.Regexp{Source: `lint|type-?check|build|format|checks|suite|test|clippy`}

// testName is the name of a test, which nothing can run as a command.
var testName = lazy.Regexp{Source: `^test_\w*_\w+$`}

// manyIn is a program with commands of many kinds, alone.
var manyIn = lazy.Regexp{Source: `^(?:git|go|cargo|npm|pnpm|yarn|bun|deno|node|python3?|uv|poetry|dart|flutter|dotnet|docker|podman|kubectl|terraform|gradle|\./gradlew|mvn|\./mvnw|bundle|rails|mix|swift|php|composer|gh|aws|gcloud|az)$`}

var (
	// shortRemark is one behind a command that names no other.
	shortRemark = lazy.Regexp{Source: ` ?\([^)‹]*\)`}
	// orJoins finds what joins commands if one of them is enough.
	orJoins = lazy.Regexp{Source: `\bor\b|/`}
)

// duties are what the sentence wants to run.
func (b *builder) duties() (list []ruletext.Duty) {
	either := orJoins.Get().MatchString(sentence.Mark.Get().ReplaceAllString(shortRemark.Get().ReplaceAllString(b.hit.Slots["run"], ""), ""))
	for _, job := range jobNames.Get().FindAllString(b.hit.Slots["job"], -1) {
		if own := b.ownChecks(job); len(own) > 0 {
			list = append(list, own...)
			continue
		}
		var d ruletext.Duty
		all := b.jobCommands(job)
		if !ofTouched.Get().MatchString(b.hit.Phrase.Words) && !b.ofOneChain(all) {
			continue
		}
		for _, c := range all {
			p, example := patterns(c)
			d.Add(c, withoutTalk(c, b.asWhole(c, p)), example)
		}
		if len(d.Ran) > 0 {
			d.Ran = append(d.Ran, b.p.TasksFor(survey.JobOf(job))...)
			list = append(list, d)
		}
	}
	all := b.hit.Terms("run")
	behind, _ := b.after("run")
	if m := orCommand.Get().FindStringSubmatch(behind); m != nil && len(all) == 1 {
		all, either = append(all, b.termOf(m[1])), true
	} else if more := furtherWay(behind); more != "" && len(all) == 1 {
		all, either = append(all, b.termOf(more)), true
	}
	for _, t := range all {
		if a := forms.ActOf(t); a != nil && a.Duty {
			list = append(list, ruletext.Duty{Names: []string{a.Name}, Ran: a.Commands, Example: a.Example})
		}
		if t.Kind == 'a' {
			continue
		}
		t = b.spelled(t)
		dir := b.goesInto(t.Text)
		for part := range strings.SplitSeq(eachTask(t.Text), "&&") {
			cmd := sentence.Cleaned(sentence.Term{Kind: t.Kind, Text: strings.TrimSpace(part), Code: t.Code})
			if p, example := anyInWord(cmd); len(p) > 0 && !either {
				list = append(list, ruletext.Duty{Names: []string{cmd}, Ran: p, Example: example, Dir: dir})
				continue
			}
			cmd = ofOneFile.Get().ReplaceAllString(inCapitals.Get().ReplaceAllString(withoutArguments(cmd), ""), "$1")
			if !invents.Get().MatchString(cmd) {
				cmd = withoutInvented(cmd, ofChanged.Get().MatchString(b.hit.Phrase.Words))
			}
			p, example := ranPatterns(cmd)
			if len(p) == 0 ||
				b.onlyPrepares(cmd) ||
				manyIn.Get().MatchString(cmd) ||
				invents.Get().MatchString(cmd) ||
				strings.HasPrefix(cmd, "cd ") ||
				testName.Get().MatchString(cmd) ||
				survey.Operator.Get().MatchString(cmd) ||
				survey.TooWide(cmd, false) ||
				sentence.Words().IsBare[cmd] && len(cmd) < 5 && cmd != "prek" && cmd != "tox" {
				continue
			}
			p = append(withoutTalk(cmd, b.asWhole(cmd, p)), runsOf(b.p, cmd)...)
			if wide := b.widened(cmd); wide != "" {
				p = []string{wide, wide + " *"}
			}
			if either && len(list) > 0 {
				list[0].Add(cmd, p, example)
				continue
			}
			list = append(list, ruletext.Duty{Dir: dir})
			list[len(list)-1].Add(cmd, p, example)
		}
	}
	return b.widen(b.withShortcut(list[:min(len(list), 5)]))
}

// severalTasks is a program with several tasks behind it: `cargo build/test`.
var severalTasks = lazy.Regexp{Source: `^(cargo|go|dotnet|mix|swift|zig|make|just|task|pnpm|yarn|bun|npm run|pnpm run|yarn run|bun run) ([a-z][\w-]*)/([a-z][\w-]*)(?:/([a-z][\w-]*))?$`}

// eachTask is a command of several tasks, `cargo build/test`, as a command for each.
func eachTask(cmd string) string {
	m := severalTasks.Get().FindStringSubmatch(cmd)
	if m == nil {
		return cmd
	}
	tasks := slices.DeleteFunc(m[2:], func(t string) bool { return t == "" })
	return strings.Join(pathglob.Each(tasks, func(t string) string { return m[1] + " " + t }), " && ")
}

// ofOneFile is a check of the syntax of one file, which is to be done with any.
var ofOneFile = lazy.Regexp{Source: `^(php -l|(?:ba|z)?sh -n|node (?:-c|--check)|python3? -m py_compile) [\w./-]+$`}

// inCapitals are names for arguments at the end of the command of a script: ./check.sh TOOL_NAME.
var inCapitals = lazy.Regexp{Source: `(?:( |^)[A-Z]+_[A-Z_]+)+$`}

// atLeastOnce says that one run of a session will do.
var atLeastOnce = lazy.Regexp{Source: `\bat least once\b`}

// locked are the manifests of lock files.
func locked() map[string][]string {
	return map[string][]string{
		"package-lock.json": {"package.json"}, "yarn.lock": {"package.json"}, "pnpm-lock.yaml": {"package.json"}, "bun.lock": {"package.json"},
		"Cargo.lock": {"Cargo.toml"}, "go.sum": {"go.mod"}, "uv.lock": {"pyproject.toml"}, "poetry.lock": {"pyproject.toml"}, "Gemfile.lock": {"Gemfile"},
	}
}

// mending is the label of a command that mends what another one checks.
var mending = lazy.Regexp{Source: `(?i)^\W*(?:lint(?:ing)?|format(?:ting)?|style|auto)[ -]fix(?:es)?\W*(?::|—|-) `}

// findsFaults is a command that shows what is wrong.
var findsFaults = lazy.Regexp{Source: `\bto find (?:any |all |the )?(?:stale|broken|dead|missing|unused|invalid|errors?|issues?|problems?|violations?|regressions?|bugs?|leaks?)\b`}

// looking is a sentence about a command that only shows something, or that needs care.
var looking = lazy.Regexp{Source: `\b(?:run|use|call) ‹c\d+› to (?:see|view|list|show|find|explore|discover|learn|browse)\b|\bcareful (?:with|about|when)\b`}

// also wants files to change together.
func (b *builder) also() (list []ruletext.Rule) {
	if optionally.Get().MatchString(b.quote) || forPeople.Get().MatchString(b.quote) || !b.besideCode() {
		return nil
	}
	b.wholeCase()
	b.follows()
	changed, _ := b.paths("changed")
	changed = loose(b.p, b.anywhere(changed))
	if with := b.hit.Terms("with"); b.has("deps") && len(with) > 0 {
		changed = locked()[path.Base(with[0].Text)]
	}
	if name := b.hit.Form.Name; slices.Contains([]string{"alongside", "with-tests", "docs-with", "kept-with", "changeset", "changed-with", "noted-in", "written-in", "needs-with", "not-without-tests", "remind-also"}, name) {
		if thing := b.said("thing"); thing != "" {
			b.hit.Slots["words"] = "changes of " + thing
		}
		return b.alongside(changed)
	}
	if all := b.hit.Terms("all"); len(all) > 1 && statement.OwnPair.Get().MatchString(b.hit.Phrase.Words) {
		return nil
	} else if len(all) > 1 { // each with each
		for _, from := range all {
			for _, to := range all {
				if a, z := statement.GlobsOf(from.Text), statement.GlobsOf(to.Text); from != to && len(a) > 0 && len(z) > 0 {
					list = append(list, together(a, z, to.Text))
				}
			}
		}
		return list
	}
	for _, t := range b.hit.Terms("near") { // a document about the folder that it is in
		dir := path.Dir(t.Text)
		if with := statement.GlobsOf(t.Text); len(with) > 0 && strings.Contains(dir, "/") && strings.Contains(b.hit.Phrase.Words, path.Base(dir)) {
			list = append(list, together([]string{dir + "/**"}, with, t.Text))
		}
	}
	if len(changed) == 0 || b.hit.Form.Name == "also" && strings.HasSuffix(changed[len(changed)-1], "/**") && madeOrMoved.Get().MatchString(b.hit.Phrase.Words) {
		return list // of what is new, another form makes a rule
	}
	with := b.companions()
	for _, with := range with {
		if !slices.ContainsFunc(with.globs, func(w string) bool { return slices.Contains(changed, w) }) {
			list = append(list, together(changed, with.globs, with.String()))
		}
	}
	return list
}

// besideCode takes documentation in the code out of what has to change with it. It is not ok
// where nothing is left.
func (b *builder) besideCode() (ok bool) {
	what := b.hit.Slots["what"]
	if !saysDocs.Get().MatchString(what) || !insideCode.Get().MatchString(b.quote) || forms.Has(b.hit.Phrase.Words, "p") {
		return true
	}
	b.hit.Slots["what"] = saysDocs.Get().ReplaceAllString(what, "")
	return strings.Contains(b.hit.Slots["what"], "test")
}

// saysDocs are words for documentation.
var saysDocs = lazy.Regexp{Source: `\bdoc\w*`}

// insideCode is a sentence about documentation in the code.
var insideCode = lazy.Regexp{Source: `(?i)\b(?:doc-?strings?|docblocks?|(?:js|java|ts|rust|go|xml|k|php)-?docs?\b|doc(?:umentation)?[- ]comments?|(?:inline|code|header) comments?)\b`}

// madeOrMoved is a case about new and moved files alone.
var madeOrMoved = lazy.Regexp{Source: `\b(?:when(?:ever)?|if|after) (?:you )?(?:add|creat|introduc)(?:e|es|ing)?(?:,? (?:or|and|/) ?(?:mov|remov|renam|delet|creat|add)(?:e|es|ing)?)* [^‹]{0,40}‹p\d+›`}

// said are the words of a slot, with the names in them.
func (b *builder) said(slot string) string {
	words := b.hit.Phrase.InWords(b.hit.Slots[slot])
	return strings.Trim(strings.TrimSuffix(strings.Trim(words, " ,:;.—–-("), ", or"), " ,:;.—–-(")
}

// changes is a condition that a change of files may have.
var changes = lazy.Regexp{Source: `\b(?:new|chang|add|modif|introduc|remov|renam|bump|updat|implement|touch|edit|extend|delet|mov|alter|refactor|creat)\w*`}

// together is a rule that wants one of some files to change with others.
func together(changed, with []string, name string) ruletext.Rule {
	r := ruletext.Rule{ID: name, Also: &ruletext.Also{Changed: changed, With: with}, Message: "Change " + name + " too. {{missing}}"}
	r.Why = fmt.Sprintf("It wants %s to change with %s.", name, strings.Join(changed, ", "))
	from, to := pathglob.Sample(changed[0]), pathglob.Sample(with[0])
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Write: from, Content: "x"}), ruletext.AsPass(ruletext.Case{Write: from, Content: "x", Before: []ruletext.Step{{Write: to}}}), ruletext.AsPass(ruletext.Case{Write: other(append(changed, with...)), Content: "x"})}
	return r
}

// kinds are the files of what is done to code.
func kinds() map[string]string {
	return map[string]string{"tested": "tests", "covered": "tests", "documented": "documentation"}
}

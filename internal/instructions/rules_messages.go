package instructions

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

var (
	// ofCommits is about the messages of commits.
	ofCommits = lazy.Regexp{Source: `(?i)\bcommits?\b|\bcommit[- ]messages?\b`}
	// ofPullRequests is about pull requests.
	ofPullRequests = lazy.Regexp{Source: `(?i)\b(?:prs?|pull[- ]requests?|mrs?|merge[- ]requests?)\b`}
	// elsewhereWritten is about other texts.
	elsewhereWritten = lazy.Regexp{Source: `(?i)\b(?:changelogs?|docstrings?|comments?|headings?|docs|documentation|errors?|logs?|ui|buttons?|labels?|branch(?:es)?|changesets?|release notes)\b`}
	// behindType is about the words behind the type of a message.
	behindType = lazy.Regexp{Source: `\b(?:after|colon|prefix|descriptions?)\b`}
)

// inMessages reports whether a sentence is about the messages of commits: it says so, or what
// stands above it.
func (b *builder) inMessages() bool {
	said := b.hit.phrase.words
	if elsewhereWritten.Get().MatchString(plain(b.quote)) || b.onTitles() || strings.Contains(said, "title") && ofPullRequests.Get().MatchString(b.s.heading()) {
		return false
	}
	if ofCommits.Get().MatchString(said) || slices.ContainsFunc(b.hit.phrase.terms, func(t term) bool {
		return t.kind == 'a' && t.text == "commit" || strings.HasPrefix(t.text, "type(scope)")
	}) {
		return true
	}
	above := append(slices.Clone(b.s.Section[max(0, len(b.s.Section)-2):]), b.s.Lead)
	return !ofPullRequests.Get().MatchString(said) && slices.ContainsFunc(above, ofCommits.Get().MatchString)
}

const (
	typed       = `^\w+(\([^)]*\))?!?: `
	certainText = "message != \"\" and not (message startsWith \"$\") and "
)

// subjectCase wants the subject of messages to begin with a letter of one kind. A name may begin
// with another.
func (b *builder) subjectCase() []ruleFile {
	if !b.inMessages() {
		return nil
	}
	upper, start, good, bad := b.has("upper"), "^", "Fix the thing", "fix the thing"
	word := "[a-z]+"
	if !upper {
		word, good, bad = "[A-Z][a-z]+", bad, good
	}
	if behindType.Get().MatchString(b.hit.phrase.words) {
		start, good, bad = typed, "fix: "+good, "fix: "+bad
	} else if !upper {
		start = `^(\w+(\([^)]*\))?!?: )?`
	}
	kind := map[bool]string{true: "an upper-case", false: "a lower-case"}[upper]
	return b.onCommits("", commitMessage()+"message matches `"+start+word+" ` and not (message matches `^(Merge|Revert) `)",
		"It stops commits whose subject does not begin with "+kind+" letter.", "Begin the subject with "+kind+" letter.", good, bad)
}

// subjectEnd wants no full stop at the end of the subject.
func (b *builder) subjectEnd() []ruleFile {
	if !b.inMessages() {
		return nil
	}
	return b.onCommits("", commitMessage()+"message matches `^[^\\n]*[^.\\n]\\.(\\n|$)`",
		"It stops commits whose subject ends with a full stop.", "End the subject without a full stop.", "fix: the thing", "fix: the thing.")
}

// noIssues wants no numbers of issues in messages.
func (b *builder) noIssues() []ruleFile {
	if t := b.act(); b.has("act") && t.Name != "commit" {
		return nil
	}
	return b.onCommits("", commitMessage()+"message matches `(^|[\\s(])#\\d+\\b|/issues/\\d+`",
		"It stops commits whose message names an issue.", "Leave the number of the issue out of the message.", "fix: the thing", "fix: the thing (#12)")
}

// bannedText forbids a text in messages, or in the texts of pull requests.
func (b *builder) bannedText() (list []ruleFile) {
	for _, t := range b.hit.terms("deny") {
		text := strings.Trim(t.text, `"' `)
		if len(text) < 3 || len(text) > 60 || strings.ContainsAny(text, "'\n") || placeholder.Get().MatchString(strings.Trim(text, "[]")) || trailer.Get().MatchString(text) || coAuthors.Get().MatchString(text) {
			continue
		}
		rules := b.onCommits(text, "cmd.text contains "+strconv.Quote(text), "It stops commits with "+text+" in their messages.", "Write the message without "+text+".", "fix: the thing", "fix: the thing "+text)
		if b.act().Name == "pull-request" {
			rules[0].Scope, rules[0].why = pullTexts, "It stops pull requests with "+text+" in their texts."
			rules[0].Tests = []ruleCase{stops(ruleCase{Bash: "gh pr create --title x --body '" + text + "'"}), passes(ruleCase{Bash: "gh pr create --fill"})}
		} else if b.has("act") && b.act().Name != "commit" {
			continue
		}
		list = append(list, rules...)
	}
	return list
}

// wantedLine is a line at the end of messages, with its name.
var wantedLine = lazy.Regexp{Source: `^([A-Z][A-Za-z]*(?:-[A-Za-z]+)+):?(?: |$)`}

// withTrailer wants a line at the end of messages.
func (b *builder) withTrailer() []ruleFile {
	m := wantedLine.Get().FindStringSubmatch(b.termOf(b.hit.slots["text"]).text)
	if m == nil || b.has("act") && b.act().Name != "commit" {
		return nil
	}
	if strings.EqualFold(m[1], "signed-off-by") { // another form is about that
		return nil
	}
	line := m[1] + ": A <a@example.com>"
	r := b.onCommits(m[1], commitMessage()+certainText+"not (cmd.text matches `(?i)"+m[1]+":`)",
		"It stops commits without a line "+m[1]+".", "End the message with a line "+m[1]+".", "fix: x\n\n"+line, "fix: x")
	return r
}

// withBody wants messages of more than a subject.
func (b *builder) withBody() []ruleFile {
	if b.has("act") && b.act().Name != "commit" {
		return nil
	}
	return b.onCommits("", commitMessage()+certainText+`not (message matches `+"`\\n\\s*\\n`"+`) and len(filter(cmd.args, # matches `+"`^(-[a-zA-Z]*m|--message)$`"+`)) < 2`,
		"It stops commits whose message has a subject alone.", "Write a description below the subject.", "fix: x\n\nIt was wrong.", "fix: x")
}

// listedTypes wants messages to begin with a type of a list, below a heading about them.
func (b *builder) listedTypes() []ruleFile {
	known := 0
	for _, t := range b.hit.terms("types") {
		if isType(strings.TrimRight(t.text, ":!")) {
			known++
		}
	}
	if known < 3 || known*3 < len(b.hit.terms("types"))*2 || !b.inMessages() {
		return nil
	}
	return b.conventional()
}

// imperativeHere wants the imperative below a heading about messages.
func (b *builder) imperativeHere() []ruleFile {
	if !b.inMessages() {
		return nil
	}
	return b.imperative()
}

// onTitlesOfPulls makes a rule about titles of pull requests.
func (b *builder) onTitlesOfPulls(pattern, why, message, bad string) []ruleFile {
	above := append(slices.Clone(b.s.Section[max(0, len(b.s.Section)-2):]), b.s.Lead, plain(b.quote))
	if !slices.ContainsFunc(above, ofPullRequests.Get().MatchString) {
		return nil
	}
	r := ruleFile{Trigger: "bash", Scope: pullTexts, Message: message, why: why}
	r.When = valueOf("--title", `in ["-t", "--title"]`, "title") + "title matches `" + pattern + "`"
	r.Tests = []ruleCase{stops(ruleCase{Bash: "gh pr create --title '" + bad + "'"}), passes(ruleCase{Bash: "gh pr create --title 'The thing works again'"}), passes(ruleCase{Bash: "gh pr create --fill"})}
	return []ruleFile{r}
}

// untypedTitles wants titles without the types of conventional commits.
func (b *builder) untypedTitles() []ruleFile {
	return b.onTitlesOfPulls(`^(?i)(feat|fix|chore|refactor|perf|style|revert|ci|docs|test|build)(\([^)]*\))?!?: `,
		"It stops pull requests whose title begins with a type, as in `fix: …`.", "Write the title as a sentence, without a type.", "fix: the thing")
}

// titlesOfIssues wants titles that say more than the number of an issue.
func (b *builder) titlesOfIssues() []ruleFile {
	pattern := `(?i)\b(fix(es|ed)?|close[sd]?|resolve[sd]?):? (issue |bug )?#\d+`
	if b.has("only") {
		pattern = `(?i)^(fix(es|ed)?|close[sd]?|resolve[sd]?):? (issue |bug )?#?\d+\W*$`
	}
	return b.onTitlesOfPulls(pattern, "It stops pull requests whose title names an issue that it fixes.", "Say in the title what changed.", "Fixes #12")
}

// formNamed says that messages have the form of conventional commits.
var formNamed = lazy.Regexp{Source: `(?i)\b(?:conventional|semantic) commits?\b|\b(?:feat|fix|chore|refactor)(?:\([^)]*\))?!?:`}

// titlesLikeCommits wants titles of the form that the file says of messages.
func (b *builder) titlesLikeCommits() []ruleFile {
	if b.has("act") && b.act().Name != "pull-request" || !slices.ContainsFunc(b.s.lines, formNamed.Get().MatchString) {
		return nil
	}
	return b.titles()
}

// notBase forbids pull requests for a branch.
func (b *builder) notBase() []ruleFile {
	name := b.namedBranch()
	if b.act().Name != "pull-request" || !branchForm.Get().MatchString(name) {
		return nil
	}
	r := ruleFile{ID: name, Trigger: "bash", Scope: []string{"gh pr create*", "gh pr edit*"}, Message: "Open the pull request for another branch than " + name + "."}
	r.When = valueOf("--base", `in ["-B", "--base"]`, "base") + fmt.Sprintf("base == %q", name)
	r.why = "It stops pull requests for " + name + "."
	r.Tests = []ruleCase{stops(ruleCase{Bash: "gh pr create --fill --base " + name}), stops(ruleCase{Bash: "gh pr create -B " + name}), passes(ruleCase{Bash: "gh pr create --fill --base other"}), passes(ruleCase{Bash: "gh pr create --fill"})}
	return []ruleFile{r}
}

// ofPullsAlone reports whether the acts of a sentence are pull requests.
func (b *builder) ofPullsAlone() bool {
	another := func(t term) bool { return t.kind == 'a' && t.text != "pull-request" }
	return actMark.Get().MatchString(b.hit.phrase.words) && !slices.ContainsFunc(b.hit.phrase.terms, another)
}

// mergeCommits warns of merges that may make a commit.
func (b *builder) mergeCommits() []ruleFile {
	r := ruleFile{Trigger: "bash", Scope: []string{"git merge *", "git pull --no-rebase*", "git pull --no-ff*", "gh pr merge --merge*", "gh pr merge -m*"}, Message: "Rebase instead, or merge with --ff-only."}
	r.Exclude = []string{"git merge --ff-only*", "git merge --squash*", "git merge --abort*", "git merge --continue*", "git merge --quit*"}
	r.why = "It stops merges that may make a commit."
	r.Tests = []ruleCase{stops(ruleCase{Bash: "git merge main"}), stops(ruleCase{Bash: "gh pr merge 12 --merge"}), passes(ruleCase{Bash: "git merge --ff-only main"}), passes(ruleCase{Bash: "git rebase main"})}
	return []ruleFile{r}
}

// commentFirst wants a comment on an issue before it is closed.
func (b *builder) commentFirst() []ruleFile {
	merging := b.has("merging") || b.act().Name == "merge"
	switch above := b.s.heading() + "\n" + b.s.Text; {
	case b.has("act") && b.act().Name != "close" && !merging:
		return nil
	case !b.has("act") && !ofIssues.Get().MatchString(strings.ToLower(above)) && !ofPullRequests.Get().MatchString(above):
		return nil
	}
	r := ruleFile{Trigger: "bash", Scope: []string{"gh issue close*", "gh pr close*"}, Message: "Comment on it first. {{missing}}"}
	comment, done := []string{"gh issue comment*", "gh pr comment*"}, "gh issue comment 12 --body x"
	if merging {
		r.Scope, comment, done = []string{"gh pr merge*"}, []string{"gh pr comment*", "gh pr review*"}, "gh pr comment 12 --body x"
	}
	call := strings.TrimSuffix(r.Scope[0], "*") + " 12"
	r.Requires = &requires{Ran: comment}
	r.When = `not hasFlag(cmd, "--comment", "-c")`
	r.why = "It stops " + strings.TrimSuffix(r.Scope[0], "*") + " without a comment before it."
	r.Tests = []ruleCase{stops(ruleCase{Bash: call}), passes(ruleCase{Bash: call, Before: []step{{Bash: done}}}), passes(ruleCase{Bash: "gh issue view 12"})}
	return []ruleFile{r}
}

// thenMerged wants a look at the checks before a merge that the line does not name as an act.
func (b *builder) thenMerged() []ruleFile {
	if !b.has("act") {
		b.hit.slots["act"] = b.hit.phrase.add('a', "merge", false)
	}
	return b.ciFirst()
}

// scriptsOf forbids to run the files in a folder of the project by themselves.
func (b *builder) scriptsOf() []ruleFile {
	dir := strings.Trim(b.hit.slots["folder"], " /")
	if t := b.termOf(b.hit.slots["folder"]); t.text != "" {
		dir = strings.Trim(t.text, "/*")
	}
	if !b.p.known() {
		return nil
	}
	at := ""
	for _, f := range b.p.tree().files {
		if in := path.Dir(f); (path.Base(in) == dir || strings.HasPrefix(f, dir+"/") || strings.Contains(f, "/"+dir+"/")) && !strings.HasSuffix(f, ".md") {
			at = f[:strings.Index("/"+f, "/"+dir+"/")] + dir
			break
		}
	}
	if at == "" || strings.ContainsAny(at, `"*[`) {
		return nil
	}
	r := ruleFile{ID: at, Trigger: "bash", Scope: []string{"*" + at + "/*"}, Message: "Run it by the command of the project."}
	if use := b.wantedOwn(); len(use) > 0 {
		r.Message = "Run it by " + slot.Get().ReplaceAllString(use[0].text, "…") + "."
	}
	r.When = fmt.Sprintf("trimPrefix(cmd.path, \"./\") startsWith %q or trimPrefix(cmd.script ?? \"\", \"./\") startsWith %[1]q", at+"/")
	r.why = "It stops runs of the files in " + at + "."
	r.Tests = []ruleCase{stops(ruleCase{Bash: "./" + at + "/zz_a"}), stops(ruleCase{Bash: "bash " + at + "/zz_a"}), passes(ruleCase{Bash: "cat " + at + "/zz_a"}), passes(ruleCase{Bash: "ls -l"})}
	return []ruleFile{r}
}

// inContainer warns of tests outside of a container.
func (b *builder) inContainer() []ruleFile {
	scope := allPatterns(b.jobCommands("tests"))
	if len(scope) == 0 {
		scope = append(slices.Clone(testCommands), "php artisan test*", "vendor/bin/pest*", "vendor/bin/phpunit*", "composer test*", "bundle exec rspec*", "bin/rails test*", "mix test*")
	}
	example := strings.TrimRight(scope[0], "* ")
	r := ruleFile{ID: "tests", Trigger: "bash", Scope: scope, Message: "Run it in the container, as with docker compose exec."}
	if kind := b.said("kind"); kind != "" {
		r.Message = "If these are " + kind + " tests, run them in the container, as with docker compose exec."
	}
	r.When, r.why = givenItself, "It stops tests that are run outside of a container."
	r.Tests = []ruleCase{stops(ruleCase{Bash: example}), passes(ruleCase{Bash: "docker compose exec app " + example}), passes(ruleCase{Bash: "ls -l"})}
	return []ruleFile{r}
}

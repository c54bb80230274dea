package instructions

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
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

// inMessages reports whether a sentence is about the messages of commits: it says so, or the
// words above it do.
func (b *builder) inMessages() bool {
	said := b.hit.Phrase.Words
	if elsewhereWritten.Get().MatchString(survey.Plain(b.quote)) || b.onTitles() || strings.Contains(said, "title") && ofPullRequests.Get().MatchString(b.s.Heading()) {
		return false
	}
	if ofCommits.Get().MatchString(said) || slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool {
		return t.Kind == 'a' && t.Text == "commit" || strings.HasPrefix(t.Text, "type(scope)")
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
func (b *builder) subjectCase() []ruletext.Rule {
	if !b.inMessages() {
		return nil
	}
	upper, start, good, bad := b.has("upper"), "^", "Fix the thing", "fix the thing"
	word := "[a-z]+"
	if !upper {
		word, good, bad = "[A-Z][a-z]+", bad, good
	}
	if behindType.Get().MatchString(b.hit.Phrase.Words) {
		start, good, bad = typed, "fix: "+good, "fix: "+bad
	} else if !upper {
		start = `^(\w+(\([^)]*\))?!?: )?`
	}
	kind := map[bool]string{true: "an upper-case", false: "a lower-case"}[upper]
	return b.onCommits("", commitMessage()+"message matches `"+start+word+" ` and not (message matches `^(Merge|Revert) `)",
		"It stops commits whose subject does not begin with "+kind+" letter.", "Begin the subject with "+kind+" letter.", good, bad)
}

// subjectEnd wants no full stop at the end of the subject.
func (b *builder) subjectEnd() []ruletext.Rule {
	if !b.inMessages() {
		return nil
	}
	return b.onCommits("", commitMessage()+"message matches `^[^\\n]*[^.\\n]\\.(\\n|$)`",
		"It stops commits whose subject ends with a full stop.", "End the subject without a full stop.", "fix: the thing", "fix: the thing.")
}

// noIssues wants no numbers of issues in messages.
func (b *builder) noIssues() []ruletext.Rule {
	if t := b.act(); b.has("act") && t.Name != "commit" {
		return nil
	}
	return b.onCommits("", commitMessage()+"message matches `(^|[\\s(])#\\d+\\b|/issues/\\d+`",
		"It stops commits whose message names an issue.", "Leave the number of the issue out of the message.", "fix: the thing", "fix: the thing (#12)")
}

// bannedText forbids a text in messages, or in the texts of pull requests.
func (b *builder) bannedText() (list []ruletext.Rule) {
	for _, t := range b.hit.Terms("deny") {
		text := strings.Trim(t.Text, `"' `)
		if len(text) < 3 || len(text) > 60 || strings.ContainsAny(text, "'\n") || placeholder.Get().MatchString(strings.Trim(text, "[]")) || trailer.Get().MatchString(text) || coAuthors.Get().MatchString(text) {
			continue
		}
		whole := `(^|[^\w])` + regexp.QuoteMeta(text) + `($|[^\w])`
		rules := b.onCommits(text, commitMessage()+"message matches `"+whole+"`", "It stops commits with "+text+" in their messages.", "Write the message without "+text+".", "fix: the thing", "fix: the thing "+text)
		if b.act().Name == "pull-request" {
			rules[0].When = "cmd.text matches `" + whole + "`"
			rules[0].Scope, rules[0].Why = pullTexts, "It stops pull requests with "+text+" in their texts."
			rules[0].Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title x --body '" + text + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
		} else if b.has("act") && b.act().Name != "commit" {
			continue
		}
		list = append(list, rules...)
	}
	return list
}

// namesCommits is a text about commits.
var namesCommits = lazy.Regexp{Source: `(?i)\bcommits?\b`}

// vagueMessages forbids messages that are one of some texts.
func (b *builder) vagueMessages() []ruletext.Rule {
	if b.has("act") && b.act().Name != "commit" || !b.has("act") && !namesCommits.Get().MatchString(strings.Join(append([]string{b.quote, b.s.Lead}, b.s.Section...), "\n")) {
		return nil
	}
	var texts []string
	for _, m := range quotedWords.Get().FindAllStringSubmatch(b.hit.Slots["said"], -1) {
		texts = append(texts, m[1])
	}
	for _, t := range b.hit.Terms("said") {
		texts = append(texts, strings.ToLower(t.Text))
	}
	if slices.ContainsFunc(texts, func(t string) bool { return strings.ContainsAny(t, "'\n:<[") }) {
		return nil
	}
	return b.onCommits(texts[0], commitMessage()+"message matches `^(?i)("+strings.Join(pathglob.Each(texts, regexp.QuoteMeta), "|")+")[.!]?$`",
		"It stops commits whose message is "+strings.Join(texts, ", ")+" alone.", "Say in the message what changed.", "fix: the thing", texts[0])
}

// wantedLine is a line at the end of messages, with its name.
var wantedLine = lazy.Regexp{Source: `^([A-Z][A-Za-z]*(?:-[A-Za-z]+)+):?(?: |$)`}

// wantedWord is a word that messages have to have.
var wantedWord = lazy.Regexp{Source: `^[A-Z]{2,}(?:_[A-Z]+)+$`}

// withTrailer wants a line at the end of messages.
func (b *builder) withTrailer() []ruletext.Rule {
	text := b.termOf(b.hit.Slots["text"]).Text
	if wantedWord.Get().MatchString(text) {
		return b.onCommits(text, commitMessage()+certainText+"not (cmd.text matches `"+text+"`)", "It stops commits without "+text+".", "Write "+text+" into the message.", "fix: x\n\n"+text, "fix: x")
	}
	m := wantedLine.Get().FindStringSubmatch(text)
	if m == nil || b.has("act") && b.act().Name != "commit" {
		return nil
	}
	if strings.EqualFold(m[1], "signed-off-by") { // another form is about that
		return nil
	}
	line := m[1] + ": A <a@example.com>"
	return b.onCommits(m[1], commitMessage()+certainText+"not (cmd.text matches `(?i)"+m[1]+":`)",
		"It stops commits without a line "+m[1]+".", "End the message with a line "+m[1]+".", "fix: x\n\n"+line, "fix: x")
}

// withBody wants messages of more than a subject.
func (b *builder) withBody() []ruletext.Rule {
	if b.has("act") && b.act().Name != "commit" {
		return nil
	}
	return b.onCommits("", commitMessage()+certainText+`not (message matches `+"`\\n\\s*\\n`"+`) and len(filter(cmd.args, # matches `+"`^(-[a-zA-Z]*m|--message)$`"+`)) < 2`,
		"It stops commits whose message has a subject alone.", "Write a description below the subject.", "fix: x\n\nIt was wrong.", "fix: x")
}

// oneLine wants messages of a subject alone.
func (b *builder) oneLine() []ruletext.Rule {
	return b.onCommits("", commitMessage()+"message matches `\\n\\s*\\S` or len(filter(cmd.args, # matches `^(-[a-zA-Z]*m|--message)$`)) > 1",
		"It stops commits whose message has more than one line.", "Write a message of one line.", "fix: x", "fix: x\n\nIt was wrong.")
}

// pullLabels wants a label on pull requests.
func (b *builder) pullLabels() []ruletext.Rule {
	if b.has("act") && b.act().Name != "pull-request" || !b.has("act") && !b.ofPullsAlone() {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: []string{"gh pr create*"}, When: `not hasFlag(cmd, "--label", "-l", "--web", "-w")`, Message: "Open it with a label, as in gh pr create --label NAME."}
	r.Why = "It stops pull requests without a label."
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --fill"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill --label docs"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr view"})}
	return []ruletext.Rule{r}
}

// listedTypes wants messages to begin with a type of a list, below a heading about them.
func (b *builder) listedTypes() []ruletext.Rule {
	known := 0
	for _, t := range b.hit.Terms("types") {
		if survey.IsType(strings.TrimRight(t.Text, ":!")) {
			known++
		}
	}
	if known < 3 || known*3 < len(b.hit.Terms("types"))*2 || !b.inMessages() {
		return nil
	}
	return b.conventional()
}

// imperativeHere wants the imperative below a heading about messages.
func (b *builder) imperativeHere() []ruletext.Rule {
	if !b.inMessages() {
		return nil
	}
	return b.imperative()
}

// onTitlesOfPulls makes a rule about titles of pull requests.
func (b *builder) onTitlesOfPulls(pattern, why, message, bad string) []ruletext.Rule {
	above := append(slices.Clone(b.s.Section[max(0, len(b.s.Section)-2):]), b.s.Lead, survey.Plain(b.quote))
	if !slices.ContainsFunc(above, ofPullRequests.Get().MatchString) {
		return nil
	}
	r := ruletext.Rule{Trigger: "bash", Scope: pullTexts, Message: message, Why: why}
	r.When = valueOf("--title", `in ["-t", "--title"]`, "title") + "title matches `" + pattern + "`"
	r.Tests = []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "gh pr create --title '" + bad + "'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --title 'The thing works again'"}), ruletext.AsPass(ruletext.Case{Bash: "gh pr create --fill"})}
	return []ruletext.Rule{r}
}

// untypedTitles wants titles without the types of conventional commits.
func (b *builder) untypedTitles() []ruletext.Rule {
	return b.onTitlesOfPulls(`^(?i)(feat|fix|chore|refactor|perf|style|revert|ci|docs|test|build)(\([^)]*\))?!?: `,
		"It stops pull requests whose title begins with a type, as in `fix: …`.", "Write the title as a sentence, without a type.", "fix: the thing")
}

// titlesOfIssues wants titles that say more than the number of an issue.
func (b *builder) titlesOfIssues() []ruletext.Rule {
	pattern := `(?i)\b(fix(es|ed)?|close[sd]?|resolve[sd]?):? (issue |bug )?#\d+`
	if b.has("only") {
		pattern = `(?i)^(fix(es|ed)?|close[sd]?|resolve[sd]?):? (issue |bug )?#?\d+\W*$`
	}
	return b.onTitlesOfPulls(pattern, "It stops pull requests whose title names an issue that it fixes.", "Say in the title what changed.", "Fixes #12")
}

// formNamed says that messages have the form of conventional commits.
var formNamed = lazy.Regexp{Source: `(?i)\b(?:conventional|semantic) commits?\b|\b(?:feat|fix|chore|refactor)(?:\([^)]*\))?!?:`}

// titlesLikeCommits wants titles of the form that the file says of messages.
func (b *builder) titlesLikeCommits() []ruletext.Rule {
	if b.has("act") && b.act().Name != "pull-request" || !slices.ContainsFunc(b.s.Lines, formNamed.Get().MatchString) {
		return nil
	}
	return b.titles()
}

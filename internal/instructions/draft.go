package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/text"
)

// What becomes of a rule that a form made, in this order: it is limited to what its line is about, it gets its
// severity, it spares what the line does not mean, and it is checked.

// draft makes a draft of a rule, if it holds.
func (b *builder) draft(r ruletext.Rule) (d Draft, ok bool) {
	line := b.s.LineOf(b.quote)
	r.Source, r.Quote = at(b.s.File, line), text.Cut(text.OneLine(b.quote), maxQuote)
	r.ID = slug(b.hit.Form.Name, r.ID)
	r.Severity = b.hit.Severity
	if !b.about(&r) {
		return Draft{}, false
	}
	b.grade(&r)
	b.spare(&r)
	made := b.proved(&r)
	if made == nil {
		return Draft{}, false
	}
	return Draft{ID: r.ID, Form: b.hit.Form.Name, Statement: *b.s, YAML: string(made.Text), Why: allCode.Get().ReplaceAllString(r.Why, "code"), cases: made.Suite.Cases}, true
}

// about limits a rule to what its line is about. It returns false if no call shows that, or if the rule would be
// about something else.
func (b *builder) about(r *ruletext.Rule) bool {
	if b.unseen(r) {
		b.against.why = "No call shows this case: “" + r.OfCase + "”."
		return false
	}
	if b.headsCases() || b.ofSomeFiles(r) || b.bySlash(r) || b.inOtherProject(r) {
		return false
	}
	if !b.limit(r) || b.s.Folder != "" && slices.ContainsFunc(r.Scope, func(s string) bool { return strings.HasPrefix(s, "effect:") }) {
		return false // where a command runs does not tell which files it changes
	}
	if b.inOtherLanguage(r) || b.inFilesOfOthers(r) || !b.inTopics(r) || !b.withoutTestsInside(r) {
		return false
	}
	b.inItsFolder(r)
	b.filesInItsFolders(r)
	b.whereTheyAre(r)
	b.sparesPrograms(r)
	b.allows(r)
	b.takesOut(r)
	return true
}

// grade gives a rule its severity, and its message what the line leaves to the reader.
func (b *builder) grade(r *ruletext.Rule) {
	if b.withException(r); r.Warns && r.Severity != "ask" {
		r.Severity = "warn"
	}
	if what := b.situation(); what != "" {
		r.Severity, r.Message = "warn", statement.IfAbout(what)+statement.Lowered(r.Message)
	}
	if r.Severity == "block" && r.Trigger == "" && r.Requires != nil && b.ofSession() {
		r.Severity = forms.Reminder
	}
	if r.Severity == forms.Reminder || r.Severity != "warn" && (b.depends() || b.nested()) {
		r.Severity, r.Message = "warn", b.warning(r.Message)
	}
	asItActs(r)
}

// spare lets what the line does not mean pass: what it allows, what the project does by itself, and what changes
// nothing.
func (b *builder) spare(r *ruletext.Rule) {
	if r.Trigger != "" && r.When == "" && r.Requires == nil {
		r.When = "true"
	}
	if r.When != "" {
		r.Backend = sentinel.Builtin
	}
	b.sparesManager(r)
	b.sparesDeclared(r)
	b.sparesReading(r)
	b.spares(r)
	b.sparesInert(r)
	b.sparesWrites(r)
	b.sparesDemanded(r)
}

// proved is the text of a rule: nil if it does not lint, if its cases do not pass, or if another line says
// otherwise.
func (b *builder) proved(r *ruletext.Rule) *ruletext.Parsed {
	data, err := r.Render()
	if err != nil {
		return nil
	}
	made := b.readHeld(r.ID, data)
	switch {
	case made == nil:
		return nil
	case r.Severity == "block":
		if made = b.agrees(r, made); made == nil {
			return nil
		}
	case b.toldElsewhere(r, made):
		return nil
	}
	if b.p != nil && b.p.Known() && !made.Holds(b.p.Root) {
		return nil
	}
	return made
}

// nested reports whether a rule about programs is of a line about some files only, such as
// those of a folder: a command does not tell what it is about.
func (b *builder) nested() bool {
	return len(b.s.Globs) > 0 && b.s.OfFolder() == "" && b.hit.Severity == "block" && (b.hit.Form.Rule == "rivals" ||
		b.hit.Form.Rule == "commands" && slices.ContainsFunc(b.denied(), func(t sentence.Term) bool {
			return t.Kind == sentence.Command && !repositoryWide.Get().MatchString(t.Text)
		}))
}

// depends reports whether the sentence in front is about some cases only.
func (b *builder) depends() bool {
	i := slices.IndexFunc(b.s.Phrases, func(p sentence.Phrase) bool { return p.Quote == b.quote })
	return i > 0 && (statement.Cases.Get().MatchString(b.s.Phrases[i-1].Words) || asksOther(b.s.Phrases[i-1].Quote))
}

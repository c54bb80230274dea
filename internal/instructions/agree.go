package instructions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/rule"
)

// A draft has to agree with the rest of its own file. Where a rule would stop what another
// line tells to do, both lines hold: the rule exempts the other line's case if a pattern can
// tell it, and else it only warns and names that line. A rule that finds a name inside of one
// that the file tells to use is too wide for its line: it makes no draft.

// maxExempt bounds the cases that a rule exempts: with more it only warns.
const maxExempt = 4

// agrees makes a rule that blocks agree with its file, and returns what it is then. It returns
// nil where it cannot.
func (b *builder) agrees(r *ruletext.Rule, made *ruletext.Parsed) *ruletext.Parsed {
	stopped := b.stopped(r, made)
	if len(stopped) == 0 {
		return made
	}
	exempt := slices.DeleteFunc(slices.Clone(stopped), func(s survey.Specimen) bool { return !b.exemptible(&s) })
	many := len(exempt) > maxExempt
	if many {
		exempt = nil
	} else if !b.exempt(r, exempt, &made) {
		exempt = slices.DeleteFunc(exempt, func(s survey.Specimen) bool { return !b.exempt(r, []survey.Specimen{s}, &made) })
	}
	for _, s := range stopped {
		tells := fmt.Sprintf("line %d %s `%s`", s.Line, s.Verb(), s.Text)
		switch {
		case slices.Contains(exempt, s):
			continue
		case s.Of == survey.ToUse && !b.saysName(s.Text):
			b.against.why = "The rule for it would stop what " + tells + "."
			return nil
		case s.Of == survey.ToShow:
			tells = fmt.Sprintf("line %d shows code with it", s.Line)
		case !s.Told && !(many && b.exemptible(&s)):
			continue // a list of what there is does not say that an agent may do it
		}
		return r.AsCheck(tells)
	}
	return made
}

// toldElsewhere reports whether a rule warns of a command that another line of the file names or orders:
// one that only asks to check its line does not know when it should not, and one of a line that shows
// how something is run says nothing against what the file orders.
func (b *builder) toldElsewhere(r *ruletext.Rule, made *ruletext.Parsed) bool {
	shown := b.hit.Form.Rule == "scripts"
	if r.Trigger != "bash" || !shown && !strings.HasPrefix(r.Message, checkLine) {
		return false
	}
	stopped := b.stopped(r, made)
	i := slices.IndexFunc(stopped, func(s survey.Specimen) bool { return s.Of == survey.ToRun && (s.Told || !shown) })
	if i < 0 {
		return false
	}
	s := &stopped[i]
	b.against.why = fmt.Sprintf("The line holds in a case that no call shows, and line %d names `%s`.", s.Line, s.Text)
	if shown {
		b.against.why = fmt.Sprintf("The line shows one way, and line %d %s `%s`.", s.Line, s.Verb(), s.Text)
	}
	return true
}

// checkLine begins the message of a rule that does not know when its line holds.
const checkLine = "Check whether the line is about this. "

// saysName reports whether the statement itself names a text in `code`.
func (b *builder) saysName(text string) bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool { return t.Code && strings.TrimSpace(t.Text) == text })
}

// ofMessages is an expression about the message of a commit.
var ofMessages = lazy.Regexp{Source: `\blet (?:message|title|subject|body) =`}

// stopped are the specimens of the statement's own file that a rule would stop, those that are
// told first.
func (b *builder) stopped(r *ruletext.Rule, made *ruletext.Parsed) (list []survey.Specimen) {
	file, ok := b.shows()
	if !ok || r.Requires != nil || r.Also != nil || r.BeforeFirst != nil || r.Phase != "" || ofMessages.Get().MatchString(r.When) {
		return nil
	}
	like := slices.IndexFunc(r.Tests, func(c ruletext.Case) bool {
		return c.Expect == ruletext.Violation && len(c.Before) == 0 && len(c.Turn) == 0
	})
	if like < 0 {
		return nil
	}
	var stops ruletext.Trial
	needs := b.needs(r)
	for _, s := range file.Specimens() {
		own := s.From <= b.s.EndLine && s.To >= b.s.Line
		if own && s.Of != survey.ToUse && !s.Marked || s.Of == survey.ToUse && !strings.Contains(b.hit.Form.Rule, "content") {
			continue
		}
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(n string) bool { return strings.Contains(s.Text, n) }) {
			continue
		}
		c, ok := actionOf(&s, &r.Tests[like], r)
		if !ok || slices.ContainsFunc(list, func(o survey.Specimen) bool { return o.Text == s.Text && o.Of == s.Of }) {
			continue
		}
		if stops == nil {
			stops = made.Trial()
		}
		if stops(c) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(x, y survey.Specimen) int {
		switch {
		case x.Told == y.Told:
			return 0
		case x.Told:
			return -1
		}
		return 1
	})
	return list
}

// aboutContent reports whether a rule is about what is written.
func aboutContent(r *ruletext.Rule) bool {
	return strings.HasPrefix(r.When, "content matches") || strings.HasPrefix(r.When, "addsMatch(")
}

// needs are texts: each specimen that the rule stops contains one of them. The list is empty
// where that is not known. Most specimens contain none, and are not tried.
func (b *builder) needs(r *ruletext.Rule) (list []string) {
	from := r.Scope
	if aboutContent(r) {
		from = nil
		for _, t := range b.hit.Terms("deny") {
			from = append(from, t.Text)
		}
	}
	for _, s := range from {
		long := ""
		for _, part := range plainRun.Get().FindAllString(s, -1) {
			if len(part) > len(long) {
				long = part
			}
		}
		if long == "" {
			return nil
		}
		list = append(list, long)
	}
	return list
}

// plainRun is a part of a pattern or a name that has no special sign: words of a command that
// may have options between them are parts of their own.
var plainRun = lazy.Regexp{Source: `[\w.-]+`}

// actionOf is a specimen as a case like one that a rule stops; ok is false where it cannot be one.
func actionOf(s *survey.Specimen, like *ruletext.Case, r *ruletext.Rule) (c rule.Case, ok bool) {
	switch {
	case s.Of == survey.ToRun && like.Bash != "":
		_, example := patterns(s.Text)
		return rule.Case{Bash: example}, example != ""
	case (s.Of == survey.ToUse || s.Of == survey.ToShow) && like.Write != "":
		return rule.Case{Write: like.Write, Content: s.Text + "\n"}, aboutContent(r)
	case s.Of == survey.ToEdit && like.Write != "" && (r.When == "" || r.When == "true"):
		globs := statement.GlobsOf(s.Text)
		if len(globs) == 0 {
			return c, false
		}
		return rule.Case{Write: pathglob.Sample(globs[0]), Old: like.Old, Content: like.Content}, true
	}
	return c, false
}

// exemptible reports whether a pattern tells a specimen from the rest of what a rule stops. The
// command that the statement itself is about cannot be exempted.
func (b *builder) exemptible(s *survey.Specimen) bool {
	return s.Of == survey.ToEdit || s.Of == survey.ToRun && b.goesOn(s.Text)
}

// exempt takes specimens out of what a rule stops, if the rule stops its cases all the same.
func (b *builder) exempt(r *ruletext.Rule, list []survey.Specimen, made **ruletext.Parsed) bool {
	if len(list) == 0 {
		return false
	}
	next := *r
	next.Tests, next.Exclude = slices.Clone(r.Tests), slices.Clone(r.Exclude)
	for _, s := range list {
		if s.Of == survey.ToRun {
			more, example := patterns(s.Text)
			next.Exclude, next.Tests = append(next.Exclude, more...), append(next.Tests, ruletext.AsPass(ruletext.Case{Bash: example}))
		} else {
			more := statement.GlobsOf(s.Text)
			next.Exclude, next.Tests = append(next.Exclude, more...), append(next.Tests, ruletext.AsPass(ruletext.Case{Write: pathglob.Sample(more[0]), Content: "x"}))
		}
		next.Why = strings.TrimSuffix(next.Why, ".") + fmt.Sprintf(", and lets `%s` of line %d pass.", s.Text, s.Line)
	}
	data, err := next.Render()
	if err != nil {
		return false
	}
	now := ruletext.Read(next.ID, data)
	if !now.Holds(ruletext.Imagined) {
		return false
	}
	*r, *made = next, now
	return true
}

// goesOn reports whether a command is one that the statement names with more words.
func (b *builder) goesOn(cmd string) bool {
	return slices.ContainsFunc(b.hit.Phrase.Terms, func(t sentence.Term) bool {
		return t.Kind == sentence.Command && strings.HasPrefix(cmd, sentence.Cleaned(t)+" ")
	})
}

package coverage

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/instructions"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/scribe"
)

// finish says what the report has to say of all files together.
func (r *Reader) finish(out *Report) {
	for _, s := range out.statements() {
		s.Stale = []string{}
	}
	r.stale(out)
	r.settle(out)
	out.Count()
}

// settle says of each draft whether `init --from` would propose it, as package scribe decides,
// and of the statements what that makes of them.
func (r *Reader) settle(out *Report) {
	var asked []scribe.Proposal
	for _, s := range out.statements() {
		for i := range s.made {
			asked = append(asked, s.proposal(&s.made[i]))
		}
	}
	said, err := scribe.Examine(asked, r.scribe)
	if err != nil {
		out.Problems = append(out.Problems, Problem{File: "dismissed drafts", Message: text.OneLine(err.Error())})
		said = make([]error, len(asked))
	}
	for _, s := range out.statements() {
		r.settled(s, said[:len(s.made)])
		said = said[len(s.made):]
	}
}

// proposal is a draft of the statement as package scribe wants it.
func (s *Statement) proposal(made *instructions.Draft) scribe.Proposal {
	return scribe.Proposal{ID: made.ID, Text: made.YAML, Quote: s.statement.Text, Source: s.statement.Source()}
}

// settled takes what was said of the drafts of a statement.
func (r *Reader) settled(s *Statement, said []error) {
	s.NotHeld = []string{}
	held, off, dismissed := []string{}, "", false // rules of the drafts, also where another line made them
	for i, why := range said {
		var by *scribe.HeldError
		holder := ""
		switch {
		case why == nil:
		case errors.As(why, &by) && r.byID[by.Rule] != nil:
			holder = by.Rule
			held = append(held, holder)
		case by != nil:
			off = by.Rule
		default:
			dismissed = dismissed || errors.Is(why, scribe.ErrDismissed)
		}
		if why != nil {
			s.Drafts[i].Left = text.OneLine(why.Error())
		}
		if s.State == instructions.InForce {
			s.passes(r.passing(s, &s.made[i], holder))
		}
	}
	switch {
	case s.State == instructions.InForce:
	case s.State != instructions.CanBe || s.Proposed() > 0:
		return
	case len(held) > 0:
		slices.Sort(held)
		s.State, s.Rules, s.Part = instructions.InForce, slices.Compact(held), len(held) < len(said)
		s.Why = "Held by " + strings.Join(s.Rules, ", ") + "."
	case off != "":
		s.State, s.Why = instructions.Dropped, off+" is switched off."
	case dismissed:
		s.State, s.Why = instructions.Dropped, "You dropped its draft."
	default:
		s.State, s.Why = instructions.Never, "No draft: "+s.Drafts[0].Left+"."
	}
	r.ruled(s)
}

// passing is what the rules in force let pass of what a draft would hold: "" for nothing, unknown where it would say
// no more than that. A rule that was made of the draft, by, may have been changed since: it is tried on the draft's
// cases, where each of them is one call that no other needs to precede.
func (r *Reader) passing(s *Statement, made *instructions.Draft, by string) string {
	file := rule.ParseStrict(made.ID, []byte(made.YAML))
	d, one := &file.Definition, r.byID[by]
	if one != nil && unchanged(one.Definition(), d) || r.in.Holds(made) {
		return ""
	}
	for _, id := range s.Rules {
		if r.byID[id] != nil && r.byID[id].Definition().Prompt != "" {
			return "" // a model is not asked here
		}
	}
	wanted := demands(d)
	if len(wanted) > 0 && one != nil && !slices.ContainsFunc(demands(one.Definition()), func(w string) bool { return slices.Contains(wanted, w) }) {
		return wanted[0]
	}
	past := slices.ContainsFunc(d.Tests, func(c rule.Case) bool { return len(c.Before)+len(c.Turn)+len(c.Asked) > 0 })
	if len(wanted) > 0 || past {
		return text.When(one == nil, unknown)
	}
	for _, c := range d.Tests {
		if c.Expect == ruletext.Violation && !r.stopped(c, append(slices.Clone(s.Rules), by)) {
			if !ofContent.Get().MatchString(d.When) {
				c.Content = "" // the file is what counts
			}
			return cmp.Or(text.Cut(text.OneLine(c.Content), maxCase), c.Bash, c.Write, c.Read, unknown)
		}
	}
	return ""
}

// stopped reports whether one of the rules finds a call, or another one stops it. What stops a commit, or that
// git adds a file, may be about something else of it.
func (r *Reader) stopped(c rule.Case, ids []string) bool {
	return slices.ContainsFunc(r.finds(c), func(f found) bool {
		return slices.Contains(ids, f.rule) || c.Bash != "" && !f.warns && !ofGit.Get().MatchString(c.Bash)
	})
}

var ofGit = lazy.Regexp{Source: `\bgit (?:add|commit)\b`}

// ofContent is an expression about what is written.
var ofContent = lazy.Regexp{Source: `\badds|\bcontent matches|\bsecrets\(`}

const (
	unknown = "?"
	maxCase = 80 // of a case that is said, in letters
)

// demands is what a rule wants done.
func demands(d *rule.Definition) []string {
	return slices.Concat(d.Requires.Ran, d.Also.With, d.BeforeFirst.Read)
}

// unchanged reports whether a rule is about what its draft is about.
func unchanged(one, draft *rule.Definition) bool {
	return one.Trigger == draft.Trigger && one.Phase == draft.Phase && one.When == draft.When && one.Prompt == draft.Prompt &&
		slices.Equal(one.Scope, draft.Scope) && slices.Equal(one.Exclude, draft.Exclude) && slices.Equal(demands(one), demands(draft))
}

// ruled says what the rules that hold a statement do together.
func (r *Reader) ruled(s *Statement) {
	shadow, warn := 0, 0
	for _, id := range s.Rules {
		one := r.byID[id] // nil for one of Sentinel's own
		switch {
		case one != nil && one.Spec().Shadow:
			shadow++
		case one != nil && one.Spec().Severity < sentinel.SeverityAsk:
			warn++
		}
	}
	s.Shadow = shadow > 0 && shadow == len(s.Rules)
	s.Warns = warn > 0 && shadow+warn == len(s.Rules)
	if s.Holds() {
		if names := r.unheld(s); len(names) > 0 {
			s.Part, s.NotHeld = true, names // which tell more than a case does
		}
	}
	if s.Shadow {
		s.NotHeld = []string{}
	}
	s.Part = !s.Shadow && (s.Part || shadow > 0)
}

// passes notes what the rules of the statement do not hold: "" is nothing.
func (s *Statement) passes(what string) {
	s.Part = s.Part || what != ""
	if what = text.OneLine(what); what != "" && what != unknown && !slices.Contains(s.NotHeld, what) {
		s.NotHeld = append(s.NotHeld, what)
	}
}

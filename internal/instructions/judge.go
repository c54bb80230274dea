package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/rule"
)

var (
	// namesBuild is a line that only names the command of a build.
	namesBuild = lazy.Regexp{Source: `^(?:the |full |production |release |dev )*(?:build|compile)(?: [\w()-]+){0,2} ?(?:[:—–|-]|→) ?‹c\d+›(?: \([^)‹]*\))?\W*$`}
	// conversation is a statement about what the agent says and thinks.
	conversation = lazy.Regexp{Source: `(?:^|[.;] )report\b|\b(?:concise|verbose|brief|short answers?|answer|tone|honest|polite|apologi[sz]e|think|reason (?:about|through|step)|understand|remember|be (?:direct|clear|careful|precise|proactive|thorough|critical)|explain|discuss|` +
		`tell (?:me|the user)|inform (?:me|the|them|users?)|summari[sz]e|report (?:back|to (?:me|the user))|in doubt|clarif\w+|assumptions?|(?:not|never|don't) assume|speculat(?:e|ing|ion)|guess(?:es|ing|work)?|push ?back|disagree|propose|suggest|ask\w*(?: [\w-]+){0,3} questions?|` +
		`plan first|step by step|prioriti[sz]e|respond|reply|communicat\w+|(?:give|offer|provide|ask for) feedback|focus on|stay focused)\b`}
	// artefact is something that is written to files or sent by a call, whose words a model can judge.
	artefact = lazy.Regexp{Source: `\b(?:comments?|names?|naming|docs?|documentation|docstrings?|markdown|readme|changelog|notes?|commits?|prs?|pull requests?|diffs?|titles?|descriptions?|(?:error|commit|log) messages?|assertions?|assertion|components?|ui|ux|layout|pages?|apis?|endpoints?|schemas?|routes?|status(?:es)?|features|dependencies|helpers?|concept|types?|logs?|files?|agents\.md)\b|‹[atp]\d+›`}
	// toUser is about a conversation all the same, or about what is only thought.
	toUser = lazy.Regexp{Source: `\b(?:users?|me|human|chat|conversations?|answers?|repl(?:y|ies)|ask|think|understand|remember|in doubt|guess(?:es|ing|work)?|assumptions?)\b`}
)

// Judge says what becomes of a statement in a project with these rules in force.
func Judge(s *statement.Statement, in *Rules, p *survey.Project) Status {
	if s.Kind == statement.Description {
		return Status{State: NoDirective}
	}
	shadow, st := "", Status{}
	all, against := drafts(s, p)
	st.Drafts = all
	for i := range in.Definitions {
		d := &in.Definitions[i]
		switch {
		case !from(d, s):
		case d.Mode == "shadow":
			shadow = d.ID
		case d.Mode != "off":
			st.Rules = append(st.Rules, d.ID)
		}
	}
	if len(st.Rules) == 0 {
		st.Rules = stopped(st.Drafts, in.Stops)
	}
	st.Linter = p.LinterOf(s)
	words := strings.Builder{}
	for i := range s.Phrases {
		words.WriteString(s.Phrases[i].Words + " ")
	}
	switch {
	case len(st.Rules) > 0:
		st.State, st.Why = InForce, "Held by "+strings.Join(st.Rules, ", ")+"."
	case st.Linter != "" && (s.Kind == statement.Content || len(st.Drafts) == 0):
		st.State, st.Why = ByLinter, st.Linter+" is set up here and can check it."
	case len(st.Drafts) > 0:
		st.State, st.Why = CanBe, st.Drafts[0].Why
		if shadow != "" {
			st.Why = shadow + " judges it in shadow, without effect."
		}
	case s.Kind == statement.Meaning && talks(words.String()):
		st.State, st.Why = Never, "It is about what the agent says or thinks: no call shows that."
	case len(s.Phrases) == 1 && namesBuild.Get().MatchString(s.Phrases[0].Words):
		st.State = NoDirective
	case against.never:
		st.State, st.Why = Never, against.why
	case against.why != "":
		st.State, st.Why = NeedsModel, against.why+" A rule with a prompt can ask a model."
	case len(s.Text) > tooMuchText:
		st.State, st.Why = NeedsModel, "The text is too long for a form: write the directive as a sentence of its own. A rule with a prompt can ask a model."
	default:
		st.State, st.Why = NeedsModel, "No form makes a rule of it here; a rule with a prompt can ask a model."
	}
	return st
}

// talks reports whether a statement is about what the agent says or thinks, and not about
// the words of something that it writes.
func talks(words string) bool {
	return conversation.Get().MatchString(words) && (toUser.Get().MatchString(words) || !artefact.Get().MatchString(words))
}

// from reports whether a rule comes from a statement: its words are those that the rule
// quotes, or it is on the line of a rule without a quotation.
func from(d *rule.Definition, s *statement.Statement) bool {
	file, line := d.Place()
	if line == 0 || file != s.File {
		return false
	}
	quote := strings.TrimSuffix(text.OneLine(d.Quote), "…")
	if quote == "" {
		return line >= s.Line && line <= s.EndLine
	}
	return strings.Contains(text.OneLine(s.Text), quote)
}

// Holds reports whether the rules stop what a draft would stop.
func (in *Rules) Holds(d *Draft) bool { return len(stopped([]Draft{*d}, in.Stops)) > 0 }

// stopped are the rules that stop what each draft would stop; none if one is left over.
func stopped(drafts []Draft, by func(rule.Case) []string) (ids []string) {
	if by == nil {
		return nil
	}
	for i := range drafts {
		held := holding(drafts[i].cases, by)
		if len(held) == 0 {
			return nil
		}
		ids = append(ids, held...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// committing is the message of a commit.
var committing = lazy.Regexp{Source: `-m (?:\w+|'[^']*'|"[^"]*")`}

// holding are the rules that stop each case of a violation; none if one passes. A rule that
// stops a case that has to pass, too, stops it for another reason: one about the words of
// commit messages does not run the tests.
func holding(cases []ruletest.Case, by func(rule.Case) []string) (ids []string) {
	var stop [][]string
	for _, c := range cases {
		if c.Expect == ruletext.Violation {
			stop = append(stop, by(c.Case))
			if len(stop[len(stop)-1]) == 0 {
				return nil
			}
		}
	}
	if len(stop) == 0 {
		return nil
	}
	other := map[string]bool{}
	for _, c := range cases {
		if c.Expect == ruletext.Violation {
			m := committing.Get().FindString(c.Bash)
			if m == "" {
				continue
			}
			c.Bash = "git commit " + m // a rule about each commit, or its message, is about something else
		}
		for _, id := range by(c.Case) {
			other[id] = true
		}
	}
	for i, by := range stop {
		stop[i] = slices.DeleteFunc(slices.Clone(by), func(id string) bool { return other[id] })
		if len(stop[i]) == 0 {
			return nil
		}
		ids = append(ids, stop[i][0])
	}
	every := slices.DeleteFunc(slices.Clone(stop[0]), func(id string) bool {
		return slices.ContainsFunc(stop, func(by []string) bool { return !slices.Contains(by, id) })
	})
	if len(every) > 0 {
		return every
	}
	return ids
}

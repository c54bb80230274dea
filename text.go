package sentinel

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/text"
)

// Reason returns what the agent reads when it is stopped or a user is asked: one
// line for each finding that led to the verdict, with the rule's id. It is "" for
// any other verdict. A rule that could not be judged has other words than a violated one,
// so that the agent does not try again for ever.
func (d Decision) Reason() string { return strings.Join(d.Reasons(), "\n") }

// Reasons returns the same as [Decision.Reason], a text for each finding.
func (d Decision) Reasons() []string {
	switch d.Verdict {
	case VerdictUndecided:
		return []string{fmt.Sprintf("this call could not be judged: %v", d.Err)}
	case VerdictAsk, VerdictBlock:
	default:
		return nil
	}
	var lines []string
	for i := range d.Findings {
		if d.Findings[i].Verdict == d.Verdict {
			lines = append(lines, d.Findings[i].line())
		}
	}
	if len(lines) == 0 && d.Err != nil {
		lines = append(lines, d.Err.Error())
	}
	return lines
}

// Questions returns the questions to the user, a text for each finding that led to
// [VerdictAsk]: what the agent wants to do, why the user has to decide, and what the
// rule advises the agent. It is empty for any other verdict.
func (d Decision) Questions() []string {
	if d.Verdict != VerdictAsk {
		return nil
	}
	var lines []string
	wish := ""
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Verdict != VerdictAsk {
			continue
		}
		said := f.questioned()
		if f.Action != nil && f.Action.Target != "" {
			if now := f.Action.wish(); now != wish {
				wish, said = now, "the agent wants to "+now+". "+said
			}
		}
		lines = append(lines, said)
	}
	if len(lines) == 0 {
		return d.Reasons()
	}
	return lines
}

// questioned is what a finding means to the user.
func (f *Finding) questioned() string {
	switch {
	case f.Outcome != OutcomeViolation:
		return f.forPerson()
	case f.Message == "":
		return f.line()
	}
	why, advice := sentence(f.Message)
	if f.Reason != "" && f.Reason != f.Message {
		why += " (" + f.Reason + ")"
	}
	if f.Disputed {
		why += " A second judge disagrees."
	}
	if advice != "" {
		why += " Advice to the agent: " + advice
	}
	return f.signed(f.about() + why)
}

// forPerson is a finding without a violation, for the user.
func (f *Finding) forPerson() string {
	if f.Tainted {
		return f.signed("A judge's answer was dictated by the text it judged.")
	}
	return f.signed(fmt.Sprintf("Rule %s %s. The project is strict (fail_open: false), so somebody has to decide.", f.Rule.ID, f.Reason))
}

// signed adds whose text it is.
func (f *Finding) signed(said string) string {
	said += " [" + f.Rule.ID + "]"
	if from := f.from(); from != "" {
		said += " (from " + from + ")"
	}
	return said
}

// sentence is the first sentence of a text, and the rest. A full stop within a word, as
// in main.go or e.g. a version, ends none.
func sentence(s string) (first, rest string) {
	for at := 0; ; {
		next := strings.IndexAny(s[at:], ".!?")
		if next < 0 {
			return s, ""
		}
		at += next + 1
		after := strings.TrimLeft(s[at:], " \t\n")
		if len(after) < len(s)-at && after != "" && !unicode.IsLower([]rune(after[:min(4, len(after))])[0]) {
			return s[:at], after
		}
	}
}

// unexplained is the reason of a rule that has no message, and whose judge gave none.
func (f *Finding) unexplained() string {
	if f.Rule.Stop {
		return "Rule " + f.Rule.ID + " does not hold at the end of this turn."
	}
	what := quoted(cmp.Or(f.Subject, f.Action.Target))
	switch f.Action.Trigger {
	case FileWrite:
		what = "a change of " + what
	case FileRead:
		what = "reading " + what
	case MCP:
		what = "calling " + what
	}
	return "Rule " + f.Rule.ID + " does not allow " + what + "."
}

// maxQuoted bounds what a call does in a sentence, in characters.
const maxQuoted = 200

// quoted is a command or path within a sentence.
func quoted(s string) string {
	return "`" + strings.ReplaceAll(text.Cut(line(s), maxQuoted), "`", "'") + "`"
}

// Context returns what is added to the agent's context: the texts of warnings and of
// info rules that are not Muted, and last the notice.
func (d Decision) Context() []string {
	var texts []string
	for i := range d.Findings {
		if f := &d.Findings[i]; !f.Muted {
			if text := f.context(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if d.Notice != "" {
		texts = append(texts, d.Notice)
	}
	return texts
}

// context is what a finding adds to the agent's context, muted or not.
func (f *Finding) context() string {
	switch {
	case f.Rule.Shadow:
		return ""
	case f.Verdict == VerdictWarn:
		return "Warning: " + f.line()
	}
	if from := f.from(); f.Advice != "" && from != "" {
		return "from " + from + ": " + f.Advice
	}
	return f.Advice
}

// from names the file that the finding's text is from; "" for Sentinel's own rules,
// and where it is not known.
func (f *Finding) from() string {
	from := cmp.Or(f.From, f.Rule.Source)
	if strings.HasPrefix(from, "(") { // built in
		return ""
	}
	for range 2 { // line and column
		at := strings.LastIndexByte(from, ':')
		if at < 0 || at+1 == len(from) || strings.Trim(from[at+1:], "0123456789") != "" {
			break
		}
		from = from[:at]
	}
	return text.Cut(text.OneLine(from), maxSource)
}

const (
	// maxSaid bounds each text of a rule or a judge that an agent reads, in characters.
	maxSaid = 500
	// maxSource bounds the name of the file that it is from.
	maxSource = 200
)

// bounded cuts a text for an agent; a cut one says so.
func bounded(s string) string { return text.CutNoted(strings.TrimSpace(s), maxSaid) }

// line says what a finding means to the agent, and which file says so.
func (f *Finding) line() string {
	if from := f.from(); from != "" {
		return f.verdictLine() + " (from " + from + ")"
	}
	return f.verdictLine()
}

func (f *Finding) verdictLine() string {
	switch {
	case f.Tainted && f.Outcome != OutcomeViolation:
		return fmt.Sprintf("rule %s: a judge's answer was dictated by the text it judged; a person must look. [%s]", f.Rule.ID, f.Rule.ID)
	case f.Outcome == OutcomeUnavailable && errors.Is(f.Err, ErrUnseen):
		return fmt.Sprintf("rule %s %s. This is not a violation: it is too long to be judged whole, and the project is strict (fail_open: false). Do it in smaller steps, or tell the user. [%s]",
			f.Rule.ID, f.Reason, f.Rule.ID)
	case f.Outcome == OutcomeUnavailable:
		return fmt.Sprintf("rule %s %s. This is not a violation: the judge was unavailable and the project is strict (fail_open: false). Do not retry unchanged; tell the user. [%s]",
			f.Rule.ID, f.Reason, f.Rule.ID)
	case f.Disputed:
		return fmt.Sprintf("%s%s A second judge disagrees, so a person must decide. [%s]", f.about(), f.Text(), f.Rule.ID)
	}
	if f.Message == "" && f.Action != nil && f.Reason == f.unexplained() { // it names the rule
		return f.Reason
	}
	return fmt.Sprintf("%s%s [%s]", f.about(), f.Text(), f.Rule.ID)
}

// about names the simple command of a compound line that the text is about: an agent
// that reads which one it was can leave it out and do the rest.
func (f *Finding) about() string {
	if f.Subject == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(f.Subject, "`", "'") + "`: "
}

// Text is the rule's message with the judge's words, or either.
func (f *Finding) Text() string {
	if f.Message != "" && f.Message != f.Reason {
		return fmt.Sprintf("%s (%s)", f.Message, f.Reason)
	}
	return f.Reason
}

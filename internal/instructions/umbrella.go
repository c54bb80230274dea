package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// under adds to a duty the commands that do all that the section of the statement wants. A
// rule only reminds where that can be done in a way that no command shows.
func (b *builder) under(d *ruletext.Duty, list []survey.Umbrella) {
	for _, u := range list {
		switch {
		case !slices.Equal(u.Section, b.s.Section):
		case u.Command == "" && u.Line > b.s.Line && b.hit.Severity == "block":
			b.hit.Severity = forms.Reminder
		case u.Command != "" && !slices.Contains(d.Names, u.Command):
			if p, _ := ranPatterns(u.Command); len(p) > 0 {
				d.Add(u.Command, p, d.Example)
			}
		case u.Command != "" && len(d.Names) == 1:
			for _, part := range u.Parts { // one of which an agent may begin with
				if p, _ := ranPatterns(part); len(p) > 0 && !survey.Operator.Get().MatchString(part) && !survey.TooWide(part, false) {
					d.Add(part, p, d.Example)
				}
			}
		}
	}
}

var (
	// parted is a part of a project behind the command for it.
	parted = lazy.Regexp{Source: `‹c\d+›(?: \w+)? \((?:the |for (?:the )?)?(front-?end|back-?end|servers?|clients?|web|mobile|desktop|ios|android|apple|python|rust|go|golang|typescript|javascript|ts|js|swift|kotlin|java|firmware|cli)(?: only)?\)`}
	// orDuty is something else that is offered behind a command, and its part of the project.
	orDuty = lazy.Regexp{Source: `^(?: (?:passes|pass|succeeds|is green|is clean))?(?: \([^)]{1,40}\))?,? (?:and/or |or (?:[^‹]|‹[^c]))`}
)

// ofParts reports whether a line has a command for one part of a project and another thing for
// others.
func (b *builder) ofParts() bool {
	behind, _ := b.after("run")
	words := b.hit.Phrase.Words
	if !strings.Contains(b.hit.Slots["run"], "‹c") {
		return false
	}
	return orDuty.Get().MatchString(behind) && (strings.Contains(behind, "and/or") || parted.Get().MatchString(words)) || len(parted.Get().FindAllString(words, -1)) > 1
}

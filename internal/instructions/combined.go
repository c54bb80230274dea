package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// A block or a list of commands may have one that does the work of all others, by the remark
// above or behind it.

// ownChecks are what is to run below a sentence about checks, which are these.
func (b *builder) ownChecks(job string) (list []ruletext.Duty) {
	if job != "checks" || len(b.s.Phrases) == 0 || b.s.Phrases[len(b.s.Phrases)-1].Quote != b.quote || !strings.HasSuffix(strings.TrimRight(b.quote, "*_ "), ":") {
		return nil
	}
	for _, p := range withCode(b.s) {
		cmd := withoutArguments(p.Terms[len(p.Terms)-1].Text)
		if ran, example := ranPatterns(cmd); len(ran) > 0 && !survey.Operator.Get().MatchString(cmd) && !survey.TooWide(cmd, false) && !invents.Get().MatchString(cmd) {
			list = append(list, ruletext.Duty{Names: []string{cmd}, Ran: ran, Example: example})
		}
	}
	return list
}

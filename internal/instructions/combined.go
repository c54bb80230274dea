package instructions

import (
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/markdown"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
)

// A block or a list of commands may have one that does the work of all others, by the remark
// above or behind it.

// combinesIn are the umbrellas that a block of a file has in its code.
func combinesIn(b *markdown.Block) (list []umbrella) {
	whole, parts := statement.Combined(b.Code)
	for _, c := range whole {
		if sentence.KindOf(c) == sentence.Command && !operator.Get().MatchString(c) && !tooWide(c, false) && !history.Get().MatchString(c) {
			list = append(list, umbrella{section: b.Section, line: b.Line, command: c, parts: parts})
		}
	}
	return list
}

// ownChecks are what is to run below a sentence about checks, which are these.
func (b *builder) ownChecks(job string) (list []ruletext.Duty) {
	if job != "checks" || len(b.s.Phrases) == 0 || b.s.Phrases[len(b.s.Phrases)-1].Quote != b.quote || !strings.HasSuffix(strings.TrimRight(b.quote, "*_ "), ":") {
		return nil
	}
	for _, p := range withCode(b.s) {
		cmd := withoutArguments(p.Terms[len(p.Terms)-1].Text)
		if ran, example := ranPatterns(cmd); len(ran) > 0 && !operator.Get().MatchString(cmd) && !tooWide(cmd, false) && !invents.Get().MatchString(cmd) {
			list = append(list, ruletext.Duty{Names: []string{cmd}, Ran: ran, Example: example})
		}
	}
	return list
}

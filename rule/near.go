package rule

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// maxNear bounds the words of a command that is kept because it was nearly a run, in characters.
const maxNear = 80

// near are the commands of a line that are nearly what patterns ask for: of the same program and
// first word. A refusal names the last one, so that an agent sees why its run does not count.
func (n *Needs) near(line *shell.Line) (all []facts.Fact) {
	for _, pattern := range n.Ran {
		words := strings.Fields(pattern)
		if len(words) == 0 || slices.Contains(occasions(byCommit), pattern) || slices.Contains(occasions(byRequest), pattern) {
			continue
		}
		for i := range line.Commands {
			c := &line.Commands[i]
			if c.Inert || words[0] != c.Program && words[0] != c.Path || !startsAlike(words[1:], c) {
				continue
			}
			all = append(all, facts.Fact{Kind: facts.Near, Text: pattern + "\n" + text.Cut(text.OneLine(c.Path+strings.TrimPrefix(c.Text, c.Program)), maxNear)})
			break
		}
	}
	return all
}

// startsAlike reports whether the first operand of a command is that of a pattern, where that
// has one.
func startsAlike(words []string, c *shell.Command) bool {
	at := slices.IndexFunc(words, func(w string) bool { return w[0] != '-' })
	switch {
	case at < 0 || strings.HasPrefix(words[at], "*"):
		return true
	case len(c.Operands) == 0:
		return false
	}
	return c.Operands[0] == strings.TrimSuffix(words[at], "*")
}

// nearly says which command was nearly a run that counts; "" where none was since then.
func (d *duty) nearly(since int) string {
	near := d.Last(func(f *facts.Fact) bool {
		pattern, _, _ := strings.Cut(f.Text, "\n")
		return f.Kind == facts.Near && !f.Other && f.Order > since && slices.Contains(d.def.Requires.Ran, pattern)
	})
	if near.Order == 0 {
		return ""
	}
	pattern, command, _ := strings.Cut(near.Text, "\n")
	return "; `" + text.Line(command) + "` ran, which is no `" + text.Line(pattern) + "`"
}

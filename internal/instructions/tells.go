package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// A demand is made of what an agent is to run. A sentence may describe instead what a command does,
// or another line may leave the command to others.

// leftToOthers reports whether the headings of a statement, or another line of its file, say that
// an agent is not to run the commands itself.
func (b *builder) leftToOthers(names []string) bool {
	for _, above := range append(slices.Clone(b.s.Section), b.s.Lead) {
		if survey.Leaves.Get().MatchString(above) && survey.ByOneself.Get().MatchString(above) {
			return true
		}
	}
	file, ok := b.shows()
	return ok && slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(file.Left(), n) || slices.Contains(file.Left(), n[strings.LastIndexByte(n, ' ')+1:])
	})
}

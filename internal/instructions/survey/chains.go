package survey

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// chainSeen is what a project's files tell of its tool chains: by a program or a manifest, or
// only by a word of a text.
type chainSeen struct{ Used, Named map[string]bool }

func newChainSeen() chainSeen { return chainSeen{map[string]bool{}, map[string]bool{}} }

// text notes the chains that words name.
func (s *chainSeen) text(words string) {
	t := forms.All()
	sifted := t.Literals.Sift(strings.ToLower(words))
	for _, c := range t.Chains {
		if !s.Named[c.Name] && sifted.Passes(c.Sieve) && c.ByWords.MatchString(words) {
			s.Named[c.Name] = true
		}
	}
}

// command notes the chains of a command's program.
func (s *chainSeen) command(cmd string) {
	of := sentence.Program(strings.TrimPrefix(strings.TrimSpace(cmd), "$ "))
	for _, c := range forms.All().Chains {
		if slices.Contains(c.Programs, of) && strings.Contains(cmd, " ") {
			s.Used[c.Name] = true
		}
	}
}

// file notes the chains that a file at the top of a project shows.
func (s *chainSeen) file(name string) {
	for _, c := range forms.All().Chains {
		if slices.Contains(c.Manifest, name) {
			s.Used[c.Name] = true
		}
	}
}

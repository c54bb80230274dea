package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Sayings know which lines of a file have which words.
type Sayings struct {
	said []saying
	at   map[string][]int // places in said, by the words
}

// A saying is what a rule can quote of a statement: all of it, a sentence or two.
type saying struct {
	of    *statement.Statement
	quote string
	words string
}

// NewSayings are those of the statements of a file.
func NewSayings(all []statement.Statement) *Sayings {
	out := &Sayings{at: map[string][]int{}}
	for i := range all {
		s := &all[i]
		out.add(s, s.Text)
		for k := range s.Phrases {
			out.add(s, s.Phrases[k].Quote)
			if k > 0 {
				out.add(s, s.Phrases[k-1].Quote+" "+s.Phrases[k].Quote)
			}
		}
	}
	return out
}

func (a *Sayings) add(s *statement.Statement, quote string) {
	words := lowerLine(quote)
	a.at[words] = append(a.at[words], len(a.said))
	a.said = append(a.said, saying{s, quote, words})
}

// lowerLine is a text in one line, without the case of its letters.
func lowerLine(s string) string { return strings.ToLower(text.OneLine(s)) }

// Lines are the lines on which a statement says the words of a quotation, whatever the case of
// their letters. Rules quote a statement, one sentence of it or two, or the beginning of these
// with "…" behind it.
func (a *Sayings) Lines(quote string) (lines []int) {
	words, cut := strings.CutSuffix(lowerLine(quote), "…")
	if words == "" {
		return nil
	}
	add := func(s *saying) {
		if line := s.of.LineOf(s.quote); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, i := range a.at[words] {
		add(&a.said[i])
	}
	for i := range a.said {
		if cut && strings.HasPrefix(a.said[i].words, words) {
			add(&a.said[i])
		}
	}
	return lines
}

package forms

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// A spokenName is what is written in a way of its own, with the words for it.
type spokenName struct {
	words *regexp.Regexp
	name  string
}

func longestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// anySpoken finds such words: most sentences have none.
var anySpoken = sync.OnceValue(func() *regexp.Regexp {
	return spokenAs(strings.Join(slices.Sorted(maps.Keys(All().Spoken)), "|"))
})

// spokenAs finds what words, alternatives of a pattern, say as a whole.
func spokenAs(words string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + words + `)(?:$|[^\w])`)
}

// nameSpoken puts the mark of a name in the place of the words for it: the longest ones first.
func nameSpoken(p *sentence.Phrase) {
	if !anySpoken().MatchString(p.Words) {
		return
	}
	for _, n := range All().spoken {
		if loc := n.words.FindStringIndex(p.Words); loc != nil {
			end := strings.TrimRight(p.Words[loc[0]:loc[1]], " .,;:)(!")
			p.Words = p.Words[:loc[0]] + p.Add('t', n.name, false) + p.Words[loc[0]+len(end):]
		}
	}
}

package instructions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A spokenName is what is written in a way of its own, with the words for it.
type spokenName struct {
	words *regexp.Regexp
	name  string
}

func longestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// anySpoken finds such words: most sentences have none.
var anySpoken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + strings.Join(slices.Sorted(maps.Keys(forms().Spoken)), "|") + `)(?:$|[^\w])`)
})

// nameSpoken puts the mark of a name in the place of the words for it: the longest ones first.
func (p *phrase) nameSpoken() {
	if !anySpoken().MatchString(p.words) {
		return
	}
	for _, n := range forms().spoken {
		if loc := n.words.FindStringIndex(p.words); loc != nil {
			end := strings.TrimRight(p.words[loc[0]:loc[1]], " .,;:)(!")
			p.words = p.words[:loc[0]] + p.add('t', n.name, false) + p.words[loc[0]+len(end):]
		}
	}
}

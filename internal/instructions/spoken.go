package instructions

import (
	"cmp"
	"regexp"
	"strings"
)

// A spokenName is what is written in a way of its own, with the words for it.
type spokenName struct {
	words *regexp.Regexp
	name  string
}

func longestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// nameSpoken puts the mark of a name in the place of the words for it: the longest ones first.
func (p *phrase) nameSpoken() {
	for _, n := range forms().spoken {
		if loc := n.words.FindStringIndex(p.words); loc != nil {
			end := strings.TrimRight(p.words[loc[0]:loc[1]], " .,;:)(!")
			p.words = p.words[:loc[0]] + p.add('t', n.name, false) + p.words[loc[0]+len(end):]
		}
	}
}

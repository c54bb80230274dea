package forms

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
)

// A sentence names few acts, and a pattern of all of them is slow. A sentence is looked at by a
// pattern of those acts alone that it may name, by its literal texts; an act that it cannot name
// changes nothing of what a pattern of alternatives finds.

// Bounds of the patterns that are kept: how many, and the acts of one. Beyond them all acts are
// looked for.
const (
	maxActPatterns = 512
	maxActsInOne   = 12
)

// actPatterns find the acts that a sentence names.
type actPatterns struct {
	words    []string // a pattern of each act
	sieves   []sieve
	literals literals

	mu   sync.Mutex
	kept map[string]*regexp.Regexp // by the numbers of their acts
}

// prepare notes the patterns of acts. Nothing is compiled.
func (a *actPatterns) prepare(acts []Act) {
	a.literals.ids, a.kept = map[string]int{}, map[string]*regexp.Regexp{}
	for i := range acts {
		src := cmp.Or(acts[i].Words, `[^\s\S]`)
		a.words, a.sieves = append(a.words, src), append(a.sieves, a.literals.sieve(src))
	}
}

// replace puts texts in the place of the acts that words name, by the number of the act.
func (a *actPatterns) replace(words string, with func(act int, said string) string) string {
	of := a.within(words)
	if len(of) == 0 {
		return words
	}
	re, of := a.pattern(of)
	return sentence.ReplaceAllSubmatch(re, words, func(groups []string) string {
		if i := slices.IndexFunc(groups[1:], func(g string) bool { return g != "" }); i >= 0 {
			return with(of[i], groups[1+i])
		}
		return groups[0]
	})
}

// within are the acts that words may name.
func (a *actPatterns) within(words string) (of []int) {
	sifted := a.literals.Sift(strings.ToLower(words))
	for i, s := range a.sieves {
		if sifted.Passes(s) {
			of = append(of, i)
		}
	}
	return of
}

// pattern is the one of some acts, or where there are too many the one of all, with its acts.
func (a *actPatterns) pattern(of []int) (*regexp.Regexp, []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := numbered(of)
	if a.kept[key] == nil && (len(of) > maxActsInOne || len(a.kept) >= maxActPatterns) {
		of, key = nil, ""
		for i := range a.words {
			of = append(of, i)
		}
	}
	if a.kept[key] == nil {
		var list []string
		for _, i := range of {
			list = append(list, "("+a.words[i]+")")
		}
		a.kept[key] = regexp.MustCompile(`\b(?:` + strings.Join(list, "|") + `)\b`)
	}
	return a.kept[key], of
}

// numbered is a list of small numbers as a text.
func numbered(list []int) string {
	var b strings.Builder
	for _, i := range list {
		b.WriteRune(rune(i + 1))
	}
	return b.String()
}

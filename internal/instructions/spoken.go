package instructions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// A spokenName is what is written in a way of its own, with the words for it.
type spokenName struct {
	words *regexp.Regexp
	name  string
}

func longestFirst(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

var (
	// folderOutput are the files of a folder that tools make.
	folderOutput = lazy.Regexp{Source: `(‹p\d+›) (?:build |compiled |generated )?(?:outputs?|artifacts?)\b`}
	// beforeApply is the moment before a tool changes what is in use, and planner such a tool.
	beforeApply = lazy.Regexp{Source: `(\bbefore (?:you |ever )?)(?:apply|applying)( (?:any |the |your )?(?:changes?|it|plan))?($|[.,;:)])`}
	planner     = lazy.Regexp{Source: `^(terraform|tofu|terragrunt|pulumi) (?:plan|preview|validate|fmt)\b`}
)

// nameApply puts the command that a sentence means by "applying" in its place.
func (p *phrase) nameApply() {
	for _, t := range p.terms {
		if m := planner.Get().FindStringSubmatch(t.text); m != nil && beforeApply.Get().MatchString(p.words) {
			act := map[string]string{"pulumi": "pulumi up"}[m[1]]
			p.words = beforeApply.Get().ReplaceAllString(p.words, "${1}"+p.add(command, cmp.Or(act, m[1]+" apply"), true)+"$3")
			return
		}
	}
}

// anySpoken finds such words: most sentences have none.
var anySpoken = sync.OnceValue(func() *regexp.Regexp {
	return spokenAs(strings.Join(slices.Sorted(maps.Keys(forms().Spoken)), "|"))
})

// spokenAs finds what words, alternatives of a pattern, say as a whole.
func spokenAs(words string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:` + words + `)(?:$|[^\w])`)
}

// nameSpoken puts the mark of a name in the place of the words for it: the longest ones first.
func nameSpoken(p *phrase) {
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

func replaceAllSubmatch(re *regexp.Regexp, s string, with func([]string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		groups := make([]string, len(m)/2)
		for i := range groups {
			if m[2*i] >= 0 {
				groups[i] = s[m[2*i]:m[2*i+1]]
			}
		}
		b.WriteString(s[at:m[0]] + with(groups))
		at = m[1]
	}
	return b.String() + s[at:]
}

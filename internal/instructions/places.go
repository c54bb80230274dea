package instructions

import (
	"maps"
	"slices"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// Bounds of the language that a file is about: how often it names it, and how much more often than
// all others.
const (
	manyNames = 8
	mostOf    = 2
)

// noPrograms are languages of data and of texts, and C, whose files others have, too.
var noPrograms = lazy.Regexp{Source: `^(?:markdown|css|graphql|proto|msbuild|dbt|ansi c)\b`}

// mainLanguage is the language of programs that a file names far more often than all others.
func (b *builder) mainLanguage() (list []forms.Language) {
	file, ok := b.shows()
	if !ok {
		return nil
	}
	all, sum := file.Places().Languages, 0
	for words, n := range all {
		if !noPrograms.Get().MatchString(words) {
			sum += n
		}
	}
	for _, l := range forms.All().Languages {
		if n := all[l.Words]; n >= manyNames && n >= mostOf*(sum-n) && !noPrograms.Get().MatchString(l.Words) {
			return []forms.Language{l}
		}
	}
	return nil
}

// named are the files of a kind, with those that the project's files name as such.
func (b *builder) named(k *forms.Kind) []string {
	list := slices.Clone(k.Files)
	if b.p == nil {
		return list
	}
	for _, of := range slices.Sorted(maps.Keys(b.p.Shown)) {
		more := b.p.Shown[of].Places()
		switch {
		case k.Said.Get().MatchString("tests"):
			list = append(list, more.Tests...)
		case k.Said.Get().MatchString("docs"):
			list = append(list, more.Docs...)
		}
	}
	seen := map[string]bool{}
	list = slices.DeleteFunc(list, func(g string) bool { twice := seen[g]; seen[g] = true; return twice })
	return list[:min(len(list), len(k.Files)+survey.MaxPlaces)]
}

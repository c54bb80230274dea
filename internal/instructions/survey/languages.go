package survey

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// MostlyOther reports whether only few sources of the tree, or of a folder in it, are in some languages.
func (p *Project) MostlyOther(of []forms.Language, dir string) bool {
	if !p.Whole() {
		return false
	}
	counts := p.PerEnding()
	if dir != "" {
		counts = p.CountSources(dir + "/")
	}
	in, total := 0, 0
	for _, n := range counts {
		total += n
	}
	globs, _ := FilesOf(of)
	for _, g := range globs {
		for _, one := range pathglob.SpelledOut(g) {
			in += counts[strings.TrimPrefix(path.Ext(one), ".")]
		}
	}
	return total >= repo.MinSources && in*fewOf < total
}

// fewOf is of how many sources a language has less than one where a title does not mean it.
const fewOf = 10

// maxLanguageFiles bounds the patterns of the languages of one statement: with more it is about
// code in general.
const maxLanguageFiles = 3

// FilesOf are the files of languages, with one of them: none where these are too many.
func FilesOf(list []forms.Language) (globs []string, example string) {
	for _, l := range list {
		if globs = append(globs, l.Files...); example == "" {
			example = l.Example
		}
	}
	if len(globs) > maxLanguageFiles {
		return nil, ""
	}
	return globs, example
}

var knownLanguages = lazy.Memo[[]forms.Language]{Texts: sentence.MaxKept, Bytes: sentence.MaxKeptText}

// LanguagesIn are the languages that words name.
func LanguagesIn(words string) []forms.Language {
	list, _ := knownLanguages.Get(words, func(s string) ([]forms.Language, error) { return findLanguages(s), nil })
	return slices.Clone(list)
}

func findLanguages(words string) (list []forms.Language) {
	words = strings.ToLower(words)
	if strings.Contains(words, "f#") || strings.Contains(words, "fsharp") { // .NET is its platform
		words = strings.NewReplacer(".net", " ", "dotnet", " ").Replace(words)
	}
	sifted := forms.All().Literals.Sift(words)
	for _, l := range forms.All().Languages {
		if sifted.Passes(l.Sieve) && l.Said.Get().MatchString(words) {
			list = append(list, l)
		}
	}
	return list
}

// FewLanguages are the files of the languages of a project, with one of them, as a name in code is
// one of these languages: none where the project has many languages, or too few sources to tell.
func (p *Project) FewLanguages() (globs []string, example string) {
	if !p.Whole() {
		return nil, ""
	}
	of, most, total := map[string]bool{}, 0, 0
	for ext, n := range p.PerEnding() {
		glob := "**/*." + ext
		if i := slices.IndexFunc(forms.All().Languages, func(l forms.Language) bool { return l.HasEnding(ext) }); i >= 0 {
			glob = forms.All().Languages[i].Files[0]
		}
		if total += n; n > most || n == most && glob < example {
			most, example = n, glob
		}
		of[glob] = true
	}
	if total < repo.MinSources || len(of) > maxLanguageFiles {
		return nil, ""
	}
	for _, name := range p.Files() { // a page may have code in it
		if ext := strings.TrimPrefix(path.Ext(name), "."); slices.Contains(strings.Split(repo.TemplateEndings, ","), ext) {
			of["**/*."+ext] = true
		}
	}
	for _, ext := range p.Endings() {
		of["**/*."+ext] = true
	}
	return slices.Sorted(maps.Keys(of)), pathglob.Sample(example)
}

// SoleLanguage is the language that nearly all sources of the tree are in.
func (p *Project) SoleLanguage() []forms.Language {
	if !p.Whole() {
		return nil
	}
	total := 0
	for _, n := range p.PerEnding() {
		total += n
	}
	for _, l := range forms.All().Languages {
		if n := p.PerEnding()[strings.TrimPrefix(path.Ext(l.Example), ".")]; n >= repo.MinSources && (total-n)*fewOf < total && len(l.Programs) > 0 {
			return []forms.Language{l}
		}
	}
	return nil
}

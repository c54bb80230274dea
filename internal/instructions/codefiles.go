package instructions

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/instructions/repo"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// The kinds of files that rules are about, by their endings: one table for all of them. A rule
// about what files say looks at code, and so does an obligation that follows a change of code.

const (

	// code are the files of programs.
	code = "**/*.{" + repo.LanguageEndings + "," + repo.TemplateEndings + "," + repo.ProjectEndings + "}"
	// sources are those of them that a language is written in: what a line wants of each new file,
	// as its head or its name, is hardly wanted of a template or a project's file.
	sources = "**/*.{" + repo.LanguageEndings + "}"
)

// allCode is a pattern of files by more endings than a person reads.
var allCode = lazy.Regexp{Source: `\*\*/\*\.\{[^{}]{200,}\}`}

// ofTests are files of tests, where a line about the product does not hold.
func ofTests() []string {
	return append(slices.Clone(pathglob.OfTests()), "**/testdata/**", "**/conftest.py")
}

// usual are the files of code that a rule is about where its line names none.
func (b *builder) usual() string {
	switch b.hit.Form.Rule {
	case "names", "header", "licence", "length":
		return b.p.WithOwn(sources)
	}
	return b.p.WithOwn(code)
}

// fewLanguages are the files of the languages of a project, with one of them, as a name in code is
// one of these languages: none where the project has many languages, or too few sources to tell.
func (p *Project) fewLanguages() (globs []string, example string) {
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

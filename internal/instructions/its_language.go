package instructions

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/pathglob"
	"github.com/agentsentinel/sentinel/internal/lazy"
)

// ofItsLanguage limits the files of a name that several languages have to the language of another name of
// the sentence: "use OSLog, never print()" is about Swift.
func (b *builder) ofItsLanguage(t string, files []string) []string {
	said := strings.ReplaceAll(b.quote, t, "")
	for _, l := range forms.All().Languages {
		if l.Shape == nil || !l.Shape.Get().MatchString(said) {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(l.Files), func(f string) bool {
			return !slices.ContainsFunc(pathglob.SpelledOut(f), func(one string) bool {
				return slices.ContainsFunc(files, func(of string) bool { return slices.Contains(pathglob.SpelledOut(of), one) })
			})
		})
		if len(own) > 0 {
			return own
		}
	}
	return files
}

var (
	// dataFiles are kinds of files that no language has, by the words for them.
	dataFiles = lazy.Regexp{Source: `(?i)(?:^|[\s(])((?:json|ya?ml|toml|xml|csv|hcl|ini)(?:(?:,? (?:and|or) |, |/)(?:json|ya?ml|toml|xml|csv|hcl|ini))*)(?: (?:config(?:uration)?|data|schema|fixture|manifest))? files?\b`}
	oneFormat = lazy.Regexp{Source: `json|ya?ml|toml|xml|csv|hcl|ini`}
	// endedFiles are files by their ending.
	endedFiles = lazy.Regexp{Source: "`?(?:^|[\\s`*(])\\*?\\.([a-z][a-z0-9]{1,9})\\b`? files?\\b"}
)

// filesSaid are the files that words name by their kind or their ending: "JSON files", "`.eel` files".
func filesSaid(words string) (globs []string) {
	var kinds []string
	for _, m := range dataFiles.Get().FindAllStringSubmatch(words, -1) {
		kinds = append(kinds, oneFormat.Get().FindAllString(strings.ToLower(m[1]), -1)...)
	}
	for _, m := range endedFiles.Get().FindAllStringSubmatch(words, -1) {
		kinds = append(kinds, m[1])
	}
	for _, k := range kinds {
		g := "**/*." + k
		if k == "yaml" || k == "yml" {
			g = "**/*.{yml,yaml}"
		}
		if !slices.Contains(globs, g) {
			globs = append(globs, g)
		}
	}
	return globs
}

// sampleOf is one of the files of a pattern of an ending.
func sampleOf(glob string) string { return "src/" + path.Base(pathglob.Sample(glob)) }

// ownLanguage is the language of the project's own files that words name by their ending, as "EEL2" does
// those in .eel: none without one.
func (b *builder) ownLanguage(words string) []forms.Language {
	if !b.p.Known() {
		return nil
	}
	said := strings.FieldsFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, ext := range b.p.Endings() {
		if len(ext) > 2 && slices.ContainsFunc(said, func(w string) bool { return strings.TrimRight(w, "0123456789") == strings.ToUpper(ext) }) {
			return []forms.Language{{Words: ext, Files: []string{"**/*." + ext}, Example: "src/a." + ext}}
		}
	}
	return nil
}

// ofAbsentLanguage reports whether a name is one that only languages have in which the project has nothing.
func (b *builder) ofAbsentLanguage(t string) bool {
	if !b.p.Whole() || b.p.Young() || len(b.s.Globs) > 0 {
		return false
	}
	found := false
	for _, l := range forms.All().Languages {
		if l.Shape == nil || !l.Shape.Get().MatchString(t) {
			continue
		}
		if found = true; b.p.HoldsBut(l.Files, nil) {
			return false
		}
	}
	return found
}

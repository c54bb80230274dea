package rubric

import (
	"slices"
	"strings"
)

// Hold reports whether the condition is met in a repository, and if not, why.
// languages holds bytes by language; has reports whether a file matches a path
// pattern. Where both languages and files are asked for, both have to be there.
func (a Applies) Hold(languages map[string]int64, has func(pattern string) bool) (holds bool, why string) {
	spoken := func(lang string) bool { return languages[lang] > 0 }
	if len(a.LangAny) > 0 && !slices.ContainsFunc(a.LangAny, spoken) {
		return false, "no files in " + strings.Join(a.LangAny, ", ")
	}
	if len(a.FileAny) > 0 && !slices.ContainsFunc(a.FileAny, has) {
		return false, "no file matches " + strings.Join(a.FileAny, ", ")
	}
	return true, ""
}

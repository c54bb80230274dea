package instructions

import (
	"maps"
	"slices"
	"strings"
)

// A Project says what the repository has that drafts and statuses depend on.
type Project struct {
	Linters  []Linter
	Commands []string // that its files name: of scripts, of Makefiles and in instructions
}

// A Linter is a linter or formatter that the project has set up.
type Linter struct {
	Name string // "eslint"
	File string // the file that configures it
}

// Survey looks at the top of a project's folder, and at what its instruction files say,
// for linters and commands. root may be "".
func Survey(root string, files []File) Project {
	p := Project{}
	seen := map[string]bool{}
	for i := range files {
		for _, b := range blocks(&files[i]) {
			spans := codeSpan().FindAllString(b.text(), -1)
			for _, c := range append(spans, b.code...) {
				c, _, _ = strings.Cut(strings.Trim(c, "` "), " #")
				for part := range strings.SplitSeq(c, "&&") {
					if part = strings.TrimSpace(part); kindOf(part) == command && !seen[part] && len(part) < 120 {
						seen[part] = true
					}
				}
			}
		}
	}
	p.Commands = slices.Sorted(maps.Keys(seen))
	return p
}

// commandsOf are the commands that do a job, by its name in a sentence.
func (p *Project) commandsOf(said string) (list []string) {
	job := "test"
	switch {
	case strings.HasPrefix(said, "lint"):
		job = "lint"
	case strings.HasPrefix(said, "type"):
		job = "typecheck"
	case strings.HasPrefix(said, "build"):
		job = "build"
	case strings.HasPrefix(said, "format"):
		job = "format"
	case strings.HasPrefix(said, "check"):
		job = "checks"
	}
	for _, c := range p.Commands {
		if forms().jobs[job].MatchString(c) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) })
	return list[:min(len(list), 4)]
}

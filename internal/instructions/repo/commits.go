package repo

import (
	"path/filepath"
	"regexp"
	"slices"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// settingsOfCommits are the files in which projects list the types of their messages.
var settingsOfCommits = []string{"commitlint.config.js", "commitlint.config.cjs", "commitlint.config.mjs", "commitlint.config.ts", "commitlint.config.cts", "commitlint.config.mts",
	".commitlintrc", ".commitlintrc.json", ".commitlintrc.yaml", ".commitlintrc.yml", ".commitlintrc.js", ".commitlintrc.cjs", ".commitlintrc.ts",
	"package.json", "pyproject.toml", ".cz.toml", ".cz.json", ".czrc", "cog.toml", ".conform.yaml", ".gitlint"}

var (
	// keyOfTypes begins the list of types.
	keyOfTypes = lazy.Regexp{Source: `(?i)["']?\b(?:type-enum|(?:valid|allowed|accepted|commit|permitted)[-_]?(?:types|tags)|types)["']?\s*[:=]`}
	// typesInRow is a list in one pair of brackets, and typesInLines one of YAML.
	typesInRow   = lazy.Regexp{Source: `^[^\[\]{}]*(?:\[[^\[\]{}]*)?\[([^\[\]{}]*)\]`}
	typesInLines = lazy.Regexp{Source: `^\s*((?:(?:\s*- )+["']?[\w-]+["']?,?[ \t]*\n)+)`}
	quotedType   = lazy.Regexp{Source: `["']([a-z][a-z0-9-]{1,14})["']`}
	listedType   = lazy.Regexp{Source: `(?m)- ["']?([a-z][a-z0-9-]{1,14})["']?[ \t]*$`}
	neverOf      = lazy.Regexp{Source: `["'\s-]never["'\s,]`}
)

// maxSettings bounds the bytes that are read of such a file, listedFar how far behind its key a list ends.
const (
	maxSettings = 256 << 10
	listedFar   = 1200
)

// CommitTypes are the types of messages that the settings of the project list: none where they list none.
func (t *Tree) CommitTypes() []string {
	if !t.Known() {
		return nil
	}
	return t.commitTypes()
}

func (t *Tree) readCommitTypes() []string {
	for _, name := range settingsOfCommits {
		data, err := safefile.Read(filepath.Join(t.Root, name), maxSettings)
		if err != nil {
			continue
		}
		if list := typesIn(string(data)); len(list) > 0 {
			return list
		}
	}
	return nil
}

// typesIn are the types that the text of settings lists. Features and fixes are among them.
func typesIn(text string) []string {
	for _, at := range keyOfTypes.Get().FindAllStringIndex(text, -1) {
		rest := text[at[1]:min(len(text), at[1]+listedFar)] + "\n"
		for _, of := range [][2]*regexp.Regexp{{typesInRow.Get(), quotedType.Get()}, {typesInLines.Get(), listedType.Get()}} {
			m := of[0].FindStringSubmatch(rest)
			if m == nil || neverOf.Get().MatchString(m[0]) {
				continue
			}
			var list []string
			for _, one := range of[1].FindAllStringSubmatch(m[1], -1) {
				if one[1] != "always" && !slices.Contains(list, one[1]) {
					list = append(list, one[1])
				}
			}
			if slices.Contains(list, "feat") && slices.Contains(list, "fix") {
				return list
			}
		}
	}
	return nil
}

package instructions

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
)

// An agent reads some files by itself when it starts: the instruction file of the project, and what that
// imports. The session has no call that shows it, so a rule would say that they were not read.

// ruleFolders are folders of rules, with the instruction file that their agent reads as well.
var ruleFolders = [...][2]string{{".claude/", "CLAUDE.md"}, {".cursor/", "AGENTS.md"}, {".github/", "AGENTS.md"}, {".clinerules", "AGENTS.md"}, {".windsurf/", "AGENTS.md"}}

// readByThen reports whether the agent that reads the statement's file has read another one at its start.
func (b *builder) readByThen(file string) bool {
	together := []string{b.s.File}
	for i := 0; i < len(together); i++ {
		for _, f := range b.p.Imports[together[i]] {
			if !slices.Contains(together, f) {
				together = append(together, f)
			}
		}
	}
	if slices.Contains(together, file) {
		return true
	}
	return slices.ContainsFunc(together, func(f string) bool { return ownFile(f) == file })
}

// ownFile is the name of the files that the agent of an instruction file reads by itself: "" for none.
func ownFile(rel string) string {
	if base := path.Base(rel); slices.Contains(statement.Everywhere, base) {
		return base
	}
	for _, of := range ruleFolders {
		if strings.HasPrefix(rel, of[0]) {
			return of[1]
		}
	}
	return ""
}

package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// runsOf are patterns of the other ways to run what a line names by one word: a script of the
// project's manager, and a file in its folder.
func runsOf(p *survey.Project, name string) (patterns []string) {
	if !p.Known() || strings.Contains(name, " ") {
		return nil
	}
	if slices.Contains(p.Files(), name) {
		patterns = append(patterns, "./"+name, "./"+name+" *")
	}
	if !slices.Contains(p.Scripts()["."], name) {
		return patterns
	}
	for manager := range strings.FieldsSeq(managers()["npm"]) {
		patterns = append(patterns, manager+" run "+name, manager+" run "+name+" *")
	}
	return patterns
}

package instructions

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// runsOf are patterns of the other ways to run what a line names by one word: a script of the
// project's manager, and a file in its folder; and the project's own file for a command of a bundle.
func runsOf(p *survey.Project, name string) (patterns []string) {
	for _, path := range p.PathsOf(name) {
		patterns = append(patterns, path, path+" *")
	}
	if stub := binstub(p, name); stub != "" {
		return append(patterns, stub, stub+" *")
	}
	if !p.Known() || strings.Contains(name, " ") {
		return patterns
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

// binstub is the file of the project that runs a command of its bundle, with the arguments: "" without one.
func binstub(p *survey.Project, cmd string) string {
	of, ok := strings.CutPrefix(cmd, "bundle exec ")
	if program, _, _ := strings.Cut(of, " "); !ok || p == nil || !p.Known() || !p.Has("bin/"+program) {
		return ""
	}
	return "bin/" + of
}

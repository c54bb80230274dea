package instructions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// runsOf are patterns of the other ways to run what a line names by one word: a script of the
// project's manager, and a file in its folder.
func (p *Project) runsOf(name string) (patterns []string) {
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

// npmScript is a command of npm by its name, npmOwn those that npm has itself. It runs other
// scripts by "run" only.
var npmScript = lazy.Regexp{Source: `^npm ([a-z][\w:-]*)(?:$| )`}

const npmOwn = " access add adduser audit bugs c cache ci clean-install completion config create ddp dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search hook i info init install install-ci-test install-test issues it link list ll ln login logout ls org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root run run-script s sbom se search set shrinkwrap star stars start stop t team test token tst un uninstall unlink unpublish unstar up update upgrade v version view whoami why x "

// wrapped makes commands of the project's own script and of the program of that name that a line
// names beside it: "use ./mill, not mill".
func (p *phrase) wrapped() {
	for i := range p.terms {
		t := &p.terms[i]
		own, ok := strings.CutPrefix(t.text, "./")
		of := slices.IndexFunc(p.terms, func(o term) bool { return o.code && o.text == own })
		if !ok || t.kind != file || of < 0 || !t.code {
			continue
		}
		for _, n := range []int{i, of} {
			p.words = strings.Replace(p.words, fmt.Sprintf("‹%c%d›", p.terms[n].kind, n), fmt.Sprintf("‹%c%d›", command, n), 1)
			p.terms[n].kind = command
		}
	}
}

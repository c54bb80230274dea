package instructions

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxPackages bounds the files package.json that are read for their scripts.
const maxPackages = 500

// scriptsBelow are the names of the scripts of each package.json of the tree: nil where it has
// more of them than are looked at.
func (t *Tree) scriptsBelow() map[string][]string {
	if t.list().cut {
		return nil
	}
	found := map[string][]string{}
	for _, dir := range append([]string{"."}, t.folders()...) {
		if len(found) == maxPackages {
			return nil
		}
		var manifest struct{ Scripts map[string]any }
		data, err := safefile.Read(filepath.Join(t.root, filepath.FromSlash(dir), "package.json"), maxManifest)
		if err == nil && json.Unmarshal(data, &manifest) == nil {
			found[dir] = slices.Collect(maps.Keys(manifest.Scripts))
		}
	}
	return found
}

// runsScript is a call of a script of a package.json, which has to be there. The same words of
// yarn and bun run the programs of dependencies, too.
var runsScript = lazy.Regexp{Source: `^p?npm run ([\w:.-]+)(?: |$)`}

// lacksScripts reports whether none of the commands can succeed: each runs a script that no
// package.json in the folder of the instruction file, or below it, has. A folder without a
// package.json belongs to the folder above it.
func (t *Tree) lacksScripts(commands []string, dir string) bool {
	return t.known() && !slices.ContainsFunc(commands, func(cmd string) bool {
		m := runsScript.Get().FindStringSubmatch(cmd)
		return m == nil || !t.lacksScript(m[1], path.Clean(dir))
	})
}

func (t *Tree) lacksScript(name, dir string) bool {
	for ; ; dir = path.Dir(dir) {
		found := false
		for at, names := range t.scripts() {
			if dir == "." || at == dir || strings.HasPrefix(at, dir+"/") {
				found = true
				if slices.Contains(names, name) {
					return false
				}
			}
		}
		if found || dir == "." {
			return found
		}
	}
}

// runsOf are patterns of the other ways to run what a line names by one word: a script of the
// project's manager, and a file in its folder.
func (p *Project) runsOf(name string) (patterns []string) {
	if !p.known() || strings.Contains(name, " ") {
		return nil
	}
	if slices.Contains(p.files(), name) {
		patterns = append(patterns, "./"+name, "./"+name+" *")
	}
	if !slices.Contains(p.scripts()["."], name) {
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

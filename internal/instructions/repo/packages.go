package repo

import (
	_ "embed"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
)

// notOwn is a folder that shows something, or that tests read: no part of the project works there.
var notOwn = lazy.Regexp{Source: `(?i)(?:^|/)(?:[\w-]*(?:examples?|fixtures?|tests?|specs?|templates?|samples?|demos?|playgrounds?|testdata|snapshots?|vendor)[\w-]*|__[a-z]+__)/`}

// LockedBy is the manager of JavaScript's packages whose lock file has a name; "" for other files.
func LockedBy(name string) (manager string) {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json":
		return "npm"
	case "pnpm-lock.yaml":
		return "pnpm"
	case "yarn.lock":
		return "yarn"
	case "bun.lock", "bun.lockb":
		return "bun"
	}
	return ""
}

// OnlyBy reports whether a part of the project has a manager's lock file, and none has that of another
// manager, which a line names.
func (t *Tree) OnlyBy(manager, named string) bool {
	return t.locks(manager) && !t.locks(named)
}

// locks reports whether a part of the project has a manager's lock file.
func (t *Tree) locks(manager string) bool {
	return manager != "" && t.Known() && slices.ContainsFunc(t.Files(), func(f string) bool {
		return LockedBy(path.Base(f)) == manager && !notOwn.Get().MatchString(f) && t.Has(path.Join(path.Dir(f), "package.json"))
	})
}

// DependsOn reports whether a manifest of the project names a package; true where that
// is not known.
func (t *Tree) DependsOn(name string) bool {
	if !t.Known() {
		return true
	}
	depends, _ := t.depends.Get(name, func(string) (bool, error) { return t.inManifests(name), nil })
	return depends
}

// inManifests reports whether a manifest of the project has a name in it.
func (t *Tree) inManifests(name string) bool {
	named := regexp.MustCompile(`(?:^|[^\w/.@-])` + regexp.QuoteMeta(name) + `(?:$|[^\w/.-])`)
	paths := scope.NewPaths(Manifests, false)
	return slices.ContainsFunc(t.Files(), func(f string) bool {
		_, is := paths.Match(f)
		return is && named.Match(t.manifest(path.Split(f)))
	})
}

// manifest is the text of a file of a folder of the project: none where the tree has no such file.
func (t *Tree) manifest(dir, name string) []byte {
	file := path.Join(dir, name)
	if !t.Known() || !t.Has(file) {
		return nil
	}
	data, err := safefile.Read(filepath.Join(t.Root, filepath.FromSlash(file)), MaxManifest)
	if err != nil {
		return nil
	}
	return data
}

// maxPackages bounds the files package.json that are read for their scripts.
const maxPackages = 500

// scriptsBelow are the names of the scripts of each package.json of the tree: nil where it has
// more of them than are looked at.
func (t *Tree) scriptsBelow() map[string][]string {
	if t.list().cut {
		return nil
	}
	found := map[string][]string{}
	for _, dir := range append([]string{"."}, t.Folders()...) {
		if len(found) == maxPackages {
			return nil
		}
		var manifest struct{ Scripts map[string]any }
		if json.Unmarshal(t.manifest(dir, "package.json"), &manifest) == nil {
			found[dir] = slices.Collect(maps.Keys(manifest.Scripts))
		}
	}
	return found
}

// Scripts are the names of the scripts of each package.json, by its folder: "." for the project's.
func (t *Tree) Scripts() map[string][]string { return t.scripts() }

// runsScript is a call of a script of a package.json, which has to be there. The same words of
// yarn and bun run the programs of dependencies, too.
var runsScript = lazy.Regexp{Source: `^p?npm run ([\w:.-]+)(?: |$)`}

// LacksScripts reports whether none of the commands can succeed: each runs a script that no
// package.json in the folder of the instruction file, or below it, has. A folder without a
// package.json belongs to the folder above it.
func (t *Tree) LacksScripts(commands []string, dir string) bool {
	return t.Known() && !slices.ContainsFunc(commands, func(cmd string) bool {
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

// MaxManifest bounds a manifest that is read, in bytes.
const MaxManifest = 1 << 20

// TasksFor are the commands that may do a job in a project with a file of tasks.
func (t *Tree) TasksFor(job string) (list []string) {
	names := map[string][]string{"test": {"test", "check", "ci"}, "lint": {"lint", "check", "ci"}, "format": {"format", "fmt"}, "build": {"build"}, "typecheck": {"typecheck", "check", "ci"}, "checks": {"check", "ci"}}
	for file, program := range map[string]string{"Makefile": "make", "justfile": "just", "Justfile": "just", "Taskfile.yml": "task"} {
		if !t.Known() || !t.Has(file) {
			continue
		}
		for _, task := range names[job] {
			list = append(list, program+" "+task+"*")
		}
	}
	for file, runs := range testRuns {
		if job == "test" && t.Known() && t.Has(file) {
			list = append(list, runs...)
		}
	}
	slices.Sort(list)
	return list
}

// testRuns are patterns of the commands that run the tests besides, by the files of a project.
var testRuns = map[string][]string{
	"pom.xml":       {"mvn *test*", "mvn *verify*", "mvn *package*", "mvn *install*", "./mvnw *test*", "./mvnw *verify*", "./mvnw *package*", "./mvnw *install*"},
	"gradlew":       {"./gradlew *test*", "./gradlew *check*", "./gradlew *build*"},
	"composer.json": {"composer *test*", "composer *check*", "vendor/bin/pest*", "./vendor/bin/pest*", "vendor/bin/phpunit*", "./vendor/bin/phpunit*", "php artisan test*"},
	"Gemfile":       {"*rspec", "*rspec *", "bundle exec rake*", "rake*", "bin/rails test*", "rails test*"},
}

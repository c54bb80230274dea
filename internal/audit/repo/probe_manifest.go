package repo

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// manifestKinds are the files that declare dependencies, as rubrics name them.
func manifestKinds() []string {
	return []string{"go.mod", "package.json", "pyproject.toml", "requirements.txt", "Pipfile", "Cargo.toml", "composer.json", "Gemfile"}
}

// locks are the files that fix the versions which a manifest leaves open.
func locks(kind string) []string {
	switch kind {
	case "go.mod":
		return []string{"go.sum"}
	case "package.json":
		return []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock"}
	case "pyproject.toml":
		return []string{"poetry.lock", "uv.lock", "pdm.lock", "pylock.toml"}
	case "Pipfile":
		return []string{"Pipfile.lock"}
	case "Cargo.toml":
		return []string{"Cargo.lock"}
	case "composer.json":
		return []string{"composer.lock"}
	case "Gemfile":
		return []string{"Gemfile.lock"}
	}
	return nil
}

// isLockFile reports whether a file of that name fixes the versions of
// dependencies.
func isLockFile(base string) bool {
	for _, kind := range manifestKinds() {
		if slices.Contains(locks(kind), base) {
			return true
		}
	}
	switch base {
	case "go.work.sum", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "packages.lock.json", "gradle.lockfile", "flake.lock":
		return true
	}
	return false
}

// dependency is one that a manifest declares.
type dependency struct {
	name   string
	exact  bool // the declaration leaves no choice of versions
	inTree bool // a folder of the repository: it has no version
}

// declared is what one manifest says.
type declared struct {
	kind         string
	dependencies []dependency
}

// manifestTask counts declared dependencies, and how far their versions are fixed.
// What is vendored is not asked: those dependencies are somebody else's.
func (in *investigation) manifestTask(p *rubric.Probe) (*task, error) {
	kinds := p.Kinds
	if len(kinds) == 0 {
		kinds = manifestKinds()
	}
	for _, kind := range kinds {
		if !slices.Contains(manifestKinds(), kind) {
			return nil, fmt.Errorf("unknown kind of manifest %q; write one of %s", kind, strings.Join(manifestKinds(), ", "))
		}
	}
	chosen, err := in.choose(p.Files, "manifest "+strings.Join(kinds, " "), func(f *File) bool {
		return f.Regular() && kindOf(f.Path, kinds) != "" && !notOwn(f.Path)
	})
	if err != nil {
		return nil, err
	}
	look := func(_ context.Context, s *source) found {
		kind := kindOf(s.file.Path, kinds)
		dependencies, err := readManifest(kind, s.content)
		if err != nil {
			return found{gap: &gap{s.file.Path, audit.Error, "it is not understood: " + text.Name(text.CutBytes(err.Error(), 150))}}
		}
		return found{count: 1, kept: declared{kind, dependencies}}
	}
	return &task{chosen: chosen, look: look, conclude: func(_ context.Context, all []found) result { return in.manifests(kinds, all) }}, nil
}

// kindOf is which of the kinds a file is: requirements.txt includes requirements-dev.txt
// and requirements/dev.txt.
func kindOf(file string, kinds []string) string {
	base := path.Base(file)
	if strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") || path.Base(path.Dir(file)) == "requirements" && strings.HasSuffix(base, ".txt") {
		base = "requirements.txt"
	}
	if slices.Contains(kinds, base) {
		return base
	}
	return ""
}

// manifests makes the figures of all manifests.
func (in *investigation) manifests(kinds []string, all []found) result {
	t := sum(all)
	r := t.result
	r.values = map[string]any{"count": t.count}
	if len(all) == 0 {
		r.none, r.zero = "there is none of "+strings.Join(kinds, ", "), true
		return r
	}
	if unseen, nothing := unseen(all, t.gaps); nothing {
		return unseen
	}
	total, pinned, lacking := 0, 0, 0
	for _, f := range all {
		m, ok := f.kept.(declared)
		if !ok {
			continue
		}
		lock := in.lockOf(m.kind, f.file.Path)
		at := place{path: f.file.Path}
		own, fixed := 0, 0
		for _, d := range m.dependencies {
			if d.inTree {
				continue
			}
			own++
			if d.exact || lock != "" {
				fixed++
			}
		}
		at.summary = fmt.Sprintf("%s, %d of them fixed", text.Plural(own, "dependency", "dependencies"), fixed)
		at.outcome = audit.True
		switch {
		case lock != "":
			at.summary += ", locked by " + text.Name(lock)
		case own > 0 && fixed < own:
			at.summary, at.outcome = at.summary+", no lock file", audit.False
			lacking++
		case own > 0 && m.kind != "requirements.txt":
			at.summary, at.outcome = at.summary+", no lock file", audit.False
			lacking++
		}
		r.places = append(r.places, at)
		total, pinned = total+own, pinned+fixed
	}
	r.more = len(r.places) > MaxPlaces
	r.lower = []string{"count", "dependencies"}
	r.values["dependencies"] = total
	r.values["lockfile"] = lacking == 0
	r.values["pinned_share"] = 1.0
	if total > 0 {
		r.values["pinned_share"] = float64(pinned) / float64(total)
	}
	r.summary = fmt.Sprintf("%s with %s, %d of them fixed; %s a lock file", text.Plural(t.count, "manifest", "manifests"),
		text.Plural(total, "dependency", "dependencies"), pinned, map[bool]string{true: "none lacks", false: text.Plural(lacking, "lacks", "lack")}[lacking == 0])
	return r
}

// lockOf finds the lock file of a manifest: in its folder, or above it as workspaces have
// it. A requirements.txt is its own, where it fixes everything.
func (in *investigation) lockOf(kind, manifest string) string {
	for dir := path.Dir(manifest); ; dir = path.Dir(dir) {
		for _, name := range locks(kind) {
			file := path.Join(dir, name)
			if _, ok := in.repo.find(file); ok {
				return file
			}
		}
		if dir == "." || dir == "/" || kind == "go.mod" {
			return ""
		}
	}
}

package setup

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
)

// LookPath finds a program on the PATH, and then in further folders; "" if there is none.
func LookPath(at agent.Place, name string, further ...string) string {
	for path := range Programs(at, name, further...) {
		return path
	}
	return ""
}

// Programs yields every program of a name on the PATH, and then in further folders, in the
// order in which they are found. Relative folders are passed over: they mean another place
// for an agent.
func Programs(at agent.Place, name string, further ...string) iter.Seq[string] {
	names := []string{name}
	if at.System() == "windows" && filepath.Ext(name) == "" {
		names = []string{name + ".exe", name + ".cmd", name + ".bat"}
	}
	return func(yield func(string) bool) {
		for _, dir := range append(filepath.SplitList(variable(at, "PATH")), further...) {
			for _, n := range names {
				if path := filepath.Join(dir, n); filepath.IsAbs(dir) && Executable(path) && !yield(path) {
					return
				}
			}
		}
	}
}

func variable(at agent.Place, name string) string {
	if at.Getenv == nil {
		return ""
	}
	return at.Getenv(name)
}

// Executable reports whether a file is a program.
func Executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}

// OnMachine is what shows that an agent is on this machine: its program, or a file or
// folder that it has made itself; "" if there is nothing.
func OnMachine(a *agent.Agent, at agent.Place) string {
	for _, name := range a.Traces.Programs {
		if path := LookPath(at, name); path != "" {
			return path
		}
	}
	return trace(a, at, install.User, at.Home, a.Traces.Paths)
}

// inRepository is what shows that somebody works on the repository with an agent.
func inRepository(a *agent.Agent, at agent.Place) string {
	return trace(a, at, install.Repository, at.Root, a.Traces.Repository)
}

// trace is the last file that a pattern finds below base and that is not Sentinel's own, or
// the folder that holds such a file.
func trace(a *agent.Agent, at agent.Place, s install.Scope, base string, patterns []string) string {
	ours := map[string]bool{}
	if targets, err := a.Targets(at, s); err == nil {
		for _, t := range targets {
			c, err := install.PlanRemoval(t)
			ours[t.File] = err == nil && c.Before != nil && c.After == nil
		}
	}
	for _, pattern := range patterns {
		pattern = filepath.FromSlash(pattern)
		if !filepath.IsAbs(pattern) && !os.IsPathSeparator(pattern[0]) {
			if base == "" {
				continue
			}
			pattern = filepath.Join(base, pattern)
		}
		found, _ := filepath.Glob(pattern)
		for _, path := range slices.Backward(found) {
			if holdsOthers(path, ours) {
				return path
			}
		}
	}
	return ""
}

// holdsOthers reports whether a path is a file, or a folder with a file in it, that is not
// among ours.
func holdsOthers(path string, ours map[string]bool) (yes bool) {
	most := 1000 // names that are looked at
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		most--
		if err == nil && !d.IsDir() && !ours[path] || most == 0 {
			yes = true
			return fs.SkipAll
		}
		return nil
	})
	return yes
}

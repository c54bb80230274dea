// Package place names files and folders as the user knows them.
package place

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// Root is the folder that a project's own folder is made in: the nearest one at or
// above dir that has rules or is a repository, else dir itself.
func Root(dir string) string {
	for d := dir; ; {
		if _, err := os.Stat(filepath.Join(d, ".claude", "sentinel")); err == nil {
			return d
		}
		if git, err := gitindex.At(d); err != nil || git != "" {
			return d
		}
		parent := filepath.Dir(d)
		if parent == d {
			return dir
		}
		d = parent
	}
}

// Of is a path relative to the project of a folder, or as it is outside of it.
func Of(f *project.Folder, path string) string {
	path = strings.TrimSuffix(path, ":0") // a rule without a file has no line
	if rel, err := filepath.Rel(f.Root, path); err == nil && f.Root != "" && f.Tree == "" && !f.Outer() && safefile.Within(path, f.Root) {
		return filepath.ToSlash(rel)
	}
	return path
}

// From is a path as a user in the folder dir writes it.
func From(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// Shown is a path as a person knows it: from the repository root, or else from the home
// folder; from the one that is nearer if it lies in both.
func Shown(root, home, path string) string {
	shown := filepath.ToSlash(path)
	for _, from := range []struct{ prefix, dir string }{{"", root}, {"~/", home}} {
		rel, err := filepath.Rel(from.dir, path)
		if from.dir != "" && err == nil && filepath.IsLocal(rel) && rel != "." && len(from.prefix+rel) < len(shown) {
			shown = from.prefix + filepath.ToSlash(rel)
		}
	}
	return shown
}

// Problem is a problem and its place in one line.
func Problem(p rule.Problem) string {
	if p.Warning {
		p.Message = "warning: " + p.Message
	}
	return text.OneLine(p.Error())
}

package document

import (
	"path"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// tree answers questions about the paths of a commit.
type tree struct {
	files []string
	known map[string]bool   // files, and true for folders
	lower map[string]string // by the path in lower case
	names map[string]string // by base name, the first in the tree's order
	globs map[string]bool   // patterns that were asked for
}

func newTree(files []string) *tree {
	t := &tree{files: files, known: map[string]bool{}, lower: map[string]string{}, names: map[string]string{}, globs: map[string]bool{}}
	for _, f := range files {
		t.add(f, false)
		if base := path.Base(f); t.names[base] == "" {
			t.names[base] = f
		}
		for dir := path.Dir(f); dir != "." && dir != "/" && !t.known[dir]; dir = path.Dir(dir) {
			t.add(dir, true)
		}
	}
	return t
}

func (t *tree) add(p string, dir bool) {
	t.known[p] = dir
	if low := strings.ToLower(p); t.lower[low] == "" {
		t.lower[low] = p
	}
}

// top reports whether a name is at the root.
func (t *tree) top(name string) bool {
	_, ok := t.known[name]
	return ok
}

// has reports whether the path is that of a file or a folder, a pattern that
// matches one, or a name without folders that a file has. Case counts.
func (t *tree) has(m *mention) bool {
	if t.hasPath(m.path, m.dir) {
		return true
	}
	if m.broken != "" && t.hasPath(m.broken, m.dir) {
		return true
	}
	return t.glob(m.path)
}

func (t *tree) hasPath(p string, dir bool) bool {
	if isDir, ok := t.known[p]; ok {
		return isDir || !dir
	}
	return !dir && !strings.Contains(p, "/") && strings.Contains(p, ".") && t.names[p] != ""
}

// maxGlobs bounds the patterns that are tried on the tree: each is tried on all
// files.
const maxGlobs = 200

func (t *tree) glob(p string) bool {
	if !strings.ContainsAny(p, "*?[{") || braces(p) {
		return false
	}
	found, asked := t.globs[p]
	if asked {
		return found
	}
	if len(t.globs) == maxGlobs {
		return false
	}
	pattern, err := rubric.CompilePatterns([]string{p})
	if err == nil {
		for known := range t.known {
			if _, found = pattern.Match(known); found {
				break
			}
		}
	}
	t.globs[p] = found
	return found
}

// like returns a path of the tree that resembles a missing path; "" if none does.
func (t *tree) like(p string) string {
	if other := t.lower[strings.ToLower(p)]; other != "" && other != p {
		return other + ", written in another case"
	}
	for _, f := range t.files {
		if strings.HasSuffix(f, "/"+p) {
			return f
		}
	}
	if other := t.names[path.Base(p)]; other != "" {
		return other
	}
	return ""
}

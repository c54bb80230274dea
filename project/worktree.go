package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A working tree that `git worktree add` made has what its branch has. Rules that the
// branch has not, or that were never committed, lie in the main checkout alone. They
// hold in the working tree as well, and judge its paths as the project's.

// maxGitFile bounds what is read of a file that points to git's folders, in bytes.
const maxGitFile = 2 * safefile.PathMax

// A worktree is a working tree of a repository besides its main checkout.
type worktree struct {
	root string // where it is, as it was asked for; "" for none
	main string // the main checkout, without links
}

// worktrees are the working trees that folders lie in, as far as they were looked at.
// nil is not usable.
type worktrees map[string]worktree

// of is the working tree that a folder lies in. A repository inside of one, such as a
// submodule, is not a part of it.
func (t worktrees) of(dir string) worktree {
	if known, ok := t[dir]; ok {
		return known
	}
	var found worktree
	file := filepath.Join(dir, ".git")
	switch info, err := os.Lstat(file); {
	case err == nil && info.Mode().IsRegular():
		if main, ok := mainCheckout(file); ok {
			found = worktree{dir, main}
		}
	case err == nil: // the repository itself
	default:
		if parent := filepath.Dir(dir); parent != dir {
			found = t.of(parent)
		}
	}
	t[dir] = found
	return found
}

// mainCheckout is the main checkout of the working tree that has this .git file. The
// file alone proves nothing: the repository must point back to it, as git demands.
func mainCheckout(file string) (main string, ok bool) {
	gitDir, ok := gitPath(file, "gitdir: ")
	if !ok {
		return "", false
	}
	gitDir = safefile.Resolve(gitDir)
	common, ok := gitPath(filepath.Join(gitDir, "commondir"), "")
	if !ok {
		return "", false
	}
	common = safefile.Resolve(common)
	if filepath.Dir(gitDir) != filepath.Join(common, "worktrees") || filepath.Base(common) != ".git" {
		return "", false // a submodule, or a repository without a main checkout
	}
	back, ok := gitPath(filepath.Join(gitDir, "gitdir"), "")
	if !ok || safefile.Resolve(back) != safefile.Resolve(file) {
		return "", false
	}
	return filepath.Dir(common), true
}

// gitPath is the path in a file of git's: one line with the prefix, and relative to the
// file's own folder if it is not absolute.
func gitPath(file, prefix string) (path string, ok bool) {
	data, err := safefile.ReadNoFollow(file, maxGitFile)
	if err != nil {
		return "", false
	}
	path, ok = strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if path = filepath.FromSlash(path); !ok || path == "" || strings.ContainsAny(path, "\x00\r\n") {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), !safefile.TooLong(path)
}

// agentTrees is where an agent makes working trees inside of the main checkout. Its
// content is the project once more, and not part of the folder around it.
const agentTrees = ".claude/worktrees"

// isAgents reports whether an agent made the working tree inside of the main checkout.
func (t worktree) isAgents() bool {
	return safefile.Within(safefile.Resolve(t.root), filepath.Join(t.main, filepath.FromSlash(agentTrees)))
}

// Borrowed says whose rules hold in a working tree that has none; "" where every folder
// is a project's own.
func (n *Notices) Borrowed() string {
	p := n.project
	for _, f := range p.Folders {
		if f.Tree != "" {
			return text.Line(fmt.Sprintf("the working tree %s has no rules of its own: those of the main checkout %s hold here", f.Tree, f.Root))
		}
	}
	return ""
}

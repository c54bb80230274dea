package rule

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/gitignore"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// maxIgnore bounds what is read of a .gitignore, in bytes.
const maxIgnore = 64 << 10

// ignored reports whether git may ignore a file of the project: who checks the project out does not have
// it, and something makes it.
func (t *projectTree) ignored(name string) bool {
	if isRooted(name) || name == ".." || strings.HasPrefix(name, "../") {
		return false
	}
	for at := name; at != "."; at = path.Dir(at) {
		if t.ignores(at, at != name) {
			return true
		}
	}
	return false
}

// ignores is what the patterns say of a path itself: those of the lowest folder that are about it count. A
// file of patterns that is not understood may ignore all.
func (t *projectTree) ignores(name string, folder bool) bool {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		files := []string{path.Join(dir, ".gitignore")}
		if dir == "." {
			files = append(files, ".git/info/exclude")
		}
		for _, file := range files {
			content, err := safefile.Read(filepath.Join(t.root, filepath.FromSlash(file)), maxIgnore)
			if safefile.Missing(err) {
				continue
			}
			patterns, bad := gitignore.Parse(string(content), false)
			if err != nil || bad != nil {
				return true
			}
			if is, line := patterns.Match(strings.TrimPrefix(strings.TrimPrefix(name, dir), "/"), folder); line > 0 {
				return is
			}
		}
		if dir == "." {
			return false
		}
	}
}

package rule

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/shell"
)

// isRooted reports whether name is absolute, of a home folder or on a Windows drive.
func isRooted(name string) bool {
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 1 && name[1] == ':'
}

// rooted returns name as an absolute path where that can be known. What begins with a slash
// lies on the drive of root, where that has one.
func rooted(root, name string) string {
	root = slashed(root)
	if name = slashed(name); isRooted(name) {
		if name[0] == '/' && !strings.HasPrefix(name, "//") && len(root) > 1 && root[1] == ':' {
			name = root[:2] + name
		}
		return path.Clean(name)
	}
	if !isRooted(root) {
		root = "/" + root
	}
	return path.Join(root, name)
}

// within reports whether name is dir or lies below it. Both are cleaned.
func within(name, dir string, fold bool) bool {
	if fold {
		name, dir = strings.ToLower(name), strings.ToLower(dir)
	}
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// fromRoot returns a path of an effect in the form that patterns are tried on:
// from the project root, or absolute outside of it. Where a cd led to is not
// always known; then the path stays as it was written.
func fromRoot(a *sentinel.Action, f *shell.Effect, name string) string {
	name = slashed(name)
	if f.DirUnknown || isRooted(name) {
		return relativeTo(slashed(a.Root), path.Clean(name))
	}
	return relativeTo(slashed(a.Root), path.Join(absolute(a, f.Dir), name))
}

// absolute is a folder that a command line works in.
func absolute(a *sentinel.Action, dir string) string {
	if dir = slashed(dir); isRooted(dir) {
		return dir
	}
	return path.Join(slashed(a.Dir), dir)
}

// folderOf is the folder that a command works in, seen from the project's root; "" if the
// text does not tell.
func folderOf(a *sentinel.Action, c *shell.Command) string {
	dir, known := c.Folder()
	if dir = atHome(absolute(a, dir)); !known || strings.HasPrefix(dir, "~") {
		return ""
	}
	return relativeTo(slashed(a.Root), dir)
}

// relativeTo returns name from root when it lies below it. A path in the home folder stays as
// it is written in a project that is the home folder, or holds it: rules know ~ there.
func relativeTo(root, name string) string {
	if root == "" || root == "." {
		return name
	}
	at := name
	if strings.HasPrefix(at, "~") && within(root, home(), false) && root != home() {
		at = atHome(at)
	}
	if at == root {
		return "."
	}
	if rest, ok := strings.CutPrefix(at, strings.TrimSuffix(root, "/")+"/"); ok {
		return rest
	}
	return name
}

// home is the user's home folder, "" where it is not known. It is looked up when a path needs
// it, which few do.
func home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if dir := os.Getenv(name); filepath.IsAbs(dir) {
			return path.Clean(slashed(dir))
		}
	}
	return ""
}

// atHome writes ~ out as a shell does. The folder of another user, as in ~other, stays.
func atHome(name string) string {
	if name == "~" || strings.HasPrefix(name, "~/") {
		if dir := home(); dir != "" {
			return path.Clean(dir + name[1:])
		}
	}
	return name
}

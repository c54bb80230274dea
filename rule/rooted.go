package rule

import (
	"path"
	"strings"
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

package trigger

import (
	"path"
	"strings"
)

// A pathStyle says how paths are written. Inside this package a path always has
// slashes; only the file system sees the system's own separators.
type pathStyle struct{ windows bool }

// slashes writes a path with slashes. On Windows "\" separates too, and Git
// Bash's /c/x is C:/x.
func (s pathStyle) slashes(p string) string {
	if !s.windows {
		return p
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if len(p) >= 2 && p[0] == '/' && isDriveLetter(p[1]) && (len(p) == 2 || p[2] == '/') {
		p = strings.ToUpper(p[1:2]) + ":/" + strings.TrimPrefix(p[2:], "/")
	}
	return p
}

// volume is the part of a path that ".." cannot leave: "C:" or "//host/share".
func (s pathStyle) volume(p string) string {
	switch {
	case !s.windows:
		return ""
	case len(p) >= 2 && isDriveLetter(p[0]) && p[1] == ':':
		return p[:2]
	case strings.HasPrefix(p, "//"):
		if host := strings.IndexByte(p[2:], '/'); host > 0 {
			if share := strings.IndexByte(p[2+host+1:], '/'); share >= 0 {
				return p[:2+host+1+share]
			}
			return p
		}
	}
	return ""
}

func (s pathStyle) isAbs(p string) bool {
	return strings.HasPrefix(p[len(s.volume(p)):], "/")
}

// clean removes "." and ".." as text, without looking at links.
func (s pathStyle) clean(p string) string {
	vol := s.volume(p)
	rest := p[len(vol):]
	if rest == "" && strings.HasPrefix(vol, "//") {
		rest = "/" // a share is a root
	}
	return vol + path.Clean(rest)
}

// join puts p below dir unless p is absolute. The result is not cleaned.
func (s pathStyle) join(dir, p string) string {
	if s.isAbs(p) || dir == "" {
		return p
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

func isDriveLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// below returns p as seen from root, and whether it is root or lies inside.
// Both are absolute and clean.
func below(root, p string, fold bool) (string, bool) {
	if root == "" {
		return "", false
	}
	if len(p) == len(root) && equalPath(p, root, fold) {
		return ".", true
	}
	prefix := strings.TrimSuffix(root, "/") + "/"
	if len(p) > len(prefix) && equalPath(p[:len(prefix)], prefix, fold) {
		return p[len(prefix):], true
	}
	return "", false
}

func equalPath(a, b string, fold bool) bool {
	if fold {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// baseName is the last element of a path as written.
func baseName(p string) string { return path.Base(strings.TrimRight(p, "/")) }

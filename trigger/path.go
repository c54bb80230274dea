package trigger

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// A pathStyle says how paths are written. Inside this package a path always has
// slashes; only the file system sees the system's own separators.
type pathStyle struct{ windows bool }

// slashes writes a path with slashes. On Windows "\" separates too, and what else the
// system reads over is taken off, see plain.
func (s pathStyle) slashes(p string) string {
	if !s.windows {
		return p
	}
	return s.plain(strings.ReplaceAll(p, `\`, "/"))
}

// plain is the usual name of a file of Windows: without the prefix of the longest paths,
// without streams, and without dots and blanks at the end of names. /c/x of Git Bash and
// \\host\C$\x, for the machine's own disk, are C:/x.
func (s pathStyle) plain(p string) string {
	if strings.HasPrefix(p, "//?/") || strings.HasPrefix(p, "//./") || strings.HasPrefix(p, "/??/") {
		switch rest := p[4:]; {
		case len(rest) >= 4 && strings.EqualFold(rest[:4], "UNC/"):
			p = "//" + rest[4:]
		case s.volume(rest) != "":
			p = rest
		}
	}
	switch vol := s.volume(p); {
	case len(p) >= 2 && p[0] == '/' && isDriveLetter(p[1]) && (len(p) == 2 || p[2] == '/'):
		p = strings.ToUpper(p[1:2]) + ":/" + strings.TrimPrefix(p[2:], "/")
	case strings.HasPrefix(vol, "//") && vol[len(vol)-1] == '$' && vol[len(vol)-3] == '/' && isDriveLetter(vol[len(vol)-2]):
		p = strings.ToUpper(vol[len(vol)-2:len(vol)-1]) + ":/" + strings.TrimPrefix(p[len(vol):], "/")
	}
	vol := s.volume(p)
	names := strings.Split(p[len(vol):], "/")
	for i, name := range names {
		if colon := strings.IndexByte(name, ':'); colon > 0 && (i > 0 || len(names) == 1 || names[1] != "") { // https://
			name = name[:colon]
		}
		if short := strings.TrimRight(name, ". "); short != "" {
			name = short
		}
		names[i] = name
	}
	return vol + strings.Join(names, "/")
}

// served reports whether a path of Windows may be another name of a file that has a usual
// one: a device, or a folder that this machine shares under a name.
func (s pathStyle) served(p string) bool {
	host, _, _ := strings.Cut(strings.TrimPrefix(s.volume(p), "//"), "/")
	host = strings.ToLower(host)
	return host == "?" || host == "." || host == "localhost" || strings.HasPrefix(host, "127.") || strings.Contains(host, "--1.ipv6-literal.net") ||
		strings.HasPrefix(p, "/??/")
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
	if vol := s.volume(p); vol != "" { // C:x is below the folder that is current on C:
		if p = p[len(vol):]; !strings.EqualFold(vol, s.volume(dir)) {
			dir = vol
		}
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

// Abs is the path of this system that p means to a tool or a shell in the folder dir, clean
// and absolute if dir is. On Windows p may be any name of a file, and /c/x as in Git Bash.
// Links are not looked at.
func Abs(dir, p string) string {
	s := pathStyle{windows: runtime.GOOS == "windows"}
	dir, p = s.slashes(dir), s.slashes(p)
	if s.isAbs(p) && s.volume(p) == "" {
		p = s.volume(dir) + p
	}
	return filepath.FromSlash(s.clean(s.join(dir, p)))
}

func isDriveLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// below returns p as seen from root, and whether it is root or lies inside.
// Both are absolute and clean.
func below(root, p string, fold bool) (string, bool) {
	if root == "" {
		return "", false
	}
	if equalPath(p, root, fold) {
		return ".", true
	}
	prefix := strings.TrimSuffix(root, "/") + "/"
	end := len(prefix)
	if fold { // a letter may have another length than the one that it is equal to
		end = 0
		for range strings.Count(prefix, "/") {
			end += strings.IndexByte(p[end:], '/') + 1
		}
	}
	if end <= len(p) && equalPath(p[:end], prefix, fold) && len(p) > end {
		return p[end:], true
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

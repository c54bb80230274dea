package repo

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/text"
)

// An address is where a repository is cloned from: one of url and folder is set.
type address struct {
	url    *url.URL // https, without credentials, query, fragment and trailing slash
	folder string   // absolute
	name   string   // what the repository is called
}

// String is what git is given, and what the remote is compared with.
func (a address) String() string {
	if a.url != nil {
		return a.url.String()
	}
	return a.folder
}

// withSuffix is the address with .git at its end, where it has none: some servers
// have repositories there only, and send everybody else on.
func (a address) withSuffix() (address, bool) {
	if a.url == nil || strings.HasSuffix(a.url.Path, ".git") {
		return a, false
	}
	u := *a.url
	u.Path += ".git"
	u.RawPath = ""
	return address{url: &u, name: a.name}, true
}

// refused is an address that is not taken, and what to write instead.
type refused struct{ why, hint string }

func (r *refused) Error() string { return r.why }

const (
	hintHTTPS   = "give https://HOST/PATH, or a local folder"
	maxAddress  = 2048 // bytes
	schemeHTTPS = "https"
)

// parseAddress reads what a person names a repository by. An existing folder is
// taken for one before anything else, unless it could be read as an option or a
// transport. The error is a *refused.
func parseAddress(target string) (address, error) {
	switch {
	case target == "":
		return address{}, &refused{"no repository is named", hintHTTPS}
	case len(target) > maxAddress:
		return address{}, &refused{"the address is too long", hintHTTPS}
	case strings.HasPrefix(target, "-"):
		return address{}, &refused{"it begins with -, as an option does", "write ./" + text.Name(target) + " if it is a folder"}
	case strings.ContainsFunc(target, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return address{}, &refused{"it has control characters", hintHTTPS}
	}
	if scheme, _, ok := strings.Cut(target, "::"); ok && !strings.ContainsAny(scheme, `/\`) {
		return address{}, &refused{"git would run the program of the transport " + text.Name(scheme), hintHTTPS}
	}
	if strings.Contains(target, "://") {
		return parseURL(target)
	}
	if info, err := os.Stat(target); err == nil {
		if !info.IsDir() {
			return address{}, &refused{"it is a file", "give the folder of a repository"}
		}
		return parseFolder(target)
	}
	if i := strings.IndexAny(target, `:/\`); i >= 0 && target[i] == ':' && filepath.VolumeName(target) == "" {
		return address{}, &refused{"ssh is not supported", sshHint(target)}
	}
	return address{}, &refused{"there is no such folder", hintHTTPS}
}

// sshHint writes user@host:path as an https address.
func sshHint(target string) string {
	host, rest, _ := strings.Cut(redact(target), ":")
	return "give https://" + host + "/" + strings.TrimPrefix(rest, "/")
}

func parseURL(target string) (address, error) {
	u, err := url.Parse(target)
	if err != nil {
		return address{}, &refused{"it is not a URL", hintHTTPS}
	}
	fault := func(why string) (address, error) { return address{}, &refused{why, hintHTTPS} }
	switch {
	case !strings.EqualFold(u.Scheme, schemeHTTPS):
		return fault(fmt.Sprintf("the scheme %q is not supported", text.Name(u.Scheme)))
	case u.User != nil:
		return address{}, &refused{"it has a user name or password in it", "leave them out: no credentials are sent"}
	case !hostName(u.Hostname()):
		return fault("it names no host, or one that is not written in ASCII")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fault("it has a query or a fragment")
	}
	p := strings.TrimRight(u.Path, "/")
	for element := range strings.SplitSeq(strings.TrimPrefix(p, "/"), "/") {
		if element == "" || element == "." || element == ".." || strings.ContainsFunc(element, unicode.IsControl) {
			return fault("it has no path to a repository")
		}
	}
	clean := &url.URL{Scheme: schemeHTTPS, Host: strings.ToLower(u.Hostname()), Path: p}
	clean.Host = strings.TrimSuffix(clean.Host, ".")
	if strings.Contains(clean.Host, ":") {
		clean.Host = "[" + clean.Host + "]"
	}
	if port := u.Port(); port != "" && port != "443" {
		clean.Host += ":" + port
	}
	return address{url: clean, name: strings.TrimSuffix(path.Base(p), ".git")}, nil
}

// hostName reports whether s can be a host: letters, digits, dots and dashes, or an
// IP address. Numbers that are not such an address are refused, because some resolvers
// read 127.1 and 0x7f000001 as one.
func hostName(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return !strings.Contains(s, "%")
	}
	last := strings.TrimSuffix(s, ".")
	last = strings.ToLower(last[strings.LastIndexByte(last, '.')+1:])
	if last == "" || '0' <= last[0] && last[0] <= '9' || s[0] == '-' || s[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// parseFolder makes a local folder absolute. It has to be the root of a
// repository: git would only say that it is not an address.
func parseFolder(target string) (address, error) {
	folder, err := filepath.Abs(target)
	if err != nil {
		return address{}, &refused{err.Error(), ""}
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if isRepository(folder) {
		return address{folder: folder, name: filepath.Base(folder)}, nil
	}
	for dir := filepath.Dir(folder); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if isRepository(dir) {
			return address{}, &refused{"it is a folder within a repository", "give the repository's root, " + text.Name(dir)}
		}
	}
	return address{}, &refused{"it is no git repository", "run git init and commit, or give another folder"}
}

// isRepository reports whether git could read a repository from the folder: a
// working tree, or a bare one.
func isRepository(folder string) bool {
	if hasGit(folder) {
		return true
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// hasGit reports whether the folder is a working tree.
func hasGit(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}

// sameAddress reports whether a remote's URL names what was asked for: with or
// without .git and a slash at the end.
func sameAddress(remote string, a address) bool {
	if a.folder != "" {
		return remote == a.folder
	}
	got, err := parseURL(remote)
	return err == nil && trimSuffix(got.url) == trimSuffix(a.url)
}

func trimSuffix(u *url.URL) string { return strings.TrimSuffix(u.String(), ".git") }

// Shown is how an address or folder may be shown: without credentials, and in
// characters that are safe to print.
func Shown(target string) string { return redact(target) }

// redact is the target as an error may show it: without user name and password,
// and printable. Where there is a user, everything up to the last @ is left out: a
// password that is not escaped may hold any of / : @.
func redact(target string) string {
	const mark = "://"
	scheme, rest := "", target
	if at := strings.Index(target, mark); at >= 0 {
		scheme, rest = target[:at+len(mark)], target[at+len(mark):]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 && hasUser(rest, scheme != "") {
		rest = rest[i+1:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 && scheme != "" {
		rest = rest[:i]
	}
	return text.Name(scheme + rest)
}

// hasUser reports whether the text before an @ can be a user: of a URL, or of
// user@host:path. The @ of a path does not count.
func hasUser(s string, isURL bool) bool {
	host, _, _ := strings.Cut(s, "/")
	user, rest, at := strings.Cut(host, "@")
	_, port, password := strings.Cut(user, ":")
	if password && strings.Trim(port, "0123456789") == "" && !at {
		password = false // HOST:PORT/@scope
	}
	return password || at && (isURL || strings.Contains(rest, ":"))
}

// hintOf is what to write instead of what parseAddress refused.
func hintOf(err error) string {
	var r *refused
	if errors.As(err, &r) {
		return r.hint
	}
	return ""
}

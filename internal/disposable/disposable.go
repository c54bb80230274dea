// Package disposable looks for evidence that a file or a folder may be deleted: that
// no work is lost with it. It starts no process, and what it reads is bounded.
//
// A path, a repository and a temporary folder are hostile. What is not understood, and
// what is too large to be looked through, does not count as evidence.
package disposable

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Bounds of what one Evidence looks at.
const (
	maxEntries = 4000     // files and folders
	maxPlain   = 20_000   // of those in folders that git ignores, of which only names are read
	maxContent = 32 << 20 // bytes of files that are compared with git's
	maxDeep    = 64       // folders within one another
	maxPaths   = 500      // that are asked about
)

// Evidence answers whether paths may be deleted. It remembers what it has read, and all
// its answers together are bounded. It is for one goroutine, and has to be closed.
type Evidence struct {
	root, home string   // without symbolic links; root is "" where none is known
	around     string   // the folder that the project lies in
	temps      []string // temporary folders, without symbolic links
	fold       bool
	getenv     func(string) string
	started    func() time.Time // Options.Started, asked once
	repos      map[string]*repo // by the top of their work tree
	known      map[string]string
	entries    int
	plainLeft  int
	content    int64
	opts       Options
}

// Options are what the caller tells an Evidence.
type Options struct {
	Over   func() bool            // the time is used up: nothing more is looked at
	Secret func(path string) bool // by its name the path is a file, or a folder, of secrets
	Line   string                 // the command line that the paths are of; "" where it is not known

	// Made reports when the session let a call through that creates the file at an absolute
	// path; zero if none was seen. Started is when its first call was seen; zero if that is
	// not known. Either may be nil.
	Made    func(path string) time.Time
	Started func() time.Time
	// Imagined makes the evidence that of a project which is not there.
	Imagined bool
}

// namedTemp is what a folder for temporary files is called, or one above it. A repository
// can name another one to the agent.
var namedTemp = lazy.Regexp{Source: `(?i)^([a-z]:)?/(.*/)?(te?mp|\.tmp|TemporaryItems|var/folders/[^/]+/[^/]+/T)(/|$)`}

// New is for the paths of a project, whose root is absolute, or "". With fold case does
// not matter.
func New(root string, fold bool, opts Options) *Evidence {
	e := &Evidence{fold: fold, opts: opts, getenv: os.Getenv, repos: map[string]*repo{}, known: map[string]string{}, entries: maxEntries, plainLeft: maxPlain, content: maxContent}
	e.started = func() (none time.Time) { return none }
	if opts.Started != nil {
		e.started = sync.OnceValue(opts.Started)
	}
	if filepath.IsAbs(root) {
		e.root = safefile.Resolve(filepath.Clean(root))
		e.around = filepath.Dir(e.root)
	}
	if opts.Imagined {
		e.root = filepath.Join(filepath.VolumeName(root)+string(filepath.Separator), "no such folder", "project")
	}
	if home := cmp.Or(os.Getenv("HOME"), os.Getenv("USERPROFILE")); filepath.IsAbs(home) {
		e.home = safefile.Resolve(home)
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if real := safefile.Resolve(filepath.VolumeName(e.root) + filepath.FromSlash(dir)); filepath.IsAbs(real) {
			e.temps = append(e.temps, real)
		}
	}
	if real := safefile.Resolve(os.TempDir()); namedTemp.Get().MatchString(filepath.ToSlash(real)) && !e.holds(real) && !e.below(real, e.root) {
		e.temps = append(e.temps, real)
	}
	if opts.Imagined && len(e.temps) > 0 {
		e.getenv = func(string) string { return e.temps[0] }
	}
	return e
}

// Close closes the files of repositories.
func (e *Evidence) Close() {
	for _, r := range e.repos {
		r.close()
	}
}

// Why is the evidence that what lies at a path may be deleted, in words; "" if there is
// none. The path is one of a command, with slashes: from the project's root, absolute, or
// as far as the command tells it (~/x, $TMPDIR/x, src/*.o).
func (e *Evidence) Why(name string) string {
	if why, ok := e.known[name]; ok {
		return why
	}
	if len(e.known) >= maxPaths || e.opts.Over() {
		return ""
	}
	why := e.why(name)
	e.known[name] = why
	return why
}

// WhyElsewhere is the evidence for a path on another machine, or in a folder that is not
// known: what its last name tells, if only tools make folders of that name.
func (e *Evidence) WhyElsewhere(name string) string {
	clean := path.Clean(filepath.ToSlash(name))
	if climbs(name) || strings.ContainsAny(name, "$`~\x00") {
		return ""
	}
	for _, dir := range []string{"/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(clean, dir) {
			return "it lies below " + dir
		}
	}
	if isNamed("alone", path.Base(clean)) {
		return "only tools make folders of this name"
	}
	return ""
}

// mktemp is what a command prints that makes a new file or folder, and what lies below it.
var mktemp = lazy.Regexp{Source: `^\$\(mktemp(?: +-[dqut]+| +-t +[\w.-]+| +--directory| +[\w.-]*X{3,}[\w.]*)*\)(/.*)?$`}

// otherMktemp is in a line in which mktemp may be another program: one of a PATH that the
// line sets, a function, an alias.
var otherMktemp = lazy.Regexp{Source: `(^|[^\w${])(PATH|TMPDIR)\b|\bmktemp\s*\(|\b(alias|function|source|eval|hash|enable)\b|(^|[;&|({])\s*\.\s`}

// makesTemp reports whether a path is what mktemp makes in the same line. It prints nothing
// where it fails, so what lies below it must not be there at the top either.
func (e *Evidence) makesTemp(name string) bool {
	m := mktemp.Get().FindStringSubmatch(name)
	if m == nil || climbs(name) || otherMktemp.Get().MatchString(e.opts.Line) {
		return false
	}
	return m[1] == "" || e.opts.Line != "" && nothingAt(m[1])
}

// nothingAt reports whether nothing has a path that begins at the top.
func nothingAt(rest string) bool {
	if !strings.HasPrefix(rest, "/") || strings.Trim(rest, "/.") == "" || strings.ContainsAny(rest, wild+"{$`\x00") {
		return false
	}
	_, err := os.Lstat(filepath.FromSlash(rest))
	return safefile.Missing(err)
}

func (e *Evidence) why(name string) string {
	if e.makesTemp(name) {
		return "mktemp makes it in the same line"
	}
	path, ok := e.absolute(name)
	switch {
	case !ok && e.unsetTemp(name):
		return "it lies below the temporary folder, and without one there is nothing of that name"
	case e.root == "" && !ok:
		return e.WhyElsewhere(name)
	case !ok || safefile.TooLong(path):
		return ""
	}
	if dir, pattern, ok := cutPattern(path); ok {
		return e.pattern(dir, pattern)
	}
	return e.at(path, 0)
}

// variable is a folder for temporary files at the beginning of a path.
var variable = lazy.Regexp{Source: `^\$(?:\{(TMPDIR|TEMP|TMP)\}|(TMPDIR|TEMP|TMP)\b|env:(TEMP|TMP)\b)`}

// filled is a variable in a name that does not begin with it, or one that is a number.
var filled = lazy.Regexp{Source: `([\w.@-])\$(?:\w+|\{\w+\}|\$|\(date[^$;|&<>()]*\))|\$(?:\$|RANDOM\b|PPID\b|UID\b|BASHPID\b)`}

// absolute is the path that a command names; ok is false where that is not known.
func (e *Evidence) absolute(name string) (path string, ok bool) {
	name = filepath.ToSlash(name)
	if m := variable.Get().FindStringSubmatch(name); m != nil {
		value := e.getenv(m[1] + m[2] + m[3])
		if !filepath.IsAbs(value) {
			return "", false
		}
		name = filepath.ToSlash(value) + name[len(m[0]):]
	}
	if strings.HasPrefix(name, "/tmp/") || strings.HasPrefix(name, "/var/tmp/") {
		name = filled.Get().ReplaceAllString(name, "${1}0")
	}
	if rest, tilde := strings.CutPrefix(name, "~"); tilde {
		if e.home == "" || rest != "" && rest[0] != '/' {
			return "", false
		}
		name = filepath.ToSlash(e.home) + rest
	}
	if name == "" || climbs(name) || strings.ContainsAny(name, "$`\x00") {
		return "", false
	}
	switch path = filepath.FromSlash(name); {
	case filepath.IsAbs(path):
	case e.root == "" || filepath.VolumeName(path) != "": // C:x: where that drive's own folder is, is not known
		return "", false
	case name[0] == '/': // on Windows, where the drive is the project's
		path = filepath.VolumeName(e.root) + path
	default:
		path = filepath.Join(e.root, path)
	}
	return filepath.Clean(path), true
}

// unsetTemp reports whether a path begins with a variable for temporary files that is not
// set here, and means nothing where it is not set elsewhere either.
func (e *Evidence) unsetTemp(name string) bool {
	m := variable.Get().FindStringSubmatch(name)
	if m == nil || e.getenv(m[1]+m[2]+m[3]) != "" || climbs(name) {
		return false
	}
	return nothingAt(name[len(m[0]):])
}

// climbs reports whether a path goes to a folder above, which a symbolic link makes
// another one than it seems.
func climbs(name string) bool {
	return name == ".." || strings.HasPrefix(name, "../") || strings.HasSuffix(name, "/..") || strings.Contains(name, "/../")
}

// at is the evidence for a path that means one file or folder. depth is how deep in it that
// is already.
func (e *Evidence) at(path string, depth int) string {
	real := e.resolved(path)
	if e.never(real) {
		return ""
	}
	info, err := os.Lstat(real)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return "" // some commands delete what it leads to
	case err != nil && !safefile.Missing(err):
		return ""
	case err != nil:
		info = nil
	}
	if dir := e.temporary(real); dir != "" {
		return "it lies below the temporary folder " + dir
	}
	if e.cached(real) {
		return "a tool keeps it to be faster, and makes it anew"
	}
	r := e.repository(filepath.Dir(real))
	if e.toolMade(real, info) && !r.mayTrack(real) {
		return made
	}
	if why := e.covered(r, real, info, depth); why != "" {
		return why
	}
	if e.below(real, e.root) && r.cannotTell(real, info) && e.unknownMade(real) {
		return "a build makes folders of this name, and git has nothing there"
	}
	return ""
}

// resolved is a path without the symbolic links in the folders above it.
func (e *Evidence) resolved(path string) string {
	return filepath.Join(safefile.Resolve(filepath.Dir(path)), filepath.Base(path))
}

// never reports whether nothing is evidence: the project or what it lies in, a home
// folder, git's own folder, a folder of the system.
func (e *Evidence) never(real string) bool {
	if e.holds(real) || hasPart(real, ".git") {
		return true
	}
	switch parent := filepath.Dir(real); filepath.ToSlash(parent) {
	case filepath.ToSlash(real), "/home", "/Users":
		return true
	}
	return !e.below(real, e.root) && system(real)
}

// holds reports whether the project or the home folder lies in a folder, or is it.
func (e *Evidence) holds(dir string) bool {
	return e.root != "" && e.within(e.root, dir) || e.home != "" && e.within(e.home, dir)
}

// temporary is the temporary folder that a path lies in. A project that lies in one is
// not temporary, nor is what lies next to it in a folder of their own.
func (e *Evidence) temporary(real string) string {
	if e.root != "" && e.within(real, e.root) || e.around != "" && !slices.Contains(e.temps, e.around) && e.within(real, e.around) {
		return ""
	}
	for _, dir := range e.temps {
		if e.below(real, dir) && !(e.within(real, e.home) && e.within(e.home, dir)) { // nor is a home folder there
			return dir
		}
	}
	return ""
}

// below reports whether a path lies in a folder and is not the folder itself.
func (e *Evidence) below(path, dir string) bool {
	return dir != "" && e.within(path, dir) && !e.within(dir, path)
}

func (e *Evidence) within(path, dir string) bool {
	if e.fold {
		return e.withinFold(path, dir)
	}
	return safefile.Within(path, dir)
}

func (e *Evidence) withinFold(path, dir string) bool {
	return safefile.Within(strings.ToLower(path), strings.ToLower(dir))
}

// system reports whether a path belongs to the system: it lies at the top, or below a
// folder of programs, settings or devices.
func system(real string) bool {
	path := strings.ToLower(filepath.ToSlash(real[len(filepath.VolumeName(real)):]))
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch parts[0] {
	case "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "usr",
		"system", "library", "applications", "windows", "program files", "program files (x86)", "programdata":
		return true
	}
	return len(parts) < 2
}

// hasPart reports whether a path contains a name, in whatever case.
func hasPart(path, name string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.EqualFold(part, name) {
			return true
		}
	}
	return false
}

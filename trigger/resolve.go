package trigger

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/shell"
)

// linksMax bounds the symbolic links that are followed in one path, as in Linux.
const linksMax = 40

// A resolver gives the forms of paths of one call. It looks at names and links;
// it opens folders, and files only for readScript.
type resolver struct {
	ctx   context.Context
	style pathStyle
	fold  bool
	home  string
	root  string // absolute, clean, with slashes; "" when the event names no folder
	real  string // root with its links resolved

	deep   map[string]deepFolder // what patterns with ** were expanded to
	plain  map[string]bool       // paths that are there and no links; nothing changes during a call
	walked int                   // names that were found below folders
}

func newResolver(ctx context.Context, style pathStyle, opts Options, ev sentinel.Event) *resolver {
	r := &resolver{ctx: ctx, style: style, fold: opts.CaseFold, home: opts.Home}
	root := ev.Root
	if root == "" {
		root = ev.Dir
	}
	if root != "" {
		r.root = style.clean(style.slashes(root))
		if r.real = r.root; style.isAbs(r.root) {
			r.real, _ = r.resolve(r.root)
		}
	}
	return r
}

// expand writes p with slashes and "~" as the home folder where that is known.
func (r *resolver) expand(p string) string {
	if rest, ok := strings.CutPrefix(p, "file://"); ok {
		p = rest
		if plain, err := url.PathUnescape(rest); err == nil {
			p = plain
		}
		if r.style.windows && len(p) > 1 && r.style.volume(p[1:]) != "" {
			p = p[1:] // file:///C:/x
		}
	}
	p = r.style.slashes(p)
	if r.home != "" && (p == "~" || strings.HasPrefix(p, "~/")) {
		p = r.style.slashes(r.home) + p[1:]
	}
	return p
}

// abs returns the clean absolute path that p means in dir. With neither an
// absolute dir nor an absolute p it stays relative.
func (r *resolver) abs(dir, p string) string {
	if dir == "" && p == "" {
		return r.root
	}
	if p = r.expand(p); p == "~" || strings.HasPrefix(p, "~/") {
		return r.style.clean(p)
	}
	return r.style.clean(r.style.join(r.style.slashes(dir), p))
}

// forms returns the texts that scope patterns are tried on: the path from the
// root as written, and the same with links resolved where that differs. certain
// is false when the links lead in a circle, and of a path that no system takes: that
// one is cut behind its limit, and its links are not looked at.
func (r *resolver) forms(dir, p string) (forms []string, certain bool) {
	p = r.expand(p)
	if p == "~" || strings.HasPrefix(p, "~/") { // the home folder is not known
		return []string{r.style.clean(p)}, true
	}
	written := r.style.join(r.style.slashes(dir), p)
	lexical := r.style.clean(written)
	if safefile.TooLong(lexical) {
		return []string{r.fromRoot(lexical[:min(len(lexical), safefile.Longest()+1)])}, false
	}
	forms = []string{r.fromRoot(lexical)}
	if !r.style.isAbs(lexical) {
		return forms, true
	}
	real, ok := r.resolve(lexical)
	ok = ok && !r.style.served(lexical)
	forms = appendNew(forms, r.fromRoot(real))
	if drive := r.style.volume(r.root); drive != "" && r.style.volume(lexical) == "" { // \repo\x is on the current drive
		more, _ := r.forms("", drive+lexical)
		for _, form := range more {
			forms = appendNew(forms, form)
		}
	}
	if safefile.TooLong(written) {
		return appendNew(forms, r.fromRoot(real)), false
	}
	if strings.Contains(written, "..") {
		// The kernel goes up from where a link leads; editors clean the text first.
		walked, fine := r.resolve(written)
		forms = appendNew(forms, r.fromRoot(walked))
		ok = ok && fine
	}
	return forms, ok
}

// fromRoot is an absolute path as rules see it: from the root if it lies inside
// it, by whichever name the root has.
func (r *resolver) fromRoot(p string) string {
	if rel, ok := below(r.root, p, r.fold); ok {
		return rel
	}
	if rel, ok := below(r.real, p, r.fold); ok {
		return rel
	}
	return p
}

// resolve follows every link in an absolute path as the kernel does, as far as
// the path exists; the rest is added as text. ok is false when there are too
// many links; then the path is returned clean and otherwise as it was.
func (r *resolver) resolve(p string) (resolved string, ok bool) {
	if safefile.TooLong(p) {
		return r.style.clean(p), false
	}
	vol := r.style.volume(p)
	todo := strings.Split(p[len(vol):], "/")
	slices.Reverse(todo)
	done, links := vol, 0
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch name {
		case "", ".":
			continue
		case "..":
			if i := strings.LastIndexByte(done, '/'); i >= len(vol) {
				done = done[:i]
			}
			continue
		}
		next := done + "/" + name
		target, isLink, exists := r.readLink(next)
		switch {
		case !exists:
			slices.Reverse(todo)
			return r.style.clean(next + "/" + strings.Join(todo, "/")), true
		case !isLink:
			if done = next; r.style.windows && strings.Contains(name, "~") {
				done = filepath.ToSlash(safefile.LongName(filepath.FromSlash(next))) // RULES~1
			}
		default:
			if links++; links > linksMax {
				return r.style.clean(p), false
			}
			if target = r.style.slashes(target); r.style.isAbs(target) {
				vol = r.style.volume(target)
				done, target = vol, target[len(vol):]
			}
			parts := strings.Split(target, "/")
			slices.Reverse(parts)
			todo = append(todo, parts...)
		}
	}
	if done == vol {
		done += "/"
	}
	return done, true
}

// readLink looks at one name without following it.
func (r *resolver) readLink(p string) (target string, isLink, exists bool) {
	if r.plain[p] {
		return "", false, true
	}
	info, err := os.Lstat(filepath.FromSlash(p))
	if err != nil {
		return "", false, false
	}
	if info.Mode()&(os.ModeSymlink|os.ModeIrregular) == 0 { // a junction of Windows is irregular
		if r.plain == nil {
			r.plain = map[string]bool{}
		}
		r.plain[p] = true
		return "", false, true
	}
	target, err = os.Readlink(filepath.FromSlash(p))
	return target, err == nil, true
}

func (r *resolver) isDir(abs string) bool {
	info, err := os.Stat(filepath.FromSlash(abs))
	return err == nil && info.IsDir()
}

func (r *resolver) isRealDir(abs string) bool {
	info, err := os.Lstat(filepath.FromSlash(abs))
	return err == nil && info.IsDir()
}

// Bounds of the walk below a folder that is removed or moved.
const (
	walkEntries   = 2000 // of one folder
	callEntries   = 8000 // of all folders of a call
	walkLevels    = 5
	outsideLevels = 2 // of a folder outside the root, where few rules look
)

// addBelow adds to a's forms what lies below its folder, so that removing src
// matches a rule on src/billing. Links are not followed. A folder beyond
// the bounds makes a uncertain, and inside the root src/** is added: anything
// below src.
func (r *resolver) addBelow(a *sentinel.Action) {
	own := a.Forms
	for _, form := range own {
		// Removing a folder around the project removes the project.
		if rel, ok := below(form, r.root, r.fold); ok && rel != "." && r.isRealDir(r.root) {
			r.addContent(a, []string{r.root}, r.root)
		}
	}
	r.addContent(a, own, r.style.join(r.root, own[0]))
}

// addContent adds to a's forms the names that lie below the folder from, as if
// they lay below each of bases: the content that a move or a copy brings there.
func (r *resolver) addContent(a *sentinel.Action, bases []string, from string) {
	if !r.style.isAbs(from) || !r.isRealDir(from) {
		return
	}
	levels := walkLevels
	if r.style.isAbs(r.fromRoot(from)) {
		levels = outsideLevels
	}
	names, whole, missed := r.walk(from, levels)
	a.Certain = a.Certain && whole
	forms := slices.Clip(a.Forms)
	for _, base := range bases {
		for _, name := range names {
			forms = append(forms, r.fromRoot(r.style.clean(r.style.join(base, name))))
		}
	}
	if missed && levels == walkLevels {
		for _, base := range bases {
			forms = append(forms, r.fromRoot(r.style.clean(r.style.join(base, "**"))))
		}
	}
	a.Forms = forms
}

// walk lists what lies below a folder, as paths from it, so many levels deep; the
// folders that tools fill with thousands of files come last. whole is false
// when a bound was reached or a folder could not be read; missed says that this
// was in a folder that people fill.
func (r *resolver) walk(folder string, levels int) (names []string, whole, missed bool) {
	type dir struct {
		name  string
		level int
	}
	limit := min(walkEntries, callEntries-r.walked)
	if limit <= 0 {
		return nil, false, true
	}
	defer func() { r.walked += len(names) }()
	queue, last := []dir{{"", 0}}, []dir(nil)
	whole = true
	byTools := isFilledByTools(baseName(folder))
	for len(queue)+len(last) > 0 {
		if len(queue) == 0 {
			queue, last, byTools = last, nil, true
		}
		d := queue[0]
		queue = queue[1:]
		entries, all := r.readDir(folder+"/"+d.name, limit-len(names))
		whole = whole && all
		missed = missed || !all && !byTools
		for _, e := range entries {
			name := e.Name()
			if d.name != "" {
				name = d.name + "/" + name
			}
			names = append(names, name)
			switch {
			case !e.IsDir():
			case d.level+1 >= levels:
				whole = false
				missed = missed || !byTools && !isFilledByTools(e.Name())
			case isFilledByTools(e.Name()):
				last = append(last, dir{name, d.level + 1})
			default:
				queue = append(queue, dir{name, d.level + 1})
			}
		}
		if len(names) >= limit || r.ctx.Err() != nil {
			return names, whole && len(queue)+len(last) == 0, missed || !byTools && len(queue) > 0
		}
	}
	return names, whole, missed
}

func isFilledByTools(name string) bool {
	switch name {
	case ".git", "node_modules", "vendor", "target", "dist", "build", ".venv", "venv", "__pycache__", ".next", ".cache":
		return true
	}
	return false
}

// readDir lists at most n entries of a folder in order of their names.
func (r *resolver) readDir(p string, n int) (entries []os.DirEntry, all bool) {
	f, err := os.Open(filepath.FromSlash(p))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	entries, err = f.ReadDir(n + 1)
	all = err == nil || errors.Is(err, io.EOF)
	if len(entries) > n {
		entries, all = entries[:n], false
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, all
}

// errSpecial says that a path is in a file system that the kernel makes up.
var errSpecial = errors.New("not a file on a disk")

// readScript returns the beginning of a script or patch, wherever it lies: what runs
// it can read it too. Only regular files are opened. A FIFO, and a file that is
// another user's alone, are [shell.ErrNotRead]: sudo, or the writer of the
// FIFO, decides what is run.
func (r *resolver) readScript(dir, p string) (string, error) {
	name := r.abs(dir, p)
	if !r.style.isAbs(name) {
		return "", errSpecial
	}
	if real, ok := r.resolve(name); !ok || isKernels(real) {
		return "", errSpecial
	}
	f, _, err := safefile.Open(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", shell.ErrNotRead
	case errors.Is(err, safefile.ErrNotRegular) && !r.isDir(name):
		return "", shell.ErrNotRead
	case err != nil:
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, shell.MaxRead))
	return string(text), err
}

// isGit reports whether a folder is one of git's own.
func (r *resolver) isGit(dir, p string) bool {
	name := r.abs(dir, p)
	return r.style.isAbs(name) && gitindex.Is(filepath.FromSlash(name))
}

// isKernels reports whether a path without links names a device, or a file that the
// kernel writes while it is read, which may wait.
func isKernels(p string) bool {
	for _, dir := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(p, dir) && !strings.HasPrefix(p, "/dev/shm/") {
			return true
		}
	}
	return false
}

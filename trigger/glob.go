package trigger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

const (
	globMax    = 200  // paths that a pattern is expanded to
	deepMax    = 4000 // files that a pattern with ** is expanded to
	deepLevels = 12   // folders inside each other that it is followed through
)

// exists reports whether a path names something, a dangling link included.
func (r *resolver) exists(abs string) bool {
	_, err := os.Lstat(filepath.FromSlash(abs))
	return err == nil
}

// glob lists the paths that an absolute pattern means now, as a shell would
// expand it: element by element, hidden names only where the pattern has a dot. With
// creates, what follows the last pattern need not be there: for d in */; do touch $d/x.
// whole is false where there are more than the bound.
func (r *resolver) glob(pattern string, creates bool) (found []string, whole bool) {
	whole = true
	if !r.style.isAbs(pattern) {
		return nil, whole
	}
	vol := r.style.volume(pattern)
	found = []string{vol}
	elements := strings.FieldsFunc(pattern[len(vol):], func(c rune) bool { return c == '/' })
	for i, element := range elements {
		var next []string
		made := creates && i > 0 && !slices.ContainsFunc(elements[i:], hasGlob)
		for _, base := range found {
			if p := base + "/" + element; made && (r.isDir(base+"/") || !r.exists(base)) {
				next = append(next, p)
				continue
			}
			matching, all := r.globElement(base, element)
			next, whole = append(next, matching...), whole && all
			if len(next) > globMax {
				next, whole = next[:globMax], false
				break
			}
		}
		found = next
	}
	if len(found) == 1 && found[0] == vol {
		return nil, whole
	}
	return found, whole
}

// globElement lists what an element of a pattern means in the folder base. whole is false
// where not all of the folder was looked at.
func (r *resolver) globElement(base, element string) (found []string, whole bool) {
	if !hasGlob(element) {
		if p := base + "/" + element; r.exists(p) {
			return []string{p}, true
		}
		return nil, true
	}
	if !r.isDir(base + "/") {
		return nil, true
	}
	if element == "**" {
		found = r.globFolders(base)
		return found, len(found) < globMax
	}
	alternatives := globAlternatives(element)
	entries, _ := r.readDir(base+"/", walkEntries)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(element, ".") {
			continue
		}
		if matchesAny(alternatives, e.Name()) {
			found = append(found, base+"/"+e.Name())
		}
	}
	return found, len(entries) < walkEntries
}

// globAlternatives takes *.@(js|ts) apart, which is how a shell writes a choice.
func globAlternatives(element string) []string {
	before, rest, ok := strings.Cut(element, "@(")
	if !ok {
		return []string{element}
	}
	choice, after, ok := strings.Cut(rest, ")")
	if !ok {
		return []string{element}
	}
	list := strings.Split(choice, "|")
	for i := range list {
		list[i] = before + list[i] + after
	}
	return list
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return shellpattern.Match(p, name) })
}

// deepPattern cuts folder/**/name, which picks files at any depth.
func deepPattern(p string) (folder, name string, ok bool) {
	at := strings.LastIndexByte(p, '/')
	if at < 0 {
		return "", "", false
	}
	folder, name = p[:at], p[at+1:]
	if folder == "**" {
		return ".", name, true
	}
	folder, ok = strings.CutSuffix(folder, "/**")
	if folder == "" && ok {
		folder = "/"
	}
	return folder, name, ok
}

// addDeep adds to a's forms the files that folder/**/name means now. Where there are
// more than the bound, folder/** is one of the forms: any file in there.
func (c *call) addDeep(a *sentinel.Action, dir, folder, name string) {
	folders := []string{c.fs.abs(dir, folder)}
	if hasGlob(folder) {
		var whole bool
		if folders, whole = c.fs.glob(folders[0], false); !whole {
			c.addAllBelow(a, dir, globFolder(folder))
		}
	}
	alternatives := globAlternatives(name)
	for _, from := range folders {
		if !c.fs.style.isAbs(from) || !c.fs.isDir(from+"/") {
			continue
		}
		bases, _ := c.fs.forms("", from)
		names, missed := c.fs.deepNames(from)
		for _, n := range names {
			if base := baseName(n); strings.HasPrefix(base, ".") && !strings.HasPrefix(name, ".") || !matchesAny(alternatives, base) {
				continue
			}
			for _, b := range bases {
				a.Forms = append(a.Forms, c.fs.fromRoot(c.fs.style.clean(c.fs.style.join(b, n))))
			}
			if len(a.Forms) > deepMax {
				missed = true
				break
			}
		}
		if missed && !c.fs.style.isAbs(bases[0]) {
			a.Forms = append(a.Forms, c.fs.style.clean(c.fs.style.join(bases[0], "**")))
		}
		if len(a.Forms) > deepMax {
			return
		}
	}
}

// addAllBelow adds folder/** to a's forms: any file in there. Outside the root few rules
// look, and none is added.
func (c *call) addAllBelow(a *sentinel.Action, dir, folder string) {
	bases, _ := c.fs.forms("", c.fs.abs(dir, folder))
	if !c.fs.style.isAbs(bases[0]) {
		a.Forms = append(a.Forms, c.fs.style.clean(c.fs.style.join(bases[0], "**")))
	}
}

// deepNames lists what lies below a folder once for all patterns of a call.
func (r *resolver) deepNames(folder string) (names []string, missed bool) {
	if found, ok := r.deep[folder]; ok {
		return found.names, found.missed
	}
	levels := deepLevels
	if r.style.isAbs(r.fromRoot(folder)) {
		levels = outsideLevels
	}
	names, _, missed = r.walk(folder, levels)
	if r.deep == nil {
		r.deep = map[string]deepFolder{}
	}
	r.deep[folder] = deepFolder{names, missed}
	return names, missed
}

// A deepFolder is what was found below a folder.
type deepFolder struct {
	names  []string
	missed bool // there is more
}

// globFolders are base and the folders below it, a bounded number of them.
func (r *resolver) globFolders(base string) []string {
	found := []string{base}
	for i := 0; i < len(found) && len(found) < globMax; i++ {
		entries, _ := r.readDir(found[i]+"/", walkEntries)
		for _, e := range entries {
			if e.IsDir() && len(found) < globMax {
				found = append(found, found[i]+"/"+e.Name())
			}
		}
	}
	return found
}

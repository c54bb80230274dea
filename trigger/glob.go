package trigger

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/shellpattern"
)

// globMax bounds how many paths a pattern is expanded to.
const globMax = 200

// exists reports whether a path names something, a dangling link included.
func (r *resolver) exists(abs string) bool {
	_, err := os.Lstat(filepath.FromSlash(abs))
	return err == nil
}

// glob lists the paths that an absolute pattern means now, as a shell would
// expand it: element by element, hidden names only where the pattern has a dot.
func (r *resolver) glob(pattern string) []string {
	if !r.style.isAbs(pattern) {
		return nil
	}
	vol := r.style.volume(pattern)
	found := []string{vol}
	for _, element := range strings.Split(strings.Trim(pattern[len(vol):], "/"), "/") {
		var next []string
		for _, base := range found {
			next = append(next, r.globElement(base, element)...)
			if len(next) > globMax {
				next = next[:globMax]
				break
			}
		}
		found = next
	}
	if len(found) == 1 && found[0] == vol {
		return nil
	}
	return found
}

func (r *resolver) globElement(base, element string) []string {
	if !hasGlob(element) {
		if p := base + "/" + element; r.exists(p) {
			return []string{p}
		}
		return nil
	}
	if !r.isDir(base + "/") {
		return nil
	}
	if element == "**" {
		return r.globFolders(base)
	}
	entries, _ := r.readDir(base+"/", walkEntries)
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(element, ".") {
			continue
		}
		if shellpattern.Match(element, e.Name()) {
			found = append(found, base+"/"+e.Name())
		}
	}
	return found
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

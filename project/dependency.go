package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Rules that come with a dependency are not loaded: the user did not choose them, and an
// update can change them.

// A filling says who fills the folders of a name.
type filling int

const (
	byPeople   filling = iota
	byPackages         // always by a program that installs packages
	inProjects         // by such a program or a build where it lies in a project; elsewhere the name means nothing
)

// fillingOf looks a folder's name up.
func fillingOf(name string) filling {
	switch strings.ToLower(name) {
	case "node_modules", "bower_components", "jspm_packages", "site-packages", "dist-packages", "__pypackages__",
		".venv", ".tox", ".nox", ".yarn", ".pnpm-store", ".cargo", ".rustup", ".gradle", ".m2", ".bundle", ".gem":
		return byPackages
	case "vendor", "target", "third_party", "third-party", "thirdparty", "venv", "virtualenv", "pods", "carthage":
		return inProjects
	}
	return byPeople
}

// ofDependency reports whether a place belongs to a dependency. touched says that a call
// leads there and the agent does not work there: then it is enough that the place is in a
// project, in a folder such as vendor.
func (p place) ofDependency(touched bool) bool {
	if p.user || !filled(p.root) && !filled(p.realDir()) {
		return false // the usual case costs no system call
	}
	for dir := safefile.Resolve(p.root); ; dir = filepath.Dir(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		switch fillingOf(filepath.Base(dir)) {
		case byPackages:
			return true
		case inProjects:
			if touched && inProject(parent) {
				return true
			}
		}
	}
}

// filled reports whether a path leads through a folder that programs may fill.
func filled(path string) bool {
	for name := range strings.SplitSeq(path, string(filepath.Separator)) {
		if fillingOf(name) != byPeople {
			return true
		}
	}
	return false
}

// inProject reports whether a folder lies in a repository or in a project with rules.
func inProject(dir string) bool {
	for range safefile.PathMax {
		for _, sign := range []string{".git", filepath.FromSlash(configPath)} {
			if _, err := os.Lstat(filepath.Join(dir, sign)); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
	return false
}

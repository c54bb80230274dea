package instructions

import (
	"path"
	"slices"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// notOwn is a folder that shows something, or that tests read: no part of the project works there.
var notOwn = lazy.Regexp{Source: `(?i)(?:^|/)(?:[\w-]*(?:examples?|fixtures?|tests?|specs?|templates?|samples?|demos?|playgrounds?|testdata|snapshots?|vendor)[\w-]*|__[a-z]+__)/`}

// lockedBy is the manager of JavaScript's packages whose lock file has a name; "" for other files.
func lockedBy(name string) (manager string) {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json":
		return "npm"
	case "pnpm-lock.yaml":
		return "pnpm"
	case "yarn.lock":
		return "yarn"
	case "bun.lock", "bun.lockb":
		return "bun"
	}
	return ""
}

// onlyBy reports whether a part of the project has a manager's lock file, and none has that of another
// manager, which a line names.
func (t *Tree) onlyBy(manager, named string) bool {
	return t.locks(manager) && !t.locks(named)
}

// locks reports whether a part of the project has a manager's lock file.
func (t *Tree) locks(manager string) bool {
	return manager != "" && t.known() && slices.ContainsFunc(t.files(), func(f string) bool {
		return lockedBy(path.Base(f)) == manager && !notOwn.Get().MatchString(f) && t.has(path.Join(path.Dir(f), "package.json"))
	})
}

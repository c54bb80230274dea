package instructions

import (
	"path"
	"slices"

	"github.com/agentsentinel/sentinel/internal/lazy"
)

// notOwn is a folder that shows something, or that tests read: no part of the project works there.
var notOwn = lazy.Regexp{Source: `(?i)(?:^|/)(?:[\w-]*(?:examples?|fixtures?|tests?|specs?|templates?|samples?|demos?|playgrounds?|testdata|snapshots?|vendor)[\w-]*|__[a-z]+__)/`}

// locksOf are the lock files of the managers of JavaScript's packages.
func locksOf(manager string) []string {
	return map[string][]string{"npm": {"package-lock.json", "npm-shrinkwrap.json"}, "pnpm": {"pnpm-lock.yaml"}, "yarn": {"yarn.lock"}, "bun": {"bun.lock", "bun.lockb"}}[manager]
}

// onlyBy reports whether a part of the project has a manager's lock file, and none has that of another
// manager, which a line names.
func (p *Project) onlyBy(manager, named string) bool {
	return p.locks(manager) && !p.locks(named)
}

// locks reports whether a part of the project has a manager's lock file.
func (p *Project) locks(manager string) bool {
	return p.known() && slices.ContainsFunc(p.tree().files, func(f string) bool {
		return slices.Contains(locksOf(manager), path.Base(f)) && !notOwn.Get().MatchString(f) && p.has(path.Join(path.Dir(f), "package.json"))
	})
}

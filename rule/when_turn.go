package rule

import (
	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/scope"
)

// turnFunctions are the functions of expressions about what a turn did: whether a
// command ran that a pattern matches, and whether a file was written or removed. The
// patterns are those of `scope`.
func turnFunctions(turn []sentinel.Action, fold bool) (ran, changed func(pattern string) (bool, error)) {
	ran = func(pattern string) (bool, error) {
		if err := scope.CheckCommand(pattern); err != nil {
			return false, err
		}
		commands := scope.NewCommands([]string{pattern})
		for i := range turn {
			if a := &turn[i]; a.Trigger == sentinel.Bash {
				if _, ok := commands.Match(parsed(a), nil); ok {
					return true, nil
				}
			}
		}
		return false, nil
	}
	changed = func(pattern string) (bool, error) {
		if err := scope.CheckPath(pattern); err != nil {
			return false, err
		}
		paths := pathScope{in: scope.NewPaths([]string{pattern}, fold)}
		for i := range turn {
			if a := &turn[i]; a.Trigger == sentinel.FileWrite && paths.touches(a) {
				return true, nil
			}
		}
		return false, nil
	}
	return ran, changed
}

// touches reports whether an action is about a file that a pattern matches.
func (s *pathScope) touches(a *sentinel.Action) bool {
	for _, form := range forms(a) {
		if _, ok := s.matchForm(a, form); ok {
			return true
		}
	}
	return false
}

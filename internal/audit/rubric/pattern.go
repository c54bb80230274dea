package rubric

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/scope"
)

// CompilePatterns makes path patterns ready for matching. They mean what
// [scope.Paths] says, from the repository's root, and case matters. The error
// names the first pattern that is wrong.
func CompilePatterns(patterns []string) (*scope.Paths, error) {
	for _, text := range patterns {
		if err := checkPattern(text); err != nil {
			return nil, fmt.Errorf("rubric: pattern %q %w", text, err)
		}
	}
	return scope.NewPaths(patterns, false), nil
}

// maxPattern bounds a pattern, in bytes.
const maxPattern = 1000

// checkPattern says what is wrong with a pattern. Besides what no scope accepts,
// that is what no path of a repository can match, and the groups of a shell: a
// rubric with y?(a)ml would match other files than its author means.
func checkPattern(pattern string) error {
	switch {
	case len(pattern) > maxPattern:
		return fmt.Errorf("is longer than %d bytes", maxPattern)
	case strings.HasPrefix(pattern, "/"):
		return errors.New("begins with /: paths are relative to the repository's root; write ./ for a place at the root")
	}
	if err := scope.CheckPath(pattern); err != nil {
		fault := err.(*scope.PatternError)
		return fmt.Errorf("is wrong at byte %d: %s", fault.Offset+1, fault.Message)
	}
	for i := 0; i+1 < len(pattern); i++ {
		switch {
		case pattern[i] == '\\':
			i++
		case pattern[i+1] == '(' && strings.IndexByte("?*+@!", pattern[i]) >= 0:
			return fmt.Errorf(`has a group %c(…): write {a,b} for one of two, {,a} for one or nothing, or \( for the character itself`, pattern[i])
		}
	}
	return nil
}

// Package pathglob has what is done to patterns of paths.
package pathglob

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/scope"
)

// Hidden reports whether the name of a folder begins with a dot.
func Hidden(dir string) bool { return dir[0] == '.' }

// SpelledOut returns the patterns that a pattern with braces means: a.{go,rs} means a.go and a.rs.
func SpelledOut(g string) []string {
	open := strings.IndexByte(g, '{')
	end := strings.IndexByte(g, '}')
	if open < 0 || end < open {
		return []string{g}
	}
	return Each(strings.Split(g[open+1:end], ","), func(part string) string { return g[:open] + part + g[end+1:] })
}

// Match reports whether a pattern matches a path.
func Match(g, file string) bool {
	_, ok := scope.NewPaths([]string{g}, false).Match(file)
	return ok
}

// Each is a list of what a function makes of each text.
func Each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

// Sample is a path that a pattern matches.
func Sample(glob string) string {
	s := strings.TrimSuffix(glob, "/**")
	if s != glob {
		s += "/a.txt"
	}
	s = strings.ReplaceAll(s, "**/", "")
	s = regexp.MustCompile(`\{([^,}]*)[^}]*\}`).ReplaceAllString(s, "$1")
	return strings.NewReplacer("**", "a", "*", "a", "?", "a").Replace(s)
}

// OfTests are the files of tests.
func OfTests() []string { return forms.KindCalled("tests").Files }

// AtAnyDepth is a pattern of files in a folder of any name, at any depth.
func AtAnyDepth(glob string) string {
	if rest, ok := strings.CutPrefix(glob, "*/"); ok && !strings.HasPrefix(rest, "*") {
		return "**/" + rest
	}
	return glob
}

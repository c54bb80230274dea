package statement

import (
	"regexp"
	"strings"

	"github.com/agentsentinel/sentinel/internal/instructions/sentence"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
)

// GlobsOf are the patterns of a path of a text; none for one outside of the project.
func GlobsOf(s string) []string {
	if s == "__init__.py" || s == "mod.rs" || s == "index.ts" {
		return nil // every folder has one
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "./"), "@")
	s = regexp.MustCompile(`<[^>]*>|\$\{?\w+\}?|\[[^\]]*\]|…|\.\.\.`).ReplaceAllString(s, "*")
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		s = s[:i] // a line or a function behind it
	}
	switch {
	case s == "" || madeUp.Get().MatchString(s) || strings.HasPrefix(s, "~") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "../") || strings.Trim(s, "*/.") == "" || strings.ContainsAny(s, `+,`) && !strings.Contains(s, "{"):
		return nil
	case strings.HasSuffix(s, "/"):
		return []string{s + "**"}
	case twoEndings.Get().MatchString(s):
		return []string{"**/*" + s}
	case packageEnding.Get().MatchString(s):
		return []string{"**/*" + strings.TrimSuffix(s, "/") + "/**"}
	case sentence.Ending.Get().MatchString(s) && sentence.Endings.Get().MatchString(s) && s != ".env" && s != ".mod":
		return []string{"**/*" + s}
	case s == ".env":
		return []string{".env", ".env.*"}
	case knownFolder.Get().MatchString(s):
		return []string{"**/" + s + "/**"}
	case settingsFile.Get().MatchString(s): // with or without an ending
		return []string{s, s + ".*"}
	case strings.Contains(s, "/") && !strings.ContainsAny(s[strings.LastIndexByte(s, '/'):], ".*") && !sentence.Known.Get().MatchString(s[strings.LastIndexByte(s, '/')+1:]):
		return []string{s, s + "/**"}
	}
	if scope.CheckPath(s) != nil {
		return nil
	}
	return []string{s}
}

var (
	// twoEndings are the endings of a kind of files: in a language without settings whose names begin
	// so, or in a word that no such name has.
	twoEndings = lazy.Regexp{Source: `^(?:\.\w+){1,2}\.(?:go|rs|cs|dart|java|kt|swift|scala|cc|cpp|h|hpp|zig|tsx|jsx|vue|svelte|html|css|scss)$|` +
		`^\.(?:test|spec|e2e|steps|stories|story|d|g|gen|generated|pb|lock|min|bundle|mock|module|component|service|controller|resolver|entity|dto|styles)\.[a-z]+$`}
	// knownFolder is a folder that tools make, settingsFile a file of theirs that may have an ending.
	knownFolder  = lazy.Regexp{Source: `^(?:node_modules|__pycache__|\.venv|\.next|\.terraform)$`}
	settingsFile = lazy.Regexp{Source: `^\.[a-z]+rc$`}
)

// packageEnding is the ending of folders that are shown as one file.
var packageEnding = lazy.Regexp{Source: `^\.(?:xcodeproj|xcworkspace|xcassets|xcdatamodeld|lproj|app)/?$`}

// madeUp is a path that no project has.
var madeUp = lazy.Regexp{Source: `(?i)(?:^|/)(?:path/to(?:/|$)|(?:your|some)[-_]\w|(?:foo|bar|baz|qux)(?:/|\.|$)|file\.\w+$)`}

// asRequired is a step for what only some things need: "put required files into ‹p›".
var asRequired = lazy.Regexp{Source: `^(?:put|place|add|copy|move|store|drop|include|save) (?:any |the |all |its |your )*(?:required|needed|necessary|extra|additional|supporting|related|accompanying|custom|shared) `}

package scope

// CheckMCP says what is wrong with an MCP pattern. The error is a
// [*PatternError].
func CheckMCP(pattern string) error {
	_, err := parse(pattern, false, false)
	return err
}

// Tools is a list of MCP patterns. It is safe for concurrent use.
//
// A pattern is tried on server:tool, on the tool's name alone and on the
// server's alone. Nothing separates: * matches any characters, : and / among
// them, so postgres-* is every tool of every server whose name begins so, and
// *:delete_* every tool that deletes. Names are compared with their case, as the
// protocol does.
type Tools struct {
	patterns []matcher
}

// NewTools returns the list. A pattern that [CheckMCP] refuses never matches.
func NewTools(patterns []string) *Tools {
	t := &Tools{patterns: make([]matcher, len(patterns))}
	for i, source := range patterns {
		t.patterns[i].source = source
	}
	return t
}

// Match returns the first pattern that matches one of the forms, and the first
// form it matches.
func (t *Tools) Match(forms []string) (pattern, form string, ok bool) {
	for i := range t.patterns {
		for _, form := range forms {
			if t.patterns[i].matches(form) {
				return t.patterns[i].source, form, true
			}
		}
	}
	return "", "", false
}

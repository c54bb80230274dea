package markdown

import (
	"strings"
	"unicode"

	"github.com/agentsentinel/sentinel/internal/text"
)

// invisible reports whether a line has a character that a reader cannot see. Joiners
// and variation selectors of emoji and of scripts that need them are seen.
func invisible(s string) bool {
	plain := strings.IndexFunc(s, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\t' }) < 0
	if plain {
		return false
	}
	var last rune
	seen := strings.Map(func(r rune) rune {
		before := last
		last = r
		if r == '\ufe0f' && (before > unicode.MaxASCII || strings.ContainsRune("0123456789#*", before)) {
			return -1
		}
		return r
	}, s)
	return text.Strip(seen) != strings.ReplaceAll(seen, "\t", " ")
}

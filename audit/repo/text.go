package repo

import (
	"strings"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/audit/integrity"
)

// maxSnippet bounds what evidence quotes, in bytes.
const maxSnippet = 400

// printable is hostile text as one line that a person may see.
func printable(s string) string {
	s = integrity.Clean(s)
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
}

// cut shortens s to at most n bytes without breaking a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

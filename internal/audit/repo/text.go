package repo

import "unicode/utf8"

// maxSnippet bounds what evidence quotes, in bytes.
const maxSnippet = 400

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

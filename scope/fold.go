package scope

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// foldCase returns s in the form in which names are compared where case does not
// matter. It goes further than lower case, because file systems do: to them the
// Kelvin sign is a k and the long s is an s.
func foldCase(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return strings.Map(foldRune, s)
		}
	}
	return strings.ToLower(s)
}

// foldRune returns one character for all those that differ from r only in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToLower(r)
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least)
}

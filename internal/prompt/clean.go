package prompt

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes every character of s visible. Controls, the escape character of
// terminal sequences, direction overrides, zero-width and other invisible
// characters are shown as \u202e, bytes that are not UTF-8 as \xff. They are
// shown rather than dropped because what runs or compiles the text still sees
// them. Line feeds and tabs stay; the carriage return before a line feed, a
// byte order mark at the start and an emoji's variation selector, which mean
// nothing, go.
func Clean(s string) string { return cleanRange(s, region{0, len(s)}) }

// cleanRange is Clean of a part of s, seen together with what stands around it:
// a cut between a carriage return and its line feed shows neither.
func cleanRange(s string, r region) string {
	i := r.from + plainPrefix(s[r.from:r.to])
	if i == r.to {
		return s[r.from:r.to]
	}
	var b strings.Builder
	b.Grow(r.to - r.from + 32)
	for from := r.from; ; {
		b.WriteString(s[from:i])
		if i == r.to {
			return b.String()
		}
		size, shown := glyph(s, i)
		b.WriteString(shown)
		from = i + size
		i = from + plainPrefix(s[from:r.to])
	}
}

// plainPrefix is the length of the printable ASCII text that s begins with.
func plainPrefix(s string) int {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return i
		}
	}
	return len(s)
}

// glyph decodes the character at s[i:]: how many bytes it takes and the text
// that stands for it, which is empty for one that is dropped.
func glyph(s string, i int) (size int, shown string) {
	r, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == utf8.RuneError && size <= 1:
		return size, fmt.Sprintf(`\x%02x`, s[i])
	case r == '\n' || r == '\t':
		return size, s[i : i+size]
	case r == '\r' && strings.HasPrefix(s[i+size:], "\n"):
		return size, ""
	case r == '\ufeff' && i == 0:
		return size, ""
	case r == '\ufe0f' && afterSymbol(s[:i]):
		return size, ""
	case r == '\r':
		return size, `\r`
	case !isVisible(r):
		return size, escape(r)
	}
	return size, s[i : i+size]
}

func afterSymbol(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.Is(unicode.So, r)
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// isVisible reports whether a reader can tell that r is there. Spaces of every
// width count as visible: they are seen as a space.
func isVisible(r rune) bool {
	switch {
	case r < 0x7f:
		return r >= ' '
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector):
		return false
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false // the fillers of Hangul and Khmer, the joiner U+034F
	case r == '\u2800': // the blank of Braille
		return false
	}
	return true
}

// quote returns s as a JSON string. s was cleaned: only quotes, backslashes,
// line feeds and tabs need care, and what Clean escaped shows one backslash more.
func quote(s string) string { return `"` + inner(s) + `"` }

// inner is what stands between the quotes of a JSON string.
func inner(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s)
}

package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes every character of s visible. Hidden characters are shown as
// \u202e, bytes that are not UTF-8 as \xff. They are shown rather than dropped
// because what runs or compiles the text still sees them. Line feeds and tabs
// stay. The carriage return before a line feed, a byte order mark at the start
// and an emoji's variation selector have no meaning and are dropped.
func Clean(s string) string { return cleanRange(s, region{0, len(s)}) }

// cleanRange is Clean of a part of s. It looks at the text around the part: a cut
// between a carriage return and its line feed shows neither.
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

// glyph decodes the character at s[i:]: its size in bytes and the text to show
// for it, which is empty for a dropped one.
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
	case Hidden(r):
		return size, escape(r)
	}
	return size, s[i : i+size]
}

func afterSymbol(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.Is(unicode.So, r) && !Hidden(r)
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Hidden reports whether a reader cannot see r, or a terminal would obey it:
// controls (line feed and tab too), bidirectional and other format characters,
// variation selectors, fillers, private characters and noncharacters. Spaces of
// every width are not hidden: they are seen as a space.
func Hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) || isBlank(r)
}

// isBlank reports whether r is a letter or symbol without ink, which Unicode
// lists with the visible ones.
func isBlank(r rune) bool {
	switch r {
	case '\u2800', // Braille without dots
		'\U00013441', '\U00013442', // blanks of hieroglyphs
		'\U00016fe4', // filler of the Khitan script
		'\U0001d159': // note without a head
		return true
	}
	return false
}

// Strip leaves hidden characters out of s: line feeds stay, a tab becomes a
// space, the separators of lines and paragraphs become line feeds. The two
// joiners stay between characters that are not ASCII: scripts and emoji need
// them. A byte that is not UTF-8 becomes U+FFFD.
func Strip(s string) string {
	var last rune // the last one that stays
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\t':
			r = ' '
		case r == '\u2028', r == '\u2029':
			r = '\n'
		case r == '\u200c', r == '\u200d':
			next, _ := utf8.DecodeRuneInString(s[i+len("\u200d"):])
			if !joins(last) || !joins(next) {
				continue
			}
		case r != '\n' && Hidden(r):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// joins reports whether a joiner next to r can have a meaning.
func joins(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError && !Hidden(r) }

// Blank puts a space in place of every hidden character, line feeds and tabs
// among them. A byte that is not UTF-8 becomes U+FFFD.
func Blank(s string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return ' '
		}
		return r
	}, s)
}

package scribe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/text"
)

// normal is a text reduced to its words: small letters, without punctuation, one space
// between words. Statements with the same normal text are the same.
func normal(text string) string { return strings.Join(words(text), " ") }

// words are the words of a text in small letters: runs of letters, digits and marks.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// digestOf names texts by 16 hexadecimal digits. Each text ends with a NUL, which keeps
// them apart.
func digestOf(texts ...string) string {
	return digest.Hex(strings.Join(texts, "\x00") + "\x00")[:16]
}

// sentence makes one clean line of at most max characters of a hostile text.
func sentence(s string, max int) string { return text.Cut(text.OneLine(s), max) }

// middle bounds a text to max characters by cutting its middle.
func middle(s string, max int) string {
	const gap = " […] "
	n := utf8.RuneCountInString(s)
	if n <= max || max < 20 {
		return text.Cut(s, max)
	}
	room := max - utf8.RuneCountInString(gap)
	runes := []rune(s)
	return string(runes[:room/2]) + gap + string(runes[n-(room-room/2):])
}

// slug makes an id of a text: small letters, digits and hyphens, "" if the text has no
// letter or digit.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxSlug {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// maxSlug keeps an id readable, with room for a number at its end.
const maxSlug = 60

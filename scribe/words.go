package scribe

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/text"
)

// normal is a text by its words alone: in small letters, without punctuation,
// one space between words. Two statements with the same normal text are the same.
func normal(text string) string { return strings.Join(words(text), " ") }

// words are the words of a text in small letters: what letters, digits and marks
// make up.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// digest names a text that may be anything, in 16 hexadecimal digits.
func digest(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// sentence makes one clean line of at most max characters of a text that
// somebody else wrote.
func sentence(s string, max int) string { return text.Cut(text.OneLine(s), max) }

// middle bounds a text to max characters by taking out of its middle.
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

// slug makes an id of a text: small letters, digits and hyphens, "" when nothing
// of it can be used.
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

// maxSlug keeps an id readable, with room for a number behind it.
const maxSlug = 60

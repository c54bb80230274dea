package hook

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText bounds, in characters, each text that is handed to an agent. A reason
// can quote what was judged; Claude Code moves a context of more than about
// 50,000 characters into a file and shows its beginning only.
const maxText = 10_000

// clean takes out of a text what could act on a terminal or make it read
// differently from what it says: control characters, escape sequences with
// them, and invisible format characters such as those that reverse the reading
// direction. The two joiners stay: scripts and emoji need them. Lines stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\u200c', r == '\u200d':
			return r
		case r == '\t':
			return ' '
		case r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r // a byte that is not UTF-8 arrives as U+FFFD
	}, text)
}

// oneLine cleans a text and folds it into one line, so that no part of it can
// pass for a message of its own.
func oneLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}

// join cleans texts and sets each under a label of ours; empty ones are left out.
func join(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		text = strings.TrimSpace(clean(text))
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("Sentinel: ")
		b.WriteString(text)
	}
	return cut(b.String())
}

// cut shortens a text to maxText characters, the note about it included.
func cut(text string) string {
	n := utf8.RuneCountInString(text)
	if n <= maxText {
		return text
	}
	const room = 40 // for the note
	keep := maxText - room
	runes := 0
	for i := range text {
		if runes == keep {
			return text[:i] + fmt.Sprintf(" … [%d more characters]", n-keep)
		}
		runes++
	}
	return text
}

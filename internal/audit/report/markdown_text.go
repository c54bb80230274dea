package report

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// inline writes hostile text as Markdown that renders as that very text, on one
// line: no emphasis, link, image, markup, table cell or heading of its own, and
// nothing that code hosts make of plain text (addresses, mentions, numbers of
// issues).
func inline(s string) string {
	s = text.OneLine(s)
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	for i := startOfBlock(&b, s); i < len(s); {
		if n := reference(s[i:]); n > 0 {
			// A code span ends a text before hosts look for mentions in it,
			// which a backslash does not.
			b.WriteString("`" + s[i:i+n] + "`")
			i += n
			continue
		}
		switch c := s[i]; {
		case c == '|':
			b.WriteString("&#124;") // a backslash ends no cell in one dialect, and does in another
		case strings.IndexByte("\\`*[]<>&~$", c) >= 0, c == '_' && !withinWord(s, i), c == ':' && strings.HasPrefix(s[i+1:], "/"), c == '.' && afterWWW(s[:i]):
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
		i++
	}
	return b.String()
}

// reference is the length of what s begins with and a host may make a reference
// of: ids of evidence, which look like issues, and the signs of mentions.
func reference(s string) (n int) {
	for {
		rest := s[n:]
		size := len(rest) - len(strings.TrimLeft(rest, "@#"))
		for _, source := range []audit.Source{audit.SourceRepo, audit.SourceDocs, audit.SourceVision} {
			if id, ok := strings.CutPrefix(rest, string(source)+"#"); ok {
				size = len(rest) - len(strings.TrimLeft(id, "0123456789"))
			}
		}
		if size == 0 {
			return n
		}
		n += size
	}
}

// withinWord reports whether s[i] is between letters or digits, where an underscore is not
// emphasis.
func withinWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	word := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	return word(before) && word(after)
}

// afterWWW reports whether a dot after s begins an address.
func afterWWW(s string) bool { return len(s) >= 3 && strings.EqualFold(s[len(s)-3:], "www") }

// startOfBlock writes what would begin a list or a rule if s were at the start of
// a line, and returns how much of s that is.
func startOfBlock(b *strings.Builder, s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	switch rest := s[digits:]; {
	case rest == "":
		return 0
	case digits == 0 && strings.ContainsRune("-+=:", rune(s[0])), digits > 0 && (rest[0] == '.' || rest[0] == ')'):
		b.WriteString(s[:digits] + `\` + rest[:1])
		return digits + 1
	}
	return 0
}

// code writes a hostile name as a code span, which is what people copy; one that no table
// can hold in a code span is written as text.
func code(s string) string {
	s = text.Name(s)
	switch {
	case strings.TrimSpace(s) == "":
		return "–"
	case strings.ContainsAny(s, "`|"), s != strings.TrimSpace(s):
		return inline(s)
	}
	return "`" + s + "`"
}

// prose writes advice as Markdown: text between backticks is code, when each has its
// partner, and all else is [inline].
func prose(s string) string {
	var b strings.Builder
	for _, p := range spans(s) {
		bare := strings.TrimSpace(p.Text)
		before, after, _ := strings.Cut(p.Text, bare)
		b.WriteString(before + phrase{bare, p.Code}.markdown() + after)
	}
	return b.String()
}

// spans divides advice, made one line, into words and code.
func spans(s string) []phrase {
	s = text.OneLine(s)
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 || len(parts) > 2 && slices.Contains(parts[1:len(parts)-1], "") { // one alone, or several in a row
		return []phrase{words(s)}
	}
	var all []phrase
	for i, part := range parts {
		if part != "" {
			all = append(all, phrase{Text: part, Code: i%2 == 1})
		}
	}
	return all
}

// codeBlock writes hostile lines as a fenced block that they cannot end.
func codeBlock(s string) string {
	s = snippet(s)
	fence := strings.Repeat("`", max(3, 1+longestRun(s, '`')))
	return fence + "text\n" + s + "\n" + fence + "\n"
}

func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

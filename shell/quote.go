package shell

import "strings"

// canonical joins a program and its arguments, quoting where a word needs it.
func canonical(program string, args []string) string {
	n := len(program)
	for _, a := range args {
		n += len(a) + 3
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(program)
	for _, a := range args {
		b.WriteByte(' ')
		if needsQuote(a) {
			b.WriteString(quote(a))
		} else {
			b.WriteString(a)
		}
	}
	return b.String()
}

// needsQuote reports whether a word would be read as something else unquoted.
// $ and patterns are left as they are: a canonical text is not expanded again.
func needsQuote(s string) bool {
	if s == "" {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\r', '\'', '"', '\\', ';', '&', '|', '<', '>', '(', ')', '`', '#':
			return !strings.HasPrefix(s, "$(") && !strings.HasPrefix(s, "<(") && s[0] != '`'
		}
	}
	return false
}

// quote returns s between single quotes.
func quote(s string) string {
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

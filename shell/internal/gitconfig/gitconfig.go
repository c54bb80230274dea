// Package gitconfig reads files of settings of git, as far as they define aliases or include
// other such files. Git is not run.
package gitconfig

import "strings"

// A Setting is a name with its value: section.key or section.subsection.key. Section and key have
// small letters.
type Setting struct {
	Section, Subsection, Key, Value string
}

// Read returns the settings of a text whose sections are among those that are named. Git ends at
// a line that it does not understand; here the lines behind it count.
func Read(text string, sections ...string) (all []Setting) {
	r := reader{rest: strings.TrimPrefix(text, "\ufeff")}
	var in Setting
	wanted := false
	for r.rest != "" {
		switch c := r.rest[0]; {
		case c == '\n' || c == ' ' || c == '\t' || c == '\r':
			r.rest = r.rest[1:]
		case c == '#' || c == ';':
			r.line()
		case c == '[':
			in, wanted = r.header(), false
			for _, name := range sections {
				wanted = wanted || in.Section == name
			}
		case isLetter(c):
			in.Key, in.Value = r.setting()
			if wanted && in.Key != "" {
				all = append(all, in)
			}
		default:
			r.line()
		}
	}
	return all
}

type reader struct{ rest string }

// line goes behind the end of the line.
func (r *reader) line() {
	_, r.rest, _ = strings.Cut(r.rest, "\n")
}

// header reads [section], [section.subsection] or [section "subsection"].
func (r *reader) header() (in Setting) {
	i := 1
	for i < len(r.rest) && (isLetter(r.rest[i]) || strings.IndexByte("0123456789-.", r.rest[i]) >= 0) {
		i++
	}
	in.Section, in.Subsection, _ = strings.Cut(strings.ToLower(r.rest[1:i]), ".")
	r.rest = strings.TrimLeft(r.rest[i:], " \t")
	if strings.HasPrefix(r.rest, `"`) {
		in.Subsection = r.quoted()
	}
	if end := strings.IndexAny(r.rest, "]\n"); end >= 0 {
		r.rest = r.rest[end+1:]
	} else {
		r.rest = ""
	}
	return in
}

// quoted reads the name of a subsection: a backslash takes the next character as it is.
func (r *reader) quoted() string {
	var name strings.Builder
	for i := 1; i < len(r.rest) && r.rest[i] != '\n'; i++ {
		switch r.rest[i] {
		case '"':
			r.rest = r.rest[i+1:]
			return name.String()
		case '\\':
			if i++; i == len(r.rest) {
				return name.String()
			}
		}
		name.WriteByte(r.rest[i])
	}
	return name.String()
}

// setting reads key = value. A key alone is true.
func (r *reader) setting() (key, value string) {
	i := 0
	for i < len(r.rest) && (isLetter(r.rest[i]) || strings.IndexByte("0123456789-", r.rest[i]) >= 0) {
		i++
	}
	key = strings.ToLower(r.rest[:i])
	r.rest = strings.TrimLeft(r.rest[i:], " \t")
	if !strings.HasPrefix(r.rest, "=") {
		r.line()
		return key, "true"
	}
	r.rest = r.rest[1:]
	return key, r.value()
}

// value reads a value, which a backslash continues in the next line. Blanks at its ends and
// comments do not belong to it, except in quotes.
func (r *reader) value() string {
	text := strings.TrimLeft(r.rest, " \t")
	r.rest = ""
	var value strings.Builder
	quoted, keep := false, 0 // keep is the length without the blanks at the end
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n', !quoted && (c == '#' || c == ';'):
			r.rest = text[i:]
			r.line()
			return value.String()[:keep]
		case c == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		case c == '"':
			quoted = !quoted
		case c == '\\' && strings.HasPrefix(text[i+1:], "\r\n"):
			i += 2
		case c == '\\' && strings.HasPrefix(text[i+1:], "\n"):
			i++
		case c == '\\' && i+1 < len(text):
			i++
			value.WriteByte(escaped(text[i]))
			keep = value.Len()
		default:
			value.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				keep = value.Len()
			}
		}
	}
	return value.String()[:keep]
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Words splits an alias as git does: at blanks, without anything else that a shell does. ok is
// false where a quote is not closed.
func Words(alias string) (words []string, ok bool) {
	var word strings.Builder
	var quote byte
	inWord := false
	for i := 0; i < len(alias); i++ {
		c := alias[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			if inWord {
				words = append(words, word.String())
				word.Reset()
			}
			inWord = false
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
			continue
		case c == quote:
			quote = 0
			continue
		case c == '\\' && quote != '\'':
			if i++; i == len(alias) {
				return nil, false
			}
			c = alias[i]
		}
		word.WriteByte(c)
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, quote == 0
}

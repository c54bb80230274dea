package undo

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A word is one word of a line that is known from the text alone.
type word struct {
	text   string // without quotes
	glob   bool   // the shell makes names of it; then it is written as it is
	quoted bool   // some of it was quoted
}

func (w word) String() string {
	if w.glob {
		return w.text
	}
	return quote(w.text)
}

// plain are characters that mean themselves in a word, in every shell. Others need quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+,:-"

// bare are characters that mean themselves inside of a word alone.
const bare = plain + "=~^"

const globs = "*?[]"

// readWords reads a line of simple commands that are joined by &&. It refuses whatever a
// shell could read in another way than as these words: variables, substitutions,
// redirections, braces, comments, letters that no name needs.
func readWords(line string) (commands [][]word, ok bool) {
	r := reader{rest: strings.Trim(line, " \t\n")}
	command := []word{}
	for r.rest != "" {
		if rest, and := strings.CutPrefix(r.rest, "&&"); and {
			commands, command = append(commands, command), []word{}
			r.rest = strings.TrimLeft(rest, " \t")
			continue
		}
		w, ok := r.word()
		if !ok {
			return nil, false
		}
		command = append(command, w)
		r.rest = strings.TrimLeft(r.rest, " \t")
	}
	commands = append(commands, command)
	return commands, !slices.ContainsFunc(commands, func(c []word) bool { return len(c) == 0 })
}

type reader struct{ rest string }

// word reads the next word. A single > is one too, see [truncated].
func (r *reader) word() (w word, ok bool) {
	if rest, is := strings.CutPrefix(r.rest, ">"); is {
		r.rest = rest
		return word{text: ">"}, rest != "" && strings.Trim(rest[:1], ">&|(") != ""
	}
	for end := false; !end; end = r.rest == "" || strings.IndexByte(" \t&>", r.rest[0]) >= 0 {
		part, ok := r.part(&w)
		if !ok {
			return w, false
		}
		w.text += part
	}
	if w.glob && (w.quoted || strings.ContainsAny(w.text, "~^=") || path.Base(w.text)[0] == '.') { // .* is also ..
		return w, false
	}
	return w, strings.IndexFunc(w.text, strange) < 0 && utf8.ValidString(w.text)
}

// part reads a quoted part of a word, or one character.
func (r *reader) part(w *word) (part string, ok bool) {
	switch c := r.rest[0]; {
	case c == '\'' || c == '"':
		w.quoted = true
		part, r.rest, ok = strings.Cut(r.rest[1:], r.rest[:1])
		return part, ok && (c == '\'' || !strings.ContainsAny(part, "$`\\!"))
	case c == '\\':
		w.quoted = true
		return r.take(1, func(c rune) bool { return c != '\n' && c != '\r' })
	case strings.IndexByte(globs, c) >= 0:
		w.glob = true
		return r.take(0, func(rune) bool { return true })
	}
	first := w.text == "" && !w.quoted
	return r.take(0, func(c rune) bool {
		return c >= utf8.RuneSelf || strings.ContainsRune(plain, c) || !first && strings.ContainsRune(bare, c)
	})
}

// take takes one character behind skip bytes, if it is good.
func (r *reader) take(skip int, good func(rune) bool) (string, bool) {
	c, size := utf8.DecodeRuneInString(r.rest[skip:])
	if size == 0 || !good(c) {
		return "", false
	}
	taken := r.rest[skip : skip+size]
	r.rest = r.rest[skip+size:]
	return taken, true
}

// strange reports whether a character is one that a text about the call would show as
// something else: it is hidden, changes the direction of writing, or imitates a mark. Control
// characters need quotes that not every shell has.
func strange(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsControl(r)
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// quote writes a word so that every shell reads just that: between single quotes where it
// needs any. It has no control characters, see [strange].
func quote(s string) string {
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

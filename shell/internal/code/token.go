package code

import (
	"bytes"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// A token is one element of a program text, as far as calls need it.
type token struct {
	kind       byte // 'i' name, 's' string, 'x' shell command, 'r' regular expression, '0' number, 'n' newline; else the byte itself
	known      bool // of a string: nothing is filled into it
	start, end int32
	text       string
}

// tokens cuts code into the tokens that calls are found by. It is not a
// parser: an unknown character is a token of one byte.
func tokens(lang, src string) []token {
	l := lexer{lang: lang, src: src, toks: make([]token, 0, min(MaxTokens, len(src)/2+16))}
	for l.pos < len(src) && len(l.toks) < MaxTokens {
		l.next()
	}
	return l.toks
}

type lexer struct {
	lang string
	src  string
	pos  int
	toks []token
	open []byte // brackets that are open
}

// last returns the kind of the last token that is not a newline.
func (l *lexer) last() byte {
	for i := len(l.toks) - 1; i >= 0; i-- {
		if l.toks[i].kind != 'n' {
			return l.toks[i].kind
		}
	}
	return 0
}

// newline adds the end of a line, unless a bracket is open in which it means nothing.
func (l *lexer) newline() {
	l.pos++
	if n := len(l.open); n > 0 && (l.open[n-1] != '{' || l.lang == "python") {
		return
	}
	l.add('n', "", l.pos-1, true)
}

// other adds a byte that is not part of a name or a string, and keeps account of brackets.
func (l *lexer) other(c byte) {
	switch c {
	case '(', '[', '{':
		l.open = append(l.open, c)
	case ')', ']', '}':
		if i := bytes.LastIndexByte(l.open, opening(c)); i >= 0 {
			l.open = l.open[:i]
		}
	}
	l.pos++
	l.add(c, "", l.pos-1, true)
}

// opening is the bracket that a closing one belongs to.
func opening(c byte) byte {
	if c == ')' {
		return '('
	}
	return c - 2
}

// number adds the digits of a number: 0o755, 1_000.
func (l *lexer) number() {
	start := l.pos
	for l.pos < len(l.src) && isName(l.src[l.pos]) {
		l.pos++
	}
	l.add('0', l.src[start:l.pos], start, true)
}

// pattern skips a regular expression, whose quotes and brackets are not code, and reports
// whether there was one: a slash without a value before it.
func (l *lexer) pattern() bool {
	if l.lang != "node" && l.lang != "ruby" && l.lang != "perl" && l.lang != "awk" || strings.IndexByte("(,=:[!&|?{};n~", l.lastOrNewline()) < 0 {
		return false
	}
	class := false
	for i := l.pos + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			start := l.pos
			l.pos = i + 1
			l.add('r', "", start, true)
			return true
		}
	}
	return false
}

// lastOrNewline is the kind of the last token, at the start a newline.
func (l *lexer) lastOrNewline() byte {
	if len(l.toks) == 0 {
		return 'n'
	}
	return l.toks[len(l.toks)-1].kind
}

func (l *lexer) add(kind byte, text string, start int, known bool) {
	l.toks = append(l.toks, token{kind: kind, known: known, start: int32(start), end: int32(l.pos), text: text})
}

func (l *lexer) rest() string { return l.src[l.pos:] }

func (l *lexer) next() {
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.newline()
	case c == ' ' || c == '\t' || c == '\r':
		l.pos++
	case l.comment():
	case c == '\'' || c == '"' || c == '`':
		l.quoted("")
	case c == '%' && l.lang == "ruby" && l.percent():
	case c == '[' && l.lang == "lua" && strings.HasPrefix(l.rest(), "[["):
		l.until("[[", "]]")
	case c >= '0' && c <= '9':
		l.number()
	case c == '/' && l.pattern():
	case isName(c) || c == '.' && l.method() || c == '$' && l.lang != "awk":
		l.name()
	default:
		l.other(c)
	}
}

// comment skips a comment and reports whether there was one.
func (l *lexer) comment() bool {
	rest := l.rest()
	switch {
	case rest[0] == '#' && l.lang != "node" && l.lang != "lua",
		strings.HasPrefix(rest, "//") && (l.lang == "node" || l.lang == "php"),
		strings.HasPrefix(rest, "--") && l.lang == "lua":
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			l.pos += i
		} else {
			l.pos = len(l.src)
		}
		return true
	case strings.HasPrefix(rest, "/*") && (l.lang == "node" || l.lang == "php"):
		if i := strings.Index(rest[2:], "*/"); i >= 0 {
			l.pos += i + 4
		} else {
			l.pos = len(l.src)
		}
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isName(c byte) bool {
	return isLetter(c) || c == '_' || c >= '0' && c <= '9' || c >= 0x80
}

// method reports whether the dot at the position starts a method call after a
// bracket or a string: Path("x").unlink. It may be on a later line.
func (l *lexer) method() bool {
	if l.pos+1 >= len(l.src) || !isLetter(l.src[l.pos+1]) && l.src[l.pos+1] != '_' || strings.IndexByte(")]s}xr", l.last()) < 0 || l.last() == 0 {
		return false
	}
	for l.toks[len(l.toks)-1].kind == 'n' {
		l.toks = l.toks[:len(l.toks)-1]
	}
	return true
}

// name reads a dotted name: os.path.join, File::Path, $obj->method. A name that
// is a prefix of a string (r"…", f"…", qx(…)) reads the string.
func (l *lexer) name() {
	start := l.pos
	l.pos++
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isName(c) || c == '$' && l.lang == "node":
			l.pos++
			continue
		case c == '.' && l.pos+1 < len(l.src) && isLetter(l.src[l.pos+1]) && !(l.lang == "php" || l.lang == "perl" || l.lang == "awk"):
			l.pos += 2
			continue
		case strings.HasPrefix(l.rest(), "::"), strings.HasPrefix(l.rest(), "->") && l.lang != "node",
			c == ':' && l.lang == "lua" && l.pos+1 < len(l.src) && isLetter(l.src[l.pos+1]):
			l.pos += 2
			continue
		case (c == '!' || c == '?') && l.lang == "ruby" && l.pos+1 < len(l.src) && l.src[l.pos+1] != '=':
			l.pos++
		}
		break
	}
	text := l.src[start:l.pos]
	if l.pos < len(l.src) && l.prefixed(text, start) {
		return
	}
	l.add('i', text, start, true)
}

// prefixed reads a string that has a prefix, and reports whether it did.
func (l *lexer) prefixed(name string, start int) bool {
	c := l.src[l.pos]
	switch l.lang {
	case "python":
		if (c == '\'' || c == '"') && len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbuf") == "" {
			l.quoted(strings.ToLower(name))
			return true
		}
	case "perl":
		switch name {
		case "q", "qq", "qx", "qw":
			return l.delimited(name, start)
		}
	}
	return false
}

// delimited reads the text between the marks of perl's q(…), qx{…}, qw[…].
func (l *lexer) delimited(name string, start int) bool {
	for l.pos < len(l.src) && l.src[l.pos] == ' ' {
		l.pos++
	}
	if l.pos >= len(l.src) {
		return false
	}
	open := l.src[l.pos]
	if isName(open) || open == '=' || open == ',' || open == ';' {
		return false
	}
	end := open
	if i := strings.IndexByte("([{<", open); i >= 0 {
		end = ")]}>"[i]
	}
	n := strings.IndexByte(l.src[l.pos+1:], end)
	if n < 0 {
		return false
	}
	text := l.src[l.pos+1 : l.pos+1+n]
	l.pos += n + 2
	switch name {
	case "qx":
		l.add('x', text, start, !strings.ContainsAny(text, "$@"))
	case "qw":
		l.add('[', "", start, true)
		for w := range strings.FieldsSeq(text) {
			l.add('s', w, start, true)
			l.add(',', "", start, true)
		}
		l.add(']', "", start, true)
	default:
		l.add('s', text, start, name == "q" || !strings.ContainsAny(text, "$@"))
	}
	return true
}

// percent reads ruby's %x(…), %w(…) and %q(…), and reports whether it did.
func (l *lexer) percent() bool {
	start, rest := l.pos, l.rest()
	if len(rest) < 3 || strings.IndexByte("xwqQ", rest[1]) < 0 || strings.IndexByte("([{<|/!", rest[2]) < 0 {
		return false
	}
	l.pos += 2
	name := "q" + rest[1:2]
	if rest[1] == 'q' || rest[1] == 'Q' {
		name = "q"
	}
	if !l.delimited(name, start) {
		l.pos = start
		return false
	}
	return true
}

// until reads a string between two marks.
func (l *lexer) until(open, end string) {
	start := l.pos
	body := l.src[l.pos+len(open):]
	n := strings.Index(body, end)
	if n < 0 {
		n = len(body)
	}
	l.pos = min(len(l.src), l.pos+len(open)+n+len(end))
	l.add('s', body[:n], start, true)
}

// quoted reads a string with escapes. A value filled into it (f"{x}", "#{x}",
// `${x}`, "$x") makes it unknown.
func (l *lexer) quoted(prefix string) {
	start := l.pos
	q := l.src[l.pos]
	if l.lang == "python" && len(l.rest()) >= 3 && l.src[l.pos+1] == q && l.src[l.pos+2] == q {
		l.triple(q, prefix)
		return
	}
	if n := strings.IndexByte(l.src[start+1:], q); n >= 0 { // the short way: nothing to resolve
		text := l.src[start+1 : start+1+n]
		if !strings.ContainsAny(text, "\\\n$#@{") {
			l.pos += n + 2
			l.add(l.stringKind(q), text, start, true)
			return
		}
	}
	raw := strings.Contains(prefix, "r") || q == '\'' && (l.lang == "ruby" || l.lang == "perl" || l.lang == "php")
	known := true
	var b strings.Builder
	i := l.pos + 1
scan:
	for ; i < len(l.src) && l.src[i] != q; i++ {
		c := l.src[i]
		switch {
		case c == '\\' && i+1 < len(l.src):
			i++
			if raw && l.src[i] != q && l.src[i] != '\\' || strings.Contains(prefix, "r") {
				b.WriteByte('\\')
				b.WriteByte(l.src[i])
				continue
			}
			if l.src[i] == '\n' {
				continue
			}
			if l.src[i] == '/' || l.src[i] == '$' || l.src[i] == '`' || l.src[i] == '#' || l.src[i] == '@' {
				b.WriteByte(l.src[i])
				continue
			}
			i += decode.Escape(&b, l.src[i:]) - 1
			continue
		case c == '\n' && q != '`' && (l.lang == "python" || l.lang == "node"):
			i--
			known = false
			break scan // not a string after all: an apostrophe
		case l.fills(c, q, prefix, i):
			known = false
		}
		b.WriteByte(c)
	}
	l.pos = min(len(l.src), i+1)
	l.add(l.stringKind(q), b.String(), start, known)
}

// stringKind is 'x' for a quote that runs a shell command, which the backtick
// is in ruby, perl and php.
func (l *lexer) stringKind(q byte) byte {
	if q == '`' && (l.lang == "ruby" || l.lang == "perl" || l.lang == "php") {
		return 'x'
	}
	return 's'
}

// fills reports whether something is filled into a string at place i.
func (l *lexer) fills(c, q byte, prefix string, i int) bool {
	next := byte(0)
	if i+1 < len(l.src) {
		next = l.src[i+1]
	}
	switch l.lang {
	case "python":
		return c == '{' && strings.Contains(prefix, "f")
	case "node":
		return q == '`' && c == '$' && next == '{'
	case "ruby":
		return q != '\'' && c == '#' && next == '{'
	case "perl", "php":
		return q != '\'' && (c == '$' || c == '@' && l.lang == "perl") && (isLetter(next) || next == '{' || next == '_')
	}
	return false
}

// triple reads Python's """…""".
func (l *lexer) triple(q byte, prefix string) {
	start := l.pos
	mark := strings.Repeat(string(q), 3)
	body := l.src[l.pos+3:]
	n := strings.Index(body, mark)
	if n < 0 {
		n = len(body)
	}
	l.pos = min(len(l.src), l.pos+3+n+3)
	text := body[:n]
	if !strings.Contains(prefix, "r") {
		text = decode.Escapes(strings.ReplaceAll(text, "\\\n", ""))
	}
	l.add('s', text, start, !strings.Contains(prefix, "f") || !strings.Contains(text, "{"))
}

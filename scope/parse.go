package scope

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of a pattern. A rule file may come with a cloned repository, so a
// pattern is as hostile as a target; these are far above what people write.
const (
	maxPattern = 4096 // bytes
	maxDepth   = 8    // braces within braces
	maxClass   = 256  // characters that a class is spelled out to
)

// kind is what a piece of a pattern matches.
type kind uint8

const (
	text  kind = iota // itself
	slash             // the / between path elements; in path patterns only
	one               // ?
	star              // *
	cross             // **
	class             // [abc]
	group             // {a,b}
)

// node is a piece of a pattern.
type node struct {
	kind kind
	text string
	set  *set
	alts [][]node
}

// parser reads one pattern. In path patterns / separates elements, and no
// wildcard but ** crosses it.
type parser struct {
	src   string
	pos   int
	paths bool
	fold  bool
	depth int
}

// parse reads a pattern. The error is a *PatternError.
func parse(pattern string, paths, fold bool) ([]node, error) {
	p := &parser{src: pattern, paths: paths, fold: fold}
	if err := p.checkWhole(); err != nil {
		return nil, err
	}
	return p.sequence()
}

// fault returns the error for the byte at offset.
func (p *parser) fault(offset int, format string, args ...any) error {
	return &PatternError{Pattern: p.src, Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// checkWhole refuses what no glob syntax gives a meaning to, whatever follows.
func (p *parser) checkWhole() error {
	switch {
	case p.src == "":
		return p.fault(0, "the pattern is empty; write * for everything, or remove it")
	case len(p.src) > maxPattern:
		return p.fault(maxPattern, "the pattern is longer than %d bytes; split it into several", maxPattern)
	case strings.TrimSpace(p.src) == "":
		return p.fault(0, "the pattern is blank; write * for everything, or remove it")
	case p.src[0] == '!' && len(p.src) > 1 && p.src[1] != ' ':
		return p.fault(0, "! does not negate a pattern; put %q under exclude", p.src[1:])
	}
	for i, r := range p.src {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(p.src[i:]); n == 1 {
				return p.fault(i, "the pattern is not valid UTF-8; save the file as UTF-8")
			}
		}
	}
	return nil
}

// sequence reads up to the end, or within braces up to the , or } that ends the
// alternative.
func (p *parser) sequence() ([]node, error) {
	var out []node
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		if p.depth > 0 && (c == ',' || c == '}') {
			break
		}
		n, err := p.piece(c)
		if err != nil {
			return nil, err
		}
		if last := len(out) - 1; n.kind == text && last >= 0 && out[last].kind == text {
			out[last].text += n.text
			continue
		}
		out = append(out, n)
	}
	return out, nil
}

// piece reads the piece that begins with c.
func (p *parser) piece(c byte) (node, error) {
	switch {
	case c == '*':
		return p.stars(), nil
	case c == '?':
		p.pos++
		return node{kind: one}, nil
	case c == '[':
		return p.class()
	case c == '{' && p.isGroup():
		return p.group()
	case c == '{':
		// Without a comma braces are literal, as in a shell, so that
		// ${HOME} and stash@{0} need no escape.
		p.pos++
		return node{kind: text, text: "{"}, nil
	case c == '\\':
		return p.escape()
	case c == '/' && p.paths:
		p.pos++
		return node{kind: slash}, nil
	}
	return p.literal(), nil
}

// stars reads a run of *. More than two mean what two mean.
func (p *parser) stars() node {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] == '*' {
		p.pos++
	}
	if p.pos-start > 1 || !p.paths {
		return node{kind: cross}
	}
	return node{kind: star}
}

// literal reads characters up to the next one that has a meaning.
func (p *parser) literal() node {
	start := p.pos
	for p.pos++; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		if special[c] || c == '/' && p.paths || p.depth > 0 && (c == ',' || c == '}') {
			break
		}
	}
	return node{kind: text, text: p.folded(p.src[start:p.pos])}
}

// escape reads a backslash and the character it makes literal. Before a letter
// or a digit it is a path in the manner of Windows, or a regular expression:
// both would silently match something else.
func (p *parser) escape() (node, error) {
	start := p.pos
	p.pos++
	if p.pos == len(p.src) {
		return node{}, p.fault(start, `nothing follows the \; write \\ for a backslash`)
	}
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	if isWordRune(r) {
		hint := `write \\ for a backslash`
		if p.paths {
			hint = `write / between folders, and \ only before a character such as * or [`
		}
		return node{}, p.fault(start, `\%c has no meaning; %s`, r, hint)
	}
	p.pos += n
	if r == '/' && p.paths {
		return node{kind: slash}, nil
	}
	return node{kind: text, text: p.folded(string(r))}, nil
}

// isWordRune reports whether r is a letter or a digit of ASCII.
func isWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// isGroup reports whether the { at pos has alternatives: a comma before the }
// that closes it. One that is never closed counts, so that group reports it.
func (p *parser) isGroup() bool {
	depth, comma := 0, false
	for i := p.pos; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			i += classEnd(p.src[i:])
		case '{':
			depth++
		case ',':
			comma = comma || depth == 1
		case '}':
			if depth--; depth == 0 {
				return comma
			}
		}
	}
	return true
}

// classEnd returns the offset of the ] that closes the class s begins with, or
// 0 when nothing does.
func classEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return 0
}

// group reads {a,b}.
func (p *parser) group() (node, error) {
	open := p.pos
	if p.depth == maxDepth {
		return node{}, p.fault(open, "braces are nested more than %d deep; write several patterns", maxDepth)
	}
	p.depth++
	n := node{kind: group}
	for {
		p.pos++ // the { or the , before the alternative
		alt, err := p.sequence()
		if err != nil {
			return node{}, err
		}
		n.alts = append(n.alts, alt)
		if p.pos == len(p.src) {
			return node{}, p.fault(open, `the { is never closed; write }, or \{ for a brace`)
		}
		if p.src[p.pos] == '}' {
			break
		}
	}
	p.pos++
	p.depth--
	return n, nil
}

// folded returns s as it is compared.
func (p *parser) folded(s string) string {
	if p.fold {
		return foldCase(s)
	}
	return s
}

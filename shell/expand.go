package shell

import (
	"cmp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// A field is one word of a command after expansion. A part that is not known from
// the line is left as it was written ($x, $(…)), and known is false.
type field struct {
	text   string
	span   Span     // in Line.Text
	inner  int      // offset of text in Line.Text, where it is there byte for byte; else -1
	known  bool     // all of it is known from the line
	glob   bool     // it has an unquoted *, ? or [
	quoted bool     // a part of it is quoted, so that it is not an alias or a keyword
	sub    *output  // of a word that is one $(…), <(…) or variable filled by one: what that prints
	names  []string // patterns for the files that it may name, where a command prints their names
	gone   []Span   // of text: variables that the line does not set, and that may be nothing
}

// words expands words as a shell does: braces, variables, splitting and quotes.
func (w walker) words(list []*syntax.Word) []field {
	fields := make([]field, 0, len(list))
	for _, word := range list {
		if f, ok := w.plain(word); ok {
			fields = append(fields, f)
			continue
		}
		if w.env.knows && isAllParams(word) {
			for _, f := range w.params {
				f.span, f.quoted = w.node(word), true
				fields = append(fields, f)
			}
			continue
		}
		fields = w.expand(fields, word)
		if len(fields) > 4*maxWords {
			w.bounded(tooBig)
			return fields[:4*maxWords]
		}
	}
	return fields
}

// isAllParams reports whether a word is "$@".
func isAllParams(word *syntax.Word) bool {
	q, ok := word.Parts[0].(*syntax.DblQuoted)
	if !ok || len(word.Parts) != 1 || len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == "@" && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl
}

// plain takes the short way for a word that is one literal or one quoted text
// with nothing to expand in it, which most words are.
func (w walker) plain(word *syntax.Word) (field, bool) {
	if len(word.Parts) != 1 {
		return field{}, false
	}
	f := field{span: w.node(word), inner: -1, known: true}
	start := int(word.Pos().Offset())
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		escapes, glob := scanLiteral(p.Value)
		if escapes {
			return f, false
		}
		f.text, f.glob = p.Value, glob && hasGlob(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar {
			return f, false
		}
		f.text, f.quoted = p.Value, true
		start++
	case *syntax.DblQuoted:
		f.quoted = true
		start++
		if len(p.Parts) == 0 {
			return f, true
		}
		lit, ok := p.Parts[0].(*syntax.Lit)
		if !ok || len(p.Parts) > 1 || p.Dollar || strings.Contains(lit.Value, `\`) {
			return f, false
		}
		f.text = lit.Value
	default:
		return f, false
	}
	if w.base >= 0 && strings.HasPrefix(w.src[min(start, len(w.src)):], f.text) {
		f.inner = w.base + start
	}
	return f, true
}

// scanLiteral looks at an unquoted text once, for what most have none of:
// escapes and braces, and characters of a pattern.
func scanLiteral(s string) (escapes, glob bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\', '{':
			escapes = true
		case '*', '?', '[':
			glob = true
		}
	}
	return escapes, glob
}

// hasGlob reports whether a word is a pattern of file names. An address is not,
// whatever its query.
func hasGlob(s string) bool {
	return strings.ContainsAny(s, "*?[") && !strings.Contains(s, "://")
}

// expand appends the fields that a word expands to.
func (w walker) expand(fields []field, word *syntax.Word) []field {
	if hasBrace(word) {
		for _, alt := range w.braces(word) {
			fields = w.expandOne(fields, alt, word)
		}
		return fields
	}
	return w.expandOne(fields, word.Parts, word)
}

func (w walker) expandOne(fields []field, parts []syntax.WordPart, word *syntax.Word) []field {
	x := expander{walker: w, fields: fields, span: w.node(word), split: true}
	x.reset()
	x.parts(parts, false)
	if len(word.Parts) == 1 {
		x.cur.sub = x.sub
	}
	x.flush()
	return x.fields
}

// single expands a word that is not split: the value of an assignment, the
// target of a redirection.
func (w walker) single(word *syntax.Word) field {
	if word == nil {
		return field{known: true, inner: -1}
	}
	if f, ok := w.plain(word); ok {
		return f
	}
	f := w.quotedParts(word.Parts, false)
	f.span = w.node(word)
	return f
}

// quotedParts expands parts into one field; inDouble says that they are
// between double quotes, or in a heredoc.
func (w walker) quotedParts(parts []syntax.WordPart, inDouble bool) field {
	x := expander{walker: w}
	x.reset()
	x.parts(parts, inDouble)
	x.cur.text, x.cur.names = x.buf.String(), x.names
	if len(parts) == 1 {
		x.cur.sub = x.sub
	}
	return x.cur
}

// An expander builds fields from the parts of a word.
type expander struct {
	walker
	fields []field
	span   Span
	split  bool // unquoted values are split into fields
	cur    field
	buf    strings.Builder
	some   bool // the current field exists, though it may be empty
	sub    *output
	names  []string // of the current field, with the text so far
}

func (x *expander) reset() {
	x.cur = field{span: x.span, inner: -1, known: true}
	x.some = false
	x.names = nil
	x.buf.Reset()
}

func (x *expander) flush() {
	if x.some || x.buf.Len() > 0 {
		x.cur.text, x.cur.names = x.buf.String(), x.names
		if len(x.fields) < 5*maxWords {
			x.fields = append(x.fields, x.cur)
		} else {
			x.bounded(tooBig)
		}
	}
	x.reset()
}

func (x *expander) add(s string) {
	if x.grow(len(s)) {
		x.buf.WriteString(s)
		x.alsoNames(s)
	} else {
		x.cur.known = false
	}
}

// unknown adds the text that replaces a value which is not known from the line.
func (x *expander) unknown(s string) {
	x.add(s)
	x.some = true
	x.cur.known = false
}

func (x *expander) parts(parts []syntax.WordPart, inDouble bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			x.literal(p.Value, inDouble)
		case *syntax.SglQuoted:
			x.some, x.cur.quoted = true, true
			if p.Dollar {
				x.add(decode.Escapes(p.Value))
			} else {
				x.add(p.Value)
			}
		case *syntax.DblQuoted:
			x.some, x.cur.quoted = true, true
			x.parts(p.Parts, true)
		case *syntax.ParamExp:
			x.param(p, inDouble)
		case *syntax.CmdSubst:
			x.substitution(p, inDouble)
		case *syntax.ProcSubst:
			out := x.within(procName(p)).unseen().feeding().subshell().stmts(p.Stmts)
			x.unknown(x.source(p))
			if p.Op != syntax.CmdOut {
				x.sub = &out
			}
		case *syntax.ArithmExp:
			if n, ok := x.arith(p.X); ok {
				x.add(strconv.Itoa(n))
			} else {
				x.substitutions(p)
				x.unknown(x.source(p))
			}
		case *syntax.ExtGlob:
			x.add(x.source(p))
			x.cur.glob = true
		default:
			x.unknown(x.source(p))
		}
	}
}

// literal adds unquoted text, resolving backslashes. Between double quotes only
// some characters can be escaped.
func (x *expander) literal(s string, inDouble bool) {
	if !inDouble && hasGlob(s) {
		x.cur.glob = true
	}
	if !strings.Contains(s, `\`) {
		x.add(s)
		return
	}
	if !x.grow(len(s)) {
		return
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			next := s[i+1]
			switch {
			case next == '\n':
				i++
				continue
			case !inDouble || strings.IndexByte("$`\"\\", next) >= 0:
				i++
				x.buf.WriteByte(next)
				x.alsoNames(s[i : i+1])
				x.cur.quoted = x.cur.quoted || !inDouble
				continue
			}
		}
		x.buf.WriteByte(s[i])
		x.alsoNames(s[i : i+1])
	}
}

// defaultIFS are the separators of words where IFS is not set.
const defaultIFS = " \t\n"

// value adds an expanded value, splitting it at IFS when it is not quoted.
func (x *expander) value(s string, inDouble bool) {
	if inDouble || !x.split {
		x.add(s)
		return
	}
	ifs := defaultIFS
	if v, ok := x.get("IFS"); ok && len(v.values) > 0 {
		if ifs = v.values[0]; v.guess { // it may have stayed as it was
			ifs += defaultIFS
		}
		for _, other := range v.other {
			ifs += strings.Join(other, "")
		}
	}
	if hasGlob(s) {
		x.cur.glob = true
	}
	start := 0
	for _, i := range separators(s, ifs) {
		known, glob := x.cur.known, x.cur.glob
		x.add(s[start:i])
		x.flush()
		x.cur.known, x.cur.glob = known, glob
		start = i + 1
	}
	x.add(s[start:])
}

// separators returns where a value is split: not inside of $(…), which stands for a text that
// is not known.
func separators(s, ifs string) (at []int) {
	open, before := 0, 0 // before the first $( that does not end
	for i, c := range s {
		switch {
		case open > 0 && c == '(' || c == '(' && i > 0 && s[i-1] == '$':
			if open++; open == 1 {
				before = len(at)
			}
		case open > 0 && c == ')':
			if open--; open == 0 {
				at = at[:before]
			}
		case strings.ContainsRune(ifs, c):
			at = append(at, i)
		}
	}
	return at
}

// substitution walks the commands of $(…) and adds their output when it is known
// from the line, else the text as written.
func (x *expander) substitution(p *syntax.CmdSubst, inDouble bool) {
	in := x.within("$(…)").captured().subshell()
	out := in.stmts(p.Stmts)
	if word := fileOf(p.Stmts); word != nil { // $(<file)
		f := in.single(word)
		content, _ := in.fileContent(f)
		if out = in.ofFile(f, content); !out.known {
			out.from = []string{"cat"}
		}
	}
	if out.exact && !out.known {
		x.value(out.symbol, inDouble)
		return
	}
	x.sub = &out
	if out.known {
		x.value(strings.TrimRight(out.text, "\n"), inDouble)
		return
	}
	if len(out.names) > 0 {
		x.addNames(out.names)
		return
	}
	x.unknown(cmp.Or(out.symbol, x.source(p)))
}

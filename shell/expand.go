package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// A field is one word of a command after expansion. What the line does not tell
// stands in it as it was written ($x, $(…)), and known is false.
type field struct {
	text   string
	span   Span    // in Line.Text
	inner  int     // where text stands in Line.Text byte for byte; -1 when it does not
	known  bool    // all of it is told by the line
	glob   bool    // it has an unquoted *, ? or [
	quoted bool    // a part of it is quoted, so that it is no alias or keyword
	sub    *output // of a word that is one $(…), <(…) or variable filled by one: what that prints
}

// words expands words as a shell does: braces, variables, splitting, quotes.
func (w walker) words(list []*syntax.Word) []field {
	fields := make([]field, 0, len(list))
	for _, word := range list {
		if f, ok := w.plain(word); ok {
			fields = append(fields, f)
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

// hasGlob reports whether a word is a pattern of file names. An address is none,
// whatever is in its query.
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

// quotedParts expands parts into one field; inDouble says that they stand
// between double quotes, or in a heredoc.
func (w walker) quotedParts(parts []syntax.WordPart, inDouble bool) field {
	x := expander{walker: w}
	x.reset()
	x.parts(parts, inDouble)
	x.cur.text = x.buf.String()
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
}

func (x *expander) reset() {
	x.cur = field{span: x.span, inner: -1, known: true}
	x.some = false
	x.buf.Reset()
}

func (x *expander) flush() {
	if x.some || x.buf.Len() > 0 {
		x.cur.text = x.buf.String()
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
	} else {
		x.cur.known = false
	}
}

// unknown adds what stands for a value that the line does not tell.
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
			out := x.within(procName(p)).subshell().stmts(p.Stmts)
			x.unknown(x.source(p))
			if p.Op != syntax.CmdOut {
				x.sub = &out
			}
		case *syntax.ArithmExp:
			if n, ok := arithConst(p.X); ok {
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
				x.cur.quoted = x.cur.quoted || !inDouble
				continue
			}
		}
		x.buf.WriteByte(s[i])
	}
}

// value adds an expanded value, splitting it at IFS when it is not quoted.
func (x *expander) value(s string, inDouble bool) {
	if inDouble || !x.split {
		x.add(s)
		return
	}
	ifs := " \t\n"
	if v, ok := x.get("IFS"); ok && len(v.values) > 0 {
		ifs = v.values[0]
	}
	if hasGlob(s) {
		x.cur.glob = true
	}
	for s != "" {
		i := strings.IndexAny(s, ifs)
		if i < 0 {
			x.add(s)
			return
		}
		known, glob := x.cur.known, x.cur.glob
		x.add(s[:i])
		x.flush()
		x.cur.known, x.cur.glob = known, glob
		s = s[i+1:]
	}
}

// substitution walks the commands of $(…) and adds what they print when the
// line tells it, else the text as it stands.
func (x *expander) substitution(p *syntax.CmdSubst, inDouble bool) {
	in := x.within("$(…)").subshell()
	out := in.stmts(p.Stmts)
	x.sub = &out
	if out.known {
		x.value(strings.TrimRight(out.text, "\n"), inDouble)
		return
	}
	x.unknown(x.source(p))
}

// param expands $x, ${x…} in all the forms that a constant can be told from.
func (x *expander) param(p *syntax.ParamExp, inDouble bool) {
	values, guess, ok := x.lookup(p)
	if p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull && x.fallback(p, values, ok, inDouble) {
		return
	}
	if !ok {
		x.substitutions(p)
		text := unknownParam(x.walker, p)
		known := x.cur.known && (text == "$HOME" || text == "$PWD") // each has one meaning, and effects know it
		x.unknown(text)
		x.cur.known = known
		return
	}
	if guess {
		x.cur.known = false
		if v, ok := x.get(p.Param.Value); ok && len(v.from) > 0 {
			x.sub = &output{from: v.from}
		}
	}
	if p.Length {
		x.add(strconv.Itoa(utf8.RuneCountInString(strings.Join(values, " "))))
		return
	}
	all := splitsEach(p)
	for i, v := range values {
		if v, ok = x.modify(p, v); !ok {
			x.unknown(unknownParam(x.walker, p))
			return
		}
		if i > 0 && all {
			known := x.cur.known
			if x.split {
				x.flush()
			} else {
				x.add(" ")
			}
			x.cur.known = known
		} else if i > 0 {
			x.value(" ", inDouble)
		}
		x.some = x.some || inDouble
		x.value(v, inDouble)
	}
}

// unknownParam is what stands for a variable that the line does not set: $x for
// a plain one, however it was written, else the source.
func unknownParam(w walker, p *syntax.ParamExp) string {
	if p.Param != nil && p.Exp == nil && p.Index == nil && p.Slice == nil && p.Repl == nil && !p.Excl && !p.Length && p.Names == 0 {
		return "$" + p.Param.Value
	}
	return w.source(p)
}

// splitsEach reports whether each element is a word of its own: "$@", "${a[@]}".
func splitsEach(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Param.Value == "@" || indexWord(p.Index) == "@"
}

func indexWord(ix syntax.ArithmExpr) string {
	if w, ok := ix.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// lookup returns the values that a parameter has; guess says that they are not
// certain, ok that there are any.
func (x *expander) lookup(p *syntax.ParamExp) (values []string, guess, ok bool) {
	if p.Param == nil || p.Names != 0 || p.NestedParam != nil {
		return nil, false, false
	}
	name := p.Param.Value
	if p.Excl {
		v, ok := x.get(name)
		if !ok || len(v.values) == 0 {
			return nil, false, false
		}
		name = v.values[0]
	}
	switch name {
	case "@", "*":
		if !x.env.knows {
			return nil, false, false
		}
		return fieldTexts(x.env.params)
	case "#":
		return []string{strconv.Itoa(len(x.env.params))}, false, x.env.knows
	case "IFS":
		if _, ok := x.get("IFS"); !ok {
			return []string{" \t\n"}, false, true
		}
	}
	if isDigits(name) {
		n, _ := strconv.Atoi(name)
		if !x.env.knows || n == 0 {
			return nil, false, false
		}
		if n > len(x.env.params) {
			return []string{""}, false, true
		}
		return fieldTexts(x.env.params[n-1 : n])
	}
	v, ok := x.get(name)
	if !ok {
		return nil, false, false
	}
	switch ix := indexWord(p.Index); {
	case p.Index == nil && v.array:
		return v.values[:min(1, len(v.values))], v.guess, true
	case p.Index == nil, ix == "@", ix == "*":
		return v.values, v.guess, true
	}
	i, isConst := arithConst(p.Index)
	if !isConst || i >= len(v.values) || i < -len(v.values) {
		return v.values, true, isConst
	}
	if i < 0 {
		i += len(v.values)
	}
	return v.values[i : i+1], v.guess, true
}

func fieldTexts(fields []field) (texts []string, guess, ok bool) {
	for _, f := range fields {
		texts = append(texts, f.text)
		guess = guess || !f.known
	}
	return texts, guess, true
}

// fallback handles ${x:-word} and its kin, and reports whether it has. A
// variable that the line does not set may be set outside: the word is then the
// best guess, as it is what the author of the line meant to run.
func (x *expander) fallback(p *syntax.ParamExp, values []string, ok, inDouble bool) bool {
	unset := false
	if v, found := x.get(p.Param.Value); found && v.unset {
		unset, ok = true, false
	}
	empty := !ok || strings.Join(values, "") == ""
	use := false
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.AssignUnset:
		use = !ok
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull:
		use = empty
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if unset || ok && empty && p.Exp.Op == syntax.AlternateUnsetOrNull {
			return true
		}
		use = true
	}
	if !use || p.Exp.Word == nil {
		return use
	}
	if !ok && !unset {
		x.cur.known = false
	}
	if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
		f := x.single(p.Exp.Word)
		x.set(p.Param.Value, variable{values: []string{f.text}, guess: true})
		x.value(f.text, inDouble)
		return true
	}
	f := x.single(p.Exp.Word)
	x.some = x.some || inDouble || f.quoted
	x.cur.known = x.cur.known && f.known
	x.value(f.text, inDouble || f.quoted)
	return true
}

// modify applies ${x#p}, ${x/a/b}, ${x:1:2} and ${x^^} to a value.
func (x *expander) modify(p *syntax.ParamExp, v string) (string, bool) {
	if p.Slice != nil {
		return sliceValue(p.Slice, v)
	}
	if p.Repl != nil {
		orig, with := x.single(p.Repl.Orig), x.single(p.Repl.With)
		if !orig.known || !with.known {
			return "", false
		}
		if len(v) > maxPattern || len(with.text) > maxPattern {
			x.bounded(tooBig)
			return "", false
		}
		return replacePattern(v, orig.text, with.text, p.Repl.All)
	}
	if p.Exp == nil {
		return v, true
	}
	var pattern string
	if p.Exp.Word != nil {
		f := x.single(p.Exp.Word)
		if !f.known {
			return "", false
		}
		pattern = f.text
	}
	switch p.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if len(v) > maxPattern {
			x.bounded(tooBig)
			return "", false
		}
	}
	switch p.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return trimPattern(v, pattern, true, p.Exp.Op == syntax.RemLargePrefix), true
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return trimPattern(v, pattern, false, p.Exp.Op == syntax.RemLargeSuffix), true
	case syntax.UpperAll:
		return strings.ToUpper(v), true
	case syntax.LowerAll:
		return strings.ToLower(v), true
	case syntax.UpperFirst:
		return upperFirst(v, strings.ToUpper), true
	case syntax.LowerFirst:
		return upperFirst(v, strings.ToLower), true
	case syntax.OtherParamOps:
		switch pattern {
		case "U":
			return strings.ToUpper(v), true
		case "L":
			return strings.ToLower(v), true
		case "E":
			return decode.Escapes(v), true
		case "u":
			return upperFirst(v, strings.ToUpper), true
		}
		return v, pattern == "Q" || pattern == "P"
	}
	return v, true // the value was set: ${x:-word} is x
}

func upperFirst(s string, to func(string) string) string {
	_, n := utf8.DecodeRuneInString(s)
	return to(s[:n]) + s[n:]
}

func sliceValue(s *syntax.Slice, v string) (string, bool) {
	r := []rune(v)
	from, ok := arithConst(s.Offset)
	if !ok {
		return "", false
	}
	if from < 0 {
		from = max(0, len(r)+from)
	}
	from = min(from, len(r))
	to := len(r)
	if s.Length != nil {
		n, ok := arithConst(s.Length)
		if !ok {
			return "", false
		}
		if to = from + n; n < 0 {
			to = len(r) + n
		}
		to = max(from, min(to, len(r)))
	}
	return string(r[from:to]), true
}

// arithConst evaluates an arithmetic expression of whole numbers; ok is false
// when it depends on anything else, or on a value that does not fit.
func arithConst(x syntax.ArithmExpr) (n int, ok bool) {
	switch x := x.(type) {
	case *syntax.Word:
		n, err := strconv.ParseInt(x.Lit(), 0, 32)
		return int(n), err == nil
	case *syntax.ParenArithm:
		return arithConst(x.X)
	case *syntax.UnaryArithm:
		n, ok = arithConst(x.X)
		switch x.Op {
		case syntax.Minus:
			return -n, ok
		case syntax.Plus:
			return n, ok
		}
	case *syntax.BinaryArithm:
		a, okA := arithConst(x.X)
		b, okB := arithConst(x.Y)
		if !okA || !okB {
			return 0, false
		}
		switch x.Op {
		case syntax.Add:
			return a + b, inRange(a + b)
		case syntax.Sub:
			return a - b, inRange(a - b)
		case syntax.Mul:
			return a * b, inRange(a * b)
		}
	}
	return 0, false
}

// inRange keeps products of constants below the point where they overflow, on 32
// bits too.
func inRange(n int) bool { return n > -1<<15 && n < 1<<15 }

func hasBrace(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// braces returns the alternatives of a word with {a,b} or {1..3} in it, each as
// the parts of a word.
func (w walker) braces(word *syntax.Word) [][]syntax.WordPart {
	copied := &syntax.Word{Parts: slices.Clone(word.Parts)}
	if !syntax.SplitBraces(copied) {
		return [][]syntax.WordPart{word.Parts}
	}
	return w.braceProduct(copied.Parts)
}

// braceProduct multiplies the alternatives of all braces out, up to maxWords.
func (w walker) braceProduct(parts []syntax.WordPart) [][]syntax.WordPart {
	all := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range all {
				all[i] = append(all[i], p)
			}
			continue
		}
		var alts [][]syntax.WordPart
		if b.Sequence {
			alts = w.braceSequence(b)
		} else {
			for _, e := range b.Elems {
				alts = append(alts, w.braceProduct(e.Parts)...)
			}
		}
		next := make([][]syntax.WordPart, 0, min(maxWords, len(all)*len(alts)))
		for _, head := range all {
			for _, tail := range alts {
				if len(next) == maxWords || !w.grow(len(head)+len(tail)) {
					w.bounded(tooBig)
					return next
				}
				next = append(next, slices.Concat(head, tail))
			}
		}
		all = next
	}
	return all
}

// braceSequence returns the elements of {1..5} and {a..e}.
func (w walker) braceSequence(b *syntax.BraceExp) [][]syntax.WordPart {
	text := make([]string, len(b.Elems))
	for i, e := range b.Elems {
		text[i] = e.Lit()
	}
	from, err1 := strconv.Atoi(text[0])
	to, err2 := strconv.Atoi(text[1])
	letter := err1 != nil || err2 != nil
	if letter {
		if len(text[0]) != 1 || len(text[1]) != 1 {
			return nil
		}
		from, to = int(text[0][0]), int(text[1][0])
	}
	step := 1
	if len(text) > 2 {
		if n, err := strconv.Atoi(text[2]); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	step = max(step, 1) // -n overflows for the smallest number
	var out [][]syntax.WordPart
	for n := from; ; {
		if len(out) == maxWords {
			w.bounded(tooBig)
			break
		}
		value := strconv.Itoa(n)
		if letter {
			value = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: value}})
		if from <= to {
			if n > to-step {
				break
			}
			n += step
		} else {
			if n < to+step {
				break
			}
			n -= step
		}
	}
	return out
}

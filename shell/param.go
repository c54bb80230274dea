package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// param expands $x and ${x…} in all forms whose value may be known.
func (x *expander) param(p *syntax.ParamExp, inDouble bool) {
	values, guess, ok := x.lookup(p)
	if p.Exp != nil && p.Exp.Op <= syntax.AssignUnsetOrNull && x.fallback(p, values, ok, inDouble) {
		return
	}
	if !ok {
		x.substitutions(p)
		text := unknownParam(x.walker, p)
		known := x.cur.known && text == "$HOME" // it has one meaning, and effects know it
		at := x.buf.Len()
		x.unknown(text)
		x.cur.known = known
		if mayVanish(p) {
			x.cur.gone = append(x.cur.gone, Span{at, x.buf.Len()})
		}
		return
	}
	if guess {
		x.cur.known = false
		if v, ok := x.get(p.Param.Value); ok && len(v.from) > 0 {
			x.sub = &output{from: v.from, files: v.files}
		}
	}
	if names := x.namesOfParam(p); guess && len(names) > 0 && !p.Length && len(values) > 0 {
		x.addNames(names)
		x.some = x.some || inDouble
		return
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

// unknownParam is the text for a variable that the line does not set: $x for
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
		if ix := indexWord(p.Index); ok && (ix == "@" || ix == "*") {
			return v.keys, v.guess, v.keys != nil
		}
		if v = x.pick(v); !ok || len(v.values) == 0 {
			return nil, false, false
		}
		name = v.values[0]
	}
	if isDigits(name) {
		return x.positional(name)
	}
	v, ok := x.get(name)
	if !ok {
		return x.given(name, p.Index)
	}
	keyed := v.keys != nil
	v = x.pick(v)
	switch ix := indexWord(p.Index); {
	case p.Index == nil && v.array: // the first one, and in zsh all
		if len(v.values) > 1 {
			v.other = [][]string{v.values}
			v.values = v.values[:1]
			return x.pick(v).values, v.guess || x.choice > 0, true
		}
		return v.values, v.guess, true
	case p.Index == nil, ix == "@", ix == "*":
		return v.values, v.guess, true
	}
	i, known := x.arith(p.Index)
	if keyed || !known {
		return x.element(v, p.Index)
	}
	if i >= len(v.values) || i < -len(v.values) {
		return nil, true, true
	}
	if i < 0 {
		i += len(v.values)
	}
	return v.values[i : i+1], v.guess, true
}

// positional returns $1 and so on, and $0.
func (x *expander) positional(name string) (values []string, guess, ok bool) {
	n, _ := strconv.Atoi(name)
	if n == 0 && x.frame.script != "" {
		return []string{x.frame.script}, false, true
	}
	if v, ok := x.get("0"); ok && n == 0 {
		return v.values, v.guess, len(v.values) > 0
	}
	if !x.env.knows || n == 0 {
		return nil, false, false
	}
	if n > len(x.env.params) {
		return []string{""}, false, true
	}
	return fieldTexts(x.env.params[n-1 : n])
}

// given returns what the shell itself gives a variable that the line does not set.
func (x *expander) given(name string, index syntax.ArithmExpr) (values []string, guess, ok bool) {
	switch name {
	case "@", "*":
		if x.env.knows {
			return fieldTexts(x.env.params)
		}
	case "#":
		return []string{strconv.Itoa(len(x.env.params))}, false, x.env.knows
	case "IFS":
		return []string{defaultIFS}, false, true
	case "PWD":
		if folder := x.folder(); folder != "" && !x.remote {
			return []string{folder}, false, true
		}
		return []string{"."}, true, true
	case "OLDPWD":
		return []string{x.env.before}, false, x.env.before != ""
	case "BASH_SOURCE":
		at := indexWord(index)
		return []string{x.frame.script}, false, x.frame.script != "" && (at == "" || at == "0")
	}
	return nil, false, false
}

// element returns the element of an array that has a key, or all where the key is not known.
func (x *expander) element(v variable, index syntax.ArithmExpr) (values []string, guess, ok bool) {
	key := x.indexText(index)
	if (!key.known || v.keys == nil) && len(v.values) > 0 {
		v.values, v.other = v.values[:1], elements(v.values[1:])
		return x.pick(v).values, true, true
	}
	if i := slices.Index(v.keys, key.text); i >= 0 {
		return v.values[i : i+1], v.guess, true
	}
	return []string{""}, v.guess, true
}

// elements are values that one word may have each.
func elements(values []string) (each [][]string) {
	for i := range values[:min(len(values), maxOther)] {
		each = append(each, values[i:i+1])
	}
	return each
}

func fieldTexts(fields []field) (texts []string, guess, ok bool) {
	for _, f := range fields {
		texts = append(texts, f.text)
		guess = guess || !f.known
	}
	return texts, guess, true
}

// fallback handles ${x:-word} and similar forms, and reports whether it has. A
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
		return x.slice(p.Slice, v)
	}
	if p.Repl != nil {
		orig, with := x.single(p.Repl.Orig), x.single(p.Repl.With)
		if !orig.known || !with.known {
			return "", false
		}
		if len(v) > maxPattern || len(with.text) > maxPattern || hasGlob(orig.text) && !x.grow(len(v)*len(v)*len(orig.text)/4) {
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
		switch pattern {
		case "Q":
			v = quote(v)
		case "P":
			x.quotedLater(v, x.span, "${…@P}")
		}
		return v, pattern == "Q" || pattern == "P"
	}
	return v, true // the value was set: ${x:-word} is x
}

func upperFirst(s string, to func(string) string) string {
	_, n := utf8.DecodeRuneInString(s)
	return to(s[:n]) + s[n:]
}

func (w walker) slice(s *syntax.Slice, v string) (string, bool) {
	r := []rune(v)
	from, ok := w.arith(s.Offset)
	if !ok {
		return "", false
	}
	if from < 0 {
		from = max(0, len(r)+from)
	}
	from = min(from, len(r))
	to := len(r)
	if s.Length != nil {
		n, ok := w.arith(s.Length)
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

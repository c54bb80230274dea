package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare walks export, declare, local, readonly, typeset and nameref: a
// command, and assignments that stay.
func (w walker) declare(c *syntax.DeclClause) output {
	span := w.node(c)
	words := []field{{text: c.Variant.Value, span: span, inner: -1, known: true}}
	flags := ""
	switch c.Variant.Value {
	case "nameref":
		flags = "n"
	case "readonly":
		flags = "r"
	}
	for _, as := range c.Args {
		if as.Naked {
			if as.Value != nil {
				words = append(words, w.words([]*syntax.Word{as.Value})...)
			} else if as.Name != nil {
				words = append(words, field{text: as.Name.Value, span: span, inner: -1, known: true})
				w.attributes(as.Name.Value, flags)
			}
			if last := words[len(words)-1].text; strings.HasPrefix(last, "-") && c.Variant.Value != "export" {
				flags += last
			}
			continue
		}
		value, known := w.assign(as, flags)
		words = append(words, field{text: as.Name.Value + "=" + value, span: span, inner: -1, known: known})
		w.runsVariable(as.Name.Value, w.assigned(as, value, known))
	}
	w.env.export(words)
	w.record(simple{words: words, span: span})
	return nothing()
}

// attributes gives a variable what the options of declare say: -l, -u and -r.
func (w walker) attributes(name, flags string) {
	if !strings.ContainsAny(flags, "lur") {
		return
	}
	v, ok := w.env.get(name)
	if !ok {
		v = variable{values: []string{""}, unset: true}
	}
	v.declare(flags)
	w.env.set(name, v)
}

// declare notes the options of declare.
func (v *variable) declare(flags string) {
	if i := strings.LastIndexAny(flags, "lu"); i >= 0 {
		v.fold = flags[i]
	}
	v.fixed = v.fixed || strings.Contains(flags, "r")
}

// folded applies -l and -u to what is assigned.
func (v *variable) folded() {
	for i, s := range v.values {
		switch v.fold {
		case 'l':
			v.values[i] = strings.ToLower(s)
		case 'u':
			v.values[i] = strings.ToUpper(s)
		}
	}
}

// assign performs one assignment, with the options of declare, and returns its value as
// one text.
func (w walker) assign(as *syntax.Assign, flags string) (value string, known bool) {
	name := as.Name.Value
	old, had := w.env.get(name)
	old = w.pick(old)
	v := variable{ref: strings.Contains(flags, "n"), fold: old.fold}
	v.declare(flags)
	switch {
	case as.Array != nil:
		v.array = true
		if as.Append {
			v.values, v.keys, v.guess = slices.Clone(old.values), slices.Clone(old.keys), old.guess
		}
		for _, e := range as.Array.Elems {
			if e.Value == nil {
				continue
			}
			for _, f := range w.words([]*syntax.Word{e.Value}) {
				if e.Index != nil {
					v.setKey(w.indexText(e.Index).text, f.text)
				} else {
					v.values = append(v.values, f.text)
				}
				v.guess = v.guess || !f.known
				v.names = append(v.names, namesOf(f)...)
			}
		}
		v.names = v.names[:min(len(v.names), maxNames)]
		if len(v.values) > maxWords {
			v.values, v.keys = v.values[:maxWords], v.keys[:min(len(v.keys), maxWords)]
			w.bounded(tooBig)
		}
	case as.Index != nil:
		f := w.single(as.Value)
		v.array, v.values, v.guess = true, slices.Clone(old.values), old.guess || !f.known
		v.keys = slices.Clone(old.keys)
		w.setElement(&v, as.Index, f.text)
	default:
		f := w.single(as.Value)
		v.values, v.guess, v.from, v.names = []string{f.text}, !f.known, brought(f), namesOf(f)
		if len(v.from) > 0 {
			v.files = f.sub.files
		}
		if as.Append && had && len(old.values) > 0 {
			v.values[0] = old.values[0] + f.text
			v.guess = v.guess || old.guess
		} else if as.Append && !had {
			v.values[0], v.guess = "$"+name+f.text, true
		}
	}
	v.folded()
	for _, s := range v.values { // an arithmetic expression runs it
		w.subscript(s, w.node(as))
	}
	value = strings.Join(v.values, " ")
	if !w.grow(len(value)) {
		return "", false
	}
	w.env.set(name, v)
	return value, !v.guess
}

// setElement assigns to one element of an array.
func (w walker) setElement(v *variable, index syntax.ArithmExpr, text string) {
	i, ok := w.arith(index)
	if v.keys != nil || !ok {
		v.setKey(w.indexText(index).text, text)
		return
	}
	if i >= maxWords {
		w.bounded(tooBig)
	}
	if i < 0 || i >= maxWords {
		i, v.guess = len(v.values), true
	}
	for len(v.values) <= i {
		v.values = append(v.values, "")
	}
	v.values[i] = text
}

// setKey assigns to the element of an array that has a key.
func (v *variable) setKey(key, text string) {
	for i := len(v.keys); i < len(v.values); i++ {
		v.keys = append(v.keys, strconv.Itoa(i))
	}
	if i := slices.Index(v.keys, key); i >= 0 {
		v.values[i] = text
	} else if len(v.values) < maxWords {
		v.keys, v.values = append(v.keys, key), append(v.values, text)
	}
}

// indexText is the key that an index is.
func (w walker) indexText(index syntax.ArithmExpr) field {
	if word, ok := index.(*syntax.Word); ok {
		return w.single(word)
	}
	n, ok := w.arith(index)
	return field{text: strconv.Itoa(n), known: ok}
}

// pick returns a variable with the value of those it may have that is walked.
func (w walker) pick(v variable) variable {
	if len(v.other) == 0 {
		return v
	}
	w.analyzer.choices = max(w.choices, len(v.other))
	if i := w.choice; i > 0 && i <= len(v.other) {
		v.values, v.keys = v.other[i-1], nil // the keys are those of the other values
	}
	v.other = nil
	return v
}

// prefixed performs the assignments before a command, which hold for it alone.
func (w walker) prefixed(assigns []*syntax.Assign, s *simple) walker {
	in := w
	if !s.setsVariables() {
		in.env = w.env.clone()
	}
	for _, as := range assigns {
		if s.setsVariables() && as.Name.Value == "IFS" {
			s.assigns = append(s.assigns, "IFS="+w.single(as.Value).text)
			continue
		}
		value, known := in.assign(as, "")
		s.assigns = append(s.assigns, as.Name.Value+"="+value)
		w.runsVariable(as.Name.Value, w.assigned(as, value, known))
	}
	return in
}

// setsVariables reports whether a command sets variables of the shell it runs in.
func (s *simple) setsVariables() bool {
	return len(s.words) > 0 && slices.Contains([]string{"read", "mapfile", "readarray"}, s.words[0].text)
}

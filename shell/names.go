package shell

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxNames bounds the patterns for the files that one word may name.
const maxNames = 16

// combined returns every text of a followed by every text of b; an empty list is
// one empty text.
func combined(a, b []string) []string {
	if len(a) == 0 {
		a = []string{""}
	}
	if len(b) == 0 {
		b = []string{""}
	}
	out := make([]string, 0, min(len(a)*len(b), maxNames))
	for _, x := range a {
		for _, y := range b {
			if len(out) == maxNames {
				return out
			}
			out = append(out, x+y)
		}
	}
	return out
}

// addNames adds a value that is not known, as the patterns for the files that it may
// name: the text has the first.
func (x *expander) addNames(names []string) {
	if len(x.names) == 0 {
		x.names = []string{x.buf.String()}
	}
	before := x.names
	x.names = nil
	x.unknown(names[0])
	x.names = combined(before, names)
}

// alsoNames adds a text to the patterns of the current field.
func (x *expander) alsoNames(s string) {
	for i := range x.names {
		x.names[i] += s
	}
}

// effects records an effect on each file that a word may name.
func (w walker) effects(e Effect, f field) {
	names := f.names
	f.names, f.known, f.glob = nil, false, true
	for _, name := range names {
		f.text = name
		w.effect(e, f)
	}
}

// withBase returns the field of a file of the same name in a folder.
func (f field) withBase(folder field) field {
	inside := folder
	dir := strings.TrimSuffix(folder.text, "/") + "/"
	inside.text = dir + path.Base(f.text)
	inside.known = folder.known && f.known
	inside.glob = folder.glob || f.glob
	inside.names = nil
	if len(folder.names) == 0 && len(f.names) == 0 {
		return inside
	}
	folders := folder.names
	if len(folders) == 0 {
		folders = []string{folder.text}
	}
	bases := f.names
	if len(bases) == 0 {
		bases = []string{f.text}
	}
	for _, d := range folders {
		for _, b := range bases {
			if len(inside.names) < maxNames {
				inside.names = append(inside.names, strings.TrimSuffix(d, "/")+"/"+path.Base(b))
			}
		}
	}
	return inside
}

// namesOf are the patterns for the files that words name which a command prints.
func namesOf(f field) []string {
	if len(f.names) > 0 {
		return f.names
	}
	if f.sub != nil && !f.sub.known {
		return f.sub.names
	}
	return nil
}

// withoutPrefix cuts a text off the patterns: of=$f has those of $f.
func withoutPrefix(names []string, prefix string) []string {
	if prefix == "" {
		return names
	}
	var out []string
	for _, name := range names {
		out = append(out, strings.TrimPrefix(name, prefix))
	}
	return out
}

// namesOfParam are the patterns of a parameter, changed as ${x%.py} says.
func (x *expander) namesOfParam(p *syntax.ParamExp) []string {
	if p.Param == nil || p.Excl {
		return nil
	}
	var names []string
	if v, ok := x.get(p.Param.Value); ok {
		names = v.names
	} else if x.env.knows {
		names = namesOfParams(x.env.params, p.Param.Value)
	}
	var out []string
	for _, name := range names {
		if changed, ok := x.modify(p, name); ok {
			out = append(out, changed)
		}
	}
	return out
}

// namesOfParams are the patterns of $1, or of $@.
func namesOfParams(params []field, name string) []string {
	if name == "@" || name == "*" {
		var all []string
		for _, f := range params {
			all = append(all, f.names...)
		}
		return all[:min(len(all), maxNames)]
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 && n <= len(params) {
		return params[n-1].names
	}
	return nil
}

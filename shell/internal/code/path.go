package code

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// text is a value that is known.
func text(s string) Value { return Value{Text: s, Known: true} }

func reversed(s string) string { return decode.Reverse(s) }

// orNumber is a number as a text.
func (v Value) orNumber() Value {
	if v.Number != "" && v.Text == "" {
		v.Text, v.Known = v.Number, true
	}
	return v
}

// object is a value as what a method is called on.
func (v Value) object() Value {
	v.Inner = 0
	return v
}

// madeOr is Path for a path, and else a name.
func (v Value) madeOr(name string) string {
	if v.path {
		return "Path"
	}
	return name
}

// elements are the values of a list, or the value alone.
func elements(v Value) []Value {
	if !v.IsList {
		return []Value{v}
	}
	out := make([]Value, len(v.List))
	for i, s := range v.List {
		out[i] = Value{Text: s, Known: v.Known || !strings.HasPrefix(s, "$")}
	}
	return out
}

// formatted puts values in the places of %s and {} in a text.
func formatted(format string, values []Value) Value {
	v := Value{Known: true}
	for n := 0; format != ""; n++ {
		start := strings.IndexAny(format, "%{")
		if start < 0 {
			break
		}
		end := start + 1
		if format[start] == '{' {
			end = start + strings.IndexByte(format[start:], '}')
		} else {
			for end < len(format) && strings.IndexByte("0123456789.-+ #", format[end]) >= 0 {
				end++
			}
		}
		if end < start || end >= len(format) || n >= len(values) || n > maxArgs {
			break
		}
		v = concat(concat(v, "", text(format[:start])), "", values[n].orNumber())
		format = format[end+1:]
	}
	return concat(v, "", text(format))
}

// A member is an attribute or a method that makes a path or a text of a value.
type member struct {
	names string
	args  int // how many arguments it needs
	value func(v Value, args []Value) Value
}

// members of texts and paths, in any of the languages.
var members = [...]member{
	{"decode encode strip trim resolve absolute toString expanduser freeze chomp rstrip lstrip as_posix to_s to_str realpath expand_path " +
		"valueOf normalize href fsencode dup to_path pathname", 0, func(v Value, _ []Value) Value { return v }},
	{"join concat", 1, joined},
	{"joinpath", 1, joinPaths},
	{"parent dirname", 0, func(v Value, _ []Value) Value { return v.each(path.Dir) }},
	{"with_name", 1, func(v Value, args []Value) Value { return concat(v.each(path.Dir), "/", args[0]) }},
	{"with_suffix sub_ext", 1, func(v Value, args []Value) Value {
		return concat(v.each(func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }), "", args[0])
	}},
	{"basename", 0, func(v Value, _ []Value) Value { return v.each(path.Base) }},
	{"format", 1, func(v Value, args []Value) Value { return formatted(v.Text, args) }},
	{"lower toLowerCase downcase", 0, func(v Value, _ []Value) Value { return v.each(strings.ToLower) }},
	{"upper toUpperCase upcase", 0, func(v Value, _ []Value) Value { return v.each(strings.ToUpper) }},
	{"replace replaceAll gsub", 2, func(v Value, args []Value) Value {
		if !args[0].Known || !args[1].Known || args[0].Text == "" {
			return Value{}
		}
		return v.each(func(s string) string { return strings.ReplaceAll(s, args[0].Text, args[1].Text) })
	}},
	{"reverse", 0, func(v Value, _ []Value) Value { return v.each(decode.Reverse) }},
	{"split", 0, func(v Value, args []Value) Value {
		parts := strings.Fields(v.Text)
		if len(args) > 0 && args[0].Known && args[0].Text != "" {
			parts = strings.Split(v.Text, args[0].Text)
		}
		return Value{IsList: true, List: parts[:min(len(parts), maxList)], Known: v.Known}
	}},
}

// each changes all that a value may be.
func (v Value) each(change func(string) string) Value {
	v.Text, v.Inner = change(v.Text), 0
	if len(v.Any) > 0 {
		v.Any = slices.Clone(v.Any)
		for i, s := range v.Any {
			v.Any[i] = change(s)
		}
	}
	return v
}

// joined is sep.join(list), a.concat(b), and of a path, its folder with a name.
func joined(v Value, args []Value) Value {
	switch {
	case v.path:
		return joinPaths(v, args)
	case len(args) == 1 && args[0].IsList:
		return Value{Text: strings.Join(args[0].List, v.Text), Known: v.Known && args[0].Known}
	}
	for _, a := range args {
		v = concat(v, "", a)
	}
	return v
}

func joinPaths(v Value, args []Value) Value {
	for _, a := range args {
		v.Text = strings.TrimSuffix(v.Text, "/")
		v = concat(v, "/", a)
	}
	return v
}

// attributes evaluates a dotted chain of attributes of a value.
func (c *scanner) attributes(v Value, names string) (Value, string, bool) {
	for {
		name, rest, more := strings.Cut(names, ".")
		if !more {
			return v, name, true
		}
		next, ok := c.member(v, name, nil)
		if !ok {
			return Value{}, "", false
		}
		v, names = next, rest
	}
}

// textWork is how many bytes of a text that is changed count as an operand.
const textWork = 16

// member evaluates an attribute, or a method with its arguments.
func (c *scanner) member(v Value, name string, args []Value) (Value, bool) {
	if v.IsList {
		switch {
		case isOneOf(name, "first last pop shift") && len(v.List) > 0:
			return oneOf(v.List), true
		case name == "join" && c.lang != "python" && v.Known:
			sep := ","
			if c.lang != "node" {
				sep = ""
			}
			if len(args) > 0 && args[0].Known {
				sep = args[0].Text
			}
			return text(strings.Join(v.List, sep)), true
		case isOneOf(name, transparent):
			return v.after("." + name), true
		}
		return Value{}, false
	}
	if !v.usable() {
		return Value{}, false
	}
	for i := range members {
		if m := &members[i]; isOneOf(name, m.names) {
			if len(args) < m.args {
				return Value{}, false
			}
			if c.operands += len(v.Text) / textWork; c.operands > maxOperands {
				return Value{}, false
			}
			w := m.value(v, args)
			if w.path = v.path; len(w.Text) > maxText {
				return Value{}, false
			}
			return w, w.usable() || w.IsList
		}
	}
	if len(v.Any) > 0 && isOneOf(name, transparent) {
		return v, true
	}
	return Value{}, false
}

// members evaluates the attributes and methods of a value that the name at token i
// ends with: names is what follows the first dot.
func (c *scanner) members(v Value, names string, i int) (Value, int, bool) {
	v, last, ok := c.attributes(v, names)
	if !ok {
		return Value{}, i, false
	}
	if c.at(i+1) != '(' {
		v, ok = c.member(v, last, nil)
		return v, i + 1, ok
	}
	if !v.IsList && (v.usable() || isOneOf(last, programs)) {
		if found, next, ok := c.listed(i, v); ok {
			return found, next, true
		}
	}
	if !v.IsList && !v.usable() {
		return Value{}, i, false
	}
	v, ok = c.member(v, last, c.args(i+2))
	return v, c.afterCall(i + 1), ok
}

// memberOf evaluates a dotted name whose first parts are a variable.
func (c *scanner) memberOf(name string) (Value, bool) {
	for base := name; base != ""; {
		if v, ok := c.consts[base]; ok {
			if base == name {
				return v, true
			}
			v, last, ok := c.attributes(v, name[len(base)+1:])
			if !ok {
				return Value{}, false
			}
			return c.member(v, last, nil)
		}
		base = base[:max(0, strings.LastIndexByte(base, '.'))]
	}
	return Value{}, false
}

// attribute evaluates a dotted name whose first parts are a variable: p.name,
// out.splitlines(…). A loop over names of files may go over what they name again.
func (c *scanner) attribute(i int) (Value, int, bool) {
	t := c.toks[i]
	name := strings.TrimSuffix(t.text, "->")
	if _, set := c.consts[name]; !set && isOneOf(name, argvs) {
		return c.arguments(name), i + 1, true
	}
	for base, _, ok := cutLast(name); ok; base, _, ok = cutLast(base) {
		v, set := c.consts[base]
		if isOneOf(base, argvs) {
			v, set = c.arguments(base), true
		}
		if set {
			return c.members(v, name[len(base)+1:], i)
		}
	}
	return Value{}, i, false
}

// pureCall evaluates the calls that only make a path or a text.
func (c *scanner) pureCall(t token, i int) (Value, int) {
	name := lastName(strings.TrimSuffix(t.text, ".new"))
	args := c.args(i + 2)
	end := c.afterCall(i + 1)
	if len(args) == 0 {
		return Value{}, i
	}
	args[0] = args[0].orNumber()
	if !args[0].usable() {
		return Value{}, i
	}
	v := args[0]
	v.Inner = 0
	switch name {
	case "Path", "PurePath", "PosixPath", "Pathname":
		v = joinPaths(v, args[1:])
		v.path = true
	case "join", "catfile", "catdir", "resolve", "expand_path":
		if name == "expand_path" && len(args) == 2 {
			args[0], args[1] = args[1], args[0]
			v = args[0]
		}
		if name == "join" && c.lang == "python" && !strings.Contains(t.text, "path") {
			return Value{}, i
		}
		if name == "join" && c.lang == "perl" {
			return c.joinedBy(v.Text, args[1:]), end
		}
		v = joinPaths(v, args[1:])
	case "dirname":
		v = v.each(path.Dir)
	case "basename":
		v = v.each(path.Base)
	case "sprintf", "format":
		v = formatted(v.Text, args[1:])
	case "b64decode", "decode64", "base64_decode", "decode_base64", "atob", "urlsafe_b64decode", "a2b_base64", "standard_b64decode":
		v.Text, v.Known = decode.Base64(v.Text)
	case "unhexlify", "fromhex", "hex2bin":
		v.Text, v.Known = decode.Hex(v.Text)
	case "from": // Buffer.from(text, "base64")
		if len(args) < 2 {
			return v, end
		}
		switch args[1].Text {
		case "base64":
			v.Text, v.Known = decode.Base64(v.Text)
		case "hex":
			v.Text, v.Known = decode.Hex(v.Text)
		}
	case "split":
		v.List, v.IsList = strings.Fields(v.Text), true
	case "strrev":
		v.Text = decode.Reverse(v.Text)
	}
	return v, end
}

// joinedBy is Perl's join: a separator and the text around it.
func (c *scanner) joinedBy(sep string, args []Value) (v Value) {
	for n, a := range args {
		if a.IsList {
			a = Value{Text: strings.Join(a.List, sep), Known: a.Known}
		}
		if n == 0 {
			v = a
		} else {
			v = concat(v, sep, a)
		}
	}
	return v
}

// textCalls make a path or a text of their arguments and do nothing else.
const textCalls = "Path PurePath PosixPath expanduser realpath abspath resolve str String Pathname normalize bytes fsencode expand_path File " +
	"join catfile catdir dirname basename sprintf format URI URL parse Request b64decode decode64 base64_decode decode_base64 atob " +
	"urlsafe_b64decode a2b_base64 standard_b64decode unhexlify fromhex hex2bin from split strrev"

package code

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
)

// args evaluates the arguments that start at token i, up to the bracket that
// closes the call, or the end of the line of a call without brackets.
func (c *scanner) args(i int) []Value {
	var args []Value
	for len(args) < maxArgs {
		for c.at(i) == 'n' {
			i++
		}
		if k := c.at(i); k == 0 || k == ')' || k == ';' || k == '}' {
			return args
		}
		if c.at(i) == 'i' && c.at(i+1) == '=' && c.at(i+2) != '=' { // keyword=value
			v, next := c.expr(i + 2)
			if isOneOf(c.toks[i].text, "args mode file files") {
				args = append(args, v)
			}
			i = c.skip(next)
		} else {
			v, next := c.expr(i)
			end := c.skip(next)
			if end != next {
				v.Known = false
			}
			args = append(args, v)
			i = end
		}
		if c.at(i) != ',' {
			return args
		}
		i++
	}
	return args
}

// skip returns the index of the comma or bracket that ends the argument at i.
func (c *scanner) skip(i int) int {
	depth := 0
	from := i
	defer func() { c.operands += (i - from) / 8 }()
	if c.operands > maxOperands {
		return len(c.toks)
	}
	for n := 0; n < maxSkip; n, i = n+1, i+1 {
		switch c.at(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ';':
			if depth == 0 {
				return i
			}
		case 'n':
			if depth == 0 && c.bareCalls() {
				return i
			}
		case 0:
			return i
		}
	}
	return i
}

// expr evaluates the constant expression at token i and returns the token after
// the part that it could evaluate.
func (c *scanner) expr(i int) (Value, int) {
	if c.nested++; c.nested > maxNested {
		c.nested--
		return Value{}, i
	}
	defer func() { c.nested-- }()
	v, i := c.operand(i, 0)
	for {
		k := c.at(i)
		switch {
		case k == '+' || k == '.' && c.lang != "python" || k == '/' && v.usable():
			next, after := c.operand(i+1, 0)
			if after == i+1 {
				return v, i
			}
			between := ""
			if k == '/' {
				v.Text, between = strings.TrimSuffix(v.Text, "/"), "/"
			}
			v = concat(v, between, next)
			c.operands += len(v.List) / 8
			i = after
		case k == 's' && v.Known && !v.IsList: // adjacent literals
			v.Text += c.toks[i].text
			v.Known = c.toks[i].known
			v.Inner = 0
			i++
		case k == '[' && v.IsList && (len(v.List) > 0 || v.argv != ""):
			v, i = c.index(v, i)
		case k == 'i' && strings.HasPrefix(c.toks[i].text, "."):
			if !v.IsList && (v.usable() || isOneOf(c.toks[i].text[1:], programs)) && c.at(i+1) == '(' {
				if found, next, ok := c.listed(i, v, ""); ok {
					v, i = found, next
					continue
				}
			}
			if v.IsList && !v.Known && isOneOf(c.toks[i].text[1:], transparent) {
				if v, i = v.after(c.toks[i].text), i+1; c.at(i) == '(' {
					i = c.closing(i) + 1
				}
				continue
			}
			if c.at(i+1) != '(' {
				return v, i
			}
			args := c.args(i + 2)
			end := c.skip(i+2) + 1
			for c.at(end-1) == ',' {
				end = c.skip(end) + 1
			}
			switch c.toks[i].text {
			case ".split":
				v.List, v.IsList = strings.Fields(v.Text), true
			case ".decode", ".encode", ".strip", ".resolve", ".absolute", ".toString", ".expanduser", ".trim", ".freeze":
			case ".join", ".concat":
				if len(args) == 1 && args[0].IsList {
					v.Text = strings.Join(args[0].List, v.Text)
				} else {
					v.Known = false
				}
			default:
				return v, i
			}
			i = end
		default:
			return v, i
		}
	}
}

// operand evaluates one literal, name or call of a function that is known.
func (c *scanner) operand(i, depth int) (Value, int) {
	if c.operands++; depth > maxDepth || c.operands > maxOperands {
		return Value{}, i
	}
	t := c.tok(i)
	switch t.kind {
	case 's':
		v := Value{Text: t.text, Known: t.known}
		if !t.known && c.consts != nil {
			if filled := c.fill(t.text); filled.usable() {
				return filled, i + 1
			}
		}
		if start := int(t.start) + 1; strings.HasPrefix(c.src[min(start, len(c.src)):], t.text) {
			v.Inner = 1 + start
		}
		return v, i + 1
	case '[', '{':
		if t.kind == '[' || c.lang == "lua" {
			if k := c.firstAfter(i); k == '(' || k == '[' {
				if v, next, ok := c.rows(i + 1); ok {
					return v, next
				}
			}
			return c.list(i+1, depth)
		}
		if c.firstAfter(i) == 's' {
			if v, next, ok := c.rows(i + 1); ok {
				return v, next
			}
		}
		return c.argsOption(i, depth)
	case '(':
		v, next := c.expr(i + 1)
		if c.at(next) == ')' {
			return v, next + 1
		}
		if c.at(next) == ',' && c.lang == "python" { // a tuple
			return c.list(i+1, depth)
		}
		return Value{}, i
	case 'x':
		if names := c.host.Names(Value{Text: t.text, Known: t.known}); len(names) > 0 {
			return several(names...), i + 1
		}
	case '<':
		if c.lang == "perl" && c.bound != nil {
			return c.perlGlob(i)
		}
	case '@':
		if c.lang == "perl" && c.at(i+1) == 'i' {
			return c.operand(i+1, depth+1)
		}
	case 'i':
		if v, next, ok := c.attribute(i); ok {
			return v, next
		}
		if v, ok := c.consts[t.text]; ok && c.at(i+1) != '(' {
			v.Inner = 0
			return v, i + 1
		}
		if t.text == "require" && c.at(i+1) == '(' && c.bound != nil {
			return Value{}, c.closing(i+1) + 1
		}
		if t.text == "Dir" && c.at(i+1) == '[' {
			v, next := c.list(i+2, depth)
			v.Known = false
			return v, next
		}
		if c.at(i+1) == '(' {
			if isOneOf(lastName(t.text), textCalls) {
				if v, next := c.pureCall(t, i); next > i {
					return v, next
				}
			}
			if v, next, ok := c.listed(i, Value{}, ""); ok {
				return v, next
			}
		}
	}
	return Value{}, i
}

// firstAfter is the kind of the first token after an opening bracket.
func (c *scanner) firstAfter(i int) byte {
	for i++; c.at(i) == 'n'; i++ {
	}
	return c.at(i)
}

// perlGlob evaluates <src/*.py>.
func (c *scanner) perlGlob(i int) (Value, int) {
	for j := i + 1; j < i+32 && j < len(c.toks); j++ {
		if c.at(j) == '>' {
			if text := c.src[c.toks[i].end:c.toks[j].start]; strings.ContainsAny(text, "*?/") {
				return several(strings.Fields(text)...), j + 1
			}
			break
		}
	}
	return Value{}, i
}

// argsOption evaluates {args: […]}, the options of a program that deno starts.
func (c *scanner) argsOption(i, depth int) (Value, int) {
	for j := i + 1; j < i+64; j++ {
		if c.tok(j).text == "args" && c.at(j+1) == ':' && c.at(j+2) == '[' {
			v, next := c.list(j+3, depth)
			if c.at(next) == '}' {
				return v, next + 1
			}
			return Value{}, i
		}
		if k := c.at(j); k == 0 || k == '}' {
			break
		}
	}
	return Value{}, i
}

func (c *scanner) tok(i int) token {
	if i >= 0 && i < len(c.toks) {
		return c.toks[i]
	}
	return token{}
}

// list evaluates the elements of a list up to its closing bracket.
func (c *scanner) list(i, depth int) (Value, int) {
	v := Value{IsList: true, Known: true}
	for len(v.List) < maxList {
		for c.at(i) == 'n' {
			i++
		}
		if k := c.at(i); k == ']' || k == '}' || k == ')' {
			return v, i + 1
		}
		e, next := c.operand(i, depth+1)
		if next == i {
			v.Known = false
			e.Text = "$" + c.tok(i).text
			next = c.skip(i)
		}
		v.Known = v.Known && e.Known
		v.List = append(v.List, e.texts()...)
		for c.at(next) == 'n' {
			next++
		}
		if c.at(next) == ',' {
			next++
		} else if k := c.at(next); k != ']' && k != '}' && k != ')' {
			return Value{}, i
		}
		i = next
	}
	return v, i
}

// pureCall evaluates the calls that only make a path or a text.
func (c *scanner) pureCall(t token, i int) (Value, int) {
	name := lastName(t.text)
	if !isOneOf(name, textCalls) {
		return Value{}, i
	}
	args := c.args(i + 2)
	end := i + 2
	for {
		end = c.skip(end)
		if c.at(end) != ',' {
			break
		}
		end++
	}
	end++
	if len(args) == 0 || !args[0].usable() {
		return Value{}, i
	}
	v := args[0]
	v.Inner = 0
	switch name {
	case "join":
		if c.lang == "python" && !strings.Contains(t.text, "path") {
			return Value{}, i
		}
		for _, a := range args[1:] {
			v.Text = strings.TrimSuffix(v.Text, "/")
			v = concat(v, "/", a)
		}
	case "b64decode", "decode64", "base64_decode", "decode_base64", "atob", "urlsafe_b64decode", "a2b_base64", "standard_b64decode":
		text, ok := decode.Base64(v.Text)
		v.Text, v.Known = text, ok
	case "unhexlify", "fromhex", "hex2bin":
		text, ok := decode.Hex(v.Text)
		v.Text, v.Known = text, ok
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

// textCalls make a path or a text of their arguments and do nothing else.
const textCalls = "Path PurePath PosixPath expanduser realpath abspath resolve str String Pathname normalize bytes fsencode expand_path File " +
	"join b64decode decode64 base64_decode decode_base64 atob urlsafe_b64decode a2b_base64 standard_b64decode unhexlify fromhex hex2bin " +
	"from split strrev"

// lastName returns the last part of a dotted name.
func lastName(name string) string {
	if i := strings.LastIndexAny(name, ".:>\\"); i >= 0 {
		return name[i+1:]
	}
	return name
}

// receiver evaluates what a method is called on: Path("x") of Path("x").unlink(),
// or a constant name.
func (c *scanner) receiver(i int) (v Value, call string) {
	t := c.toks[i]
	if !strings.HasPrefix(t.text, ".") {
		base := t.text[:max(0, len(t.text)-len(lastName(t.text))-1)]
		v, ok := c.consts[base]
		if !ok {
			return Value{}, base
		}
		return v, base
	}
	depth := 0
	for j := i - 1; j >= 0 && i-j < 256; j-- {
		switch c.at(j) {
		case ')', ']':
			depth++
		case '(', '[':
			depth--
			if depth == 0 {
				if c.at(j-1) == 'i' {
					args := c.args(j + 1)
					if len(args) > 0 {
						v = args[0]
					}
					return v, c.toks[j-1].text
				}
				v, _ = c.expr(j + 1)
				return v, ""
			}
		}
		if depth <= 0 {
			break
		}
	}
	return Value{}, ""
}

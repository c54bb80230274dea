// Package code finds the calls of a program text that run programs and touch
// files. It knows the names and constants of some scripting languages, and not
// the languages: what is computed is unknown.
package code

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/decode"
	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// MaxTokens bounds the part of a program text that is looked at.
const MaxTokens = 50_000

// Limits of one expression.
const (
	maxArgs  = 64
	maxList  = 1024
	maxDepth = 8
)

// A Program is a program text that was cut into tokens.
type Program struct {
	lang, src string
	toks      []token
}

// Parse cuts a text in one of the languages awk, lua, node, perl, php, python and
// ruby into tokens. partial says that the text was too long to be read whole.
func Parse(lang, src string) (p Program, partial bool) {
	p = Program{lang, src, tokens(lang, src)}
	return p, len(p.toks) == MaxTokens
}

// A Value is the result of an expression, as far as it is known from the code.
type Value struct {
	Text   string
	List   []string
	IsList bool
	Known  bool
	Inner  int // 1 + the offset of Text in the code, where it is there byte for byte; else 0
}

// An Effect is one thing that the code does to one file.
type Effect struct {
	Kind    effect.Kind
	Path    Value
	To      string // of Move
	Content Value  // of Create and Append
	Open    bool   // the file stays open, and Host.Write adds to its content
}

// A Host receives what the code does, in the order of the text. start and end
// are offsets in the text.
type Host interface {
	// More reports whether to go on.
	More() bool
	// Shell is called for a text that is given to a shell, and for a list of
	// words that is started as a program.
	Shell(v Value, start, end int)
	// Eval is called for a text that is run as code of the same language.
	Eval(text string, start, end int)
	// File is called for an effect on a file.
	File(e Effect)
	// Write is called for what is written to the file that was opened last.
	Write(v Value)
}

// Scan calls host for what the program does.
func (p Program) Scan(host Host) {
	handlers.once.Do(loadCalls)
	s := &scanner{Program: p, host: host, handlers: handlers.byName, consts: make(map[string]Value)}
	for i := range s.toks {
		if !host.More() {
			return
		}
		s.token(i)
	}
}

// A scanner goes through the tokens of a program and remembers its constants.
type scanner struct {
	Program
	host     Host
	handlers map[string]callHandler
	consts   map[string]Value
}

// token looks at one token: a shell command, an assignment or a call.
func (c *scanner) token(i int) {
	t := c.toks[i]
	if t.kind == 'i' && c.at(i-1) == '.' && (c.lang == "node" || c.lang == "python" || c.lang == "ruby") {
		t.text = "." + t.text // a method of something without a name: /x/.exec(…)
		c.toks[i] = t
	}
	switch t.kind {
	case 'x':
		c.shell(Value{Text: t.text, Known: t.known}, t)
	case 's':
		if c.lang == "awk" {
			c.awkString(i)
		}
	case 'i':
		c.assignment(i)
		if _, ok := c.handlers[lastName(t.text)]; !ok && t.text != "$" {
			return // so that the arguments of all other calls need not be evaluated
		}
		if c.at(i+1) == '(' {
			c.call(i, c.args(i+2))
		} else if c.bareCalls() && (c.at(i+1) == 's' || c.at(i+1) == 'i' && c.isConst(i+1)) {
			c.call(i, c.args(i+1))
		} else if c.lang == "node" && t.text == "$" && c.at(i+1) == 's' {
			c.shell(Value{Text: c.toks[i+1].text, Known: c.toks[i+1].known}, c.toks[i+1])
		}
	}
}

// assignment remembers the constant that is assigned to the name at token i.
func (c *scanner) assignment(i int) {
	value := 0
	switch {
	case c.at(i+1) == '=' && c.at(i+2) != '=':
		value = i + 2
	case c.at(i+1) == ':' && c.at(i+2) == '=':
		value = i + 3
	default:
		return
	}
	if v, _ := c.expr(value); v.Known {
		c.consts[c.toks[i].text] = v
	}
}

// bareCalls reports whether a call needs no brackets.
func (c *scanner) bareCalls() bool { return c.lang == "ruby" || c.lang == "perl" }

func (c *scanner) isConst(i int) bool {
	_, ok := c.consts[c.toks[i].text]
	return ok
}

// at returns the kind of token i, 0 beyond the end.
func (c *scanner) at(i int) byte {
	if i >= 0 && i < len(c.toks) {
		return c.toks[i].kind
	}
	return 0
}

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
			if c.toks[i].text == "args" || c.toks[i].text == "mode" || c.toks[i].text == "file" {
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
	for n := 0; n < 4096; n, i = n+1, i+1 {
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
	v, i := c.operand(i, 0)
	for {
		k := c.at(i)
		switch {
		case k == '+' || k == '.' && c.lang != "python" || k == '/' && v.Known:
			next, after := c.operand(i+1, 0)
			if after == i+1 {
				return v, i
			}
			if k == '/' {
				v.Text = strings.TrimSuffix(v.Text, "/") + "/"
			}
			v.Text += next.Text
			v.Known = v.Known && next.Known
			v.List = append(v.List, next.List...)
			v.Inner = 0
			i = after
		case k == 's' && v.Known && !v.IsList: // adjacent literals
			v.Text += c.toks[i].text
			v.Known = c.toks[i].known
			v.Inner = 0
			i++
		case k == 'i' && strings.HasPrefix(c.toks[i].text, "."):
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
	if depth > maxDepth {
		return Value{}, i
	}
	t := c.tok(i)
	switch t.kind {
	case 's':
		v := Value{Text: t.text, Known: t.known}
		if start := int(t.start) + 1; strings.HasPrefix(c.src[min(start, len(c.src)):], t.text) {
			v.Inner = 1 + start
		}
		return v, i + 1
	case '[', '{':
		if t.kind == '[' || c.lang == "lua" {
			return c.list(i+1, depth)
		}
		return c.argsOption(i, depth)
	case '(':
		v, next := c.expr(i + 1)
		if c.at(next) == ')' {
			return v, next + 1
		}
		return Value{}, i
	case 'i':
		if v, ok := c.consts[t.text]; ok && c.at(i+1) != '(' {
			v.Inner = 0
			return v, i + 1
		}
		if c.at(i+1) == '(' {
			return c.pureCall(t, i)
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
		if k := c.at(i); k == ']' || k == '}' {
			return v, i + 1
		}
		e, next := c.operand(i, depth+1)
		if next == i {
			v.Known = false
			e.Text = "$" + c.tok(i).text
			next = c.skip(i)
		}
		v.Known = v.Known && e.Known
		v.List = append(v.List, e.Text)
		for c.at(next) == 'n' {
			next++
		}
		if c.at(next) == ',' {
			next++
		} else if k := c.at(next); k != ']' && k != '}' {
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
	if len(args) == 0 || !args[0].Known {
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
			v.Text = strings.TrimSuffix(v.Text, "/") + "/" + a.Text
			v.Known = v.Known && a.Known
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

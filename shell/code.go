package shell

import (
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/table"
)

// interpreter follows python -c code, perl -e code, node script.js and code on
// standard input.
func (w walker) interpreter(c *recorded, lang string) {
	program, index := c.Program, c.index
	code, script, module := codeOperands(program, lang, c.words)
	switch {
	case len(code) > 0:
		for _, f := range code {
			if from := brought(f); len(from) > 0 {
				w.runs(from)
				continue
			}
			w.nestedCode(lang, index, textOf(f, program+" -"+codeOption(lang)))
		}
	case module:
	case script != nil && script.text != "-" && script.text != "/dev/stdin":
		w.subshell().scriptFile(index, *script, lang)
	case w.piped:
		if w.stdin.known {
			w.nestedCode(lang, index, nested{text: w.stdin.text, inner: w.stdin.inner - 1, span: w.stdin.span, wrapper: w.fedWrapper(program), guess: len(w.stdin.from) > 0})
		} else {
			w.last = index
			w.runs(w.stdin.from)
		}
	}
}

func codeOption(lang string) string {
	switch lang {
	case "python":
		return "c"
	case "php":
		return "r"
	}
	return "e"
}

// codeOperands finds the code, or the script, among an interpreter's words.
// module says that it runs an installed module: what follows is its arguments.
func codeOperands(program, lang string, words []field) (code []field, script *field, module bool) {
	if (program == "deno" || program == "bun") && len(words) > 1 {
		switch words[1].text {
		case "eval":
			if i := skipOptions(words, 2, table.Valued("--ext=")); i < len(words) {
				return words[i : i+1], nil, false
			}
			return nil, nil, true
		case "run":
			if i := skipOptions(words, 2, table.Valued("--config= --import-map=")); i < len(words) && strings.Contains(words[i].text, ".") {
				return nil, &words[i], false
			}
			return nil, nil, true
		}
	}
	options := table.OptionsOf(lang, "")
	for i := 1; i < len(words); i++ {
		f := words[i]
		o := f.text
		switch {
		case o == "-" || len(o) > 0 && o[0] != '-':
			if len(code) == 0 {
				script = &words[i]
			}
			return code, script, false
		case o == "--":
			if i+1 < len(words) && len(code) == 0 {
				script = &words[i+1]
			}
			return code, script, false
		case lang == "python" && (o == "-m" || strings.HasPrefix(o, "-m")):
			return nil, nil, true
		case lang == "node" && (o == "--eval" || o == "--print") && i+1 < len(words):
			i++
			code = append(code, words[i])
			continue
		case lang == "node" && (strings.HasPrefix(o, "--eval=") || strings.HasPrefix(o, "--print=")):
			_, f.text, _ = strings.Cut(o, "=")
			f.inner = -1
			code = append(code, f)
			continue
		case strings.HasPrefix(o, "--"):
			if options.HasValue(o) {
				i++
			}
			continue
		}
		if at := codeLetter(lang, o); at > 0 {
			if at+1 < len(o) && !(lang == "node") {
				f.text, f.inner = o[at+1:], -1
				code = append(code, f)
			} else if i+1 < len(words) {
				i++
				code = append(code, words[i])
			}
			if lang == "python" {
				return code, nil, false
			}
		} else if options.TakesNext(o) {
			i++
		}
	}
	return code, nil, false
}

// codeLetter returns the place of the letter in a bundle of short options that
// is followed by code, 0 when there is none.
func codeLetter(lang, bundle string) int {
	letters := codeOption(lang)
	switch lang {
	case "perl":
		letters = "eE"
	case "node":
		letters = "ep"
	}
	for i := 1; i < len(bundle); i++ {
		c := bundle[i]
		if strings.IndexByte(letters, c) >= 0 {
			return i
		}
		if (lang == "perl" || lang == "ruby") && strings.IndexByte("iMmICxF0", c) >= 0 && !(c == 'i' && i+1 == len(bundle)) && c != '0' {
			return 0 // the rest of the word is this letter's value
		}
		if lang == "python" && strings.IndexByte("mWX", c) >= 0 {
			return 0
		}
	}
	return 0
}

// nestedCode reads a text as code of a language other than shell.
func (w walker) nestedCode(lang string, index int, n nested) {
	in, ok := w.subshell().enter(n)
	if !ok {
		return
	}
	in.code(lang, index)
}

// A token is one element of a program text, as far as calls need it.
type token struct {
	kind       byte // 'i' name, 's' string, 'x' shell command, 'n' newline; else the byte itself
	known      bool // of a string: nothing is filled into it
	start, end int32
	text       string
}

// A value is what an expression comes to, as far as the code tells.
type value struct {
	text  string
	list  []string
	array bool
	known bool
	inner int // 1 + where text stands in the code byte for byte; 0 when it does not
}

// A coder walks code for the calls that run programs and touch files. It knows
// names and constants, not the language: what is computed stays unknown.
type coder struct {
	walker
	lang   string
	index  int // command that runs the code
	toks   []token
	consts map[string]value
	opened int // 1 + index of the effect of the last file opened for writing
}

// maxTokens bounds the part of a program text that is looked at.
const maxTokens = 50_000

// code walks the frame's text as code.
func (w walker) code(lang string, index int) {
	c := &coder{walker: w, lang: lang, index: index, toks: tokens(lang, w.src), consts: make(map[string]value)}
	if len(c.toks) == maxTokens {
		w.bounded("a long " + lang + " program was read in part")
	}
	for i := range c.toks {
		if len(w.line.Commands) >= maxCommands {
			w.bounded(tooMany)
			return
		}
		c.token(i)
	}
}

// token looks at one token: a shell command, an assignment or a call.
func (c *coder) token(i int) {
	t := c.toks[i]
	if t.kind == 'i' && c.at(i-1) == '.' && (c.lang == "node" || c.lang == "python" || c.lang == "ruby") {
		t.text = "." + t.text // a method of something that is no name: /x/.exec(…)
		c.toks[i] = t
	}
	switch t.kind {
	case 'x':
		c.shell(value{text: t.text, known: t.known}, t)
	case 's':
		if c.lang == "awk" {
			c.awkString(i)
		}
	case 'i':
		switch {
		case c.at(i+1) == '=' && c.at(i+2) != '=':
			if v, _ := c.expr(i + 2); v.known {
				c.consts[t.text] = v
			}
		case c.at(i+1) == ':' && c.at(i+2) == '=':
			if v, _ := c.expr(i + 3); v.known {
				c.consts[t.text] = v
			}
		}
		if !matters(lastName(t.text)) && t.text != "$" {
			return
		}
		if c.at(i+1) == '(' {
			c.call(i, c.args(i+2))
		} else if c.bareCalls() && (c.at(i+1) == 's' || c.at(i+1) == 'i' && c.isConst(i+1)) {
			c.call(i, c.args(i+1))
		} else if c.lang == "node" && t.text == "$" && c.at(i+1) == 's' {
			c.shell(value{text: c.toks[i+1].text, known: c.toks[i+1].known}, c.toks[i+1])
		}
	}
}

// bareCalls reports whether a call needs no brackets.
func (c *coder) bareCalls() bool { return c.lang == "ruby" || c.lang == "perl" }

func (c *coder) isConst(i int) bool {
	_, ok := c.consts[c.toks[i].text]
	return ok
}

// at returns the kind of token i, 0 beyond the end.
func (c *coder) at(i int) byte {
	if i >= 0 && i < len(c.toks) {
		return c.toks[i].kind
	}
	return 0
}

// args evaluates the arguments that start at token i, up to the bracket that
// closes the call, or the end of the line of a call without brackets.
func (c *coder) args(i int) []value {
	var args []value
	for len(args) < 64 {
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
				v.known = false
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
func (c *coder) skip(i int) int {
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

// expr evaluates the constant expression at token i and returns the token
// behind what it could evaluate.
func (c *coder) expr(i int) (value, int) {
	v, i := c.operand(i, 0)
	for {
		k := c.at(i)
		switch {
		case k == '+' || k == '.' && c.lang != "python" || k == '/' && v.known:
			next, after := c.operand(i+1, 0)
			if after == i+1 {
				return v, i
			}
			if k == '/' {
				v.text = strings.TrimSuffix(v.text, "/") + "/"
			}
			v.text += next.text
			v.known = v.known && next.known
			v.list = append(v.list, next.list...)
			v.inner = 0
			i = after
		case k == 's' && v.known && !v.array: // adjacent literals
			v.text += c.toks[i].text
			v.known = c.toks[i].known
			v.inner = 0
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
				v.list, v.array = strings.Fields(v.text), true
			case ".decode", ".encode", ".strip", ".resolve", ".absolute", ".toString", ".expanduser", ".trim", ".freeze":
			case ".join", ".concat":
				if len(args) == 1 && args[0].array {
					v.text = strings.Join(args[0].list, v.text)
				} else {
					v.known = false
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
func (c *coder) operand(i, depth int) (value, int) {
	if depth > 8 {
		return value{}, i
	}
	t := c.tok(i)
	switch t.kind {
	case 's':
		v := value{text: t.text, known: t.known}
		if start := int(t.start) + 1; strings.HasPrefix(c.src[min(start, len(c.src)):], t.text) {
			v.inner = 1 + start
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
		return value{}, i
	case 'i':
		if v, ok := c.consts[t.text]; ok && c.at(i+1) != '(' {
			v.inner = 0
			return v, i + 1
		}
		if c.at(i+1) == '(' {
			return c.pureCall(t, i)
		}
	}
	return value{}, i
}

// argsOption evaluates {args: […]}, the options of a program that deno starts.
func (c *coder) argsOption(i, depth int) (value, int) {
	for j := i + 1; j < i+64; j++ {
		if c.tok(j).text == "args" && c.at(j+1) == ':' && c.at(j+2) == '[' {
			v, next := c.list(j+3, depth)
			if c.at(next) == '}' {
				return v, next + 1
			}
			return value{}, i
		}
		if k := c.at(j); k == 0 || k == '}' {
			break
		}
	}
	return value{}, i
}

func (c *coder) tok(i int) token {
	if i >= 0 && i < len(c.toks) {
		return c.toks[i]
	}
	return token{}
}

// list evaluates the elements of a list up to its closing bracket.
func (c *coder) list(i, depth int) (value, int) {
	v := value{array: true, known: true}
	for len(v.list) < maxWords {
		for c.at(i) == 'n' {
			i++
		}
		if k := c.at(i); k == ']' || k == '}' {
			return v, i + 1
		}
		e, next := c.operand(i, depth+1)
		if next == i {
			v.known = false
			e.text = "$" + c.tok(i).text
			next = c.skip(i)
		}
		v.known = v.known && e.known
		v.list = append(v.list, e.text)
		for c.at(next) == 'n' {
			next++
		}
		if c.at(next) == ',' {
			next++
		} else if k := c.at(next); k != ']' && k != '}' {
			return value{}, i
		}
		i = next
	}
	return v, i
}

// pureCall evaluates the calls that only make a path or a text.
func (c *coder) pureCall(t token, i int) (value, int) {
	name := lastName(t.text)
	if !makesText(name) {
		return value{}, i
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
	if len(args) == 0 || !args[0].known {
		return value{}, i
	}
	v := args[0]
	v.inner = 0
	switch name {
	case "join":
		if c.lang == "python" && !strings.Contains(t.text, "path") {
			return value{}, i
		}
		for _, a := range args[1:] {
			v.text = strings.TrimSuffix(v.text, "/") + "/" + a.text
			v.known = v.known && a.known
		}
	case "b64decode", "decode64", "base64_decode", "decode_base64", "atob", "urlsafe_b64decode", "a2b_base64", "standard_b64decode":
		text, ok := decodeBase64(v.text)
		v.text, v.known = text, ok
	case "unhexlify", "fromhex", "hex2bin":
		text, ok := decodeHex(v.text)
		v.text, v.known = text, ok
	case "from": // Buffer.from(text, "base64")
		if len(args) < 2 {
			return v, end
		}
		switch args[1].text {
		case "base64":
			v.text, v.known = decodeBase64(v.text)
		case "hex":
			v.text, v.known = decodeHex(v.text)
		}
	case "split":
		v.list, v.array = strings.Fields(v.text), true
	case "strrev":
		v.text = reverse(v.text)
	}
	return v, end
}

// makesText reports whether a function makes a path or a text of its arguments
// and does nothing else.
func makesText(name string) bool {
	switch name {
	case "Path", "PurePath", "PosixPath", "expanduser", "realpath", "abspath", "resolve", "str", "String", "Pathname", "normalize", "bytes", "fsencode", "expand_path", "File",
		"join", "b64decode", "decode64", "base64_decode", "decode_base64", "atob", "urlsafe_b64decode", "a2b_base64", "standard_b64decode", "unhexlify", "fromhex", "hex2bin", "from", "split", "strrev":
		return true
	}
	return false
}

// lastName returns the last part of a dotted name.
func lastName(name string) string {
	if i := strings.LastIndexAny(name, ".:>\\"); i >= 0 {
		return name[i+1:]
	}
	return name
}

// receiver evaluates what a method is called on: Path("x") of Path("x").unlink(),
// or a constant name.
func (c *coder) receiver(i int) (v value, call string) {
	t := c.toks[i]
	if !strings.HasPrefix(t.text, ".") {
		base := t.text[:max(0, len(t.text)-len(lastName(t.text))-1)]
		v, ok := c.consts[base]
		if !ok {
			return value{}, base
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
	return value{}, ""
}

func (c *coder) tokenSpan(t token) Span { return c.frame.at(int(t.start), int(t.end)) }

// fieldOf returns a value as the field of a command.
func (c *coder) fieldOf(v value, t token) field {
	f := field{text: v.text, span: c.tokenSpan(t), inner: -1, known: v.known, quoted: true}
	if v.inner > 0 && c.base >= 0 {
		f.inner = c.base + v.inner - 1
	}
	return f
}

// shell walks a value that the code hands to a shell, or a list that it starts
// as a program.
func (c *coder) shell(v value, t token) {
	in := c.subshell()
	in.env.piped = false
	if v.array {
		s := simple{span: c.tokenSpan(t)}
		for _, text := range v.list {
			s.words = append(s.words, field{text: text, span: s.span, inner: -1, known: v.known || !strings.HasPrefix(text, "$"), quoted: true})
		}
		in.analyze(s)
		return
	}
	if v.text != "" {
		in.nested(textOf(c.fieldOf(v, t), ""))
	}
}

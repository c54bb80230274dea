package code

import "strings"

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
		if c.at(i) == 'i' && c.at(i+1) == '=' && c.at(i+2) != '=' && c.at(i+2) != '>' { // keyword=value
			v, next := c.expr(i + 2)
			if at, ok := keywordAt(c.toks[i].text); ok {
				args = place(args, at, v)
			}
			i = c.skip(next)
		} else {
			i = c.spread(i)
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

// keywordAt is the place of an argument that is given by its name, if it matters here.
func keywordAt(name string) (at int, ok bool) {
	for i, names := range [...]string{"src path file filename files args", "dst mode extract_dir"} {
		if isOneOf(name, names) {
			return i, true
		}
	}
	return 0, false
}

// place puts an argument at a place, or behind the others where that one is taken.
// Arguments before it that are not given yet are empty.
func place(args []Value, at int, v Value) []Value {
	if at < len(args) {
		if !args[at].absent {
			return append(args, v)
		}
		args[at] = v
		return args
	}
	for len(args) < at {
		args = append(args, Value{absent: true})
	}
	return append(args, v)
}

// spread is the token after the mark of a list whose elements are arguments: *args,
// ...args.
func (c *scanner) spread(i int) int {
	for (c.at(i) == '*' || c.at(i) == '.' && c.at(i+1) == '.' || c.at(i) == '.' && c.at(i-1) == '.') && i < len(c.toks) {
		i++
	}
	return i
}

// skip returns the index of the comma or bracket that ends the argument at i.
func (c *scanner) skip(i int) int {
	from := i
	defer func() { c.operands += (i - from) / 64 }()
	if c.operands > maxOperands {
		return len(c.toks)
	}
	for n := 0; n < maxSkip; n, i = n+1, i+1 {
		switch c.at(i) {
		case '(', '[', '{':
			i = c.closing(i)
		case ')', ']', '}', ',', ';', 0:
			return i
		case 'n':
			if c.bareCalls() {
				return i
			}
		}
	}
	return i
}

// after is the token after the call whose opening bracket is token i.
func (c *scanner) afterCall(i int) int { return min(c.closing(i)+1, len(c.toks)) }

// expr evaluates the constant expression at token i and returns the token after
// the part that it could evaluate.
func (c *scanner) expr(i int) (Value, int) {
	if c.nested++; c.nested > maxNested {
		c.nested--
		return Value{}, i
	}
	defer func() { c.nested-- }()
	v, i := c.postfix(i)
	for {
		k := c.at(i)
		switch {
		case k == '+' && c.at(i+1) != '=' || k == '.' && c.lang != "python" && (c.at(i+1) != '.' || c.lang == "lua") || k == '/' && v.usable():
			if c.at(i+1) == '.' && c.lang == "lua" {
				i++
			}
			next, after := c.postfix(i + 1)
			if after == i+1 {
				return v, i
			}
			between := ""
			if k == '/' {
				v.Text, between = strings.TrimSuffix(v.Text, "/"), "/"
			}
			v = concat(v, between, next)
			c.operands += len(v.List)/8 + len(v.Text)/maxHole
			i = after
		case k == '%' && !v.IsList && v.Known && (c.lang == "python" || c.lang == "ruby"):
			fill, after := c.postfix(i + 1)
			if after == i+1 {
				return Value{}, i
			}
			v, i = formatted(v.Text, elements(fill)), after
		case k == 's' && v.Known && !v.IsList && v.Number == "": // adjacent literals
			next, after := c.postfix(i)
			v = concat(v, "", next)
			i = after
		default:
			return v, i
		}
	}
}

// postfix evaluates an operand with the methods that are called on it.
func (c *scanner) postfix(i int) (Value, int) {
	v, i := c.operand(i, 0)
	for {
		switch k := c.at(i); {
		case k == '[' && v.IsList && (len(v.List) > 0 || v.argv != ""):
			v, i = c.index(v, i)
		case k == '[' && v.Known && !v.IsList && c.reversal(i):
			v, i = text(reversed(v.Text)), i+5
		case k == 'i' && c.toks[i].text[0] == '.':
			next, after, ok := c.members(v, c.toks[i].text[1:], i)
			if !ok {
				return v, i
			}
			v, i = next, after
		default:
			return v, i
		}
	}
}

// reversal reports whether [::-1] is at token i.
func (c *scanner) reversal(i int) bool {
	return c.at(i+1) == ':' && c.at(i+2) == ':' && c.at(i+3) == '-' && c.tok(i+4).text == "1" && c.at(i+5) == ']'
}

// operand evaluates one literal, name or call of a function that is known.
func (c *scanner) operand(i, depth int) (Value, int) {
	if c.operands++; depth > maxDepth || c.operands > maxOperands {
		return Value{}, i
	}
	t := c.tok(i)
	switch t.kind {
	case 's':
		return c.literal(t), i + 1
	case '0':
		return Value{Number: t.text}, i + 1
	case '[', '{':
		return c.collection(i, depth)
	case '(':
		v, next := c.expr(i + 1)
		if c.at(next) == ')' {
			return v, next + 1
		}
		if c.at(next) == ',' && c.lang != "node" { // a tuple
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
	case '-':
		if c.at(i+1) == '0' {
			return Value{Number: "-" + c.toks[i+1].text}, i + 2
		}
	case '\\':
		if c.lang == "perl" && c.at(i+1) == '@' {
			return c.operand(i+1, depth+1)
		}
	case '@', '*', '&':
		if c.at(i+1) == 'i' && (t.kind == '@') == (c.lang == "perl" || c.lang == "ruby") {
			return c.operand(i+1, depth+1)
		}
	case 'i':
		return c.name(i, depth)
	}
	return Value{}, i
}

// literal evaluates a text, with the values that are filled into it.
func (c *scanner) literal(t token) Value {
	v := Value{Text: t.text, Known: t.known}
	if !t.known && c.consts != nil {
		if filled := c.fill(t.text); filled.usable() {
			return filled
		}
	}
	if start := int(t.start) + 1; strings.HasPrefix(c.src[min(start, len(c.src)):], t.text) {
		v.Inner = 1 + start
	}
	return v
}

// collection evaluates a list, a table of texts, or the options of a program.
func (c *scanner) collection(i, depth int) (Value, int) {
	if c.at(i) == '[' || c.lang == "lua" {
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
}

// name evaluates a name: a variable, an attribute of one, or a call.
func (c *scanner) name(i, depth int) (Value, int) {
	t := c.toks[i]
	if name, ok := strings.CutPrefix(t.text, "env:"); ok {
		return c.host.Env(name), i + 1
	}
	if v, next, ok := c.attribute(i); ok {
		return v, next
	}
	call := c.at(i+1) == '('
	if v, ok := c.consts[t.text]; ok && !call {
		if member, ok := c.consts[t.text+"."+c.tok(i+2).text]; ok && c.at(i+1) == '[' && c.at(i+2) == 's' && c.at(i+3) == ']' {
			return member, i + 4
		}
		v.Inner = 0
		return v, i + 1
	}
	switch {
	case isOneOf(t.text, "await new my our"):
		return c.operand(i+1, depth+1)
	case t.text == "Dir" && c.at(i+1) == '[':
		v, next := c.list(i+2, depth)
		v.Known = false
		return v, next
	}
	if v, ok := folder(t.text); ok {
		if call {
			i = c.closing(i + 1)
		}
		return v, min(i+1, len(c.toks))
	}
	if !call {
		if c.lang == "perl" && t.text == "glob" && c.at(i+1) == 's' {
			v := c.literal(c.toks[i+1])
			return c.globs(Value{}, []Value{v}), i + 2
		}
		return Value{}, i
	}
	if isOneOf(lastName(t.text), textCalls) || t.text == "Pathname.new" {
		if v, next := c.pureCall(t, i); next > i {
			return v, next
		}
	}
	if v, next, ok := c.listed(i, Value{}); ok {
		return v, next
	}
	return Value{}, i
}

// folders are the calls that return a folder.
var folders = [...]struct{ names, folder string }{
	{"pathlib.Path.home Path.home os.homedir homedir Dir.home", "~"},
	{"pathlib.Path.cwd Path.cwd os.getcwd process.cwd Dir.pwd getcwd", "."},
	{"os.tmpdir tempfile.gettempdir Dir.tmpdir", "/tmp"},
}

// folder evaluates a call that returns a folder.
func folder(name string) (Value, bool) {
	for i := range folders {
		if isOneOf(name, folders[i].names) {
			return Value{Text: folders[i].folder, Known: true, path: strings.Contains(name, "Path")}, true
		}
	}
	return Value{}, false
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

func (p *Program) tok(i int) token {
	if i >= 0 && i < len(p.toks) {
		return p.toks[i]
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
		i = c.spread(i)
		e, next := c.element(i, depth+1)
		if next == i {
			v.Known = false
			e.Text = "$" + c.tok(i).text
			next = c.skip(i)
		}
		v.Known = v.Known && e.Known
		if e.IsList {
			v.List = append(v.List, e.List...)
		} else {
			v.List = append(v.List, e.orNumber().texts()...)
		}
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

// element evaluates one element of a list, which ends at a comma or a bracket.
func (c *scanner) element(i, depth int) (Value, int) {
	if depth > maxDepth {
		return Value{}, i
	}
	v, next := c.expr(i)
	if k := c.at(next); next > i && k != 0 && strings.IndexByte(",])}n", k) < 0 {
		return Value{}, i
	}
	return v, next
}

// lastName returns the last part of a dotted name.
func lastName(name string) string { return name[lastPart(name):] }

// cutOwner is a dotted name without its last part.
func cutOwner(name string) string {
	end := lastPart(name)
	for end > 0 && isSeparator(name[end-1]) {
		end--
	}
	return name[:end]
}

// lastPart is where the last part of a dotted name starts.
func lastPart(name string) int {
	for i := len(name) - 1; i >= 0; i-- {
		if c := name[i]; c < 'A' && c != '-' && isSeparator(c) || c == '\\' {
			return i + 1
		}
	}
	return 0
}

// isSeparator reports whether a byte is between the parts of a name: a.b, A::B, $a->b.
func isSeparator(c byte) bool { return c == '.' || c == ':' || c == '>' || c == '-' || c == '\\' }

// receiver evaluates what a method is called on: Path("x") of Path("x").unlink(),
// or a variable. made is the name of the call that it starts with, or of the module.
func (c *scanner) receiver(i int) (v Value, made string) {
	t := c.toks[i]
	if t.text[0] != '.' {
		base := t.text[:max(0, len(t.text)-len(lastName(t.text))-1)]
		v, ok := c.memberOf(base)
		if !ok {
			return Value{}, base
		}
		return v.object(), v.madeOr(base)
	}
	start := c.chain(i)
	if start == i {
		return Value{}, ""
	}
	if c.at(start) == 'i' {
		made = c.toks[start].text
	}
	v, next := c.postfix(start)
	if last := strings.LastIndexByte(t.text, '.'); next == i && last > 0 { // .parent.unlink()
		v, _, _ = c.attributes(v, t.text[1:last])
	} else if next != i {
		return Value{}, made
	}
	return v.object(), v.madeOr(made)
}

// chain is the token that a chain of methods starts with whose member is token i.
func (c *scanner) chain(i int) int {
	for j, n := i-1, 0; j >= 0 && n < 96; n++ {
		switch c.at(j) {
		case ')', ']', '}':
			open := int(c.pair[j])
			if open <= 0 && c.at(0) != '(' && c.at(0) != '[' || open >= j {
				return i
			}
			if c.at(j) == '}' {
				return i
			}
			if c.at(open-1) != 'i' || isOneOf(c.toks[open-1].text, "in return await and or not if while unless") {
				return open
			}
			j = open - 1
		case 'i':
			if c.toks[j].text[0] != '.' {
				return j
			}
			j--
		case 's', 'x':
			return j
		default:
			return i
		}
	}
	return i
}

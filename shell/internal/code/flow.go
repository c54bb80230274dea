package code

import (
	"maps"
	"slices"
	"strings"
)

// A source is where a value has something from, or where something that is given to
// it goes.
type source struct {
	kind  sourceKind
	value Value // the host or URL, the path, or the program
}

type sourceKind uint8

const (
	fromNetwork sourceKind = iota + 1 // a connection, and what comes through it
	fromFile
	fromEnvironment
	toFile    // a file that is open for writing
	toProgram // a shell or an interpreter that was started, or its input
)

// A flow are the sources of a value.
type flow []source

// maxFlow bounds the sources of one value.
const maxFlow = 16

// with adds sources. One without a name goes where another one has it.
func (f flow) with(more ...source) flow {
	for _, s := range more {
		at := slices.IndexFunc(f, func(o source) bool {
			return o.kind == s.kind && (o.value.Text == s.value.Text || o.value.Text == "" || s.value.Text == "")
		})
		switch {
		case at >= 0:
			if f[at].value.Text == "" {
				f[at] = s
			}
		case len(f) < maxFlow:
			f = append(f, s)
		}
	}
	return f
}

// of are the sources of some kinds.
func (f flow) of(kinds ...sourceKind) (found flow) {
	for _, s := range f {
		if slices.Contains(kinds, s.kind) {
			found = append(found, s)
		}
	}
	return found
}

// A tracer knows which values of a program come from the network and from files. It
// does not know the order of statements, nor one variable of a name from another.
type tracer struct {
	vars        map[string]flow // variables
	returns     map[string]flow // functions of the program
	files       map[string]flow // files that it writes
	connection  flow            // the first one
	streams     flow            // what standard input and output are connected with
	origins     []flow          // of calls, by token
	asked       []bool          // which of them are known
	ends        [2][]int32      // by token, where its statement ends, and where its argument does
	environment bool            // the program may read the environment
	told        map[string]bool // what the host was told of
	visited     int             // tokens that were looked at
}

// maxVisited bounds the tokens that are looked at, which are looked at again for each
// expression that they are in.
const maxVisited = 16 * MaxTokens

// networkWords are in every program that talks to other machines.
const networkWords = "socket Socket http Http HTTP url fetch TCP LWP ftp FTP smtp SMTP inet connect boto3 requests dns"

// trace follows values through a program that may talk to other machines.
func (c *scanner) trace() {
	if !slices.ContainsFunc(strings.Fields(networkWords), c.mentions) {
		return
	}
	c.tracer = &tracer{vars: make(map[string]flow), returns: make(map[string]flow), files: make(map[string]flow), told: make(map[string]bool)}
	c.environment = c.mentions("env") || c.mentions("ENV")
	c.findEnds()
	for range 2 {
		c.forget()
		c.pass()
	}
	c.forget()
	clear(c.consts)
	maps.Copy(c.consts, c.bound)
}

// forget drops what is known of calls, since more is known of variables.
func (c *scanner) forget() {
	c.origins, c.asked = make([]flow, len(c.toks)), make([]bool, len(c.toks))
}

// findEnds finds where the statement and the argument of each token end.
func (c *scanner) findEnds() {
	for kind := range c.ends {
		ends := make([]int32, len(c.toks)+1)
		ends[len(c.toks)] = int32(len(c.toks))
		for i := len(c.toks) - 1; i >= 0; i-- {
			ends[i] = ends[i+1]
			switch c.at(i) {
			case '(', '[', '{':
				ends[i] = ends[min(c.closing(i)+1, len(c.toks))]
			case ')', ']', '}', ';':
				ends[i] = int32(i)
			case ',':
				if kind == 1 {
					ends[i] = int32(i)
				}
			case 'n':
				if !c.continues(i) {
					ends[i] = int32(i)
				}
			}
		}
		c.ends[kind] = ends
	}
}

// continues reports whether a statement goes on after the newline of token i.
func (c *scanner) continues(i int) bool {
	return c.lang == "perl" || c.lang == "php" || c.at(i-1) != 0 && strings.IndexByte("+=,|&?:.\\", c.at(i-1)) >= 0 ||
		c.at(i+1) != 0 && strings.IndexByte("+.|&?:", c.at(i+1)) >= 0
}

// pass goes through the program once and adds what it learns.
func (c *scanner) pass() {
	function := ""
	for i := range c.toks {
		switch t := &c.toks[i]; t.kind {
		case '=':
			c.unpack(i)
			c.flowAssigned(i)
		case '<':
			c.flowRead(i)
		case '|':
			if c.at(i-1) == '{' || c.tok(i-1).text == "do" {
				c.flowInto(c.namesTo(i+1, '|'), c.flowOf(c.statement(i-1), i))
			}
		case 'i':
			c.assignment(i)
			switch {
			case isOneOf(t.text, definers) && c.at(i+1) == 'i':
				function = lastName(c.tok(i + 1).text)
				c.flowCallback(i)
				if c.bareCalls() { // what they return is the last expression
					c.returns[function] = c.returns[function].with(c.flowOf(i+2, c.body(i+2))...)
				}
			case t.text == "return" || t.text == "yield":
				c.returns[function] = c.returns[function].with(c.flowOf(i+1, c.end(i+1))...)
			case t.text == "as" && c.at(i+1) == 'i' && c.lang == "python":
				c.flowInto([]string{c.tok(i + 1).text}, c.flowOf(c.statement(i), i))
			case t.text == "of" || t.text == "in":
				c.flowInto(c.namesBefore(i), c.flowOf(i+1, c.end(i+1)))
			case (t.text == "foreach" || t.text == "for") && (c.lang == "perl" || c.lang == "php"):
				c.flowEach(i)
			case t.text == "function" || t.text == "lambda":
				c.flowCallback(i)
			default:
				c.flowCall(i)
			}
		}
	}
}

// flowInto adds sources to variables.
func (c *scanner) flowInto(names []string, f flow) {
	if len(f) == 0 {
		return
	}
	c.connection = c.connection.with(f.of(fromNetwork)...)
	for _, name := range names {
		if len(c.vars) < maxList {
			c.vars[name] = c.vars[name].with(f...)
		}
	}
}

// flowAssigned follows name = value, name += value, a, b = value, name[key] = value,
// and the parameters of x => ….
func (c *scanner) flowAssigned(i int) {
	switch next := c.at(i + 1); {
	case next == '>':
		if c.at(i-1) == ')' || c.at(i-1) == 'i' && c.lang == "node" {
			c.flowCallback(i)
		}
		return
	case next == '=' || next == '~' || strings.IndexByte("=!<>", c.at(i-1)) >= 0 && c.at(i-1) != 0:
		return
	}
	target := i - 1
	for target > 0 && strings.IndexByte("+.|&:*-/?", c.at(target)) >= 0 {
		target--
	}
	names := c.names(target + 1)
	switch open := int(c.tokPair(target)); {
	case c.at(target) == ']' && c.at(open-1) == 'i', c.at(target) == '}' && c.at(open-1) == 'i' && !isOneOf(c.tok(open-1).text, "const let var my"):
		names = []string{c.tok(open - 1).text}
	case c.at(target) == 'i':
		name := c.tok(target).text
		names = append(names, name)
		if base, _, ok := cutLast(name); ok && !isOneOf(base, "self this module") {
			names = append(names, base)
		}
	}
	if len(names) == 0 {
		return
	}
	for _, name := range names {
		if _, ok := c.vars[name]; !ok && len(c.vars) < maxList {
			c.vars[name] = nil
		}
	}
	f := c.flowOf(i+1, c.endOf(i+1, c.at(target-1) == '(' || c.at(target-1) == ','))
	if isOneOf(names[0], "STDIN STDOUT STDERR $stdin $stdout $stderr") {
		c.streams = c.streams.with(f.of(fromNetwork)...)
	}
	c.flowInto(names, f)
}

func (c *scanner) tokPair(i int) int32 {
	if i >= 0 && i < len(c.pair) {
		return c.pair[i]
	}
	return 0
}

// flowEach follows foreach my $x (list) and foreach ($list as $x).
func (c *scanner) flowEach(i int) {
	names := c.namesTo(i+1, '(')
	open := i + 1
	for c.at(open) == 'i' {
		open++
	}
	if c.at(open) != '(' {
		return
	}
	end := c.closing(open)
	for j := open; j < end && c.lang == "php"; j++ {
		if c.toks[j].text == "as" {
			names = c.namesTo(j+1, ')')
		}
	}
	if len(names) == 0 {
		names = []string{"$_"}
	}
	c.flowInto(names, c.flowOf(open, end))
}

// flowRead follows Perl's <$handle>, whose lines are $_, and Ruby's list << value.
func (c *scanner) flowRead(i int) {
	switch {
	case c.lang == "perl" && c.at(i+1) == 'i' && c.at(i+2) == '>':
		c.flowInto([]string{"$_"}, c.flowOf(i+1, i+2))
	case c.lang == "ruby" && c.at(i+1) == '<' && c.at(i-1) == 'i':
		c.flowGiven(i-1, c.tok(i-1).text, c.flowOf(i+2, c.end(i+2)))
	}
}

// flowCallback gives the parameters of a function, whose => or first word is token i,
// what the call has that the function is an argument of.
func (c *scanner) flowCallback(i int) {
	start := i
	var names []string
	switch {
	case c.toks[i].text == "lambda":
		names = c.namesTo(i+1, ':')
	case c.toks[i].text == "function" && c.at(i+1) == '(':
		names = c.namesTo(i+2, ')')
	case c.toks[i].text == "function":
		names = c.namesTo(i+3, ')')
	case c.toks[i].kind == 'i': // a function that is not an argument
	case c.at(i-1) == ')':
		start = int(c.pair[i-1])
		names = c.namesTo(start+1, ')')
	case c.at(i-1) == 'i':
		start, names = i-1, []string{c.tok(i - 1).text}
	}
	if c.tok(start-1).text == "async" {
		start--
	}
	if len(names) == 0 {
		return
	}
	if c.at(start-1) == '=' && c.at(start-2) == 'i' { // socket.onmessage = …
		c.flowInto(names, c.flowOf(start-2, start-1))
		return
	}
	if open := c.enclosing(start); open > 0 && c.at(open-1) == 'i' {
		c.flowInto(names, c.flowOf(c.chain(open-1), start))
	}
}

// enclosing is the bracket of the call that token i is an argument of, or 0.
func (c *scanner) enclosing(i int) int {
	for j := i - 1; j > 0 && i-j < 256; j-- {
		switch c.at(j) {
		case ')', ']', '}':
			open := int(c.pair[j])
			if open == 0 {
				return 0
			}
			j = open
		case '(':
			return j
		case '{':
			if k := c.at(j - 1); k == ')' || k == '>' {
				return 0
			}
		}
	}
	return 0
}

// namesTo are the names from token i on, up to a closing token.
func (c *scanner) namesTo(i int, end byte) (names []string) {
	for n := 0; n < maxArgs && c.at(i) != end && c.at(i) != 0; n, i = n+1, i+1 {
		if c.at(i) == 'i' {
			names = append(names, c.tok(i).text)
		}
	}
	return names
}

// namesBefore are the variables of a loop, whose "in" or "of" is token i.
func (c *scanner) namesBefore(i int) (names []string) {
	for j := i - 1; j >= 0 && i-j < maxArgs; j-- {
		switch t := c.toks[j]; {
		case t.text == "for":
			return names
		case t.kind == 'i':
			names = append(names, t.text)
		case strings.IndexByte("(),[]", t.kind) < 0:
			return nil
		}
	}
	return nil
}

// end is the token that ends the statement or the expression at token i.
func (c *scanner) end(i int) int { return c.endOf(i, false) }

// endOf is end; an argument ends at a comma too.
func (c *scanner) endOf(i int, argument bool) int {
	kind := 0
	if argument {
		kind = 1
	}
	for c.at(i) == 'n' {
		i++
	}
	if i >= len(c.ends[kind]) {
		return len(c.toks)
	}
	return min(int(c.ends[kind][i]), i+maxSkip)
}

// statement is the token that the statement of token i starts with.
func (c *scanner) statement(i int) int {
	from := i
	for i--; i >= 0 && from-i < 256; i-- {
		switch c.at(i) {
		case ')', ']', '}':
			if open := int(c.pair[i]); open > 0 {
				i = open
			}
		case '(', '[', '{', 'n', ';', '|':
			return i + 1
		}
	}
	return i + 1
}

// body is the end of the function whose parameters or body start at token i.
func (c *scanner) body(i int) int {
	for j := i; j < len(c.toks) && j-i < maxSkip; j++ {
		switch {
		case c.at(j) == '{' && c.lang == "perl":
			return c.closing(j)
		case c.at(j) == 'i' && (c.toks[j].text == "end" || isOneOf(c.toks[j].text, definers)):
			return j
		}
	}
	return i
}

// flowOf are the sources of everything between two tokens.
func (c *scanner) flowOf(from, to int) (f flow) {
	to = min(to, len(c.toks))
	for j := max(from, 0); j < to; j++ {
		if c.visited++; c.visited > maxVisited {
			return f
		}
		switch t := &c.toks[j]; t.kind {
		case '{':
			if k := c.at(j - 1); (k == ')' || k == '>') && c.closing(j)-j > maxBody {
				j = c.closing(j)
			}
		case 's':
			if !t.known {
				f = f.with(c.flowFilled(t.text)...)
			}
		case 'x':
			f = f.with(c.flowFilled(t.text)...)
			f = f.with(c.output(Value{Text: t.text, Known: t.known})...)
		case 'i':
			f = f.with(c.flowName(j)...)
		}
	}
	return f
}

// maxBody is how long the body of a function is, in tokens, through which an expression
// is followed.
const maxBody = 256

// flowFilled are the sources of what is filled into a string.
func (c *scanner) flowFilled(text string) (f flow) {
	for n := 0; text != "" && n < maxArgs; n++ {
		start, name, rest := c.filled(text)
		if start < 0 {
			return f
		}
		if strings.HasPrefix(name, "$ENV{$") {
			f = f.with(environment())
		}
		if in := c.inner(name); in != nil {
			f = f.with(in.flowOf(0, len(in.toks))...)
			c.visited = in.visited
		}
		text = rest
	}
	return f
}

// flowName are the sources of the name at token i: of the variable that it starts with,
// of the function that it calls.
func (c *scanner) flowName(i int) (f flow) {
	name := strings.TrimSuffix(c.toks[i].text, "->")
	if last := lastName(name); last != name && isOneOf(last, measures) {
		return nil
	}
	if name[0] != '.' {
		f = c.ofVariable(name)
		if c.environment && c.isEnvironment(name) {
			f = f.with(environment())
		}
	}
	if c.at(i+1) == '(' {
		f = f.with(c.returns[lastName(name)]...)
	}
	return f.with(c.origin(i)...)
}

// isEnvironment reports whether a name is that of the whole environment, or of what is
// made of it.
func (c *scanner) isEnvironment(name string) bool {
	for ; name != ""; name = cutOwner(name) {
		if isOneOf(name, environments) || name == "$ENV" {
			return true
		}
	}
	return false
}

func environment() source { return source{kind: fromEnvironment, value: text("env")} }

// measures tell something about a value that is not what it holds.
const measures = "status status_code statusCode ok length size code closed port"

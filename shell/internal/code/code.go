// Package code finds the calls of a program text that run programs and touch
// files. It knows the names and constants of some scripting languages, and not
// the languages: what is computed is unknown.
package code

import (
	"maps"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell/internal/effect"
)

// MaxTokens bounds the part of a program text that is looked at.
const MaxTokens = 50_000

// Limits of one expression.
const (
	maxArgs  = 64
	maxList  = 1024
	maxDepth = 8

	maxNested = 24   // expressions inside each other
	maxSkip   = 4096 // tokens between two brackets
)

// A Program is a program text that was cut into tokens.
type Program struct {
	lang, src string
	toks      []token
	pair      []int32           // of a bracket: the one that closes or opens it, or 0
	short     map[string]string // names for modules and their members
}

// Parse cuts a text in one of the languages awk, lua, node, perl, php, python and
// ruby into tokens. partial says that the text was too long to be read whole.
func Parse(lang, src string) (p Program, partial bool) {
	p = Program{lang: lang, src: src, toks: tokens(lang, src)}
	partial = len(p.toks) == MaxTokens
	handlers.once.Do(loadCalls)
	p.resolve()
	p.pairs()
	return p, partial
}

// pairs finds the brackets that belong together.
func (p *Program) pairs() {
	p.pair = make([]int32, len(p.toks))
	var open []int32
	for i := range p.toks {
		switch k := p.toks[i].kind; k {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			for n := len(open) - 1; n >= 0 && n >= len(open)-maxNested; n-- {
				if p.toks[open[n]].kind == opening(k) {
					p.pair[open[n]], p.pair[i] = int32(i), open[n]
					open = open[:n]
					break
				}
			}
		}
	}
}

// A Value is the result of an expression, as far as it is known from the code.
type Value struct {
	Text   string
	List   []string
	IsList bool
	Known  bool
	Inner  int // 1 + the offset of Text in the code, where it is there byte for byte; else 0

	Any   []string // paths and patterns, if it is one of them and not known which
	Width int      // of a list: how many of its elements belong together; 0 is 1
	argv  string   // name of the arguments of the program, which it is
	path  bool     // an object of a class of paths

	absent bool // an argument that the call does not give

	Number string // digits of a number, which is no text
	Fed    bool   // of a text for a shell: the code writes to it
}

// An Effect is one thing that the code does to one file.
type Effect struct {
	Kind    effect.Kind
	Path    Value
	To      string // of Move: where to; of Send: the host or URL
	Object  string // of Permission: the mode
	Content Value  // of Create and Append
	Open    bool   // the file stays open, and Host.Write adds to its content
	Target  Value  // of a link that is made: what it leads to

	From      Value // of Create: the file or folder that is copied there
	Recursive bool  // of Delete: with everything below a folder; of Create: what is unpacked or copied below one
}

// Printed is where the output of a command is from.
type Printed struct {
	Files, Hosts []string
	Environment  bool
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
	// Process is called for a process that is ended.
	Process(pid Value)
	// FromNetwork is called for text from another machine that is run: from is its host or URL.
	FromNetwork(from Value)
	// Received is called for a file that is written with what came from another machine.
	Received(path string, from Value)
	// Output returns where the output of a command is from.
	Output(v Value) Printed
	// Write is called for what is written to the file that was opened last.
	Write(v Value)
	// Unknown is called for a file that is written, or code or a program that is run,
	// when the text does not say which.
	Unknown()
	// Names returns patterns for the names of files that a command prints.
	Names(v Value) []string
	// Chdir is called for a change of the folder.
	Chdir(v Value)
	// Args returns the arguments of the program.
	Args() []string
	// Env returns the value of a variable of the environment.
	Env(name string) Value
}

// maxOperands bounds how many operands of expressions are evaluated.
const maxOperands = 8 * MaxTokens

// Scan calls host for what the program does. partial says that the program was too
// complex to be read whole.
func (p Program) Scan(host Host) (partial bool) { return p.scanner(host).scan() }

func (p Program) scanner(host Host) *scanner {
	return &scanner{Program: p, host: host, handlers: handlers.byName, consts: make(map[string]Value), bound: make(map[string]Value)}
}

func (c *scanner) scan() (partial bool) {
	c.variables()
	c.trace()
	for i := range c.toks {
		if !c.host.More() {
			break
		}
		c.token(i)
	}
	if c.tracer == nil {
		return c.operands > maxOperands
	}
	c.received()
	return c.operands > maxOperands || c.visited > maxVisited
}

// A scanner goes through the tokens of a program and remembers its constants.
type scanner struct {
	Program
	host     Host
	handlers map[string]callHandler
	consts   map[string]Value
	bound    map[string]Value    // variables of loops and parameters
	defined  map[string][]string // parameters of functions
	operands int                 // evaluated so far, and tokens that were passed over
	nested   int                 // expressions inside each other
	server   []string            // words of a client that name the database of the program
	now      int                 // the call or the shell command that the host is told of
	*tracer                      // of a program that may talk to other machines, else nil
}

// loopWords are in every program that has a loop over names or a function, or reads its
// arguments.
const loopWords = "for each argv ARGV def function sub => lambda map"

// variables binds the variables of loops first, since a comprehension uses them before
// it names them, and a function before it is called.
func (c *scanner) variables() {
	words := func(w string) bool { return c.mentions(w) }
	if !slices.ContainsFunc(strings.Fields(loopWords), words) {
		return
	}
	c.defined = make(map[string][]string)
	for range 2 { // what a loop binds may be passed to a function that has a loop
		clear(c.consts)
		maps.Copy(c.consts, c.bound)
		for i := range c.toks {
			switch {
			case c.toks[i].kind == 'i':
				c.assignment(i)
				c.loops(i)
			case c.toks[i].kind == '=':
				c.unpack(i)
			case c.toks[i].kind == '[' && strings.IndexByte("i)]", c.at(i-1)) < 0:
				c.callback(i)
			}
		}
	}
	clear(c.consts)
	maps.Copy(c.consts, c.bound)
}

// token looks at one token: a shell command, an assignment or a call.
func (c *scanner) token(i int) {
	t := c.toks[i]
	if t.kind == 'i' && c.at(i-1) == '.' && (c.lang == "node" || c.lang == "python" || c.lang == "ruby") {
		t.text = "." + t.text // a method of something without a name: /x/.exec(…)
		c.toks[i] = t
	}
	switch t.kind {
	case '=':
		c.unpack(i)
	case '<':
		if c.tracer != nil && c.lang == "ruby" && c.at(i+1) == '<' && c.at(i-1) == 'i' {
			on, given := c.ofVariable(c.toks[i-1].text), c.flowOf(i+2, c.end(i+2))
			c.feeds(on.with(given...))
			c.gives(on, given)
		}
	case 'x':
		c.now = i
		c.shell(Value{Text: t.text, Known: t.known}, t)
	case 's':
		if c.lang == "awk" {
			c.awkString(i)
		} else if _, ok := c.handlers[t.text]; ok && c.lang == "php" {
			c.passed(i)
		}
	case 'i':
		c.assignment(i)
		if c.tracer != nil {
			c.sends(i)
		}
		if t.text == "getline" {
			c.awkReceives(i)
		}
		if _, ok := c.handlers[lastName(t.text)]; !ok && lastName(t.text) != "$" {
			return // so that the arguments of all other calls need not be evaluated
		}
		if c.at(i+1) == '(' {
			c.call(i, c.args(i+2))
		} else if c.bareCalls() && c.bareArgument(i+1) {
			c.call(i, c.args(i+1))
		} else if v, ok := c.consts["$_"]; ok && c.lang == "perl" && (isOneOf(c.tok(i+1).text, "for foreach if unless") || c.at(i+1) == ';' || c.at(i+1) == '}') {
			c.call(i, []Value{v})
		} else if k := c.at(i + 1); c.lang == "ruby" && strings.Contains(t.text, ".") && (k == 0 || strings.IndexByte("n;})", k) >= 0) {
			c.call(i, nil)
		} else if k == ')' || k == ',' {
			c.passed(i)
		} else if c.lang == "node" && lastName(t.text) == "$" && c.at(i+1) == 's' { // of zx, execa and bun
			c.shell(Value{Text: c.toks[i+1].text, Known: c.toks[i+1].known}, c.toks[i+1])
		}
	}
}

// assignment remembers the constant that is assigned to the name at token i.
func (c *scanner) assignment(i int) {
	value := 0
	switch {
	case c.at(i+1) == '=' && c.at(i+2) != '=' && c.at(i+2) != '>':
		value = i + 2
	case c.at(i+1) == ':' && c.at(i+2) == '=':
		value = i + 3
	case c.at(i+1) == '+' && c.at(i+2) == '=', c.at(i+1) == '.' && c.at(i+2) == '=':
		v, _ := c.expr(i + 3)
		if old, ok := c.consts[c.toks[i].text]; ok && old.IsList == v.IsList && len(old.Text) < maxText/2 && len(old.List) < maxArgs {
			c.set(c.toks[i].text, concat(old, "", v))
		}
		return
	default:
		return
	}
	name := c.toks[i].text
	v, next := c.expr(value)
	if k := c.at(next); k == '[' || k == '(' || k == 'i' && c.toks[next].text[0] == '.' {
		v = Value{} // a part of an expression
	}
	c.set(name, v)
	switch {
	case c.at(value) == '{', c.at(value) == '(' && c.lang == "perl":
		c.fields(name, value)
	case c.defined != nil:
		c.arrow(name, value)
	}
}

// bareCalls reports whether a call needs no brackets.
func (c *scanner) bareCalls() bool { return c.lang == "ruby" || c.lang == "perl" }

// bareArgument reports whether token i starts the arguments of a call without brackets.
func (c *scanner) bareArgument(i int) bool {
	switch t := c.tok(i); t.kind {
	case 's', 'x', '@', '0':
		return true
	case '<', '[':
		return c.lang == "perl" && t.kind == '<' || t.kind == '[' && c.tok(i-1).end < t.start
	case 'i':
		_, variable := c.consts[t.text]
		return variable || t.text[0] == '$' || strings.HasPrefix(t.text, "env:") || c.at(i+1) == '(' && t.text[0] != '.' && !isOneOf(t.text, "if unless and or") ||
			isOneOf(t.text, "Dir ARGV") || c.lang == "perl" && t.text == "glob" ||
			c.lang == "ruby" && c.at(i+1) != '=' && !isOneOf(t.text, "if unless and or do while until end then rescue in")
	}
	return false
}

// at returns the kind of token i, 0 beyond the end.
func (p *Program) at(i int) byte {
	if i >= 0 && i < len(p.toks) {
		return p.toks[i].kind
	}
	return 0
}

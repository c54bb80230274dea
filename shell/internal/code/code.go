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

	Any   []string // paths and patterns, if it is one of them and not known which
	Width int      // of a list: how many of its elements belong together; 0 is 1
	argv  string   // name of the arguments of the program, which it is
}

// An Effect is one thing that the code does to one file.
type Effect struct {
	Kind    effect.Kind
	Path    Value
	To      string // of Move
	Content Value  // of Create and Append
	Open    bool   // the file stays open, and Host.Write adds to its content
	Target  Value  // of a link that is made: what it leads to

	Recursive bool // of Delete: with everything below a folder
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
	// Unknown is called for a file that is written, or code or a program that is run,
	// when the text does not say which.
	Unknown()
	// Names returns patterns for the names of files that a command prints.
	Names(v Value) []string
	// Chdir is called for a change of the folder.
	Chdir(v Value)
	// Args returns the arguments of the program.
	Args() []string
}

// maxOperands bounds how many operands of expressions are evaluated.
const maxOperands = 8 * MaxTokens

// Scan calls host for what the program does. partial says that the program was too
// complex to be read whole.
func (p Program) Scan(host Host) (partial bool) {
	handlers.once.Do(loadCalls)
	s := &scanner{Program: p, host: host, handlers: handlers.byName, consts: make(map[string]Value)}
	s.variables()
	for i := range s.toks {
		if !host.More() {
			break
		}
		s.token(i)
	}
	return s.operands > maxOperands
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
}

// loopWords are in every program that has a loop over names, or reads its arguments.
const loopWords = "for each argv ARGV"

// variables binds the variables of loops first, since a comprehension uses them before
// it names them, and a function before it is called.
func (c *scanner) variables() {
	words := func(w string) bool { return c.mentions(w) }
	if !slices.ContainsFunc(strings.Fields(loopWords), words) {
		return
	}
	c.bound, c.defined = make(map[string]Value), make(map[string][]string)
	for range 2 { // what a loop binds may be passed to a function that has a loop
		clear(c.consts)
		maps.Copy(c.consts, c.bound)
		for i := range c.toks {
			switch {
			case c.toks[i].kind == 'i':
				c.assignment(i)
				c.loops(i)
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
	if v, _ := c.expr(value); v.usable() || v.IsList {
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

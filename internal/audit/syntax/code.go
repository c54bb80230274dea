package syntax

import (
	"context"
	"fmt"
	"slices"
)

// A code is a piece of a program, reduced to the common parts of all languages:
// names, calls, definitions. Each language is lowered to it once, and queries on
// calls, classes and imports search it. Wiring and strings are read in Python
// alone: only there values, choices and results are distinguished.
type code struct {
	kind        kind
	name        string  // of a name, attribute, keyword, function, class; the text of a text
	kids        []*code // see kind
	n           int     // see kind
	params      []string
	imports     []imported
	again       bool // imp: of a call, which is in the tree too
	first, last int  // lines, from 1
	start, end  int  // bytes
	scope       *scope
}

type kind uint8

const (
	other   kind = iota // kids: whatever is in it
	text                // name: the literal's text
	join                // kids: texts, and values that are filled in
	name                //
	attr                // kids: object; name: the attribute
	index               // kids: object, index
	call                // kids: callee, arguments…
	keyword             // a named argument; kids: value
	list                // list, tuple, set, array; kids: elements
	spread              // kids: the list
	dict                // kids: pairs, spreads
	pair                // kids: key, value
	assign              // kids: target, value; n: 1 for var, which belongs to the function, 2 without a declaration
	choice              // kids: the n alternatives, then the condition
	loop                // kids: target, list, body
	comp                // comprehension; kids: a loop
	fn                  // params, kids: defaults…, body
	class               // kids: n bases…, body
	ret                 // kids: value
	yield               // an element of a comprehension; kids: value
	block               // kids: statements; a scope of its own in all languages but Python
	imp                 // imports
	global              // params: names of an outer scope
)

// imported is one thing that an import gives a name to.
type imported struct {
	module string // os.path, ./file, os/exec, std.process
	member string // "" is the module itself; "*" is everything in it
	local  string // the name here; "" means none
}

// target returns the full name of the import.
func (i imported) target() string {
	if i.member == "" || i.member == "*" {
		return i.module
	}
	return i.module + "." + i.member
}

// program is a lowered file.
type program struct {
	lang   string
	src    []byte
	root   *code
	broken bool
}

// errDepth stops the lowering of code that nests too deep.
type errDepth struct{}

// read parses and lowers a file.
func read(ctx context.Context, f *File) (*program, error) { return remembered(ctx, f, readAnew) }

func readAnew(ctx context.Context, f *File) (p *program, err error) {
	if err := check(f); err != nil {
		return nil, err
	}
	if f.Lang == Go {
		return readGo(ctx, f)
	}
	grammar := f.Lang
	if grammar == JavaScript {
		grammar = TSX // a superset; see vetFrom
	}
	t, err := parse(ctx, grammar, f)
	if err != nil {
		return nil, err
	}
	defer t.close()
	root, err := lowered(t, f.Lang)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, f.Path)
	}
	p = &program{lang: f.Lang, src: f.Source, root: root, broken: t.RootNode().HasErrorOrMissing()}
	bind(p)
	return p, nil
}

func lowered(t *tree, lang string) (c *code, err error) {
	defer caught(&err)
	defer func() {
		if fault := recover(); fault != nil {
			if _, deep := fault.(errDepth); !deep {
				panic(fault)
			}
			err = fmt.Errorf("%w: nested more than %d levels", ErrTooHard, maxDepth)
		}
	}()
	l := &lowering{tree: t}
	switch lang {
	case Python:
		l.node = l.python
	default:
		l.node = l.script
	}
	return l.lower(t.RootNode()), nil
}

// walk visits c and its pieces in the order of the source, each with its scope.
func walk(c *code, s *scope, visit func(*code, *scope)) {
	if c == nil {
		return
	}
	visit(c, s)
	if c.scope != nil {
		s = c.scope
	}
	for _, k := range c.kids {
		walk(k, s, visit)
	}
}

// kid returns the i-th kid, or a piece that says nothing.
func (c *code) kid(i int) *code {
	if c == nil || i < 0 || i >= len(c.kids) || c.kids[i] == nil {
		return &code{}
	}
	return c.kids[i]
}

// positional returns a call's arguments that have no name, up to the first one
// that is spread.
func (c *code) positional() []*code {
	var args []*code
	for _, a := range c.kids[min(1, len(c.kids)):] {
		if a.kind == spread {
			break
		}
		if a.kind != keyword {
			args = append(args, a)
		}
	}
	return args
}

// argument returns the i-th argument, or that of one of the names, or nil.
func (c *code) argument(i int, names ...string) *code {
	if args := c.positional(); i < len(args) {
		return args[i]
	}
	for _, a := range c.kids[min(1, len(c.kids)):] {
		if a.kind == keyword && slices.Contains(names, a.name) {
			return a.kid(0)
		}
	}
	return nil
}

package syntax

import (
	"slices"
	"strings"
)

// A scope is where names mean something.
type scope struct {
	outer   *scope
	kind    kind               // fn, class, comp, block
	names   map[string][]bound // the meanings of names in this scope
	stars   []string           // modules that were imported whole
	globals []string           // names that an inner scope gives values to
	of      *program
	body    *code // that opens it
}

// bound is one meaning of a name.
type bound struct {
	target string // imported: its full name
	code   *code  // otherwise: the function, the class, or the assignment
	scope  *scope // of code
}

// maxAliases is how many assignments are followed for one name: a = b, b = c, …
const maxAliases = 32

// bind gives every scope of the program its names.
func bind(p *program) {
	top := &scope{kind: block, names: map[string][]bound{}, of: p, body: p.root}
	p.root.scope = top
	for _, k := range p.root.kids {
		top.bind(k)
	}
}

// bind notes the names that c gives a meaning to in s, and opens the scopes in c.
func (s *scope) bind(c *code) {
	if c == nil {
		return
	}
	inner := s
	switch c.kind {
	case imp:
		s.imports(c)
	case assign:
		s.assigned(c)
	case loop:
		for _, n := range patternNames(c.kid(0)) {
			s.add(n, bound{code: c, scope: s})
		}
	case fn:
		if c.name != "" && c.n == 0 {
			s.add(c.name, bound{code: c, scope: s})
		}
		inner = s.open(c)
		for _, n := range c.params {
			inner.add(n, bound{})
		}
	case class:
		if c.name != "" {
			s.add(c.name, bound{code: c, scope: s})
		}
		inner = s.open(c)
	case comp:
		inner = s.open(c)
	case block:
		inner = s.open(c)
	case global:
		s.globals = append(s.globals, c.params...)
	}
	for _, k := range c.kids {
		inner.bind(k)
	}
}

func (s *scope) open(c *code) *scope {
	c.scope = &scope{outer: s, kind: c.kind, names: map[string][]bound{}, of: s.of, body: c}
	return c.scope
}

func (s *scope) add(n string, b bound) { s.names[n] = append(s.names[n], b) }

func (s *scope) imports(c *code) {
	to := s
	if c.n == 1 {
		to = s.function()
	}
	for _, i := range c.imports {
		switch {
		case i.member == "*":
			to.stars = append(to.stars, i.module)
		case i.local != "":
			to.add(i.local, bound{target: i.target()})
		}
	}
}

func (s *scope) assigned(c *code) {
	if target := c.kid(0); target.kind == name {
		s.assignee(c, target.name).add(target.name, bound{code: c, scope: s})
		return
	}
	for _, n := range patternNames(c.kid(0)) {
		s.assignee(c, n).add(n, bound{})
	}
}

// assignee is the scope whose name an assignment in s gives a value to.
func (s *scope) assignee(c *code, n string) *scope {
	switch {
	case c.n == 1:
		return s.function()
	case c.n == 2:
		for at := s; at != nil; at = at.outer {
			if len(at.names[n]) > 0 || at.outer == nil {
				return at
			}
		}
	case slices.Contains(s.globals, n):
		return s.top()
	}
	return s
}

func (s *scope) top() *scope {
	for s.outer != nil {
		s = s.outer
	}
	return s
}

// function is the scope of the function around s, or of the file.
func (s *scope) function() *scope {
	for s.kind != fn && s.outer != nil {
		s = s.outer
	}
	return s
}

// lookup returns the meanings of a name in s; none if the file gives it none.
func (s *scope) lookup(n string) []bound {
	for at := s; at != nil; at = at.outer {
		if at.kind == class && at != s {
			continue // the names of a class are not seen from its methods
		}
		if b := at.names[n]; len(b) > 0 {
			return b
		}
	}
	return nil
}

// allStars lists the modules that were imported whole in or around s.
func (s *scope) allStars() []string {
	var all []string
	for at := s; at != nil; at = at.outer {
		all = append(all, at.stars...)
	}
	return all
}

// A meaning is the full name of something, and how it was found.
type meaning struct {
	full     string // os.system
	imported bool   // through an import: module.member
	local    bool   // it is a function or class of this file
}

// meanings returns the possible meanings of a name or a dotted name; none for an
// object that the program makes at run time.
func (s *scope) meanings(c *code) []meaning { return s.resolve(c, map[*code]bool{}) }

// resolve follows aliases (run = os.system); seen are those that were followed.
func (s *scope) resolve(c *code, seen map[*code]bool) []meaning {
	root, rest, ok := dottedName(c)
	if !ok || len(seen) > maxAliases {
		return nil
	}
	found := s.lookup(root)
	if len(found) == 0 {
		written := []meaning{{full: root + rest}}
		for _, module := range s.allStars() {
			written = append(written, meaning{full: module + "." + root + rest, imported: true})
		}
		return written
	}
	var all []meaning
	for _, b := range found {
		switch {
		case b.target != "":
			all = append(all, meaning{full: b.target + rest, imported: true})
		case b.defines():
			all = append(all, meaning{full: root + rest, local: true})
		case b.code != nil && b.code.kind == assign && !seen[b.code]:
			seen[b.code] = true
			for _, m := range b.scope.resolve(b.code.kid(1), seen) {
				all = append(all, meaning{full: m.full + rest, imported: m.imported, local: m.local})
			}
		}
	}
	return slices.Compact(all)
}

// defines reports whether the name is that of a function or class.
func (b bound) defines() bool { return b.code != nil && (b.code.kind == fn || b.code.kind == class) }

// dottedName splits a.b.c into a and .b.c.
func dottedName(c *code) (root, rest string, ok bool) {
	for ; c != nil && c.kind == attr && len(c.kids) == 1; c = c.kids[0] {
		rest = "." + c.name + rest
	}
	if c == nil || c.kind != name {
		return "", "", false
	}
	return c.name, rest, true
}

// fullName is how a dotted name is written, or "".
func fullName(c *code) string {
	root, rest, ok := dottedName(c)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(root+rest, ".")
}

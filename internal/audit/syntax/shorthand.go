package syntax

import (
	"fmt"
	"path"
	"strings"
)

// A namePattern is a name to look for: os.system, eval, subprocess.*, .unwrap.
type namePattern struct {
	parts  []string
	method bool // .name: an attribute of anything
}

func parseName(s string) (namePattern, error) {
	s = strings.TrimSpace(s)
	var n namePattern
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "*"), "."); ok {
		n.method, s = true, rest
	}
	n.parts = strings.Split(s, ".")
	for _, part := range n.parts {
		if _, err := path.Match(part, ""); part == "" || err != nil || strings.ContainsAny(part, " \t\n()\"'`{}") {
			return n, fmt.Errorf("%w: %q; write os.system, eval, subprocess.* or .method", errNoName, s)
		}
	}
	if n.method && len(n.parts) > 1 {
		return n, fmt.Errorf("%w: %q; after the first dot only one name can follow", errNoName, s)
	}
	if strings.Trim(strings.Join(n.parts, ""), "*") == "" {
		return n, fmt.Errorf("%w: %q would match everything", errNoName, s)
	}
	return n, nil
}

// literals returns the text that a file with the name contains: the longest fixed
// part without a path. Full names consist of texts in the file.
func (n namePattern) literals() []string {
	longest := ""
	for i, part := range n.parts {
		part = part[strings.LastIndexByte(part, '/')+1:]
		if at := strings.IndexAny(part, `*?[\`); at >= 0 {
			part = part[:at]
		}
		if i == 0 && part == "builtins" {
			continue // it needs no import
		}
		if len(part) > len(longest) {
			longest = part
		}
	}
	if longest == "" {
		return nil
	}
	return []string{longest}
}

// matches reports whether the pattern names m. plain allows a pattern of one part to
// name the last part of an import.
func (n namePattern) matches(m meaning, plain bool) bool {
	full := strings.Split(strings.TrimPrefix(m.full, "builtins."), ".")
	parts := n.parts
	if len(parts) == 2 && parts[0] == "builtins" {
		parts = parts[1:]
	}
	switch {
	case m.local && len(n.parts) > 1:
		return false // the file's own, which only happens to have the name
	case len(full) == len(parts) && alike(parts, full, false):
		return true
	case !m.imported || len(full) < len(parts):
		return false
	case len(parts) == 1:
		return plain && alike(parts, full[len(full)-1:], false)
	case relative(m.full):
		return false
	}
	return alike(parts, full[len(full)-len(parts):], true)
}

// alike compares part by part. short: the first part may be the end of a path,
// as exec is of os/exec.
func alike(parts, full []string, short bool) bool {
	for i, part := range parts {
		name := full[i]
		if ok, _ := path.Match(part, name); ok {
			continue
		}
		if i == 0 && short {
			if ok, _ := path.Match(part, name[strings.LastIndexByte(name, '/')+1:]); ok {
				continue
			}
		}
		return false
	}
	return true
}

// relative reports whether the name is that of a module of the same project.
func relative(full string) bool {
	return strings.HasPrefix(full, ".")
}

// calls compiles the shorthand for calls of a function.
func (q *Query) calls(s string) error {
	n, err := parseName(s)
	if err != nil {
		return err
	}
	q.literals = n.literals()
	q.shorthand = func(p *program, found func(*code, string)) {
		walk(p.root, nil, func(c *code, s *scope) {
			if c.kind != call {
				return
			}
			if full, ok := n.called(c.kid(0), s); ok {
				found(c, full)
			}
		})
	}
	return nil
}

// called reports whether the callee has the name, and which.
func (n namePattern) called(callee *code, s *scope) (full string, ok bool) {
	if n.method {
		ok, _ = path.Match(n.parts[0], callee.name)
		return fullOr(callee), ok && callee.kind == attr
	}
	for _, m := range s.meanings(callee) {
		if m.local && len(n.parts) == 1 && s.of.lang == Python && pythonBuiltin(n.parts[0]) {
			continue
		}
		if n.matches(m, callee.kind == name) {
			return m.full, true
		}
	}
	return "", false
}

// fullOr is the dotted name of c, or the name of its last part.
func fullOr(c *code) string {
	if full := fullName(c); full != "" {
		return full
	}
	return c.name
}

// pythonBuiltin reports whether Python itself has a function of that name that
// probes are made for. A function of the file that is called the same is another.
func pythonBuiltin(n string) bool {
	switch n {
	case "eval", "exec", "compile", "open", "input", "print", "__import__", "getattr", "setattr", "delattr", "globals", "locals", "vars", "breakpoint":
		return true
	}
	return false
}

// bases compiles the shorthand for classes that derive from a class, through other
// classes of the same file too.
func (q *Query) bases(s string) error {
	n, err := parseName(s)
	if err != nil {
		return err
	}
	if n.method {
		return fmt.Errorf("%w: %q; a class has no leading dot", errNoName, s)
	}
	q.literals = n.literals()
	q.shorthand = func(p *program, found func(*code, string)) {
		walk(p.root, nil, func(c *code, s *scope) {
			if c.kind != class {
				return
			}
			if full, ok := n.derived(c, s, map[*code]bool{}); ok {
				found(c, full)
			}
		})
	}
	return nil
}

func (n namePattern) derived(c *code, s *scope, seen map[*code]bool) (full string, ok bool) {
	if seen[c] {
		return "", false
	}
	seen[c] = true
	for _, base := range c.kids[:min(c.n, len(c.kids))] {
		if base == nil {
			continue
		}
		if base.kind == index { // Base[T]
			base = base.kid(0)
		}
		for _, m := range s.meanings(base) {
			m.imported = m.imported || !m.local
			if n.matches(m, true) {
				return m.full, true
			}
		}
		if base.kind != name {
			continue
		}
		for _, b := range s.lookup(base.name) {
			if b.code == nil || b.code.kind != class {
				continue
			}
			if full, ok = n.derived(b.code, b.scope, seen); ok {
				return full, true
			}
		}
	}
	return "", false
}

// importing compiles the shorthand for imports of a module, package or crate.
func (q *Query) importing(s string) error {
	module := moduleOf(strings.TrimSpace(s))
	if module == "" || strings.ContainsAny(module, " \t\n\"'*") {
		return fmt.Errorf("%w: %q; write a module, as langgraph or os/exec", errNoName, s)
	}
	q.literals = []string{module[strings.LastIndexAny(module, "./")+1:]}
	if q.literals[0] == "" {
		q.literals = nil
	}
	q.shorthand = func(p *program, found func(*code, string)) {
		walk(p.root, nil, func(c *code, _ *scope) {
			if full := importsOf(c, module, p.lang); full != "" {
				found(c, full)
			}
		})
	}
	return nil
}

// importsOf returns the name that c imports from the module, or "".
func importsOf(c *code, module, lang string) string {
	if c.kind != imp {
		if m := required(c); m != "" && within(m, module, "/") {
			return m
		}
		return ""
	}
	if c.again {
		return "" // the call of require is found itself
	}
	for _, i := range c.imports {
		separator, names := "/", i.module
		if lang == Python {
			separator, names = ".", i.target()
		}
		if within(names, module, separator) || i.target() == module {
			return i.target()
		}
	}
	return ""
}

// within reports whether name is the module or something in it.
func within(name, module, separator string) bool {
	return name == module || strings.HasPrefix(name, module+separator)
}

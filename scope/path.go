package scope

import (
	"cmp"
	"path"
	"strings"
	"sync"
)

// CheckPath says what is wrong with a path pattern. The error is a
// [*PatternError].
func CheckPath(pattern string) error {
	_, err := parsePath(pattern, false)
	return err
}

// Paths is a list of path patterns. It is safe for concurrent use; a pattern is
// compiled when a path comes by that has the literal text it requires.
//
// Paths are relative to the project root, with / on every system. One outside
// the project is absolute. This is what patterns mean:
//
//	a.ts        this base name at any depth, outside the project too
//	*.{ts,tsx}  the same: it has no /
//	src/a.ts    this path from the root
//	./a.ts      this path from the root, not at any depth
//	src/*       one element below src: neither * nor ? crosses a /
//	src/**      everything below src, and src itself, since removing it removes all
//	build/      a folder build at any depth, and everything below it
//	a/**/b      a/b as well as a/x/y/b
//	**/a/b      a/b at any depth, outside the project too
//	/etc/**     a path outside the project
//	[a-z0-9_]   one of these characters; [!abc] is any other one, but never /
//	\*          the character itself
type Paths struct {
	patterns []pathPattern
	fold     bool
}

type pathPattern struct {
	source  string
	literal string // source, folded where case does not matter
	once    sync.Once
	matcher *matcher

	below belowPattern // for what lies inside folders
}

func (p *pathPattern) match(target string, fold bool) bool {
	p.once.Do(func() { p.matcher = &matcher{source: p.source, paths: true, fold: fold} })
	return p.matcher.match(target)
}

// NewPaths returns the list. fold says that case does not matter, as is usual on
// macOS and Windows. A pattern that [CheckPath] refuses never matches.
func NewPaths(patterns []string, fold bool) *Paths {
	p := &Paths{patterns: make([]pathPattern, len(patterns)), fold: fold}
	for i, source := range patterns {
		c := &p.patterns[i]
		c.source, c.literal = source, source
		if fold {
			c.literal = foldCase(source)
		}
	}
	return p
}

// Match returns the first pattern that matches path. A pattern that begins with a slash
// holds on every drive of Windows: /etc/x matches C:/etc/x.
func (p *Paths) Match(path string) (pattern string, ok bool) {
	return p.first(path, func(c *pathPattern, target string) bool {
		return pathMayMatch(c.literal, target) && c.match(target, p.fold)
	})
}

// first returns the first pattern that is about the path, or about the path without its
// drive.
func (p *Paths) first(path string, about func(c *pathPattern, target string) bool) (pattern string, ok bool) {
	target := p.target(path)
	for target != "" {
		for i := range p.patterns {
			if c := &p.patterns[i]; about(c, target) {
				return c.source, true
			}
		}
		target = withoutDrive(target)
	}
	return "", false
}

// withoutDrive returns /x for C:/x, / for a drive alone, and "" for a path without one.
func withoutDrive(name string) string {
	drive, rest := name[:min(2, len(name))], name[min(2, len(name)):]
	if len(drive) < 2 || drive[1] != ':' || drive[0]|0x20 < 'a' || 'z' < drive[0]|0x20 || rest != "" && rest[0] != '/' {
		return ""
	}
	return cmp.Or(rest, "/")
}

// target returns the path as it is compared; "" matches nothing.
func (p *Paths) target(name string) string {
	if name == "" {
		return ""
	}
	name = path.Clean(name)
	if p.fold {
		name = foldCase(name)
	}
	return name
}

// pathTree is a parsed path pattern.
type pathTree struct {
	nodes    []node // without the ./ and the / at its ends
	anchored bool   // it starts from the root; else it is a base name
	below    bool   // a / at its end: everything below is meant too
}

// parsePath parses a path pattern and gives it the meanings that glob does not
// know. The error is a *PatternError.
func parsePath(pattern string, fold bool) (*pathTree, error) {
	if err := checkPathText(pattern); err != nil {
		return nil, err
	}
	nodes, err := parse(pattern, true, fold)
	if err != nil {
		return nil, err
	}
	t := &pathTree{nodes: nodes}
	if len(nodes) > 2 && nodes[0].isText(".") && nodes[1].kind == slash {
		t.nodes, t.anchored = nodes[2:], true
	}
	if n := len(t.nodes); n > 1 && t.nodes[n-1].kind == slash {
		t.nodes, t.below = t.nodes[:n-1], true
	}
	t.anchored = t.anchored || hasSlash(t.nodes)
	return t, nil
}

// checkPathText refuses patterns that would be valid globs and match nothing.
func checkPathText(pattern string) error {
	fault := func(offset int, message string) error {
		return &PatternError{Pattern: pattern, Offset: offset, Message: message}
	}
	if pattern == "~" || strings.HasPrefix(pattern, "~/") {
		return fault(0, "~ is not expanded; write **"+pattern[1:]+", which matches in every home folder")
	}
	if pattern == "." || pattern == "./" {
		return fault(0, "the project root itself is never written; write ** for everything in it")
	}
	if trimmed := strings.TrimLeft(pattern, " \t\r\n"); trimmed != pattern && trimmed != "" {
		return fault(0, `a space here would be part of the name; remove it, or write "\ "`)
	}
	if trimmed := strings.TrimRight(pattern, " \t\r\n"); trimmed != pattern && trimmed != "" && !strings.HasSuffix(trimmed, `\`) {
		return fault(len(trimmed), `a space here would be part of the name; remove it, or write "\ "`)
	}
	for start := 0; start < len(pattern); {
		end := start + len(pattern[start:])
		if i := strings.IndexByte(pattern[start:], '/'); i >= 0 {
			end = start + i
		}
		switch element := pattern[start:end]; {
		case element == "..":
			return fault(start, "paths are compared without ..; write the path from the project root, or an absolute one when it lies outside")
		case element == "." && start > 0:
			return fault(start, "paths are compared without /./; leave it out")
		case element == "" && start > 0:
			return fault(start, "paths are compared without //; write one /")
		}
		start = end + 1
	}
	return nil
}

// glob returns what the pattern matches: base names at any depth, and below a
// folder the folder itself.
func (t *pathTree) glob() []node {
	nodes := t.nodes
	if !t.anchored {
		nodes = append([]node{{kind: cross}, {kind: slash}}, nodes...)
	}
	below := t.below
	for n := len(nodes); n > 2 && nodes[n-1].kind == cross && nodes[n-2].kind == slash; n = len(nodes) {
		nodes, below = nodes[:n-2], true
	}
	if !below {
		return nodes
	}
	rest := node{kind: group, alts: [][]node{nil, {{kind: slash}, {kind: cross}}}}
	return append(nodes[:len(nodes):len(nodes)], rest)
}

func (n *node) isText(s string) bool { return n.kind == text && n.text == s }

// hasSlash reports whether a / is among nodes or in their groups.
func hasSlash(nodes []node) bool {
	for _, n := range nodes {
		if n.kind == slash {
			return true
		}
		for _, alt := range n.alts {
			if hasSlash(alt) {
				return true
			}
		}
	}
	return false
}

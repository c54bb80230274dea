package scope

import (
	"slices"
	"strings"
	"sync"
)

// maxAlternatives bounds how many patterns one with braces is taken apart into.
const maxAlternatives = 64

// MatchBelow returns the first pattern that names something inside the folder
// dir: removing or moving src removes src/billing/a.ts. A pattern that could
// match at any depth from there, such as *.ts or **/secrets/**, names nothing
// inside: whether there is such a file is known only by looking. "." is the
// project root, and every relative pattern is inside it.
func (p *Paths) MatchBelow(dir string) (pattern string, ok bool) {
	return p.first(dir, func(c *pathPattern, target string) bool {
		return mayNameBelow(c.literal, target) && c.namesBelow(target, p.fold)
	})
}

// MatchSomewhereBelow returns the first pattern that could match something inside
// the folder dir, at whatever depth: of a folder that was not looked through to
// its end, any file may be there.
func (p *Paths) MatchSomewhereBelow(dir string) (pattern string, ok bool) {
	return p.first(dir, func(c *pathPattern, target string) bool {
		tree := c.parsedBelow(p.fold)
		return slices.ContainsFunc(tree.alternatives, func(nodes []node) bool { return tree.couldBeBelow(nodes, target) })
	})
}

// couldBeBelow reports whether a pattern without groups that hold a slash could
// match a path inside target.
func (b *belowPattern) couldBeBelow(nodes []node, target string) bool {
	absolute := len(nodes) > 0 && nodes[0].kind == slash
	switch {
	case !b.anchored:
		return true
	case target == "." || target == "/":
		return absolute == (target == "/") && !b.drive
	}
	if absolute != strings.HasPrefix(target, "/") && (len(nodes) == 0 || nodes[0].kind != cross) {
		return false
	}
	if absolute {
		nodes = nodes[1:]
	}
	for element := range strings.SplitSeq(strings.TrimPrefix(target, "/"), "/") {
		end := 0
		for end < len(nodes) && nodes[end].kind != slash {
			if nodes[end].kind == cross {
				return true // it takes any depth
			}
			end++
		}
		if end >= len(nodes) || !matchElement(nodes[:end], element) {
			return false
		}
		nodes = nodes[end+1:]
	}
	return len(nodes) > 0
}

// mayNameBelow compares the literal text that pattern begins with.
func mayNameBelow(pattern, target string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if target == "." || target == "/" {
		return true
	}
	target = strings.TrimPrefix(target, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	end := strings.IndexAny(pattern, `*?[{\/`)
	return end >= 0 && strings.HasPrefix(target, pattern[:end])
}

// A belowPattern is a pattern as it is compared with folders: a call that removes
// folders has thousands of them.
type belowPattern struct {
	once         sync.Once
	alternatives [][]node // without groups that hold a slash; none of a pattern that is refused
	anchored     bool
	drive        bool // it begins with a drive of Windows: it names nothing in the project
}

func (c *pathPattern) parsedBelow(fold bool) *belowPattern {
	b := &c.below
	b.once.Do(func() {
		if tree, err := parsePath(c.source, fold); err == nil {
			b.alternatives, b.anchored = withoutSlashGroups(tree.nodes, maxAlternatives), tree.anchored
			b.drive = withoutDrive(c.source) != ""
		}
	})
	return b
}

// namesBelow compares element by element.
func (c *pathPattern) namesBelow(target string, fold bool) bool {
	tree := c.parsedBelow(fold)
	for _, nodes := range tree.alternatives {
		absolute := len(nodes) > 0 && nodes[0].kind == slash
		switch {
		case absolute != strings.HasPrefix(target, "/"):
		case target == "." || target == "/":
			return !tree.drive
		case !tree.anchored:
		case absolute && elementsBelow(nodes[1:], target[1:]):
			return true
		case !absolute && elementsBelow(nodes, target):
			return true
		}
	}
	return false
}

// elementsBelow reports whether the first elements of the pattern match those of
// target and more of the pattern follows.
func elementsBelow(nodes []node, target string) bool {
	if len(nodes) == 0 || nodes[0].kind == star || nodes[0].kind == cross || nodes[0].kind == one {
		return false // it could be any folder, so it does not name this one
	}
	for element := range strings.SplitSeq(target, "/") {
		end := 0
		for end < len(nodes) && nodes[end].kind != slash {
			if nodes[end].kind == cross {
				return false
			}
			end++
		}
		if end >= len(nodes) || !matchElement(nodes[:end], element) {
			return false
		}
		nodes = nodes[end+1:]
	}
	return len(nodes) > 0
}

// matchElement matches one path element.
func matchElement(nodes []node, element string) bool {
	if len(nodes) == 1 && nodes[0].kind == text {
		return nodes[0].text == element
	}
	m := matcher{paths: true, root: nodes}
	m.treeOnce.Do(func() {}) // the tree is there
	return m.match(element)
}

// withoutSlashGroups takes groups that contain a / apart, so that {a/b,c}/d
// becomes a/b/d and c/d. At most limit patterns come back.
func withoutSlashGroups(nodes []node, limit int) [][]node {
	for i, n := range nodes {
		if n.kind != group || !hasSlash([]node{n}) {
			continue
		}
		var out [][]node
		for _, alt := range n.alts {
			one := append(append(append([]node{}, nodes[:i]...), alt...), nodes[i+1:]...)
			out = append(out, withoutSlashGroups(one, limit-len(out))...)
			if len(out) >= limit {
				return out[:limit]
			}
		}
		return out
	}
	return [][]node{nodes}
}

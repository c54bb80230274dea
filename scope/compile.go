package scope

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gobwas/glob"
)

// maxSteps is how much backtracking a match may need before the linear matcher
// takes over. That many steps take glob well under a millisecond, and compiling
// for the linear matcher costs no more than ten microseconds.
const maxSteps = 20_000

// matcher is one pattern, compiled at its first use. It is safe for concurrent
// use.
//
// gobwas/glob matches by backtracking, which is the quickest way for what people
// write and takes for ever on patterns such as *a*a*a*a*b. Patterns and targets
// are both hostile, so a match that could take too many steps goes through
// package regexp, whose time is linear. Both are made from the same syntax tree.
type matcher struct {
	source string
	paths  bool // a path pattern, with all that path.go adds
	fold   bool

	treeOnce, globOnce, regexpOnce sync.Once

	root   []node // nil when the pattern is broken
	linear bool   // glob cannot backtrack on it
	glob   *glob.Pattern
	regexp *regexp.Regexp
}

// match reports whether the whole of s matches. s is folded already where case
// does not matter.
func (m *matcher) match(s string) bool {
	m.treeOnce.Do(m.parse)
	if m.root == nil {
		return false
	}
	if m.linear || steps(m.root, len(s)+1) <= maxSteps {
		m.globOnce.Do(m.compileGlob)
		if m.glob != nil {
			return m.glob.Match(s)
		}
	}
	m.regexpOnce.Do(m.compileRegexp)
	return m.regexp != nil && m.regexp.MatchString(s)
}

// matches is match for patterns that are not about paths: it looks for the
// literal text first.
func (m *matcher) matches(s string) bool {
	return textMayMatch(m.source, s) && m.match(s)
}

// parse leaves m.root nil when the pattern is broken.
func (m *matcher) parse() {
	if m.paths {
		if tree, err := parsePath(m.source, m.fold); err == nil {
			m.root = tree.glob()
		}
		return // never linear: glob makes a group of each **/
	}
	if nodes, err := parse(m.source, false, m.fold); err == nil {
		m.root = nodes
		m.linear = !canBacktrack(nodes)
	}
}

// compileGlob leaves m.glob nil when glob has no form for the pattern.
func (m *matcher) compileGlob() {
	var b strings.Builder
	if !writeGlob(&b, m.root, false) {
		return
	}
	var c glob.Compiler
	if m.paths {
		c = glob.Compiler{Separators: []rune{'/'}, Globstar: true}
	}
	if g, err := c.Compile(b.String()); err == nil {
		m.glob = g
	}
}

// compileRegexp leaves m.regexp nil when the pattern is too large for it.
func (m *matcher) compileRegexp() {
	w := regexpWriter{paths: m.paths}
	w.WriteString(`(?s)\A`)
	w.nodes(m.root, true)
	w.WriteString(`\z`)
	if re, err := regexp.Compile(w.String()); err == nil {
		m.regexp = re
	}
}

// canBacktrack reports whether a match of nodes may go back further than to the
// last **. Where only ** repeats, glob drops all earlier places to resume from
// when it passes the next, so its time is linear.
func canBacktrack(nodes []node) bool {
	for _, x := range nodes {
		if x.kind == star || x.kind == group {
			return true
		}
	}
	return false
}

// steps estimates the number of positions that a backtracking match of nodes on
// n bytes tries at worst: each wildcard multiplies by the length, each group by
// its alternatives. It stops counting above maxSteps.
func steps(nodes []node, n int) int {
	total := 1
	for _, x := range nodes {
		switch x.kind {
		case star, cross:
			total *= n
		case group:
			sum := 0
			for _, alt := range x.alts {
				sum = min(sum+steps(alt, n), maxSteps+1)
			}
			total *= sum
		}
		if total > maxSteps {
			return maxSteps + 1
		}
	}
	return total
}

// writeGlob writes nodes in the syntax of gobwas/glob. It reports false when a
// class has no form there: a class of it is one range or some characters, and a
// negated one matches the separator.
func writeGlob(b *strings.Builder, nodes []node, inGroup bool) bool {
	for _, x := range nodes {
		switch x.kind {
		case text:
			quoted := glob.QuoteMeta(x.text)
			if inGroup {
				quoted = strings.ReplaceAll(quoted, ",", `\,`)
			}
			b.WriteString(quoted)
		case slash:
			b.WriteByte('/')
		case one:
			b.WriteByte('?')
		case star:
			b.WriteByte('*')
		case cross:
			b.WriteString("**")
		case class:
			if !x.set.writeGlob(b) {
				return false
			}
		case group:
			b.WriteByte('{')
			for i, alt := range x.alts {
				if i > 0 {
					b.WriteByte(',')
				}
				if !writeGlob(b, alt, true) {
					return false
				}
			}
			b.WriteByte('}')
		}
	}
	return true
}

// writeGlob spells the class out.
func (s *set) writeGlob(b *strings.Builder) bool {
	if s.size() > maxClass {
		return false
	}
	b.WriteByte('[')
	if s.negated {
		b.WriteByte('!')
	}
	// A - is literal in the first place alone; an escape there would begin a
	// range from the backslash.
	if s.has('-') {
		b.WriteByte('-')
	}
	for _, r := range s.ranges {
		for c := r.lo; c <= r.hi; c++ {
			if c == '-' {
				continue
			}
			if c < 0x80 && !isWordRune(c) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		}
	}
	b.WriteByte(']')
	return true
}

// has reports whether c is in one of the ranges.
func (s *set) has(c rune) bool {
	for _, r := range s.ranges {
		if r.lo <= c && c <= r.hi {
			return true
		}
	}
	return false
}

// regexpWriter writes nodes in the syntax of package regexp.
type regexpWriter struct {
	strings.Builder
	paths bool
}

// nodes writes a sequence. start says whether it begins a path element, which is
// where **/ may match nothing; the result says the same of the next node.
func (w *regexpWriter) nodes(nodes []node, start bool) bool {
	for i := 0; i < len(nodes); i++ {
		x := nodes[i]
		if x.kind == cross && start && i+1 < len(nodes) && nodes[i+1].kind == slash {
			w.WriteString(`(?:.*/)?`)
			i++
			continue
		}
		start = w.node(x, start)
	}
	return start
}

func (w *regexpWriter) node(x node, start bool) bool {
	other := "."
	if w.paths {
		other = "[^/]"
	}
	switch x.kind {
	case text:
		w.WriteString(regexp.QuoteMeta(x.text))
	case slash:
		w.WriteByte('/')
		return true
	case one:
		w.WriteString(other)
	case star:
		w.WriteString(other + "*")
	case cross:
		w.WriteString(".*")
	case class:
		w.class(x.set)
	case group:
		w.WriteString("(?:")
		end := true
		for i, alt := range x.alts {
			if i > 0 {
				w.WriteByte('|')
			}
			end = w.nodes(alt, start) && end
		}
		w.WriteByte(')')
		return end
	}
	return false
}

func (w *regexpWriter) class(s *set) {
	w.WriteByte('[')
	if s.negated {
		w.WriteByte('^')
	}
	for _, r := range s.ranges {
		w.rune(r.lo)
		w.WriteByte('-')
		w.rune(r.hi)
	}
	w.WriteByte(']')
}

func (w *regexpWriter) rune(r rune) {
	w.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}

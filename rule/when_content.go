package rule

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/scope"
)

// removesOnly reports whether an action takes a file away and writes nothing.
func removesOnly(a *sentinel.Action) bool {
	return (a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove) && a.Content == ""
}

// about returns the expression that is evaluated on an action.
func about(a *sentinel.Action, src string) string {
	if removesOnly(a) {
		return withoutContent(src)
	}
	return src
}

// withoutContent returns an expression for actions that write nothing: what it says of
// the new content is never what makes it true. `not (content contains "x")` is false
// there, and in `path == "a" or content == ""` the path alone decides. An expression
// that does not read the content stays as it is.
func withoutContent(src string) string {
	tree, err := parser.Parse(src)
	if err != nil {
		return src
	}
	c := contentless{names: []string{"content", addsFunction}}
	if !c.reads(tree.Node) {
		return src
	}
	c.replace(&tree.Node, false)
	return tree.Node.String()
}

// contentless replaces the parts of an expression that read the content.
type contentless struct {
	names []string // content, and the variables that are made of it
	found bool
}

// reads reports whether a node reads the content.
func (c *contentless) reads(node ast.Node) bool {
	c.found = false
	ast.Walk(&node, c)
	return c.found
}

// Visit implements [ast.Visitor].
func (c *contentless) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.IdentifierNode); ok && slices.Contains(c.names, n.Value) {
		c.found = true
	}
}

// replace puts value in the place of each part that reads the content, which is turned
// around below a `not`.
func (c *contentless) replace(node *ast.Node, value bool) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			c.replace(&n.Left, value)
			c.replace(&n.Right, value)
			return
		}
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			c.replace(&n.Node, !value)
			return
		}
	case *ast.VariableDeclaratorNode:
		if c.reads(n.Value) {
			c.names = append(c.names, n.Name)
		}
		c.replace(&n.Expr, value)
		return
	}
	if c.reads(*node) {
		*node = &ast.BoolNode{Value: value}
	}
}

// addsFunction is the function of expressions that compares a text with what it replaces.
const addsFunction = "addsMatch"

// maxReplaced bounds a file that is read to see what a write replaces, in bytes.
const maxReplaced = 1 << 20

// compiledPatterns are the regular expressions that were compiled last: a rule that is tried on a
// thousand texts compiles its own once. They are bounded, because an expression can make a pattern
// of what is written.
var compiledPatterns = lazy.Memo[*regexp.Regexp]{Texts: 64, Bytes: 4 << 10}

func compileRegexp(pattern string) (*regexp.Regexp, error) {
	return compiledPatterns.Get(pattern, func(pattern string) (*regexp.Regexp, error) {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, &scope.PatternError{Message: err.Error()}
		}
		return re, nil
	})
}

func checkRegexp(pattern string) error {
	_, err := compileRegexp(pattern)
	return err
}

// addsOf is the function of expressions that says whether a write puts in a text that a
// regular expression matches, more often than it takes it out. Each text counts by itself,
// so that one match does not make up for another one.
func addsOf(a *sentinel.Action, imagined bool) func(pattern string) (bool, error) {
	before := sync.OnceValue(func() string {
		if a.Old != "" || imagined || !replacesFile(a) {
			return a.Old
		}
		text, _ := safefile.Read(filepath.FromSlash(rooted(a.Root, a.Path)), maxReplaced)
		return string(text)
	})
	return func(pattern string) (bool, error) {
		re, err := compileRegexp(pattern)
		if err != nil {
			return false, err
		}
		now := tally(re, a.Content)
		if len(now) == 0 {
			return false, nil
		}
		was := tally(re, before())
		for text, n := range now {
			if n > was[text] {
				return true, nil
			}
		}
		return false, nil
	}
}

// replacesFile reports whether a write is the whole of one known file, which is still as it
// was. A guess about several files does not say what is written to each of them, so it is
// compared with none. Each match counts then, as it does where the file cannot be read.
func replacesFile(a *sentinel.Action) bool {
	return a.Op == sentinel.OpCreate && a.Agent != commit && (a.Certain || len(a.Forms) < 2)
}

// tally counts the texts that a pattern matches. Blanks and signs at the ends of a match are
// left out, since patterns such as (^|\W)any(\W|$) take the signs around the text. Such a sign
// may belong to two matches: the text is searched once more, with a word in the place of each
// match, for those that the first search has skipped.
func tally(re *regexp.Regexp, text string) map[string]int {
	counts := map[string]int{}
	var cores [][2]int
	shares := false
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		from, to := core(re, text, m)
		counts[text[from:to]]++
		cores = append(cores, [2]int{from, to})
		shares = shares || to < m[1]
	}
	if !shares {
		return counts
	}
	masked := []byte(text)
	for _, c := range cores {
		for i := c[0]; i < c[1]; i++ {
			masked[i] = '_'
		}
	}
	for _, m := range re.FindAllSubmatchIndex(masked, -1) {
		for len(cores) > 0 && cores[0][1] <= m[0] {
			cores = cores[1:]
		}
		if len(cores) > 0 && cores[0][0] < m[1] {
			continue // it was found before
		}
		from, to := core(re, text, m)
		counts[text[from:to]]++
	}
	return counts
}

// core is what counts of a match: its named group, or all of it without the blanks and signs
// at its ends. A match of nothing else is whole.
func core(re *regexp.Regexp, text string, m []int) (from, to int) {
	for i, name := range re.SubexpNames() {
		if name != "" && m[2*i] >= 0 {
			return m[2*i], m[2*i+1]
		}
	}
	sign := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	from, to = m[0], m[1]
	inner := strings.TrimLeftFunc(text[from:to], sign)
	if inner == "" {
		return from, to
	}
	from = to - len(inner)
	return from, from + len(strings.TrimRightFunc(inner, sign))
}

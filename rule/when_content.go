package rule

import (
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
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

// addsFunction is the function of expressions that counts matches.
const addsFunction = "addsMatch"

// maxReplaced bounds a file that is read to see what a write replaces, in bytes.
const maxReplaced = 1 << 20

func compileRegexp(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, &scope.PatternError{Message: err.Error()}
	}
	return re, nil
}

func checkRegexp(pattern string) error {
	_, err := compileRegexp(pattern)
	return err
}

// addsOf is the function of expressions that says whether a write puts in more matches of a
// regular expression than it takes out. A file that cannot be read had none, so that then each
// match counts.
func addsOf(a *sentinel.Action) func(pattern string) (bool, error) {
	before := sync.OnceValue(func() string {
		if a.Old != "" || a.Agent == commit || a.Op != sentinel.OpCreate {
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
		n := len(re.FindAllStringIndex(a.Content, -1))
		return n > 0 && n > len(re.FindAllStringIndex(before(), n)), nil
	}
}

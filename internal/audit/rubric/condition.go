package rubric

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/strictyaml"
)

// maxCondition bounds a condition, which comes with a file that others wrote, in
// bytes. What it may consist of (see conditionChecker) takes time in proportion.
const maxCondition = 500

// conditionError says what is wrong with a condition.
type conditionError struct {
	offset int // in bytes, where it is wrong
	text   string
}

// Error returns what is wrong.
func (e *conditionError) Error() string { return e.text }

// compileCondition compiles a condition over [Facts] whose names begin with those
// given. It yields true or false, or a number, which means true above 0. The error is a
// *conditionError.
func compileCondition(src string, groups []string) (*vm.Program, error) {
	switch {
	case strings.TrimSpace(src) == "":
		return nil, &conditionError{0, "is empty: write a condition, as `security.high > 0`"}
	case len(src) > maxCondition:
		return nil, &conditionError{0, fmt.Sprintf("is longer than %d bytes", maxCondition)}
	}
	tree, err := parser.Parse(src)
	if err != nil {
		return nil, explainCondition(src, err)
	}
	c := conditionChecker{src: src, groups: groups}
	if err := c.check(tree.Node); err != nil {
		return nil, err
	}
	program, err := expr.Compile(src, expr.Env(Facts{}), expr.DisableAllBuiltins())
	if err != nil {
		return nil, explainCondition(src, err)
	}
	return program, nil
}

// explainCondition finds the place in an error of the language.
func explainCondition(src string, err error) error {
	var fault *file.Error
	if errors.As(err, &fault) {
		return &conditionError{byteOffset(src, fault.From), "cannot be read: " + fault.Message}
	}
	return &conditionError{0, "cannot be read: " + err.Error()}
}

func byteOffset(src string, runes int) int {
	for i := range src {
		if runes == 0 {
			return i
		}
		runes--
	}
	return max(len(src)-1, 0)
}

// A conditionChecker holds a condition to the part of the language that it may
// use: names of figures, numbers, comparisons, sums, and, or, not.
type conditionChecker struct {
	src    string
	groups []string
}

func (c *conditionChecker) fault(n ast.Node, format string, args ...any) error {
	return &conditionError{byteOffset(c.src, n.Location().From), fmt.Sprintf(format, args...)}
}

func (c *conditionChecker) check(n ast.Node) error {
	switch n := n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return nil
	case *ast.UnaryNode:
		return c.check(n.Node)
	case *ast.BinaryNode:
		if !slices.Contains([]string{">", ">=", "<", "<=", "==", "!=", "and", "or", "&&", "||", "+", "-"}, n.Operator) {
			return c.fault(n, "cannot use `%s`: write >, >=, <, <=, ==, !=, +, -, and, or, not", n.Operator)
		}
		if err := c.check(n.Left); err != nil {
			return err
		}
		return c.check(n.Right)
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.MemberNode:
		return c.figure(n)
	}
	return c.fault(n, "can hold figures, numbers, comparisons, sums, `and`, `or` and `not`, and nothing else")
}

// name reports a single name: a figure has two, with a dot.
func (c *conditionChecker) name(n *ast.IdentifierNode) error {
	if slices.Contains(c.groups, n.Value) {
		return c.fault(n, "names no figure: write %s", strictyaml.List(figuresOf(n.Value)))
	}
	return c.unknown(n, n.Value)
}

func (c *conditionChecker) unknown(n ast.Node, name string) error {
	if near := nearest.Word(name, c.groups); near != "" {
		return c.fault(n, "does not know `%s`; did you mean `%s`?", name, near)
	}
	return c.fault(n, "does not know `%s`; figures here begin with %s", name, strictyaml.List(c.groups))
}

func (c *conditionChecker) figure(n *ast.MemberNode) error {
	group, ok := n.Node.(*ast.IdentifierNode)
	property, named := n.Property.(*ast.StringNode)
	switch {
	case !ok || !named:
		return c.fault(n, "can ask for figures such as `security.high` only")
	case !slices.Contains(c.groups, group.Value):
		return c.unknown(group, group.Value)
	}
	figure := group.Value + "." + property.Value
	if known := figuresOf(group.Value); !slices.Contains(known, figure) {
		return c.fault(group, "does not know `%s`; there are %s", figure, strictyaml.List(known))
	}
	return nil
}

// figuresOf lists the figures of a group, by the tags of [Facts].
func figuresOf(group string) []string {
	var names []string
	for t, i := reflect.TypeFor[Facts](), 0; i < t.NumField(); i++ {
		if t.Field(i).Tag.Get("expr") != group {
			continue
		}
		for figures, j := t.Field(i).Type, 0; j < figures.NumField(); j++ {
			names = append(names, group+"."+figures.Field(j).Tag.Get("expr"))
		}
	}
	return names
}

// Asks reports whether a condition reads a figure of the group: security, required,
// facts or verdict.
func Asks(condition, group string) bool {
	tree, err := parser.Parse(condition)
	if err != nil {
		return false
	}
	v := groupVisitor{group: group}
	ast.Walk(&tree.Node, &v)
	return v.found
}

type groupVisitor struct {
	group string
	found bool
}

// Visit notes the group's name.
func (v *groupVisitor) Visit(n *ast.Node) {
	id, ok := (*n).(*ast.IdentifierNode)
	v.found = v.found || ok && id.Value == v.group
}

// What caps and what the gate can ask for.
func capGroups() []string  { return []string{"security", "required", "facts"} }
func gateGroups() []string { return []string{"security", "facts", "verdict"} }

// Holds reports whether the cap's condition is met. A condition that does not
// compile, which [Parse] refuses, is met: what cannot be understood must not let
// a score through.
func (c Cap) Holds(f Facts) bool { return met(c.When, capGroups(), f) }

// Failing returns those conditions of fail_on that are met.
func (g Gate) Failing(f Facts) []string {
	var failing []string
	for _, condition := range g.FailOn {
		if met(condition, gateGroups(), f) {
			failing = append(failing, condition)
		}
	}
	return failing
}

func met(condition string, groups []string, f Facts) bool {
	program, err := compileCondition(condition, groups)
	if err != nil {
		return true
	}
	result, err := expr.Run(program, f)
	if err != nil {
		return true
	}
	switch v := result.(type) {
	case bool:
		return v
	case int:
		return v > 0
	case float64:
		return v > 0
	}
	return true
}

package rule

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/scope"
)

// namePatcher looks at the names in an expression: it notes the variables that
// are read, gives command.unparsed and command.bounded their values although
// command is a text, and refuses what could not mean anything. It visits a node after those within.
type namePatcher struct {
	trigger  sentinel.Trigger
	phase    string
	used     []*ast.IdentifierNode
	called   []*ast.IdentifierNode // those of used that are functions of a call
	declared []string              // by let
	nested   map[*ast.PredicateNode]int
	kept     Needs       // facts that it asks about
	fault    *file.Error // the first
}

// variables returns the names that are read, sorted.
func (p *namePatcher) variables() []string {
	var names []string
	for _, n := range p.used {
		names = append(names, n.Value)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// firstFault returns what Visit found, or else the first unknown name.
// (The language lets some of those pass where it takes a value of any type.)
func (p *namePatcher) firstFault() *file.Error {
	if p.fault == nil {
		known := append(append(whenVariables(), whenFunctions()...), p.declared...)
		for _, n := range p.used {
			if !slices.Contains(known, n.Value) {
				p.refuse(n, "unknown name %s", n.Value)
			}
			if f, _ := patternFunctions(n.Value); f.past != nil && !slices.Contains(p.called, n) {
				p.refuse(n, "%s is a function: write %s(\"…\")", n.Value, n.Value)
			}
		}
	}
	return p.fault
}

func (p *namePatcher) refuse(node ast.Node, format string, args ...any) {
	if p.fault == nil {
		p.fault = &file.Error{Location: node.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

// Visit implements [ast.Visitor].
func (p *namePatcher) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		p.name(n)
	case *ast.MemberNode:
		owner, isName := n.Node.(*ast.IdentifierNode)
		field, isText := n.Property.(*ast.StringNode)
		if isName && isText && owner.Value == "command" && (field.Value == "unparsed" || field.Value == "bounded") {
			ast.Patch(node, &ast.IdentifierNode{Value: "0" + field.Value})
		}
	case *ast.BinaryNode:
		// Compared with a text it is the reason, else it is true or false.
		_, leftText := n.Left.(*ast.StringNode)
		_, rightText := n.Right.(*ast.StringNode)
		if rightText || n.Operator == "matches" {
			reasonFor(&n.Left)
		}
		if leftText {
			reasonFor(&n.Right)
		}
	case *ast.BuiltinNode:
		if !whenBuiltin(n.Name) {
			p.refuse(n, "%s is not available, since its result depends on the day or may grow without bound; docs/when.md lists the functions", n.Name)
		}
		for i := range n.Arguments {
			reasonFor(&n.Arguments[i])
		}
		p.latest(node, n)
	case *ast.VariableDeclaratorNode:
		p.declared = append(p.declared, n.Name)
	case *ast.CallNode:
		p.call(n)
	case *ast.PredicateNode:
		p.predicate(n)
	}
}

func reasonFor(node *ast.Node) {
	if name, ok := (*node).(*ast.IdentifierNode); ok && name.Value == "0unparsed" {
		ast.Patch(node, &ast.IdentifierNode{Value: "0reason"})
	}
}

func (p *namePatcher) name(n *ast.IdentifierNode) {
	if n.Value == "$env" {
		p.refuse(n, "$env is not available; write the variable's own name")
		return
	}
	p.used = append(p.used, n)
	if f, _ := patternFunctions(n.Value); f.ofTurn && p.phase != stop {
		p.refuse(n, "%s(…) looks at a whole turn; write `phase: stop`, or %s", n.Value, f.instead)
	}
	if !whenHas(n.Value, p.trigger) {
		p.refuse(n, "%q is always empty in a rule with trigger %s; take it out, or give the rule another trigger", n.Value, p.trigger)
	}
}

// whenHas reports whether actions of a kind have the variable.
func whenHas(name string, trigger sentinel.Trigger) bool {
	var kinds []sentinel.Trigger
	switch name {
	case "content", "old_content", "operation", addsFunction:
		kinds = []sentinel.Trigger{sentinel.FileWrite}
	case "path", "exists", "tracked":
		kinds = []sentinel.Trigger{sentinel.FileWrite, sentinel.FileRead}
	case "writes", "removes":
		kinds = []sentinel.Trigger{sentinel.FileWrite, sentinel.Bash}
	case "reads":
		kinds = []sentinel.Trigger{sentinel.FileRead, sentinel.Bash}
	case "command", "commands", "cmd", "effects", "sends", "runs", "loses":
		kinds = []sentinel.Trigger{sentinel.Bash}
	case "server":
		kinds = []sentinel.Trigger{sentinel.MCP}
	default:
		return true
	}
	return trigger == sentinel.Any || slices.Contains(kinds, trigger)
}

// patternFunction is a function that takes a pattern.
type patternFunction struct {
	argument int // its place
	check    func(string) error
	ofTurn   bool // it is about what a turn did
	written  bool // the pattern has to be written out: words of a call in it would match what they like
	instead  string
	past     func(n *Needs, pattern string) // what has to be kept of a session, where it is about one
}

// patternFunctions knows those functions.
func patternFunctions(name string) (f patternFunction, ok bool) {
	switch name {
	case "glob":
		return patternFunction{argument: 1, check: scope.CheckPath}, true
	case "ran":
		return patternFunction{check: scope.CheckCommand, past: func(n *Needs, pattern string) { n.Ran = distinct(n.Ran, []string{pattern}) }}, true
	case "read":
		return patternFunction{check: scope.CheckPath, past: func(n *Needs, pattern string) { n.Read = distinct(n.Read, []string{pattern}) }}, true
	case "wrote":
		return patternFunction{check: scope.CheckPath, past: func(n *Needs, _ string) { n.Wrote = true }}, true
	case "changed":
		return patternFunction{check: scope.CheckPath, ofTurn: true, instead: "`wrote`, which looks at the session"}, true
	case addsFunction:
		return patternFunction{check: checkRegexp}, true
	case askedFunction:
		return patternFunction{check: checkAsked, written: true}, true
	}
	return f, false
}

// call looks at patterns that are written out.
func (p *namePatcher) call(n *ast.CallNode) {
	name, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	p.called = append(p.called, name)
	takes, ok := patternFunctions(name.Value)
	if !ok || len(n.Arguments) <= takes.argument {
		return
	}
	pattern, ok := n.Arguments[takes.argument].(*ast.StringNode)
	ofTurn := name.Value == "ran" && p.phase == stop
	if about, is := n.Arguments[takes.argument].(*ast.IdentifierNode); is && name.Value == "read" && about.Value == "path" {
		p.kept.Read, p.kept.Wrote = distinct(p.kept.Read, []string{"**"}), true
		return
	}
	if !ok {
		if takes.past != nil && !ofTurn {
			p.refuse(n, "the pattern of %s(…) has to be written out: what it matches is kept from then on", name.Value)
		}
		if takes.written {
			p.refuse(n, "the pattern of %s(…) has to be written out; names of the call go behind it, as in %s(\"force.?push\", cmd.operands[1])", name.Value, name.Value)
		}
		return
	}
	var fault *scope.PatternError
	if errors.As(takes.check(pattern.Value), &fault) {
		p.refuse(pattern, "pattern %q: %s", pattern.Value, fault.Message)
	}
	if takes.past != nil && !ofTurn {
		takes.past(&p.kept, pattern.Value)
	}
}

// latest makes of last(ran(…)) and last(wrote(…)) a call that gives when that was.
func (p *namePatcher) latest(node *ast.Node, n *ast.BuiltinNode) {
	if n.Name != "last" || len(n.Arguments) != 1 {
		return
	}
	call, ok := n.Arguments[0].(*ast.CallNode)
	if !ok || len(call.Arguments) != 1 {
		return
	}
	name, ok := call.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	takes, _ := patternFunctions(name.Value)
	if takes.past == nil {
		return
	}
	pattern, ok := call.Arguments[0].(*ast.StringNode)
	if !ok {
		p.refuse(call, "the pattern of last(%s(…)) has to be written out: what it matches is kept from then on", name.Value)
		return
	}
	takes.past(&p.kept, pattern.Value)
	ast.Patch(node, callTo("0last"+name.Value, pattern))
}

// predicate measures how deep predicates are nested.
func (p *namePatcher) predicate(n *ast.PredicateNode) {
	inner := &innerPredicates{nested: p.nested}
	ast.Walk(&n.Node, inner)
	if p.nested == nil {
		p.nested = map[*ast.PredicateNode]int{}
	}
	p.nested[n] = inner.deepest + 1
	if inner.deepest+1 > whenNested {
		p.refuse(n, "predicates may stand %d deep within each other, and this is one more; split the expression into two rules", whenNested)
	}
}

type innerPredicates struct {
	nested  map[*ast.PredicateNode]int
	deepest int
}

// Visit implements [ast.Visitor].
func (v *innerPredicates) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.PredicateNode); ok {
		v.deepest = max(v.deepest, v.nested[n])
	}
}

// boundPatcher puts in what keeps an evaluation within its bounds: the clock at
// each step of a loop, and the count of the text that is joined. It also lets
// text operators take arguments that are absent.
type boundPatcher struct{}

// Visit implements [ast.Visitor].
func (boundPatcher) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.PredicateNode:
		n.Node = &ast.SequenceNode{Nodes: []ast.Node{callTo("0tick"), n.Node}}
	case *ast.BinaryNode:
		switch n.Operator {
		case "contains", "startsWith", "endsWith", "matches":
			textOf(&n.Left)
		case "+":
			if isText(n.Left) || isText(n.Right) {
				textOf(&n.Left)
				textOf(&n.Right)
				ast.Patch(node, callTo("0join", n.Left, n.Right))
			}
		}
	case *ast.BuiltinNode:
		switch n.Name {
		case "lower", "upper", "trim", "split", "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "indexOf":
			if len(n.Arguments) > 0 {
				textOf(&n.Arguments[0])
			}
		}
	}
}

func callTo(name string, args ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: name}, Arguments: args}
}

func isText(n ast.Node) bool {
	t := n.Type()
	return t != nil && t.Kind() == reflect.String
}

// textOf makes a text of a node whose type is known only when it runs.
func textOf(node *ast.Node) {
	if t := (*node).Type(); t != nil && t.Kind() == reflect.Interface {
		ast.Patch(node, callTo("0text", *node))
	}
}

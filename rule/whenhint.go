package rule

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/nearest"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/shell"
)

// whenHints warns of an expression that is never true, or not what was meant.
func (r *Rule) whenHints(warn func(format string, args ...any)) {
	w := r.def.When
	if strings.Contains(w, "operation") && strings.Contains(w, `"create"`) && !strings.Contains(w, overwrite) && !strings.Contains(w, "!=") {
		warn("`when` looks for the operation \"create\", which is a file that is not there yet: one that is written over is \"overwrite\"")
	}
	if c, ok := controlIn(w); ok {
		warn("`when` looks for the control character %s: in a text in double quotes a backslash is written twice, as in `matches \"\\\\bgit\\\\b\"`", strconv.QuoteRune(c))
	}
	for _, e := range []struct{ key, src string }{{"when", w}, {"doubtful", r.def.Doubtful}} {
		for _, said := range r.never(e.src) {
			warn("`%s` %s", e.key, said)
		}
	}
}

// never says what of an expression is never true.
func (r *Rule) never(src string) (said []string) {
	if strings.TrimSpace(src) == "" {
		return nil
	}
	tree, err := parser.Parse(src)
	if err != nil {
		return nil // said already
	}
	f := &neverFinder{trigger: r.spec.Trigger, agents: r.agents, args: strings.Contains(src, "args")}
	ast.Walk(&tree.Node, f)
	if !f.reads {
		if value, err := expr.Eval(src, nil); err == nil && value == false {
			return []string{"is always false: the rule stops nothing. Write `mode: off` if that is meant"}
		}
	}
	return f.said
}

// A neverFinder finds comparisons with what a name never is.
type neverFinder struct {
	trigger sentinel.Trigger
	agents  func() []string // may be nil
	args    bool            // the expression looks at the tool's arguments, whose fields may have any name
	reads   bool            // it has a name
	said    []string
}

// Visit looks at one node.
func (f *neverFinder) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode, *ast.CallNode, *ast.BuiltinNode:
		f.reads = true
	case *ast.BinaryNode:
		f.compared(n)
		if n.Operator == "and" || n.Operator == "&&" {
			f.both(n)
		}
	}
}

// compared looks at a comparison of a name with texts.
func (f *neverFinder) compared(n *ast.BinaryNode) {
	name, texts := named(n.Left), literals(n.Right)
	if n.Operator == "==" && name == "" {
		name, texts = named(n.Right), literals(n.Left)
	}
	switch n.Operator {
	case "==", "!=", "in":
		known := f.values(name)
		for _, t := range texts {
			if known != nil && !slices.Contains(known, t) {
				f.note("`" + name + "` is never " + strconv.Quote(t) + text.After("; did you mean ", quoted(nearest.Word(t, known))) + ": it is one of " + strings.Join(known, ", "))
			}
		}
		if name == "path" && n.Operator != "in" {
			f.pattern(texts, "==")
		}
	case "startsWith", "endsWith", "contains":
		if name == "path" {
			f.pattern(texts, n.Operator)
		}
	}
}

// pattern looks for a pattern where a text is compared letter by letter.
func (f *neverFinder) pattern(texts []string, operator string) {
	for _, t := range texts {
		switch {
		case strings.Contains(t, "*"):
			f.note("compares `path` by `" + operator + "` with " + strconv.Quote(t) + ", in which * is a character: write `glob(path, " + strconv.Quote(strings.TrimPrefix(t, "./")) + ")`")
		case strings.HasPrefix(t, "./") && operator != "endsWith" && operator != "contains":
			f.note("compares `path` with " + strconv.Quote(t) + ", and no path begins with ./: write " + strconv.Quote(t[2:]))
		}
	}
}

// both looks for one name that would have to be two texts.
func (f *neverFinder) both(n *ast.BinaryNode) {
	values := map[string]string{}
	var look func(node ast.Node)
	look = func(node ast.Node) {
		b, ok := node.(*ast.BinaryNode)
		switch {
		case !ok:
		case b.Operator == "and" || b.Operator == "&&":
			look(b.Left)
			look(b.Right)
		case b.Operator == "==":
			name, texts := named(b.Left), literals(b.Right)
			if name == "" || strings.HasPrefix(name, ".") || len(texts) != 1 {
				return
			}
			if was, found := values[name]; found && was != texts[0] {
				f.note("is never true: `" + name + "` cannot be both " + strconv.Quote(was) + " and " + strconv.Quote(texts[0]) + "; write `" + name + " in [" + strconv.Quote(was) + ", " + strconv.Quote(texts[0]) + "]`")
			}
			values[name] = texts[0]
		}
	}
	look(n)
}

func (f *neverFinder) note(said string) {
	if !slices.Contains(f.said, said) {
		f.said = append(f.said, said)
	}
}

// values are all values that a name can have; nil where nobody knows them.
func (f *neverFinder) values(name string) []string {
	switch name {
	case "operation":
		known := []string{overwrite}
		for op := sentinel.OpCreate; op <= sentinel.OpMove; op++ {
			known = append(known, op.String())
		}
		return known
	case "trigger":
		if f.trigger != sentinel.Any && f.trigger != "" {
			return []string{string(f.trigger)}
		}
		return []string{string(sentinel.FileWrite), string(sentinel.Bash), string(sentinel.MCP)}
	case "agent":
		if f.agents == nil {
			return nil
		}
		return f.agents()
	case ".kind":
		if f.args {
			return nil
		}
		return append(effectKinds(), secret.Kinds()...)
	}
	return nil
}

// effectKinds are the words for what a command does.
func effectKinds() (words []string) {
	for k := shell.EffectCreate; k <= shell.EffectSpawn; k++ {
		words = append(words, k.String())
	}
	return words
}

// named is the name that a node reads: a variable, or after a dot a field of the element at
// hand; "" for any other node.
func named(node ast.Node) string {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.MemberNode:
		_, element := n.Node.(*ast.PointerNode)
		if field, ok := n.Property.(*ast.StringNode); ok && element {
			return "." + field.Value
		}
	}
	return ""
}

// literals are the texts that a node is.
func literals(node ast.Node) (texts []string) {
	switch n := node.(type) {
	case *ast.StringNode:
		return []string{n.Value}
	case *ast.ArrayNode:
		for _, e := range n.Nodes {
			texts = append(texts, literals(e)...)
		}
	}
	return texts
}

func quoted(word string) string { return text.When(word != "", strconv.Quote(word)) }

// controlIn finds a control character in a text that an expression looks for: what
// `matches "\bgit"` has, where `\\b` was meant.
func controlIn(when string) (c rune, ok bool) {
	if !strings.Contains(when, `\`) && strings.IndexFunc(when, unicode.IsControl) < 0 {
		return 0, false
	}
	tree, err := parser.Parse(when)
	if err != nil {
		return 0, false
	}
	f := &controlFinder{}
	ast.Walk(&tree.Node, f)
	return f.char, f.found
}

type controlFinder struct {
	char  rune
	found bool
}

// Visit looks at the right side of `matches`.
func (f *controlFinder) Visit(node *ast.Node) {
	op, ok := (*node).(*ast.BinaryNode)
	if !ok || op.Operator != "matches" {
		return
	}
	text, ok := op.Right.(*ast.StringNode)
	if !ok {
		return
	}
	for _, c := range text.Value {
		if unicode.IsControl(c) && !strings.ContainsRune("\n\t\r", c) {
			f.char, f.found = c, true
		}
	}
}

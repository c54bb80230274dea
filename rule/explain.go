package rule

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A Condition is the result of a rule's `when` on one action, for a person to read.
type Condition struct {
	When  string // as it is in the file
	Holds bool
	Err   error            // why it could not be evaluated
	Parts []ConditionPart  // what `and` and `or` join, each by itself; nil when there is nothing to join, or too much
	Reads []ConditionValue // the variables that it reads, sorted
	// Evidence is, for each path that the expression asked about, why it may be deleted, or
	// that nothing says so.
	Evidence []string
}

// A ConditionPart is a part of an expression.
type ConditionPart struct {
	Text  string
	Holds bool
	Err   error
}

// A ConditionValue is a variable of an expression and what it held, as JSON on one
// line of at most 200 characters.
type ConditionValue struct{ Name, Value string }

const (
	maxParts = 16
	maxValue = 200 // characters
)

// Explain evaluates the rule's expression as [Rule.When] does, and its parts; ok is
// false for a rule that has none, or is broken. It takes up to as many times as
// long as there are parts: it is for people.
func (r *Rule) Explain(ctx context.Context, a *sentinel.Action, m sentinel.Match) (c Condition, ok bool) {
	if r.def.When == "" || r.spec.Err != nil {
		return Condition{}, false
	}
	c = Condition{When: strings.TrimSpace(r.def.When)}
	c.Holds, c.Err = r.when(ctx, a, m, &whenNotes{seen: &c.Evidence})
	for _, expr := range joined(r.def.When) {
		part := ConditionPart{Text: text.Line(expr)}
		w, err := compileWhen(about(a, expr))
		if err != nil {
			c.Parts = nil // it needs what the whole declares
			break
		}
		w.fold = r.fold
		part.Holds, part.Err = w.eval(ctx, a, m)
		c.Parts = append(c.Parts, part)
	}
	if whole := r.compiled(&r.program, r.def.When); whole.err == nil {
		w, name := whole.when, a.Path
		if slices.Contains(a.Forms, m.Form) {
			name = m.Form // of a pattern, a file that it means
		}
		clock := newClock(ctx)
		clock.limit.computed.during(func() {
			c.Reads = w.values(w.newEnv(a, m, name, w.tracked(a, []string{name}), clock))
		})
	}
	return c, true
}

// joined are the operands that `and` and `or` join at the top of an expression, in
// their order.
func joined(src string) []string {
	tree, err := parser.Parse(src)
	if err != nil {
		return nil
	}
	var parts []string
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		if b, ok := n.(*ast.BinaryNode); ok {
			switch b.Operator {
			case "and", "&&", "or", "||":
				walk(b.Left)
				walk(b.Right)
				return
			}
		}
		parts = append(parts, n.String())
	}
	walk(tree.Node)
	if len(parts) < 2 || len(parts) > maxParts {
		return nil
	}
	return parts
}

// values are the variables that the expression reads, as env holds them.
func (w *whenProgram) values(env *whenEnv) []ConditionValue {
	var all []ConditionValue
	v := reflect.ValueOf(env).Elem()
	for _, name := range w.uses {
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("expr") == name && v.Field(i).Kind() != reflect.Func {
				all = append(all, ConditionValue{name, shown(v.Field(i).Interface())})
			}
		}
	}
	return all
}

// shown is a value on one line. For a command that is its text.
func shown(value any) string {
	switch v := value.(type) {
	case *whenCommand:
		value = v.Text
	case []whenEffect:
		texts := make([]string, len(v))
		for i, e := range v {
			texts[i] = text.Line(e.Kind + " " + e.Path + " " + e.Object + text.When(e.To != "", " to "+e.To))
		}
		value = texts
	case []*whenCommand:
		texts := make([]string, len(v))
		for i, c := range v {
			texts[i] = c.Text
		}
		value = texts
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("(%v)", err)
	}
	text := []rune(text.Line(string(data)))
	if len(text) > maxValue {
		return fmt.Sprintf("%s… (%d characters)", string(text[:maxValue-1]), len(text))
	}
	return string(text)
}

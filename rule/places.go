package rule

import (
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// Bounds of Places.
const (
	maxLooked = 16 // texts and patterns of an expression
	perLooked = 4  // places of each
)

// Places returns where a content has what the rule's expression looks for: the texts
// and patterns that are written out in it, behind contains, matches, startsWith and
// endsWith. It has some dozens of offsets at most, in order. They choose what a judge is shown
// first of a text that is too long for one question.
func (r *Rule) Places(content string) []int {
	if r.def.When == "" || r.spec.Err != nil {
		return nil
	}
	tree, err := parser.Parse(r.def.When)
	if err != nil {
		return nil
	}
	v := &lookedFor{}
	ast.Walk(&tree.Node, v)
	var places []int
	for _, expr := range v.patterns {
		if p, err := regexp.Compile("(?m:" + expr + ")"); err == nil {
			for _, at := range p.FindAllStringIndex(content, perLooked) {
				places = append(places, at[0])
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// lookedFor collects patterns.
type lookedFor struct{ patterns []string }

// Visit implements [ast.Visitor].
func (v *lookedFor) Visit(node *ast.Node) {
	b, ok := (*node).(*ast.BinaryNode)
	if !ok || len(v.patterns) == maxLooked {
		return
	}
	text, ok := b.Right.(*ast.StringNode)
	if !ok || strings.TrimSpace(text.Value) == "" {
		return
	}
	switch b.Operator {
	case "matches":
		v.patterns = append(v.patterns, text.Value)
	case "contains", "startsWith", "endsWith":
		v.patterns = append(v.patterns, regexp.QuoteMeta(text.Value))
	}
}

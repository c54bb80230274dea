package syntax

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// readGo parses and lowers Go with the standard library's own parser.
func readGo(ctx context.Context, f *File) (p *program, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer caught(&err)
	f.Memo.drop()
	if err := budget.Acquire(ctx, weight(f.Source)); err != nil {
		return nil, err
	}
	defer budget.Release(weight(f.Source))
	l := &goLowering{fset: token.NewFileSet()}
	file, syntax := parser.ParseFile(l.fset, "", f.Source, parser.SkipObjectResolution)
	if file == nil {
		return nil, fmt.Errorf("syntax: %s: %w", f.Path, syntax)
	}
	root := l.lower(file)
	if l.deep {
		return nil, fmt.Errorf("%w: %s: nested more than %d levels", ErrTooHard, f.Path, maxDepth)
	}
	p = &program{lang: Go, src: f.Source, root: root, broken: syntax != nil}
	bind(p)
	return p, nil
}

// goLowering turns a syntax tree of go/ast into code.
type goLowering struct {
	fset  *token.FileSet
	depth int
	deep  bool // something was too deep, and was left out
}

// lower lowers n; a node without a meaning of its own is the sum of its parts.
func (l *goLowering) lower(n ast.Node) *code {
	l.depth++
	defer func() { l.depth-- }()
	if l.depth > maxDepth {
		l.deep = true
		return &code{}
	}
	c := l.node(n)
	if c == nil {
		c = &code{kids: l.children(n)}
	}
	if c.first == 0 {
		from, to := l.fset.Position(n.Pos()), l.fset.Position(n.End())
		c.first, c.last, c.start, c.end = from.Line, to.Line, from.Offset, to.Offset
	}
	return c
}

func (l *goLowering) children(n ast.Node) []*code {
	var kids []*code
	ast.Inspect(n, func(k ast.Node) bool {
		switch k.(type) {
		case nil, *ast.CommentGroup:
		default:
			if k == n {
				return true
			}
			kids = append(kids, l.lower(k))
		}
		return false
	})
	return kids
}

func (l *goLowering) node(n ast.Node) *code {
	switch n := n.(type) {
	case *ast.Ident:
		return &code{kind: name, name: n.Name}
	case *ast.SelectorExpr:
		return &code{kind: attr, name: n.Sel.Name, kids: []*code{l.lower(n.X)}}
	case *ast.CallExpr:
		return &code{kind: call, kids: l.children(n)}
	case *ast.IndexExpr, *ast.IndexListExpr:
		return &code{kind: index, kids: l.children(n)}
	case *ast.ParenExpr:
		return l.lower(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return l.lower(n.X)
		}
	case *ast.AssignStmt:
		return l.assigns(n.Lhs, n.Rhs, n.Tok == token.DEFINE)
	case *ast.ValueSpec:
		left := make([]ast.Expr, len(n.Names))
		for i, id := range n.Names {
			left[i] = id
		}
		return l.assigns(left, n.Values, true)
	case *ast.RangeStmt:
		return l.ranges(n)
	case *ast.FuncDecl:
		return l.function(n.Name.Name, n.Recv, n.Type, n.Body)
	case *ast.FuncLit:
		return l.function("", nil, n.Type, n.Body)
	case *ast.TypeSpec:
		return l.typeSpec(n)
	case *ast.File, *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.CaseClause, *ast.CommClause:
		return &code{kind: block, kids: l.children(n)}
	case *ast.ImportSpec:
		return l.imports(n)
	}
	return nil
}

// assigns pairs targets with values. The values of several targets of one call are
// unknown.
func (l *goLowering) assigns(left, right []ast.Expr, defines bool) *code {
	c := &code{}
	for i, target := range left {
		a := &code{kind: assign, kids: []*code{l.lower(target), {}}}
		if !defines {
			a.n = 2
		}
		if len(left) == len(right) {
			a.kids[1] = l.lower(right[i])
		}
		a.first, a.last = a.kids[0].first, max(a.kids[0].last, a.kids[1].last)
		c.kids = append(c.kids, a)
	}
	if len(left) != len(right) {
		for _, v := range right {
			c.kids = append(c.kids, l.lower(v))
		}
	}
	return c
}

// ranges lowers a loop over something: its variables have values that are not known.
func (l *goLowering) ranges(n *ast.RangeStmt) *code {
	var variables []ast.Expr
	for _, v := range []ast.Expr{n.Key, n.Value} {
		if v != nil {
			variables = append(variables, v)
		}
	}
	return &code{kind: block, kids: []*code{l.assigns(variables, nil, true), l.lower(n.X), l.lower(n.Body)}}
}

func (l *goLowering) function(label string, recv *ast.FieldList, t *ast.FuncType, body *ast.BlockStmt) *code {
	c := &code{kind: fn, name: label}
	for _, fields := range []*ast.FieldList{recv, t.Params, t.Results} {
		if fields == nil {
			continue
		}
		for _, f := range fields.List {
			for _, id := range f.Names {
				c.params = append(c.params, id.Name)
			}
		}
	}
	if recv != nil {
		c.n = 1 // a method: its name does not belong to the file
	}
	if body != nil {
		c.kids = []*code{l.lower(body)}
	}
	return c
}

// typeSpec lowers a type. Its bases are the embedded types.
func (l *goLowering) typeSpec(n *ast.TypeSpec) *code {
	c := &code{kind: class, name: n.Name.Name}
	var fields *ast.FieldList
	switch t := n.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	}
	if fields != nil {
		for _, f := range fields.List {
			if len(f.Names) > 0 {
				continue
			}
			switch t := f.Type.(type) {
			case *ast.StarExpr:
				c.kids = append(c.kids, l.lower(t.X))
			default:
				c.kids = append(c.kids, l.lower(t))
			}
		}
	}
	c.n = len(c.kids)
	return c
}

func (l *goLowering) imports(n *ast.ImportSpec) *code {
	path, err := strconv.Unquote(n.Path.Value)
	if err != nil {
		return &code{}
	}
	c := &code{kind: imp}
	switch {
	case n.Name == nil:
		for _, local := range packageNames(path) {
			c.imports = append(c.imports, imported{module: path, local: local})
		}
	case n.Name.Name == ".":
		c.imports = []imported{{module: path, member: "*"}}
	case n.Name.Name == "_":
		c.imports = []imported{{module: path}}
	default:
		c.imports = []imported{{module: path, local: n.Name.Name}}
	}
	return c
}

// packageNames guesses the name of the package at an import path, which only the
// package itself says: x/yaml.v3 and x/yaml/v3 are yaml, x/go-git may be git.
func packageNames(path string) []string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if version(last) && len(parts) > 1 {
		last = parts[len(parts)-2]
	}
	if base, v, ok := strings.Cut(last, ".v"); ok && version("v"+v) {
		last = base
	}
	names := []string{last}
	for _, short := range []string{strings.TrimPrefix(last, "go-"), strings.TrimSuffix(last, "-go")} {
		if short != last {
			names = append(names, short)
		}
	}
	return names
}

// version reports whether s is v2, v3, …
func version(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	_, err := strconv.Atoi(s[1:])
	return err == nil
}

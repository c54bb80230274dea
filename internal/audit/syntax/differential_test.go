package syntax_test

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

// census counts with Python's own parser.
const census = `
import ast, json, os, sys, sysconfig
folder, out = sysconfig.get_paths()["stdlib"], []
for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    if not name.endswith(".py") or os.path.getsize(path) > 10000 or len(out) == 25:
        continue
    nodes = list(ast.walk(ast.parse(open(path, "rb").read())))
    count = lambda *kinds: sum(isinstance(n, kinds) for n in nodes)
    calls = sum(isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) for n in nodes)
    out.append({"Path": path, "Methods": calls, "Calls": count(ast.Call), "Classes": count(ast.ClassDef), "Functions": count(ast.FunctionDef, ast.AsyncFunctionDef)})
json.dump(out, sys.stdout)
`

// hits counts what a query finds.
func hits(t *testing.T, q *syntax.Query, f syntax.File) int {
	r := q.Find(context.Background(), f)
	require.NoError(t, r.Err, f.Path)
	require.False(t, r.Truncated)
	return len(r.Hits)
}

func TestPythonAgreesWithItsOwnParser(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there: the standard library of Python is not compared")
	}
	out, err := exec.Command(python, "-I", "-c", census).Output()
	if err != nil {
		t.Skipf("python3 cannot count its standard library: %v", err)
	}
	var files []struct {
		Path                               string
		Methods, Calls, Classes, Functions int
	}
	require.NoError(t, json.Unmarshal(out, &files))
	nodes := compiled(t, rubric.Probe{Lang: "python", Query: "[(call) @call (class_definition) @class (function_definition) @function] @hit"})
	methods := compiled(t, rubric.Probe{Lang: "python", Call: ".[a-zA-Z_]*"})
	differ := 0
	for _, want := range files {
		f := syntax.File{Path: want.Path, Lang: "python"}
		f.Source, err = os.ReadFile(want.Path)
		require.NoError(t, err)
		got := want
		got.Methods = hits(t, methods, f)
		got.Calls, got.Classes, got.Functions = 0, 0, 0
		r := nodes.Find(context.Background(), f)
		require.NoError(t, r.Err)
		for _, h := range r.Hits {
			for kind, counter := range map[string]*int{"call": &got.Calls, "class": &got.Classes, "function": &got.Functions} {
				if h.Captures[kind] != "" {
					*counter++
				}
			}
		}
		if got != want {
			differ++
			t.Logf("got %+v, want %+v", got, want)
		}
	}
	// "type(x).y = z" is a type statement for the grammar, and hides a call.
	require.LessOrEqual(t, differ, max(1, len(files)/20), "more than one file in twenty")
	t.Logf("%d of %d files agree", len(files)-differ, len(files))
}

func TestGoAgreesWithItsOwnParser(t *testing.T) {
	t.Parallel()
	method := compiled(t, rubric.Probe{Lang: "go", Call: ".[a-zA-Z_]*"})
	explicit := compiled(t, rubric.Probe{Lang: "go", Query: "[(call_expression) (type_conversion_expression)] @hit"})
	files := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") || files == 15 {
			return err
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		tree, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		if err != nil {
			return nil // somebody is writing it
		}
		files++
		methods, calls := 0, 0
		ast.Inspect(tree, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				calls++
				if _, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
					methods++
				}
			}
			return true
		})
		f := syntax.File{Path: path, Lang: "go", Source: src}
		require.Equal(t, methods, hits(t, method, f), path)
		require.InDelta(t, calls, hits(t, explicit, f), 2, path) // of new(T) and x[T](y), the grammar may think otherwise
		return nil
	})
	require.NoError(t, err)
	require.Positive(t, files)
}

package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// TestToolsHaveTheirKind: what is said of a tool's arguments is said of one that the agent
// has.
func TestToolsHaveTheirKind(t *testing.T) {
	t.Parallel()
	for _, a := range agenttest.Agents.All() {
		tools := &a.Tools
		for _, part := range []struct {
			name      string
			part, all []string
		}{
			{"Patch", tools.Patch, tools.Write}, {"Verbs", tools.Verbs, tools.Write}, {"Edits", tools.Edits, tools.Write},
			{"Services", tools.Services, tools.Run}, {"PowerShell", tools.PowerShell, tools.Run}, {"NoCommand", tools.NoCommand, tools.Run},
			{"Modes", tools.Modes, tools.Search}, {"NamesOnly", tools.NamesOnly, tools.Search},
		} {
			for _, name := range part.part {
				assert.Contains(t, part.all, name, "%s: %s", a.Name, part.name)
			}
		}
		for _, name := range tools.Bookkeeping {
			assert.False(t, agenttest.Agents.HasTool(name), "%s: the calls of %s are about files or commands", a.Name, name)
		}
	}
}

// TestToolNamesAreInTheAgents: no package compares the name of a tool with one that an
// agent's value should have. A name of small letters alone may be another word.
func TestToolNamesAreInTheAgents(t *testing.T) {
	t.Parallel()
	own := func(name string) bool {
		tool, ok := agenttest.Agents.Tool("", name)
		return (ok && (tool.Does != "" || agenttest.Agents.Bookkeeping(name))) && strings.ToLower(strings.ReplaceAll(name, "_", "")) != name
	}
	for path, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			var compared []ast.Expr
			switch n := n.(type) {
			case *ast.CaseClause:
				compared = n.List
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					compared = []ast.Expr{n.X, n.Y}
				}
			}
			for _, e := range compared {
				if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					name, err := strconv.Unquote(lit.Value)
					require.NoError(t, err)
					assert.False(t, own(name), "%s compares with the tool %s: say it in the agent's Tools", path, name)
				}
			}
			return true
		})
	}
}

// sources are the Go files outside of the agents' packages that belong to the program.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules", "examples"}, d.Name()),
			d.IsDir() && path == filepath.Join("..", "agent", "internal"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files[path] = file
		return err
	}))
	require.Greater(t, len(files), 300)
	return files
}

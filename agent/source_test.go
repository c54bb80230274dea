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

// spelt are the places outside of this folder where a text happens to be the name of an
// agent, with the reason. A folder means everything below it.
var spelt = map[string]string{
	"internal/judge":                "judges that are called like the agent whose program they start",
	"internal/transcript/gemini.go": "a type of lines in a record",
	"internal/secret":               "words that are not secrets",
}

// TestNamesAreSpeltHereOnly: nothing outside of this folder knows an agent by name. Each
// difference between agents is a field of the agent's value.
func TestNamesAreSpeltHereOnly(t *testing.T) {
	t.Parallel()
	names := agenttest.Agents.Names()
	used := map[string]bool{}
	root := ".."
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		switch {
		case d.IsDir() && (name == "agent" || d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, found := range literals(t, path, names) {
			if reason := except(name, used); reason == "" {
				t.Errorf("%s has the name of an agent as a text: %s", name, found)
			}
		}
		return nil
	}))
	for place := range spelt {
		assert.True(t, used[place], "%s spells no agent's name any more: take it off the list", place)
	}
}

// except returns why a file may spell an agent's name.
func except(file string, used map[string]bool) string {
	for place, reason := range spelt {
		if file == place || strings.HasPrefix(file, place+"/") {
			used[place] = true
			return reason
		}
	}
	return ""
}

// literals are the string literals of a file that are one of the names.
func literals(t *testing.T, path string, names []string) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		if text, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(names, text) {
			found = append(found, set.Position(lit.Pos()).String())
		}
		return true
	})
	return found
}

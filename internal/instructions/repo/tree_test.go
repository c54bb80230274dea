package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// treeOf is a tree with files.
func treeOf(t *testing.T, files map[string]string) Tree {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return New(root)
}

// TestZeroTree: who knows no tree says of nothing that it is there, or is not.
func TestZeroTree(t *testing.T) {
	var tree Tree
	require.False(t, tree.Known())
	require.False(t, tree.Whole())
	require.True(t, tree.Young())
	require.True(t, tree.Holds([]string{"src/**"}), "it may be there")
	require.False(t, tree.Lacks([]string{"src/a.go"}))
	require.False(t, tree.LacksScripts([]string{"npm run gone"}, ""))
	require.True(t, tree.SourcesBelow("src"))
	require.False(t, tree.Calls("f"))
	require.False(t, tree.UsesWidely("f", nil, nil))
	require.True(t, tree.DependsOn("left-pad"))
	require.Equal(t, "**/*.rs", tree.WithOwn("**/*.rs"))
}

// TestCutTree: what a tree has beyond its bounds was not looked at, and may be there.
func TestCutTree(t *testing.T) {
	tree := treeOf(t, map[string]string{"package.json": `{"scripts": {"types": "tsc"}}`, "src/a.ts": "x"})
	require.True(t, tree.LacksScripts([]string{"npm run gone"}, ""))
	require.False(t, tree.LacksScripts([]string{"npm run gone", "npm run types"}, ""), "one of them can run")
	require.True(t, tree.Lacks([]string{"docs/gone.md"}))

	tree.list = func() entries { return entries{cut: true} }
	tree.scripts = tree.scriptsBelow
	require.False(t, tree.LacksScripts([]string{"npm run gone"}, ""))
	require.False(t, tree.Lacks([]string{"docs/gone.md"}))
}

// TestNoDependencies: folders of dependencies are no part of the tree.
func TestNoDependencies(t *testing.T) {
	tree := treeOf(t, map[string]string{"src/a.go": "x", "node_modules/b/b.js": "x", "web/vendor/c.php": "x", ".git/config": "x", ".eslintrc": "x"})
	require.Equal(t, []string{"src", "web"}, tree.Folders())
	require.Equal(t, []string{".eslintrc", "src/a.go"}, tree.Files())
}

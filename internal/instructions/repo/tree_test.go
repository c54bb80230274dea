package repo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// treeOf is a tree with files.
func treeOf(t *testing.T, files map[string]string) Tree {
	t.Helper()
	root := t.TempDir()
	programtest.Tree(t, root, files)
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

// TestTasksFor: the usual tasks of a file of tasks do a job, too.
func TestTasksFor(t *testing.T) {
	tree := treeOf(t, map[string]string{"Makefile": "x", "a.go": "x"})
	require.Equal(t, []string{"make check*", "make ci*", "make test*"}, tree.TasksFor("test"))
	require.Equal(t, []string{"make fmt*", "make format*"}, tree.TasksFor("format"))
	tree = treeOf(t, map[string]string{"a.go": "x"})
	require.Empty(t, tree.TasksFor("test"))
	require.Empty(t, new(Tree).TasksFor("test"))
}

// TestScripts: a script is looked for where the instruction file is, below it, and above it where its folder
// has no package.json.
func TestScripts(t *testing.T) {
	tree := treeOf(t, map[string]string{"package.json": `{"scripts": {"all": "x"}}`, "app/package.json": `{"scripts": {"types": "tsc"}}`, "app/web/package.json": `{"scripts": {"site": "x"}}`, "lib/a.py": "x"})
	for cmd, dirs := range map[string]map[string]bool{
		"npm run types": {"": true, "app": true, "app/web": false, "lib": true}, "pnpm run all --x": {"": true, "app": false, "lib": true}, "npm run site": {"": true, "app": true, "app/web": true}, "npm run gone": {"": false, "app": false},
		"yarn run gone": {"": true, "app": true}, "make gone": {"": true}, // whose scripts are not known
	} {
		for dir, has := range dirs {
			require.Equal(t, !has, tree.LacksScripts([]string{cmd}, dir), "%s in %q", cmd, dir)
			require.False(t, tree.LacksScripts([]string{cmd, "make x"}, dir), "one of them has to run")
		}
	}
}

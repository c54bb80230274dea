package gitread

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/gittest"
)

// treeAt is the work tree of a folder, as a project sees it.
func treeAt(t *testing.T, root, dir string) facts.Tree {
	t.Helper()
	trees := &Trees{Ctx: t.Context(), Root: root, Limit: time.Minute}
	one, err := trees.At(dir)
	require.NoError(t, err)
	return one
}

func every(string) bool { return true }

// TestTree: each kind of change is told, from the root of the project, wherever git is asked.
func TestTree(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".gitignore", "gen/\n")
	for _, name := range []string{"app/same.go", "app/edited.go", "app/staged.go", "app/gone.go", "app/touched.go", "app/hidden.go", "other/edited.go"} {
		r.Write(name, "1\n")
	}
	r.Commit("first")
	r.Git("update-index", "--assume-unchanged", "app/hidden.go")
	for _, name := range []string{"app/edited.go", "app/staged.go", "app/hidden.go", "app/new.go", "app/gen/x.go", "other/edited.go"} {
		r.Write(name, "2\n")
	}
	r.Git("add", "app/staged.go")
	require.NoError(t, os.Remove(filepath.Join(r.Dir, "app/gone.go")))
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(r.Dir, "app/touched.go"), long, long))

	tree := treeAt(t, filepath.Join(r.Dir, "app"), r.Dir)
	for what, c := range map[string]struct {
		got  func() ([]string, error)
		want []string
	}{
		"staged": {tree.Staged, []string{"staged.go"}},
		"edited": {func() ([]string, error) { return tree.Edited(every) }, []string{"edited.go", "gone.go"}},
		"wanted": {func() ([]string, error) { return tree.Edited(func(name string) bool { return name == "gone.go" }) }, []string{"gone.go"}},
		"new":    {tree.New, []string{"new.go"}},
		"last":   {func() ([]string, error) { return tree.Committed(facts.Moment{}) }, []string{"edited.go", "gone.go", "hidden.go", "same.go", "staged.go", "touched.go"}},
		"committed": {func() ([]string, error) {
			return tree.Committed(facts.Moment{At: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)})
		}, nil},
	} {
		got, err := c.got()
		require.NoError(t, err, what)
		require.ElementsMatch(t, c.want, got, what)
	}
	for name, want := range map[string]bool{"same.go": true, "new.go": false, "app/same.go": false} {
		got, err := tree.Tracked(name)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	for path, want := range map[string]string{"same.go": "../same.go", ".": "..", "app": ".", "app/x/../same.go": "same.go", filepath.Join(r.Dir, "app/same.go"): "same.go"} {
		require.Equal(t, want, tree.Name(r.Dir, path), path)
	}
}

// TestTreeInAnotherPlace: the files of a repository inside the project lie below its folder. A
// repository outside the project has none of the project's files. A folder without a repository has no tree.
func TestTreeInAnotherPlace(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a.go", "1\n")
	r.Commit("first")
	root := filepath.Dir(r.Dir)
	name := filepath.Base(r.Dir)
	r.Write("a.go", "2\n")
	r.Write("b.go", "1\n")
	tree := treeAt(t, root, r.Dir)
	edited, err := tree.Edited(every)
	require.NoError(t, err)
	require.Equal(t, []string{name + "/a.go"}, edited)
	fresh, err := tree.New()
	require.NoError(t, err)
	require.Equal(t, []string{name + "/b.go"}, fresh)
	is, err := tree.Tracked(name + "/a.go")
	require.NoError(t, err)
	require.True(t, is)

	other := gittest.New(t)
	other.Write("c.go", "1\n")
	tree = treeAt(t, r.Dir, other.Dir)
	fresh, err = tree.New()
	require.NoError(t, err)
	require.Empty(t, fresh)
	require.NotNil(t, treeAt(t, r.Dir, t.TempDir()), "elsewhere, no file of the project is committed")
	dir := t.TempDir()
	require.Nil(t, treeAt(t, dir, dir))
}

// TestHad: what a commit has is told of files and of folders, as they are named.
func TestHad(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	require.NoError(t, os.Mkdir(filepath.Join(r.Dir, "app"), 0o755))
	tree := treeAt(t, filepath.Join(r.Dir, "app"), r.Dir)
	names := []string{"a.go", "in/b.go", "in/*.go", "c.go", "of", "../top.go", "no.go"}
	had := func(before time.Time, amended bool) []string {
		t.Helper()
		got, err := treeAt(t, filepath.Join(r.Dir, "app"), r.Dir).Had(names, facts.Moment{At: before}, amended)
		require.NoError(t, err)
		return got
	}
	got, err := tree.Had(names, facts.Moment{}, false)
	require.NoError(t, err)
	require.Empty(t, got, "there is no commit")
	require.Empty(t, had(time.Now(), false), "there is no commit")
	require.Empty(t, had(time.Time{}, true), "there is no commit")

	r.Write("app/a.go", "1\n")
	r.Write("app/in/b.go", "1\n")
	r.Write("app/of/d.go", "1\n")
	r.Write("top.go", "1\n")
	r.Commit("first")
	require.Empty(t, had(time.Time{}, true), "the first commit is amended")
	r.Now()
	r.Write("app/c.go", "1\n")
	r.Commit("second")
	require.ElementsMatch(t, []string{"a.go", "in/b.go", "of", "c.go"}, had(time.Time{}, false))
	require.ElementsMatch(t, []string{"a.go", "in/b.go", "of"}, had(time.Time{}, true))
	require.ElementsMatch(t, []string{"a.go", "in/b.go", "of"}, had(time.Now().Add(-time.Hour), false))
	require.Empty(t, had(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), false))

	_, err = tree.Had(names, facts.Moment{At: time.Now(), Commit: "--output=x"}, false)
	require.ErrorIs(t, err, errCommit, "what is kept may be forged")
	_, err = tree.Committed(facts.Moment{At: time.Now(), Commit: "HEAD --all"})
	require.ErrorIs(t, err, errCommit)

	for i := range 3 * maxNames {
		names = append(names, "x"+strconv.Itoa(i)+".go")
	}
	names = append(names, "c.go")
	require.Len(t, had(time.Time{}, false), 5)
}

// TestCame: a file is somebody else's where each commit that added it is of people who never committed here.
func TestCame(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("app/a.go", "1\n")
	base := r.Commit("first")
	r.Write("app/b.go", "1\n")
	r.Write("app/c.go", "1\n")
	r.Commit("second")
	came := func(names ...string) []string {
		t.Helper()
		got, err := treeAt(t, filepath.Join(r.Dir, "app"), r.Dir).(*tree).came(names, base)
		require.NoError(t, err)
		return got
	}
	require.Empty(t, came("a.go", "b.go"), "they are of this work tree")
	log := filepath.Join(r.Dir, ".git/logs/HEAD")
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	for text, want := range map[string][]string{
		strings.ReplaceAll(string(data), "developer@", "another@"):                          {"b.go"},
		strings.ReplaceAll(string(data), "developer@", "another@") + string(data):           nil,
		strings.ToUpper(string(data)):                                                       nil,
		strings.ReplaceAll(string(data), "<developer@example.com>", "") + "x <developer@\n": nil,
		"": nil,
	} {
		require.NoError(t, os.WriteFile(log, []byte(text), 0o600))
		require.ElementsMatch(t, want, came("a.go", "b.go", "none.go"), text)
	}
}

// TestMark: which commits were checked out when a mark was made, as long as git's record begins with what it was then.
func TestMark(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a", "1\n")
	first := r.Commit("first")
	git := filepath.Join(r.Dir, ".git")
	log := filepath.Join(git, "logs/HEAD")
	mark := Mark(git)
	second := r.Commit("second")
	seen := func(mark string) map[string]bool { return treeAt(t, r.Dir, r.Dir).(*tree).seenAt(mark) }
	require.Equal(t, map[string]bool{first: true}, seen(mark))
	require.Equal(t, map[string]bool{first: true, second: true}, seen(Mark(git)))
	size, sum, _ := strings.Cut(mark, " ")
	for _, mark := range []string{"", " ", size, size + " ", "0 " + sum, "-1 " + sum, "9999999 " + sum, "1 " + sum, "x " + sum} {
		require.Empty(t, seen(mark), mark)
	}
	data, err := os.ReadFile(log)
	require.NoError(t, err)
	for _, text := range []string{"", string(data[1:]), string(data[:10]), strings.ToUpper(string(data))} {
		require.NoError(t, os.WriteFile(log, []byte(text), 0o600))
		require.Empty(t, seen(mark), text)
	}
	require.NoError(t, os.WriteFile(log, []byte("\n \n--all --output=x\nzz zz\n"), 0o600))
	require.Empty(t, seen(Mark(git)), "what is no name of a commit")
	require.NoError(t, os.Remove(log))
	require.Empty(t, Mark(git))
	require.Empty(t, seen(mark))
}

// TestAdditions: what git lists is read by its order, whatever addresses and names there are.
func TestAdditions(t *testing.T) {
	t.Parallel()
	for listed, want := range map[string][]string{
		"":                                 nil,
		"\x00a@b\x00c@d\x00\nx\x00y z\x00": {"a@b c@d x", "a@b c@d y z"},
		"\x00a\x00\x00\nx\x00\x00\x00b\x00\n\ny\x00": {"a  x", " b \ny"},
		"\x00a\x00b":     nil,
		"\x00a\x00b\x00": nil,
	} {
		var got []string
		additions(listed, func(author, committer, name string) { got = append(got, author+" "+committer+" "+name) })
		require.Equal(t, want, got, "%q", listed)
	}
}

// TestTreeWithoutACommit: all files of the index are staged.
func TestTreeWithoutACommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a.go", "1\n")
	r.Git("add", "a.go")
	tree := treeAt(t, r.Dir, r.Dir)
	staged, err := tree.Staged()
	require.NoError(t, err)
	require.Equal(t, []string{"a.go"}, staged)
	committed, err := tree.Committed(facts.Moment{})
	require.NoError(t, err)
	require.Empty(t, committed)
}

// TestNothingOfTheRepositoryRuns: filters of a repository are programs.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	ran := filepath.Join(t.TempDir(), "ran")
	r.Write("a.go", "1\n")
	r.Commit("first")
	r.Write(".gitattributes", "* filter=x diff=x\n")
	for _, key := range []string{"filter.x.clean", "filter.x.process", "diff.x.textconv", "diff.x.command", "diff.external", "core.fsmonitor"} {
		r.Git("config", key, "touch "+ran+"; cat")
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, "a.go"), []byte("2\n"), 0o600))
	tree := treeAt(t, r.Dir, r.Dir)
	edited, err := tree.Edited(every)
	require.NoError(t, err)
	require.Equal(t, []string{"a.go"}, edited)
	for _, ask := range []func() ([]string, error){tree.Staged, tree.New, func() ([]string, error) { return tree.Committed(facts.Moment{}) }} {
		_, err := ask()
		require.NoError(t, err)
	}
	require.NoFileExists(t, ran)
}

// TestIndexFile: git names another index to a hook; a name that leads elsewhere is refused.
func TestIndexFile(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a.go", "1\n")
	r.Commit("first")
	r.Write("a.go", "2\n")
	data, err := os.ReadFile(filepath.Join(r.Dir, ".git/index"))
	require.NoError(t, err)
	r.Git("add", "a.go")
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, ".git/next-index-1.lock"), data, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(r.Dir, "index"), data, 0o600))
	require.NoError(t, os.Symlink("../index", filepath.Join(r.Dir, ".git/link")))
	for name, want := range map[string]int{"": 1, ".git/index": 1, ".git/next-index-1.lock": 0, filepath.Join(r.Dir, ".git/index"): 1, "index": -1, ".git/link": -1, "/dev/null": -1, ".git": -1, ".git/none": -1} {
		trees := &Trees{Ctx: context.Background(), Root: r.Dir, Limit: time.Minute, Index: name}
		tree, err := trees.At(r.Dir)
		if want < 0 {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		staged, err := tree.Staged()
		require.NoError(t, err, name)
		require.Len(t, staged, want, name)
	}
}

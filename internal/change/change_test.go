package change_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/change"
)

// repo is a repository with one commit of a.txt, gone.txt and old.txt.
func repo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	dir := t.TempDir()
	run(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "a.txt", "1\n2\n3\n4\n5\n")
	write(t, dir, "gone.txt", "gone\n")
	write(t, dir, "old.txt", "same\n")
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "one")
	return dir
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.invalid", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// brief is a file of a change in one line.
func brief(f change.File) string {
	return strings.Join([]string{f.Action.Op.String(), f.Path, f.Action.Content, f.Action.Old}, "|")
}

func briefs(s change.Set) (all []string) {
	for _, f := range s.Files {
		all = append(all, brief(f))
	}
	return all
}

func TestStaged(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "a.txt", "1\nzwei\n3\n4\n5\nsechs\n")
	write(t, dir, "sub/new \"name\"\n.txt", "new\nno newline")
	write(t, dir, "bin", "\x00\x01\x02")
	run(t, dir, "rm", "-q", "gone.txt")
	run(t, dir, "mv", "old.txt", "moved.txt")
	run(t, dir, "add", ".")
	write(t, dir, "a.txt", "not staged\n")

	set, err := change.Staged(t.Context(), filepath.Join(dir, "sub"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"edit|a.txt|zwei\nsechs\n|2\n",
		"create|bin||",
		"delete|gone.txt||",
		"delete|old.txt||",
		"create|moved.txt|same\n|same\n",
		"create|sub/new \"name\"\n.txt|new\nno newline|",
	}, briefs(set))
	for _, f := range set.Files {
		require.Equal(t, sentinel.FileWrite, f.Action.Trigger)
		require.Equal(t, filepath.Join(set.Root, f.Path), f.Action.Path)
		if f.Path == "a.txt" {
			require.Equal(t, []int{2, 6}, []int{f.First, f.Last})
		}
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "a.txt", "1\n2\n3\n")
	set, err := change.Since(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Equal(t, []string{"edit|a.txt||4\n5\n"}, briefs(set))
	require.Equal(t, []int{3, 3}, []int{set.Files[0].First, set.Files[0].Last})

	run(t, dir, "commit", "-qam", "two")
	set, err = change.Since(t.Context(), dir, "HEAD~...HEAD")
	require.NoError(t, err)
	require.Len(t, set.Files, 1)
	set, err = change.Since(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Empty(t, set.Files)
}

// TestRenamed: what a file held by its old name is known of the new one, also in a folder and
// with changes, whatever git is configured to show.
func TestRenamed(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	run(t, dir, "config", "diff.renames", "false")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	run(t, dir, "mv", "a.txt", "sub/a \"b\".txt")
	write(t, dir, "sub/a \"b\".txt", "1\n2\n3\n4\n5\n6\n")
	write(t, dir, "copy.txt", "same\n")
	run(t, dir, "rm", "-q", "gone.txt")
	run(t, dir, "add", ".")
	set, err := change.Staged(t.Context(), filepath.Join(dir, "sub"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"delete|a.txt||",
		"create|sub/a \"b\".txt|1\n2\n3\n4\n5\n6\n|1\n2\n3\n4\n5\n",
		"create|copy.txt|same\n|",
		"delete|gone.txt||",
	}, briefs(set))
}

// Before the first commit everything that is staged is new.
func TestFirstCommit(t *testing.T) {
	t.Parallel()
	repo(t) // skips without git
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	write(t, dir, "a", "x\n")
	run(t, dir, "add", ".")
	set, err := change.Staged(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"create|a|x\n|"}, briefs(set))
}

func TestCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	_, err := change.Since(t.Context(), dir, "nosuch")
	require.ErrorContains(t, err, "nosuch")
	_, err = change.Since(t.Context(), dir, "--output=owned")
	require.Error(t, err)
	require.NoFileExists(t, filepath.Join(dir, "owned"))
	_, err = change.Since(t.Context(), dir, "")
	require.Error(t, err)
	_, err = change.Staged(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "not a git repository")
}

// Programs that a repository's own configuration names are not run.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, ".gitattributes", "*.txt diff=evil\n")
	mark := filepath.Join(dir, "owned")
	for _, key := range []string{"diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"} {
		run(t, dir, "config", key, "touch "+mark+" #")
	}
	write(t, dir, "a.txt", "changed\n")
	set, err := change.Since(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Len(t, set.Files, 1)
	require.NoFileExists(t, mark)
}

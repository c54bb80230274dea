package disposable

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/gittest"
)

// TestLikeGitStatus makes work trees at random. A file may go if git has it in the last
// commit as it is, or ignores it; a folder, if each file in it may.
func TestLikeGitStatus(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 12 {
		repo := gittest.New(t)
		repo.Write(".gitignore", "*.o\nmm/\n/a/mmm\n")
		dirs := []string{"a", "b", "a/mm", "b/c", "a/mmm/x", "mm", "b/c/d"}
		var names []string
		for i := range 40 {
			names = append(names, fmt.Sprintf("%s/f%d%s", dirs[random.IntN(len(dirs))], i, []string{"", ".o", ".js"}[random.IntN(3)]))
		}
		change := func(share int, text string) {
			for _, name := range names {
				if random.IntN(share) == 0 {
					repo.Write(name, text)
				}
			}
		}
		change(2, "one")
		repo.Commit("one")
		if random.IntN(2) == 0 {
			repo.Git("add", "--force", "a")
			repo.Commit("two")
		}
		change(9, "two")
		repo.Git("add", "b")
		change(12, "one")
		change(12, "new")
		likeStatus(t, repo, append(names, dirs...))
	}
}

// likeStatus compares the evidence for paths with what git status says.
func likeStatus(t *testing.T, repo *gittest.Repository, paths []string) {
	t.Helper()
	state := map[string]string{} // of each file
	for line := range strings.Lines(repo.Git("ls-tree", "-r", "--name-only", "HEAD")) {
		state[strings.TrimSpace(line)] = "unchanged"
	}
	for entry := range strings.SplitSeq(repo.Git("status", "--porcelain", "-z", "--ignored=matching", "--untracked-files=all", "--no-renames"), "\x00") {
		if len(entry) > 3 {
			state[entry[3:]] = entry[:2]
		}
	}
	may := func(file string) bool {
		for dir := file; dir != "."; dir = filepath.Dir(dir) {
			if state[dir+"/"] == "!!" || state[dir] == "!!" {
				return true
			}
		}
		return state[file] == "unchanged"
	}
	yes := 0
	for _, name := range paths {
		want, there := true, false
		_ = filepath.WalkDir(filepath.Join(repo.Dir, name), func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(repo.Dir, path)
				want, there = want && may(filepath.ToSlash(rel)), true
			}
			return nil
		})
		if !there {
			continue
		}
		got := why(t, repo.Dir, name)
		if strings.Contains(got, committed) || strings.Contains(got, ignored) {
			yes++
		}
		// A file that is staged with another content than it has now may be as it was committed.
		if want != (got != "") && !strings.HasPrefix(state[name], "M") {
			require.Equal(t, want, got != "", "%s: %q, git: %q\n%s", name, got, state[name], repo.Git("status", "--short", "--ignored"))
		}
	}
	require.Positive(t, yes)
}

func FuzzWhy(f *testing.F) {
	for _, name := range []string{"src/*.o", "~/x", "$TMPDIR/x", "$(mktemp -d)/x", "a/../b", "[", "**/**/**/x", `C:\x`} {
		f.Add(name)
	}
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, name string) {
		e := New(root, true, options)
		defer e.Close()
		why := e.Why(name)
		if why != "" && strings.Contains(name, "/../") {
			t.Fatal(why)
		}
	})
}

package rule

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gittest"
	"github.com/agentsentinel/sentinel/shell"
)

// stopsDeletions is a rule that stops deletions without evidence.
func stopsDeletions(t *testing.T, when string) *Rule {
	t.Helper()
	text := "trigger: bash\nscope: [\"*\"]\nwhen: '" + when + "'\nverdict: exact\nmessage: no\n"
	rules, problems := Build([]File{Parse("stop.yaml", []byte(text))}, nil)
	require.Empty(t, problems)
	require.Len(t, rules, 1)
	return rules[0]
}

func lineIn(dir, line string) *sentinel.Action {
	return &sentinel.Action{
		Trigger: sentinel.Bash, Tool: "Bash", Target: line, Forms: []string{line}, Root: dir, Dir: dir, Command: shell.Parse(line, nil), Certain: true,
	}
}

// work is a repository with something to keep and something that git ignores.
func work(t *testing.T) *gittest.Repository {
	t.Helper()
	repo := gittest.New(t)
	repo.Write(".gitignore", "gen/\n")
	repo.Write("src/a.go", "a")
	repo.Commit("one")
	repo.Write("gen/a.js", "a")
	repo.Write("notes/a.txt", "a")
	return repo
}

// The tests of evidence do not run with others: what they may compute is bounded by the time
// of the whole process.

func TestDisposable(t *testing.T) {
	dir := work(t).Dir
	r := stopsDeletions(t, "any(effects, .kind == \"delete\" and not disposable(.path))")
	for line, stops := range map[string]bool{
		"rm -rf gen":                  false,
		"rm -rf ./gen/ src":           false,
		"cd gen && rm -rf *":          false,
		"find gen -delete":            false,
		"ls gen/* | xargs rm":         false,
		"git ls-files src | xargs rm": false,
		`python3 -c "import shutil; shutil.rmtree('gen')"`: false,
		`d=$(mktemp -d) && cp a "$d" && rm -rf "$d"`:       false,
		"rm -rf /tmp/no-such-folder/x":                     false,
		"docker exec app rm -rf /tmp/x":                    false,
		"cd \"$X\" && rm -rf node_modules":                 false,
		"rm -rf notes":                                     true,
		"rm -rf gen notes":                                 true,
		"rm -rf gen/../notes":                              true,
		"rm -rf *":                                         true,
		"rm -rf .":                                         true,
		"rm -rf .git":                                      true,
		"git ls-files -o | xargs rm":                       true,
		"mv notes gen/ && rm -rf gen":                      true,
		"mv notes gen/kept; rm -rf gen/kept":               true,
		"cd \"$X\" && rm -rf gen":                          true,
		"ssh host rm -rf gen":                              true,
		"rm -rf \"$X/gen\"":                                true,
		`d=$(mktemp -d); mv notes "$d"; rm -rf "$d"`:       true,
	} {
		a := lineIn(dir, line)
		got, err := r.When(t.Context(), a, r.Match(a))
		require.NoError(t, err, line)
		require.Equal(t, stops, got, line)
	}
}

// TestDisposableIsExplained: each answer is shown once; and where nothing asks, nothing is
// looked at.
func TestDisposableIsExplained(t *testing.T) {
	dir := work(t).Dir
	r := stopsDeletions(t, "any(removes, # startsWith \"g\" and not disposable(#)) or any(removes, # == \"notes\" and not disposable(#))")
	explained := func(line string) []string {
		a := lineIn(dir, line)
		c, ok := r.Explain(t.Context(), a, r.Match(a))
		require.True(t, ok)
		require.NoError(t, c.Err)
		return c.Evidence
	}
	require.Equal(t, []string{"gen may go: git ignores it (.gitignore:1)", "no evidence that notes may go"}, explained("rm -rf gen notes"))
	require.Empty(t, explained("rm -rf src"))
}

// TestDisposableInHostileRepositories: the rule is judged in each, and stops.
func TestDisposableInHostileRepositories(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, repo *gittest.Repository){
		"an index of 500,000 files": func(t *testing.T, repo *gittest.Repository) {
			require.NoError(t, os.WriteFile(filepath.Join(repo.Dir, ".git", "index"), manyEntries(500_000), 0o600))
		},
		"an index of 100,000 files that says it has more": func(t *testing.T, repo *gittest.Repository) {
			data := manyEntries(100_000)
			binary.BigEndian.PutUint32(data[8:], 1<<31)
			require.NoError(t, os.WriteFile(filepath.Join(repo.Dir, ".git", "index"), data, 0o600))
		},
		"patterns that take long": func(t *testing.T, repo *gittest.Repository) {
			var text []byte
			for len(text) < 60_000 {
				text = append(text, "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n"...)
			}
			repo.Write(".gitignore", string(text))
			repo.Git("add", ".gitignore")
			repo.Git("commit", "-qm", "patterns")
		},
		"a rebase under way": func(t *testing.T, repo *gittest.Repository) {
			repo.Git("checkout", "-qb", "other")
			repo.Write("src/a.go", "b")
			repo.Commit("b")
			repo.Git("checkout", "-q", "main")
			repo.Write("src/a.go", "c")
			repo.Commit("c")
			repo.Git("-c", "core.editor=false", "-c", "sequence.editor=true", "rebase", "--quiet", "--exec", "true", "HEAD~1")
			repo.Write(".git/rebase-merge/done", "")
		},
		"hooks, filters and programs in its settings": func(t *testing.T, repo *gittest.Repository) {
			repo.Git("config", "core.fsmonitor", "touch ran")
			repo.Git("config", "filter.x.clean", "touch ran")
			repo.Write(".gitattributes", "* filter=x\n")
			repo.Write("gen/.env", "x")
		},
		"a folder in the place of each file": func(t *testing.T, repo *gittest.Repository) {
			for _, name := range []string{"HEAD", "index", "packed-refs"} {
				_ = os.Remove(filepath.Join(repo.Dir, ".git", name))
				require.NoError(t, os.MkdirAll(filepath.Join(repo.Dir, ".git", name), 0o755))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := work(t)
			spoil(t, repo)
			r := stopsDeletions(t, "any(removes, not disposable(#))")
			a := lineIn(repo.Dir, "rm -rf gen src/"+fmt.Sprintf("%0200d", 0)+"aaaa notes")
			got, err := r.When(t.Context(), a, r.Match(a))
			require.NoFileExists(t, filepath.Join(repo.Dir, "ran"))
			if err != nil { // on a machine that hardly computes: the rule could not be judged, which clears nothing
				require.ErrorContains(t, err, "took longer")
				return
			}
			require.True(t, got)
		})
	}
}

// manyEntries is an index of so many files.
func manyEntries(count int) []byte {
	data := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(count))
	for i := range count {
		entry := make([]byte, 72)
		binary.BigEndian.PutUint32(entry[24:], 0o100644)
		copy(entry[62:], fmt.Sprintf("%08d", i))
		data = append(data, entry...)
	}
	return append(data, make([]byte, 20)...)
}

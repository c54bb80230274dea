package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// baseAt clones the folder as it was where HEAD left the revision, and returns the commit.
func baseAt(t *testing.T, dir, base string) (string, error) {
	t.Helper()
	o := &CloneOptions{Base: base}
	o.patient()
	r, err := Clone(t.Context(), dir, o)
	if err != nil {
		return "", err
	}
	defer r.Close()
	return r.Subject().Commit, nil
}

func TestBase(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a", "1")
	first := o.commit("one")
	o.git("tag", "v1")
	o.git("checkout", "--quiet", "-b", "feature")
	o.write("a", "2")
	second := o.commit("two")
	o.write("a", "3")
	head := o.commit("three")
	o.git("checkout", "--quiet", "main")
	o.write("b", "1")
	beside := o.commit("beside")
	o.git("update-ref", "refs/remotes/origin/main", beside)
	o.git("checkout", "--quiet", "--orphan", "alone")
	o.commit("alone")
	o.git("checkout", "--quiet", "feature")
	o.write("a", "4 and not committed")

	for base, want := range map[string]string{
		"main": first, "origin/main": first, "v1": first, beside: first, "HEAD~1": second, second: second, first[:8]: first,
	} {
		got, err := baseAt(t, o.dir, base)
		require.NoError(t, err, base)
		require.Equal(t, want, got, base)
	}
	for base, want := range map[string]string{
		"HEAD":            "there is nothing to compare: HEAD has no commit that HEAD lacks",
		head:              "there is nothing to compare",
		"none":            "there is no revision none in it (give one branch, tag or commit; HEAD is compared with it)",
		"main..feature":   "there is no revision main..feature",
		"-x":              "there is no revision -x",
		"--all":           "there is no revision --all",
		"a\x00b":          "there is no revision",
		"main:a":          "there is no revision",
		"main\x1b[31m":    "there is no revision",
		"alone":           "HEAD and alone have no commit in common",
		"HEAD^{/one":      "there is no revision",
		"@{upstream}":     "there is no revision",
		"main@{yesterday": "there is no revision",
	} {
		_, err := baseAt(t, o.dir, base)
		require.ErrorContains(t, err, want, base)
		require.ErrorContains(t, err, "repo: cannot compare ", base)
		require.NotContains(t, err.Error(), "\x1b", base)
	}
	_, err := baseAt(t, "https://example.invalid/a", "main")
	require.ErrorContains(t, err, "only a local folder is compared", "and nothing is asked for it")
	text, err := os.ReadFile(filepath.Join(o.dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "4 and not committed", string(text))
	require.Equal(t, head, o.git("rev-parse", "HEAD"))
	require.Equal(t, "feature", o.git("branch", "--show-current"))
}

// A clone of the latest commit alone has no BASE: what to fetch is said.
func TestBaseShallow(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	o.write("a", "1")
	o.commit("one")
	o.write("a", "2")
	o.commit("two")
	cut := filepath.Join(t.TempDir(), "cut")
	o.git("clone", "--quiet", "--depth=1", "file://"+filepath.ToSlash(o.dir), cut)
	for _, base := range []string{"HEAD~1", "none"} {
		_, err := baseAt(t, cut, base)
		require.ErrorContains(t, err, "its history is cut (fetch the history: git fetch --unshallow, or fetch-depth: 0 in a workflow)", base)
	}
}

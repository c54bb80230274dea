package rule

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBranch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for _, dir := range []string{"a/.git/objects", "a/.git/refs", "loose/.git/objects", "loose/.git/refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	write("a/.git/HEAD", "ref: refs/heads/main\n")
	write("a/sub/x", "")
	write("a/README", "")
	write("b/.git", "gitdir: ../a/.git/worktrees/b\n")
	write("a/.git/worktrees/b/HEAD", "ref: refs/heads/fix/1\n")
	write("a/.git/worktrees/b/commondir", "../..\n")
	write("loose/.git/HEAD", "0123456789012345678901234567890123456789\n")
	write("broken/.git", "gitdir: nowhere\n")
	r := stopsDeletions(t, `any(commands, .program == "git" and .subcommand == "commit" and branch(#) == "main")`)
	a := filepath.Join(root, "a")
	for line, stops := range map[string]bool{
		"git commit -m x":                                        true,
		"cd sub && git commit -m x":                              true,
		"git -C sub commit -m x":                                 true,
		"git commit -m x && git checkout fix":                    true,
		"git checkout -b fix && git checkout main && git commit": true,
		"git checkout README && git commit -m x":                 true,
		"git checkout main -- README && git commit -m x":         true,
		"git checkout --help; git commit -m x":                   true,
		"cd ../b && git checkout fix; cd ../a; git commit -m x":  true,
		"git checkout -b fix && git commit -m x":                 false,
		"git checkout -b fix main && git commit -m x":            false,
		"git switch -c fix; git commit -m x":                     false,
		"git switch fix\ngit commit -m x":                        false,
		"git checkout --track origin/fix && git commit":          false,
		"git checkout --detach main && git commit -m x":          false,
		"git -C ../b commit -m x":                                false,
		"cd ../b && git commit -m x":                             false,
		"cd ../loose && git commit -m x":                         false,
		"cd .. && git commit -m x":                               false,
		"git push":                                               false,
	} {
		action := lineIn(a, line)
		got, err := r.When(t.Context(), action, r.Match(action))
		require.NoError(t, err, line)
		require.Equal(t, stops, got, line)
	}
	for _, line := range []string{"cd $X && git commit -m x", "cd ~other && git commit -m x", "git checkout - && git commit -m x", "git switch $X && git commit -m x", "cd ../broken && git commit -m x"} {
		action := lineIn(a, line)
		_, err := r.When(t.Context(), action, r.Match(action))
		require.Error(t, err, line)
	}
}

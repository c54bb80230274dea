package telemetry

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIgnore(t *testing.T) {
	t.Parallel()
	const added = "/sentinel.log\n/sentinel.log.[0-9]*\n"
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", added},
		{"other lines", "*.tmp\n", "*.tmp\n" + added},
		{"no line end", "*.tmp", "*.tmp\n" + added},
		{"a part is there", "/sentinel.log\n", added},
		{"all is there", "#\n" + added + "x\n", "#\n" + added + "x\n"},
		{"CRLF", "*.tmp\r\n", "*.tmp\r\n" + strings.ReplaceAll(added, "\n", "\r\n")},
		{"only alike", "sentinel.log2\n", "sentinel.log2\n" + added},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, ".gitignore")
			if c.before != "" {
				require.NoError(t, os.WriteFile(path, []byte(c.before), 0o644))
			}
			for range 2 {
				require.NoError(t, Ignore(filepath.Join(dir, "sentinel.log")))
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, c.after, string(got))
			}
		})
	}
	require.Error(t, Ignore(filepath.Join(t.TempDir(), "missing", "sentinel.log")))
	require.ErrorContains(t, Ignore(filepath.Join(t.TempDir(), "a\n*")), "choose another name")
}

// Git itself says what the patterns mean.
func TestIgnoreForGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(args ...string) (string, error) {
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		return string(out), err
	}
	_, err = run("init", "-q")
	require.NoError(t, err)
	for _, log := range []string{"sentinel.log", "my [log]*", "!x", "#x", "end "} {
		require.NoError(t, Ignore(filepath.Join(dir, log)))
		for name, ignored := range map[string]bool{
			log: true, log + ".1": true, log + ".12": true, "sub/" + log: false, log + "x": false, "config.yaml": false, "rules": false, "my llog": false,
		} {
			_, err := run("check-ignore", "-q", "--", name)
			require.Equal(t, ignored, err == nil, "%q with the log %q", name, log)
		}
	}
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test's own binary be the command.
func TestMain(m *testing.M) {
	if os.Getenv("SENTINEL_WORDLIST_TEST") != "" {
		main()
	}
	os.Exit(m.Run())
}

// example is a file of the rules that the example comes with.
func example(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", ".claude", "sentinel", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

func TestTheCommandJudgesByTheLists(t *testing.T) {
	t.Parallel()
	configuration, rule := example(t, "config.yaml"), example(t, "rules/codenames.yaml")
	for name, c := range map[string]struct {
		configuration, rule string
		args                []string
		status              int
		says                string
	}{
		"a word in a file":     {configuration, rule, []string{"check", "--write", "README.md", "--content", "heron.md"}, 2, "This repository is public."},
		"a word in a command":  {configuration, rule, []string{"check", "--bash", "git commit -m 'for project heron'"}, 2, `which the list "codenames" does not allow`},
		"a word in a call":     {configuration, rule, []string{"check", "--mcp", "github:create_issue", "--args", `{"title":"Project-Heron is late"}`}, 2, "This repository is public."},
		"no such word":         {configuration, rule, []string{"check", "--bash", "git commit -m 'for a bird'"}, 0, "ALLOW"},
		"no such list, strict": {configuration + "fail_open: false\n", strings.Replace(rule, "codenames", "cities", 1), []string{"check", "--bash", "ls"}, 2, `there is no list "cities"`},
		"the rules are sound":  {configuration, rule, []string{"rules", "lint"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			folder := filepath.Join(dir, ".claude", "sentinel")
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "rules"), 0o755))
			for file, text := range map[string]string{
				filepath.Join(folder, "config.yaml"):             c.configuration,
				filepath.Join(folder, "rules", "codenames.yaml"): c.rule,
				filepath.Join(dir, "heron.md"):                   "Project Heron, a plan\n",
			} {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			cmd := exec.Command(os.Args[0], c.args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "SENTINEL_WORDLIST_TEST=1", "NO_COLOR=1", "HOME="+t.TempDir(),
				"XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "SENTINEL_CONFIG_DIR=")
			out, err := cmd.CombinedOutput()
			status := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				status = exit.ExitCode()
			} else {
				require.NoError(t, err)
			}
			require.Equal(t, c.status, status, "%s", out)
			require.Contains(t, string(out), c.says)
		})
	}
}

// It sets up itself.
func TestInitWritesItsOwnName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "init", "--backend", "wordlist", "--agent", "claude")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SENTINEL_WORDLIST_TEST=1", "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "SENTINEL_CONFIG_DIR=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	settings, err := os.ReadFile(filepath.Join(dir, ".claude", "settings.json"))
	require.NoError(t, err)
	require.Contains(t, string(settings), `"sentinel-wordlist hook"`)
}

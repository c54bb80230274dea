package judge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAddedJudge builds the command with one judge more, by the recipe of CONTRIBUTING: a
// folder, testdata/oracle, and a line of the table with its import. Each command knows the
// judge then.
func TestAddedJudge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the command: not with -short")
	}
	sentinel := withOracle(t)
	repo, home := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(repo, ".claude", "sentinel", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	run := func(stdin string, want int, args ...string) string {
		t.Helper()
		cmd := exec.Command(sentinel, args...)
		cmd.Dir, cmd.Stdin = repo, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "NO_COLOR=1")
		out, _ := cmd.CombinedOutput()
		require.Equal(t, want, cmd.ProcessState.ExitCode(), "%v: %s", args, out)
		return string(out)
	}
	put("config.yaml", "backend: oracle\nbackends: {oracle: {word: drop}}\ncontext: {enabled: false}\nscribe: {enabled: false}\n")
	put("rules/tables.yaml", "trigger: bash\nprompt: 'Is it bad? {{command}}'\nmessage: Keep the tables.\n")
	put("rules/named.yaml", "trigger: file_write\nbackend: oracle\nprompt: 'Is it bad? {{file_path}}'\n")

	require.Equal(t, "drop\n", run("", 0, "config", "get", "backends.oracle.word"))
	require.Contains(t, run("", 1, "config", "get", "backends.oracle.wort"), "backends.oracle.word")
	require.Contains(t, run("", 0, "__complete", "config", "set", "backend", ""), "oracle\n")
	require.NotContains(t, run("", 0, "rules", "lint"), "unknown backend")
	require.Contains(t, run("", 0, "rules", "explain", "named"), "1. oracle delphi: asks a model")

	doctor := run("", 0, "doctor")
	require.Contains(t, doctor, "oracle")
	require.Contains(t, doctor, "delphi foresees in ")
	require.Contains(t, doctor, "free: .sentinel/sessions")

	for command, status := range map[string]int{"psql -c 'drop table x'": 2, "ls": 0} {
		event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"Bash","tool_input":{"command":%q}}`, filepath.ToSlash(repo), command)
		run(event, status, "hook", "--agent", "claude")
	}

	put("config.yaml", "backend: oracel\n")
	require.Contains(t, run("", 0, "rules", "lint"), "did you mean `oracle`?")
}

// withOracle builds the command with the judge of testdata/oracle.
func withOracle(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	top, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	table := filepath.Join(top, "config", "backends.go")
	code, err := os.ReadFile(table)
	require.NoError(t, err)
	for before, line := range map[string]string{
		"\t\"github.com/agentsentinel/sentinel/internal/judge\"\n": "\t\"github.com/agentsentinel/sentinel/internal/judge/oracle\"\n",
		"\n\t// Other holds": "\tOracle oracle.Settings `yaml:\"oracle\" json:\"oracle\" jsonschema:\"Somebody who knows.\"`\n",
	} {
		require.Contains(t, string(code), before)
		code = bytes.Replace(code, []byte(before), []byte(line+before), 1)
	}
	changed := filepath.Join(dir, "backends.go")
	require.NoError(t, os.WriteFile(changed, code, 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		table: changed,
		filepath.Join(top, "internal", "judge", "oracle", "oracle.go"): filepath.Join(top, "internal", "judge", "testdata", "oracle", "oracle.go"),
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not on the PATH of this test")
	}
	program := filepath.Join(dir, "sentinel.exe")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/sentinel")
	build.Dir = top
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

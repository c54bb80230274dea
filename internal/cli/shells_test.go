package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// shellVariable names a POSIX shell where none is in PATH.
const shellVariable = "SENTINEL_TEST_SH"

// TestRegisteredLinesBlock has the shells that agents use run the registered line, with a
// program in a folder with blanks and umlauts: a force-push is answered to the byte.
func TestRegisteredLinesBlock(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(dir, "Bücher & so")
	program := filepath.Join(dir, "sentinel")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	repo := filepath.Join(dir, "repo")
	rules := filepath.Join(repo, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	own, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(own)
	require.NoError(t, err)
	programtest.Write(t, program, string(text))
	rule := "trigger: bash\nscope: [\"git push*\"]\nbackend: builtin\nwhen: any(commands, hasFlag(#, \"--force\"))\nmessage: Not by force, Jürgen.\n"
	require.NoError(t, os.WriteFile(filepath.Join(rules, "force.yaml"), []byte(rule), 0o600))

	const stopped = "Sentinel blocked this: Not by force, Jürgen. [force] (from .claude/sentinel/rules/force.yaml) ⟦Sentinel: if the call is needed as it is, " +
		"tell your user, who can let this one call through from a terminal of their own with: sentinel allow CODE⟧"
	posix := cmp.Or(os.Getenv(shellVariable), "sh")
	for name, shell := range map[string]struct {
		shell  install.Shell
		start  func(line string) *exec.Cmd
		needs  string
		ending string
	}{
		"sh":             {install.Posix, func(line string) *exec.Cmd { return exec.Command(posix, "-c", line) }, posix, ""},
		"sh, strict":     {install.Posix, func(line string) *exec.Cmd { return exec.Command(posix, "-c", line) }, posix, install.ElseDeny},
		"cmd.exe":        {install.Cmd, byCmd, "cmd.exe", ""},
		"strict cmd.exe": {install.Cmd, byCmd, "cmd.exe", install.ElseDeny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "strict cmd.exe" {
				programtest.SkipOnWine(t, "cmd.exe runs what is behind || whatever was before it")
			}
			if _, err := exec.LookPath(shell.needs); err != nil {
				t.Skipf("%s is not on this machine", shell.needs)
			}
			for _, c := range []struct{ agent, command, stdout, stderr, status string }{
				{"codex", "git push --force", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + stopped + `"}}`, "", "0"},
				{"amazonq", "git push --force", "", stopped + "\n", "2"},
				{"codex", "git push", "", "", "0"},
				{"amazonq", "git push", "", "", "0"},
			} {
				hook := install.Hook{Program: program, GOOS: runtime.GOOS}
				line := shell.shell.Line(hook.Call(0, "--agent", c.agent)) + shell.ending
				event, err := json.Marshal(map[string]any{
					"session_id": name, "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": repo,
					"tool_input": map[string]string{"command": c.command},
				})
				require.NoError(t, err)
				cmd := shell.start(line)
				cmd.Dir, cmd.Stdin = repo, bytes.NewReader(event)
				cmd.Env = append(os.Environ(), "HOME="+dir, "USERPROFILE="+dir, "LOCALAPPDATA="+dir, "APPDATA="+dir)
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				_ = cmd.Run()
				code := regexp.MustCompile(`allow \w{4}`)
				require.Equal(t, c.stdout, code.ReplaceAllString(stdout.String(), "allow CODE"), line)
				require.Equal(t, c.stderr, code.ReplaceAllString(stderr.String(), "allow CODE"), line)
				require.Equal(t, c.status, strconv.Itoa(cmd.ProcessState.ExitCode()), line)
			}
		})
	}
}

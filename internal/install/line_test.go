package install_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// line is the first command line that is registered for an agent: that of the
// event before a tool.
func line(t *testing.T, agent, key string, h install.Hook) string {
	t.Helper()
	for _, text := range written(t, agent, place(t, h.GOOS), h) {
		found := regexp.MustCompile(`"` + key + `": ("(?:[^"\\]|\\.)*")`).FindStringSubmatch(text)
		require.NotNil(t, found, text)
		var s string
		require.NoError(t, json.Unmarshal([]byte(found[1]), &s))
		return s
	}
	return ""
}

// TestLinesRun has a shell run what is registered: with a sentinel that blocks,
// with one that fails, and with none.
func TestLinesRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the lines are for a POSIX shell")
	}
	dir := filepath.Join(t.TempDir(), "it's a $HOME; folder")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	program := filepath.Join(dir, "sentinel")
	programtest.Write(t, program, "#!/bin/sh\necho \"$@\"\nexit ${STATUS:-0}\n")
	run := func(line string, status string) (out string, exit int) {
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Env = []string{"STATUS=" + status, "PATH=/usr/bin:/bin"}
		stdout, err := cmd.Output()
		if err != nil {
			require.ErrorAs(t, err, new(*exec.ExitError))
		}
		return strings.TrimSpace(string(stdout)), cmd.ProcessState.ExitCode()
	}
	for _, tt := range []struct {
		agent, key                    string
		strict                        bool
		blocking, failing, notThereIs int // exit status when sentinel ends with 2, with 1, is not there
	}{
		{"claude", "command", false, 2, 1, 127},
		{"copilot", "bash", false, 0, 0, 0},
		{"copilot", "bash", true, 2, 2, 2},
		{"cursor", "command", true, 2, 1, 127},
		{"windsurf", "command", false, 2, 1, 127},
		{"windsurf", "command", true, 2, 2, 2},
		{"amazonq", "command", false, 2, 1, 127},
		{"amazonq", "command", true, 2, 2, 2},
		{"kiro", "command", false, 2, 1, 127},
		{"kiro", "command", true, 2, 2, 2},
		{"codex", "command", false, 2, 1, 127},
		{"codex", "command", true, 2, 2, 2},
		{"gemini", "command", false, 0, 0, 0},
		{"gemini", "command", true, 2, 1, 127},
		{"qwen", "command", false, 2, 1, 127},
		{"qwen", "command", true, 2, 2, 2},
	} {
		h := install.Hook{GOOS: "linux", Strict: tt.strict, Program: program}
		text := line(t, tt.agent, tt.key, h)
		out, exit := run(text, "0")
		require.Equal(t, 0, exit, text)
		require.True(t, strings.HasPrefix(out, "hook"), text)
		if tt.agent == "copilot" {
			require.Equal(t, "hook --phase pre", out)
		} else if tt.agent != "claude" {
			require.Contains(t, out, " --agent ", text)
		}
		_, exit = run(text, "2")
		require.Equal(t, tt.blocking, exit, text)
		_, exit = run(text, "1")
		require.Equal(t, tt.failing, exit, text)
		h.Program = filepath.Join(dir, "none", "sentinel")
		_, exit = run(line(t, tt.agent, tt.key, h), "0")
		require.Equal(t, tt.notThereIs, exit, text)
	}
}

// TestLinesForOthers: where a file has a line for each system, a path of this one
// is not in the lines of the others.
func TestLinesForOthers(t *testing.T) {
	t.Parallel()
	unix := install.Hook{GOOS: "linux", Program: "/opt/my tools/sentinel"}
	windows := install.Hook{GOOS: "windows", Program: `C:\my tools\sentinel.exe`}
	for _, tt := range []struct {
		agent, key string
		hook       install.Hook
		want       string
	}{
		{"copilot", "bash", unix, "'/opt/my tools/sentinel' hook --phase pre; exit 0"},
		{"copilot", "powershell", unix, `cmd /c "sentinel hook --phase pre & exit 0"`},
		{"windsurf", "powershell", unix, "sentinel hook --agent windsurf; exit $LASTEXITCODE"},
		{"copilot", "bash", windows, "sentinel hook --phase pre; exit 0"},
		{"copilot", "powershell", windows, `& 'C:\my tools\sentinel.exe' hook --phase pre; exit 0`},
		{"copilot", "powershell", install.Hook{GOOS: "windows", Program: `C:\bin\sentinel.exe`, Strict: true}, `cmd /c "C:\bin\sentinel.exe hook --phase pre || exit 2"`},
		{"windsurf", "command", windows, "sentinel hook --agent windsurf"},
		{"windsurf", "powershell", windows, `& 'C:\my tools\sentinel.exe' hook --agent windsurf; exit $LASTEXITCODE`},
		{"amazonq", "command", windows, `"C:\my tools\sentinel.exe" hook --agent amazonq`},
		{"gemini", "command", windows, `& 'C:\my tools\sentinel.exe' hook --agent gemini; exit 0`},
		{"cursor", "command", install.Hook{GOOS: "windows", Program: `C:\it's\sentinel.exe`}, `& 'C:\it''s\sentinel.exe' hook --agent cursor`},
		{"cursor", "command", install.Hook{GOOS: "windows", Program: `C:\bin\sentinel.exe`}, `C:\bin\sentinel.exe hook --agent cursor`},
		{"codex", "command", install.Hook{GOOS: "linux", Program: "/opt/it's/sentinel"}, `'/opt/it'\''s/sentinel' hook --agent codex`},
		{"codex", "command", install.Hook{GOOS: "linux", Command: `"/opt/my tools/sentinel" hook --deadline 4s`}, "'/opt/my tools/sentinel' hook --agent codex --deadline 4s"},
		{"claude", "command", install.Hook{GOOS: "linux", Program: "/opt/my tools/sentinel"}, "'/opt/my tools/sentinel' hook"},
		{"claude", "command", windows, `C:\my tools\sentinel.exe`},
	} {
		require.Equal(t, tt.want, line(t, tt.agent, tt.key, tt.hook))
	}
}

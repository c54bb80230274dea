package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

func TestIsPython(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"python3 .claude/hooks/sentinel.py":                      true,
		`python3 "$CLAUDE_PROJECT_DIR"/hooks/sentinel.py --post`: true,
		"/usr/bin/python3.11 -u /opt/s/sentinel_context.py":      true,
		"PYTHONUTF8=1 python sentinel_scribe.py --flush":         true,
		"uv run hooks/sentinel.py":                               true,
		"./hooks/sentinel.py":                                    true,
		"py C:\\s\\sentinel.py":                                  true,
		"python3 mysentinel.py":                                  false,
		"python3 sentinel.py && rm x":                            false,
		"python3 sentinel.py.bak":                                false,
		"cat sentinel.py":                                        false,
		"sentinel hook":                                          false,
		"":                                                       false,
	} {
		require.Equal(t, want, install.IsPython(command, nil), command)
	}
	require.True(t, install.IsPython("python3", []string{"/x/sentinel.py"}))
}

// TestPythonRemoval: only the hooks of the Python Sentinel go, and the rest of the file
// stays as it is.
func TestPythonRemoval(t *testing.T) {
	t.Parallel()
	p := place(t, "linux")
	targets, err := targetsOf(p, "claude", install.Repository)
	require.NoError(t, err)
	const before = `{
  "model": "x",
  "hooks": {
    "PreToolUse": [
      {"matcher": "", "hooks": [{"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/sentinel.py"}]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "python3 sentinel.py"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "python3 hooks/sentinel_context.py"}]}]
  }
}
`
	require.NoError(t, os.MkdirAll(filepath.Dir(targets[0].File), 0o755))
	require.NoError(t, os.WriteFile(targets[0].File, []byte(before), 0o644))
	c, err := install.PlanPythonRemoval(targets[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"x","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}`, string(c.After))
	require.NoError(t, c.Apply())
	c, err = install.PlanPythonRemoval(targets[0])
	require.NoError(t, err)
	require.False(t, c.Changed())
}

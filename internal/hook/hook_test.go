package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/project"
)

// An agent reads one answer: a fault in what is done afterwards changes nothing, and
// is noted.
func TestAFaultAfterTheAnswerChangesNothing(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "repo", ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "a.yaml"), []byte("trigger: bash\nwhen: \"true\"\nseverity: warn\nmessage: careful\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "../config.yaml"), []byte("backend: builtin\nfail_open: false\n"), 0o600))
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": filepath.Join(dir, "repo"), "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_use_id": "1", "tool_input": map[string]string{"command": "rm x"},
	})
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	status := Run(&Env{
		Args: []string{"--agent", "claude"}, Stdin: bytes.NewReader(event), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" }, Dir: dir, Now: time.Now,
		Project: func() *project.Options {
			if stdout.Len() > 0 {
				panic("after the answer")
			}
			return &project.Options{StateDir: filepath.Join(dir, "state")}
		},
		Observe: func(context.Context, time.Time, sentinel.Event, sentinel.Decision) error { return nil },
	})
	require.Equal(t, exit.OK, status)
	require.Empty(t, stderr.String())
	require.Equal(t, 1, strings.Count(stdout.String(), "careful"))
	require.NotContains(t, stdout.String(), "deny")
	notes, err := os.ReadFile(filepath.Join(dir, "state", "notes.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(notes), "after the answer")
}

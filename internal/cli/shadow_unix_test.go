//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// The agent has its answer, and it holds nothing of the hook any more, while the
// judge of a shadow rule has not even begun to answer. The log gets its line later.
func TestHookDoesNotWaitForShadowRules(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(answer, fakeserver.OllamaText(`{"violation":true,"confidence":0.9,"reason":"no"}`)))
	s := newStopped(t, model.URL)
	s.write(".claude/sentinel/config.yaml", "log_file: log.jsonl\ncontext: {enabled: false}\nscribe: {enabled: false}\nbackends: {ollama: {url: \""+model.URL+"\"}}\ntimeout_ms: 120000\n")
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, ".claude", "sentinel", "rules"), 0o755))
	s.write(".claude/sentinel/rules/later.yaml", "trigger: bash\nmode: shadow\nprompt: no {{command}}\n")

	event, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": s.dir, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]any{"command": "git push"},
	})
	require.NoError(t, err)
	cmd := s.hook("s1")
	cmd.Stdin = bytes.NewReader(event)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // pipes: Run returns when no process has them any more
	require.NoError(t, cmd.Run())
	require.Empty(t, out.String())
	require.NoError(t, model.Await(t.Context(), 1), "the child asks")

	read := func() string {
		data, err := os.ReadFile(filepath.Join(s.dir, "log.jsonl"))
		require.NoError(t, err)
		return string(data)
	}
	require.NotContains(t, read(), `"would"`)
	close(answer)
	require.Eventually(t, func() bool { return strings.Contains(read(), `"would":"block"`) }, 2*time.Minute, 5*time.Millisecond)
}

package replay_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/replay"
)

func TestFind(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	project := filepath.Join(home, "repo.x")
	require.NoError(t, os.MkdirAll(project, 0o755))
	write := func(name, text string) {
		path := filepath.Join(home, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	claude := func(dir string) string {
		return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":"go"},"cwd":%q,"sessionId":"s","uuid":"u"}`+"\n", dir)
	}
	codex := func(dir string) string {
		return fmt.Sprintf(`{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":%q,"originator":"codex"}}`+"\n", dir) +
			`{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}}` + "\n"
	}
	mangled := strings.NewReplacer("/", "-", ".", "-", "_", "-", `\`, "-", ":", "-").Replace(project)
	sub, twin := filepath.Join(project, "sub"), project+"-twin"
	write(".claude/projects/"+mangled+"/a.jsonl", claude(project))
	write(".claude/projects/"+mangled+"/a/subagents/agent-1.jsonl", claude(project))
	write(".claude/projects/"+mangled+"/a/notes.txt", "x")
	write(".claude/projects/"+mangled+"-sub/b.jsonl", claude(sub))
	write(".claude/projects/"+mangled+"-twin/c.jsonl", claude(twin))
	write(".claude/projects/-elsewhere/d.jsonl", claude(project))
	write(".claude/projects/"+mangled+"/torn.jsonl", "{")
	write(".codex/sessions/2026/05/04/rollout-1.jsonl", codex(project))
	write(".codex/sessions/2026/05/04/rollout-2.jsonl", codex(twin))
	sum := sha256.Sum256([]byte(project))
	write(".gemini/tmp/"+hex.EncodeToString(sum[:])+"/chats/session-1.json", "{}")
	write(".gemini/tmp/repo/.project_root", project+"\n")
	write(".gemini/tmp/repo/chats/session-2.jsonl", "{}")
	write(".gemini/tmp/other/.project_root", twin)
	write(".gemini/tmp/other/chats/session-3.jsonl", "{}")
	fileURL := (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(project), "/")}).String()
	write(".config/Code/User/workspaceStorage/1/workspace.json", fmt.Sprintf(`{"folder":%q}`, fileURL))
	write(".config/Code/User/workspaceStorage/1/GitHub.copilot-chat/transcripts/e.jsonl", "{}")
	write(".config/Code/User/workspaceStorage/2/workspace.json", `{"folder":"vscode-remote://x/y"}`)
	write(".config/Code/User/workspaceStorage/2/GitHub.copilot-chat/transcripts/f.jsonl", "{}")

	found := replay.Find(t.Context(), project, replay.Places{Machine: agent.Place{Home: home, GOOS: "linux"}})
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f.Path))
	}
	require.ElementsMatch(t, []string{"a.jsonl", "agent-1.jsonl", "b.jsonl", "rollout-1.jsonl", "session-1.json", "session-2.jsonl", "e.jsonl"}, names)
	require.Empty(t, replay.Find(t.Context(), project, replay.Places{}))
}

package hook_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/hook"
)

func TestByName(t *testing.T) {
	t.Parallel()
	require.True(t, slices.IsSorted(hook.Names()))
	for _, name := range hook.Names() {
		ag, err := hook.ByName(name)
		require.NoError(t, err)
		require.Equal(t, name, ag.Name())
	}
	for _, name := range []string{"", "cluade", "Claude", "../claude", strings.Repeat("x", 1000)} {
		_, err := hook.ByName(name)
		require.ErrorContains(t, err, `the nearest known one is "claude"`, "%q", name)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdin string
		want        string
	}{
		{"the least that is sent", `{"session_id":"s","cwd":"/r","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, "claude"},
		{"permission mode", `{"session_id":"s","cwd":"/r","hook_event_name":"Stop","permission_mode":"plan"}`, "claude"},
		{"transcript", `{"session_id":"s","hook_event_name":"SessionStart","transcript_path":"/h/.claude/projects/x/s.jsonl"}`, "claude"},
		{"an event that is not known yet", `{"session_id":"s","hook_event_name":"SomethingNew","transcript_path":""}`, "claude"},
		{"camel case fields", `{"sessionId":"s","timestamp":1760000000000,"cwd":"/r","toolName":"bash","toolArgs":"{}"}`, ""},
		{"time in the event", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2026-10-20T10:00:00Z","cwd":"/r","tool_name":"Write","tool_input":{}}`, ""},
		{"turns are numbered", `{"hook_event_name":"PreToolUse","session_id":"s","turn_id":"t","transcript_path":"/x","tool_name":"Bash","tool_input":{}}`, ""},
		{"session of another kind of transcript", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"/h/.codex/sessions/2026/11/20/rollout-2026.jsonl"}`, ""},
		{"the same on Windows", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"C:\\h\\.codex\\sessions\\rollout-2026.jsonl"}`, ""},
		{"lower case event", `{"hook_event_name":"preToolUse","cwd":"/r","session_id":"s","tool_name":"fs_write","tool_input":{}}`, ""},
		{"event with another name", `{"hook_event_name":"BeforeTool","session_id":"s","transcript_path":"/x","tool_name":"t","tool_input":{}}`, ""},
		{"conversation", `{"hook_event_name":"PreToolUse","conversation_id":"c","generation_id":"g","session_id":"s","tool_name":"Shell","tool_input":{},"transcript_path":null}`, ""},
		{"no session", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, ""},
		{"too little to tell", `{"hook_event_name":"Stop","session_id":"s","cwd":"/r"}`, ""},
		{"transcript of another type", `{"hook_event_name":"Stop","session_id":"s","transcript_path":7}`, ""},
		{"no event", `{"session_id":"s","transcript_path":"/x"}`, ""},
		{"not JSON", `hello`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name, ok := hook.Detect([]byte(tt.stdin))
			require.Equal(t, tt.want, name)
			require.Equal(t, tt.want != "", ok)
		})
	}
}

// TestDetectRecordings holds that no event of another agent is taken for one of
// Claude Code's.
func TestDetectRecordings(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"cline", "codex", "copilot", "gemini", "opencode", "qwen"} {
		for _, file := range recordings(t, agent+"/*/*.json") {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			name, ok := hook.Detect(stdin)
			require.False(t, ok, "%s taken for %s", file, name)
		}
	}
}

func Example() {
	stdin := []byte(`{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse",
		"tool_name":"Bash","tool_input":{"command":"git push --force"}}`)

	name, _ := hook.Detect(stdin)
	agent, err := hook.ByName(name)
	if err != nil {
		panic(err)
	}
	ev, err := agent.Decode(stdin)
	if err != nil {
		panic(err)
	}
	decision := sentinel.Decision{ // what an engine would return
		Verdict: sentinel.VerdictBlock,
		Findings: []sentinel.Finding{{
			Rule:    &sentinel.RuleSpec{ID: "force-push"},
			Outcome: sentinel.OutcomeViolation,
			Verdict: sentinel.VerdictBlock,
			Reason:  "Push without --force.",
		}},
	}
	answer := agent.Encode(ev, decision)
	fmt.Printf("%s %s %s\n", ev.Agent, ev.Phase, ev.Tool.Name)
	fmt.Printf("exit %d: %s", answer.Exit, answer.Stderr)
	// Output:
	// claude pre Bash
	// exit 2: Sentinel blocked this: Push without --force. [force-push]
}

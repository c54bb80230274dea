package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestByName(t *testing.T) {
	t.Parallel()
	require.True(t, slices.IsSorted(agenttest.ProtocolNames()))
	for _, name := range agenttest.ProtocolNames() {
		ag, err := agenttest.ByName(name)
		require.NoError(t, err)
		require.Equal(t, name, ag.Name)
	}
	for _, name := range []string{"cluade", "Claude", "../claude"} {
		_, err := agenttest.ByName(name)
		require.ErrorContains(t, err, `the nearest known one is "claude"`, "%q", name)
	}
	for _, name := range []string{"", strings.Repeat("x", 1000)} {
		_, err := agenttest.ByName(name)
		require.ErrorContains(t, err, "known: ", "%q", name)
		require.ErrorContains(t, err, "gemini", "%q", name)
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stdin string
		want        string
	}{
		{"the least that is sent", `{"session_id":"s","cwd":"/r","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, "claude"},
		{"a tool call and nothing else", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, "claude"},
		{"a tool call and something else", `{"tool_name":"Bash","tool_input":{},"arguments":{}}`, ""},
		{"a tool call with its result", `{"tool_name":"Bash","tool_input":{},"tool_response":"x"}`, ""},
		{"a tool call without a name", `{"tool_name":"","tool_input":{}}`, ""},
		{"permission mode", `{"session_id":"s","cwd":"/r","hook_event_name":"Stop","permission_mode":"plan"}`, "claude"},
		{"transcript", `{"session_id":"s","hook_event_name":"SessionStart","transcript_path":"/h/.claude/projects/x/s.jsonl"}`, "claude"},
		{"an event that is not known yet", `{"session_id":"s","hook_event_name":"SomethingNew","transcript_path":""}`, "claude"},
		{"camel case fields", `{"sessionId":"s","timestamp":1760000000000,"cwd":"/r","toolName":"bash","toolArgs":"{}"}`, "copilot"},
		{"time in the event", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"2026-10-20T10:00:00Z","cwd":"/r","tool_name":"Write","tool_input":{}}`, "copilot"},
		{"turns are numbered", `{"hook_event_name":"PreToolUse","session_id":"s","turn_id":"t","transcript_path":"/x","tool_name":"Bash","tool_input":{}}`, "codex"},
		{"turns are numbered and no transcript is kept", `{"hook_event_name":"Stop","session_id":"s","turn_id":"t","transcript_path":null}`, "codex"},
		{"a transcript of another folder", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"/x/rollout-2026.txt","cwd":"/r"}`, ""},
		{"session of another kind of transcript", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"/h/.codex/sessions/2026/11/20/rollout-2026.jsonl"}`, "codex"},
		{"the same on Windows", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"C:\\h\\.codex\\sessions\\rollout-2026.jsonl"}`, "codex"},
		{"lower case event", `{"hook_event_name":"preToolUse","cwd":"/r","session_id":"s","tool_name":"fs_write","tool_input":{}}`, "amazonq"},
		{"event with another name", `{"hook_event_name":"BeforeTool","session_id":"s","transcript_path":"/x","tool_name":"t","tool_input":{}}`, "gemini"},
		{"before a model", `{"hook_event_name":"BeforeModel"}`, "gemini"},
		{"a session with time and transcript ends", `{"hook_event_name":"SessionEnd","session_id":"s","transcript_path":"/x","cwd":"/r","timestamp":"2026-10-20T10:00:00Z"}`, "gemini"},
		{"a session begins, told by the folder", `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"/h/.gemini/tmp/r/chats/session-1.jsonl","timestamp":"t"}`, "gemini"},
		{"a session begins, on Windows", `{"hook_event_name":"SessionStart","session_id":"s","transcript_path":"C:\\h\\.gemini\\tmp\\session-1.jsonl","timestamp":"t"}`, "gemini"},
		{"another folder of transcripts", `{"hook_event_name":"Stop","session_id":"s","transcript_path":"/h/.qwen/projects/r/chats/s.jsonl","cwd":"/r","timestamp":"t"}`, "qwen"},
		{"a tool that one agent has under that event", `{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","tool_name":"run_shell_command","tool_input":{},"tool_use_id":"u"}`, "qwen"},
		{"the same, without time", `{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"write_file","tool_input":{}}`, "qwen"},
		{"the plugin", `{"hook_event_name":"tool.execute.before","session_id":"s","cwd":"/r","tool_name":"write","tool_input":{}}`, "opencode"},
		{"a callback as it is", `{"input":{"tool":"write","sessionID":"s","callID":"c"},"output":{"args":{}}}`, "opencode"},
		{"an event of the bus", `{"id":"evt_1","type":"session.idle","properties":{"sessionID":"s"}}`, "opencode"},
		{"half a callback", `{"input":{"tool":"write","sessionID":"s"}}`, ""},
		{"an event of another bus", `{"id":"ev_1","type":"session.idle","properties":{}}`, ""},
		{"conversation", `{"hook_event_name":"PreToolUse","conversation_id":"c","generation_id":"g","session_id":"s","tool_name":"Shell","tool_input":{},"transcript_path":null}`, "cursor"},
		{"no session", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`, ""},
		{"too little to tell", `{"hook_event_name":"Stop","session_id":"s","cwd":"/r"}`, ""},
		{"transcript of another type", `{"hook_event_name":"Stop","session_id":"s","transcript_path":7}`, ""},
		{"no event", `{"session_id":"s","transcript_path":"/x"}`, ""},
		{"not JSON", `hello`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name, ok := agenttest.Agents.Detect([]byte(tt.stdin))
			require.Equal(t, tt.want, name)
			require.Equal(t, tt.want != "", ok)
		})
	}
}

// TestDetectRecordings holds that no event is taken for another agent's.
func TestDetectRecordings(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude", "cline", "codex", "copilot", "gemini", "opencode", "qwen"} {
		for _, file := range agenttest.Recordings(t, agent+"*/*/*.json") {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			if name, ok := agenttest.Agents.Detect(stdin); ok {
				require.Equal(t, agent, name, file)
			}
		}
	}
}

// TestDetectGolden holds that the events of testdata are not taken for another
// agent's.
func TestDetectGolden(t *testing.T) {
	t.Parallel()
	for _, agent := range agenttest.ProtocolNames() {
		for _, file := range agenttest.GoldenEvents(t, agent) {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			if name, ok := agenttest.Agents.Detect(stdin); ok {
				require.Equal(t, agent, name, file)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const (
		plain = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/r","tool_name":"Bash","tool_input":{}}`
		turn  = `{"hook_event_name":"Stop","session_id":"s","turn_id":"t","transcript_path":null}`
	)
	for _, tt := range []struct{ name, flag, stdin, want string }{
		{"the event tells", "", plain, "claude"},
		{"the flag tells", "qwen", plain, "qwen"},
		{"the flag tells of what is no event", "gemini", `{`, "gemini"},
		{"a transcript beats the flag", "claude", `{"hook_event_name":"SessionEnd","transcript_path":"/h/.codex/sessions/rollout-1.jsonl"}`, "codex"},
		{"a folder beats the flag", "claude", `{"hook_event_name":"Stop","transcript_path":"/h/.qwen/projects/r/chats/s.jsonl"}`, "qwen"},
		{"a tool beats the flag", "codex", `{"hook_event_name":"PreToolUse","tool_name":"write_file"}`, "qwen"},
		{"a name beats the flag", "claude", `{"hook_event_name":"AfterTool","tool_name":"replace"}`, "gemini"},
		{"the spelling beats the flag", "claude", `{"input":{"sessionID":"s"},"output":{}}`, "opencode"},
		{"a field that others may add does not", "claude", turn, "claude"},
		{"but tells without a flag", "", turn, "codex"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ag, err := agenttest.Agents.Resolve(tt.flag, []byte(tt.stdin))
			require.NoError(t, err)
			require.Equal(t, tt.want, ag.Name)
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	_, err := agenttest.Agents.Resolve("", []byte(`{"hook_event_name":"Stop"}`))
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.ErrorContains(t, err, "register the hook with --agent NAME (known: ")
	_, err = agenttest.Agents.Resolve("", []byte(`{"hook_event_name":`))
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.ErrorContains(t, err, "not one JSON object")
	_, err = agenttest.Agents.Resolve("cluade", []byte(`{}`))
	require.ErrorContains(t, err, `the nearest known one is "claude"`)
}

func Example() {
	stdin := []byte(`{"session_id":"s","cwd":"/repo","hook_event_name":"PreToolUse",
		"tool_name":"Bash","tool_input":{"command":"git push --force"}}`)

	name, _ := agenttest.Agents.Detect(stdin)
	agent, err := agenttest.ByName(name)
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

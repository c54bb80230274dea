package copilot_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

func TestCopilotRefuses(t *testing.T) {
	t.Parallel()
	agenttest.RequireRefusals(t, "copilot", []agenttest.Refusal{
		{"neither dialect", `{"cwd":"/r","tool_name":"Bash"}`, "there is neither hook_event_name nor sessionId"},
		{"event of another type", `{"hook_event_name":7}`, "hook_event_name must be a string, not a number"},
		{"session of another type", `{"sessionId":7,"prompt":"x"}`, "sessionId must be a string, not a number"},
		{"session of another type, PascalCase", `{"hook_event_name":"Stop","session_id":7}`, "session_id must be a string, not a number"},
		{"transcript of another type", `{"sessionId":"s","stopReason":"x","transcriptPath":[]}`, "transcriptPath must be a string, not an array"},
		{"relative folder", `{"sessionId":"s","cwd":"repo"}`, `cwd must be an absolute path, not "repo"`},
		{"tool renamed", `{"sessionId":"s","tool":"bash","toolArgs":{}}`, "toolName is missing"},
		{"tool of another type", `{"sessionId":"s","toolName":{"name":"bash"}}`, "toolName must be a string, not an object"},
		{"no tool, PascalCase", `{"hook_event_name":"PreToolUse","session_id":"s","toolName":"bash"}`, "tool_name is missing"},
		{"arguments are a list", `{"sessionId":"s","toolName":"bash","toolArgs":["ls"]}`, "toolArgs must be an object or a string, not an array"},
		{"arguments are a number, PascalCase", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":1}`, "tool_input must be an object or a string, not a number"},
	})
}

func TestCopilotTolerates(t *testing.T) {
	t.Parallel()
	agenttest.RequireTolerance(t, "copilot", []agenttest.Tolerance{
		{"byte order mark", "\xef\xbb\xbf" + `{"sessionId":"s","toolName":"bash","toolArgs":{}}`, "bash", `{}`},
		{"no session", `{"timestamp":1,"toolName":"bash","toolArgs":{"command":"ls"}}`, "bash", `{"command":"ls"}`},
		{"no arguments", `{"sessionId":"s","toolName":"bash"}`, "bash", `{}`},
		{"null", `{"sessionId":null,"toolName":"bash","toolArgs":null,"cwd":null,"transcriptPath":null,"error":null}`, "bash", `{}`},
		{"fields nobody knows", `{"sessionId":"s","toolName":"bash","toolArgs":{"x":1},"toolCallId":[1],"mode":{"y":null}}`, "bash", `{"x":1}`},
		{"JSON in a text", `{"sessionId":"s","toolName":"bash","toolArgs":" {\"command\":\"ls\"}\n"}`, "bash", `{"command":"ls"}`},
		{"text that begins like JSON", `{"sessionId":"s","toolName":"bash","toolArgs":"{ ls; }"}`, "bash", `"{ ls; }"`},
		{"a list in a text stays a text", `{"sessionId":"s","toolName":"bash","toolArgs":"[ -f x ]"}`, "bash", `"[ -f x ]"`},
		{"JSON in a text, PascalCase", `{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":"{\"path\":\"/r/a\"}"}`, "Write", `{"path":"/r/a"}`},
		{"small first letter", `{"hook_event_name":"preToolUse","tool_name":"Bash","tool_input":{}}`, "Bash", `{}`},
	})
}

// TestCopilotFailures holds what counts as a failed call: Copilot CLI says so of
// tools, but of a command only in the last line of its output.
func TestCopilotFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fields string
		output       string
		failed       bool
	}{
		{"success", `"toolResult":{"resultType":"success","textResultForLlm":"ok"}`, "ok", false},
		{"failure", `"toolResult":{"resultType":"failure","textResultForLlm":"no"}`, "no", true},
		{"rejected", `"toolResult":{"resultType":"rejected"}`, `{"resultType":"rejected"}`, true},
		{"exit code", `"toolResult":{"resultType":"success","textResultForLlm":"x\n<shellId: 0 completed with exit code 1>\n"}`, "x\n<shellId: 0 completed with exit code 1>\n", true},
		{"older spelling", `"toolResult":{"resultType":"success","textResultForLlm":"<exited with exit code 2>"}`, "<exited with exit code 2>", true},
		{"exit code 0", `"toolResult":{"resultType":"success","textResultForLlm":"<shellId: 0 completed with exit code 0>"}`, "<shellId: 0 completed with exit code 0>", false},
		{"printed by the command itself", `"toolResult":{"resultType":"success","textResultForLlm":"<x exit code 1>\n<shellId: 0 completed with exit code 0>"}`, "<x exit code 1>\n<shellId: 0 completed with exit code 0>", false},
		{"still running", `"toolResult":{"resultType":"success","textResultForLlm":"x\n<command with shellId: 3 is still running after 10 seconds, see exit code 0>"}`, "x\n<command with shellId: 3 is still running after 10 seconds, see exit code 0>", false},
		{"prose", `"toolResult":{"resultType":"success","textResultForLlm":"it ended with exit code 1"}`, "it ended with exit code 1", false},
		{"text", `"toolResult":"plain"`, "plain", false},
		{"null", `"toolResult":null`, "", false},
		{"number", `"toolResult":7`, "7", false},
		{"error", `"error":"No match"`, "No match", true},
		{"error as an object", `"error":{"message":"No match","name":"Error"}`, "No match", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ev, err := agenttest.Named(t, "copilot").Decode([]byte(`{"sessionId":"s","toolName":"bash","toolArgs":{},` + tt.fields + `}`))
			require.NoError(t, err)
			require.Equal(t, sentinel.PhasePost, ev.Phase)
			require.Equal(t, tt.output, ev.Tool.Output)
			require.Equal(t, tt.failed, ev.Tool.Failed)
		})
	}
}

// TestCopilotContextFits holds that no context reaches 10 KB, of which Copilot CLI
// keeps only the beginning.
func TestCopilotContextFits(t *testing.T) {
	t.Parallel()
	agenttest.RequireContextBelow(t, "copilot", sentinel.Event{Phase: sentinel.PhasePost}, 10<<10)
}

// TestCopilotRecordings reads what Copilot CLI really sent, in both dialects and
// from .claude/settings.json.
func TestCopilotRecordings(t *testing.T) {
	t.Parallel()
	phases := map[string]sentinel.Phase{
		"sessionstart": sentinel.PhaseStart, "userpromptsubmitted": sentinel.PhasePrompt, "userpromptsubmit": sentinel.PhasePrompt,
		"pretooluse": sentinel.PhasePre, "posttooluse": sentinel.PhasePost, "posttoolusefailure": sentinel.PhasePost,
		"agentstop": sentinel.PhaseStop, "stop": sentinel.PhaseStop, "sessionend": sentinel.PhaseEnd,
		"permissionrequest": sentinel.PhaseUnknown,
	}
	for _, file := range agenttest.Recordings(t, "copilot/*/*.json") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		agenttest.RequireDetected(t, "copilot", file, stdin)
		ev, err := agenttest.Named(t, "copilot").Decode(stdin)
		require.NoError(t, err, file)
		event, tool := agenttest.RecordedName(file)
		phase, known := phases[strings.ToLower(event)]
		require.True(t, known, file)
		require.Equal(t, phase, ev.Phase, file)
		require.NotEmpty(t, ev.Session, file)
		require.Equal(t, "/home/dev/repo", ev.Dir, file)
		require.Equal(t, phase == sentinel.PhaseStop, ev.Transcript != "", file)
		require.Equal(t, phase == sentinel.PhasePost, ev.Tool.Output != "", file)
		require.Equal(t, strings.HasSuffix(event, "Failure") || strings.Contains(ev.Tool.Output, "exit code ") && !strings.Contains(ev.Tool.Output, "exit code 0>"), ev.Tool.Failed, file)
		if phase == sentinel.PhasePre || phase == sentinel.PhasePost {
			require.Equal(t, tool, ev.Tool.Name, file)
			require.Equal(t, "{", string(ev.Tool.Args[0]), file)
		}
	}
}

func FuzzCopilotDecode(f *testing.F) {
	agenttest.FuzzEvents(f, "copilot", `{"sessionId":"s","toolName":"Edit","toolArgs":"{\"command\":1}","toolResult":[]}`,
		`{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"command":1},"error":[null]}`)
}

// The work that a subagent does belongs to the session whose transcript has it.
func TestCopilotSubagents(t *testing.T) {
	t.Parallel()
	ag, err := agenttest.ByName("copilot")
	require.NoError(t, err)
	for _, event := range []string{
		`{"sessionId":"sub","toolName":"bash","toolArgs":{},"agentId":"sub","parentAgentId":"main"}`,
		`{"sessionId":"sub","stopReason":"end_turn","agentId":"sub","parentAgentId":"main"}`,
		`{"hook_event_name":"Stop","session_id":"sub","agent_id":"sub","parent_agent_id":"main"}`,
	} {
		ev, err := ag.Decode([]byte(event))
		require.NoError(t, err)
		require.Equal(t, "main", ev.Session, event)
		require.Equal(t, ev.Phase == sentinel.PhaseStop, ev.Part, "the turn of the session goes on: %s", event)
	}
}

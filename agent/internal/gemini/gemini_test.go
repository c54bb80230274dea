package gemini_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// TestGeminiAnswers holds for every event and decision that the decision is
// at the top and the context below the name of the event.
func TestGeminiAnswers(t *testing.T) {
	t.Parallel()
	asked, denied := 0, 0
	for _, file := range agenttest.GoldenEvents(t, "gemini") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		ev, err := agenttest.Named(t, "gemini").Decode(stdin)
		require.NoError(t, err)
		for _, d := range agenttest.Decisions() {
			ans := agenttest.Named(t, "gemini").Encode(ev, d.Decision)
			if ans.Stdout == nil || wire.Stays(ev, d.Decision) {
				continue
			}
			var out struct {
				Decision, Reason, SystemMessage string
				HookSpecificOutput              *struct{ HookEventName, AdditionalContext string }
			}
			require.NoError(t, json.Unmarshal(ans.Stdout, &out))
			if ev.Phase != sentinel.PhasePre {
				require.Empty(t, out.Decision, "after the tool it would hide the result")
				require.Equal(t, map[sentinel.Phase]string{
					sentinel.PhasePost: "AfterTool", sentinel.PhaseStart: "SessionStart", sentinel.PhasePrompt: "BeforeAgent",
				}[ev.Phase], out.HookSpecificOutput.HookEventName)
				continue
			}
			require.Nil(t, out.HookSpecificOutput, "it is dropped there")
			require.NotEmpty(t, out.Reason)
			switch out.Decision {
			case "ask":
				asked++
				require.Equal(t, sentinel.VerdictAsk, d.Decision.Verdict)
				require.Equal(t, out.Reason, out.SystemMessage, "the dialog shows the system message")
			case "deny":
				denied++
				require.Empty(t, out.SystemMessage)
			default:
				require.Fail(t, "unknown decision", out.Decision)
			}
		}
	}
	require.NotZero(t, asked)
	require.NotZero(t, denied)
}

func TestGeminiNamesTheServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ context, want string }{
		{`{"server_name":"a_b","tool_name":"c_d"}`, "mcp__a_b__c_d"},
		{`{"server_name":"a","tool_name":"b","url":"https://h/","new":[1]}`, "mcp__a__b"},
		{`{"server_name":"a"}`, "mcp_a_b"},
		{`{"server_name":"","tool_name":"b"}`, "mcp_a_b"},
		{`{"server_name":1,"tool_name":"b"}`, "mcp_a_b"},
		{`{"server_name":"a","tool_name":null}`, "mcp_a_b"},
		{`{}`, "mcp_a_b"}, {`null`, "mcp_a_b"}, {`"a"`, "mcp_a_b"}, {`[{}]`, "mcp_a_b"},
	} {
		ev, err := agenttest.Named(t, "gemini").Decode(fmt.Appendf(nil, `{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b","mcp_context":%s}`, tt.context))
		require.NoError(t, err, tt.context)
		require.Equal(t, tt.want, ev.Tool.Name, tt.context)
	}
}

// TestGeminiRecordings reads what Gemini CLI really sent.
func TestGeminiRecordings(t *testing.T) {
	t.Parallel()
	failed := 0
	for _, file := range agenttest.Recordings(t, "gemini/*/*.json") {
		ev := agenttest.Recorded(t, "gemini", file)
		event, tool := agenttest.RecordedName(file)
		require.Equal(t, map[string]sentinel.Phase{
			"SessionStart": sentinel.PhaseStart, "BeforeAgent": sentinel.PhasePrompt,
			"BeforeTool": sentinel.PhasePre, "AfterTool": sentinel.PhasePost,
			"AfterAgent": sentinel.PhaseStop, "SessionEnd": sentinel.PhaseEnd,
			"PreCompress": sentinel.PhaseUnknown,
		}[event], ev.Phase, file)
		if tool == "mcp_tracker_create_issue" {
			tool = "mcp__tracker__create_issue"
		}
		require.Equal(t, tool, ev.Tool.Name, file)
		require.Equal(t, "/home/dev/repo", ev.Dir, file)
		require.NotEmpty(t, ev.Session, file)
		require.Equal(t, ev.Phase == sentinel.PhasePost, ev.Tool.Output != "", file)
		if ev.Tool.Failed {
			failed++
		}
	}
	require.Equal(t, 1, failed, "one edit did not find its text")
}

func FuzzGeminiDecode(f *testing.F) {
	agenttest.FuzzDecode(f, "gemini",
		`{"hook_event_name":"BeforeTool","tool_name":"mcp_a_b","mcp_context":{"server_name":"a","tool_name":"b"}}`,
		`{"hook_event_name":"AfterTool","tool_name":"x","tool_response":{"llmContent":[null],"error":{}}}`)
}

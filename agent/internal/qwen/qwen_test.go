package qwen_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// TestQwenAnswers holds for every event and decision that the answer names the
// event, and that a call is asked about or refused, never both.
func TestQwenAnswers(t *testing.T) {
	t.Parallel()
	decided := map[string]int{}
	for _, file := range agenttest.GoldenEvents(t, "qwen") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		var in struct {
			Event string `json:"hook_event_name"`
		}
		require.NoError(t, json.Unmarshal(stdin, &in))
		ev, err := agenttest.Named(t, "qwen").Decode(stdin)
		require.NoError(t, err)
		for _, d := range agenttest.Decisions() {
			ans := agenttest.Named(t, "qwen").Encode(ev, d.Decision)
			if ans.Stdout == nil || wire.Stays(ev, d.Decision) {
				continue
			}
			if ev.Phase == sentinel.PhasePermission {
				require.Contains(t, string(ans.Stdout), `{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Sentinel blocked this:`)
				continue
			}
			out := agenttest.Output(t, ans)
			require.Equal(t, in.Event, out.HookEventName)
			decided[out.PermissionDecision]++
			require.Equal(t, ev.Phase == sentinel.PhasePre, out.PermissionDecision != "")
			require.Equal(t, ev.Phase == sentinel.PhasePre, out.AdditionalContext == "", "before a tool it is dropped")
		}
	}
	require.NotZero(t, decided["ask"])
	require.NotZero(t, decided["deny"])
}

func TestQwenPrompts(t *testing.T) {
	t.Parallel()
	for stdin, want := range map[string]sentinel.Phase{
		`{"hook_event_name":"UserPromptSubmit","prompt":"x"}`:  sentinel.PhasePrompt,
		`{"hook_event_name":"UserPromptSubmit","prompt":" "}`:  sentinel.PhasePrompt,
		`{"hook_event_name":"UserPromptSubmit","prompt":""}`:   sentinel.PhaseUnknown,
		`{"hook_event_name":"UserPromptSubmit"}`:               sentinel.PhasePrompt,
		`{"hook_event_name":"UserPromptSubmit","prompt":[""]}`: sentinel.PhasePrompt,
	} {
		ev, err := agenttest.Named(t, "qwen").Decode([]byte(stdin))
		require.NoError(t, err)
		require.Equal(t, want, ev.Phase, stdin)
	}
}

func TestQwenRefusesErrorOfAnotherType(t *testing.T) {
	t.Parallel()
	_, err := agenttest.Named(t, "qwen").Decode([]byte(`{"hook_event_name":"PostToolUseFailure","tool_name":"edit","error":{}}`))
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.ErrorContains(t, err, "error must be a string, not an object")
}

// TestQwenRecordings reads what Qwen Code really sent.
func TestQwenRecordings(t *testing.T) {
	t.Parallel()
	prompts := 0
	for _, file := range agenttest.Recordings(t, "qwen/*/*.json") {
		ev := agenttest.Recorded(t, "qwen", file)
		event, tool := agenttest.RecordedName(file)
		switch event {
		case "UserPromptSubmit":
			if ev.Phase == sentinel.PhasePrompt {
				prompts++
			}
		default:
			require.Equal(t, map[string]sentinel.Phase{
				"PreToolUse": sentinel.PhasePre, "PostToolUse": sentinel.PhasePost, "Stop": sentinel.PhaseStop,
				"Notification": sentinel.PhaseUnknown,
			}[event], ev.Phase, file)
		}
		require.Equal(t, tool, ev.Tool.Name, file)
		require.Equal(t, "/home/dev/repo", ev.Dir, file)
		require.Equal(t, tool != "", ev.Tool.ID != "", file)
		require.Equal(t, ev.Phase == sentinel.PhasePost, ev.Tool.Output != "", file)
	}
	require.Equal(t, 1, prompts, "a person wrote one; the others are repetitions")
}

func FuzzQwenDecode(f *testing.F) {
	agenttest.FuzzDecode(f, "qwen", `{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":{"llmContent":{"text":"a"}}}`)
}

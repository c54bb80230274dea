package agent_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// TestQwenAnswers holds for every event and decision that the answer names the
// event, and that a call is asked about or refused, never both.
func TestQwenAnswers(t *testing.T) {
	t.Parallel()
	decided := map[string]int{}
	for _, file := range goldenEvents(t, "qwen") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		var in struct {
			Event string `json:"hook_event_name"`
		}
		require.NoError(t, json.Unmarshal(stdin, &in))
		ev, err := named(t, "qwen").Decode(stdin)
		require.NoError(t, err)
		for _, d := range decisions() {
			ans := named(t, "qwen").Encode(ev, d.decision)
			if ans.Stdout == nil || keepsAtWork(ev, d.decision) {
				continue
			}
			if ev.Phase == sentinel.PhasePermission {
				require.Contains(t, string(ans.Stdout), `{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Sentinel blocked this:`)
				continue
			}
			out := output(t, ans)
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
		ev, err := named(t, "qwen").Decode([]byte(stdin))
		require.NoError(t, err)
		require.Equal(t, want, ev.Phase, stdin)
	}
}

func TestQwenRefusesErrorOfAnotherType(t *testing.T) {
	t.Parallel()
	_, err := named(t, "qwen").Decode([]byte(`{"hook_event_name":"PostToolUseFailure","tool_name":"edit","error":{}}`))
	require.ErrorIs(t, err, sentinel.ErrEvent)
	require.ErrorContains(t, err, "error must be a string, not an object")
}

// TestQwenRecordings reads what Qwen Code really sent.
func TestQwenRecordings(t *testing.T) {
	t.Parallel()
	prompts := 0
	for _, file := range recordings(t, "qwen/*/*.json") {
		ev := recorded(t, "qwen", file)
		event, tool := recordedName(file)
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
	fuzzDecode(f, "qwen", `{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":{"llmContent":{"text":"a"}}}`)
}

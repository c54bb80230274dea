package codex_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// codexOut has the keys that Codex accepts in an answer of ours. It rejects the
// whole answer for one that it does not know.
type codexOut struct {
	HookSpecificOutput *struct {
		HookEventName            string  `json:"hookEventName"`
		PermissionDecision       *string `json:"permissionDecision"`
		PermissionDecisionReason *string `json:"permissionDecisionReason"`
		AdditionalContext        *string `json:"additionalContext"`
		Decision                 *struct {
			Behavior, Message string
		} `json:"decision"` // of PermissionRequest
	} `json:"hookSpecificOutput"`
}

// TestCodexIsStrict holds for every event and decision what Codex demands of an
// answer; whatever breaks it lets the call proceed.
func TestCodexIsStrict(t *testing.T) {
	t.Parallel()
	denied := 0
	for _, file := range agenttest.GoldenEvents(t, "codex") {
		stdin, err := os.ReadFile(file)
		require.NoError(t, err)
		ev, err := agenttest.Named(t, "codex").Decode(stdin)
		require.NoError(t, err)
		for _, d := range agenttest.Decisions() {
			ans := agenttest.Named(t, "codex").Encode(ev, d.Decision)
			require.Zero(t, ans.Exit)
			if wire.Stays(ev, d.Decision) {
				continue // see TestStaysAtWork
			}
			if ans.Stdout == nil {
				require.False(t, ev.Phase == sentinel.PhasePre && d.Decision.Verdict != sentinel.VerdictAllow && d.Decision.Verdict != sentinel.VerdictWarn)
				continue
			}
			var out codexOut
			dec := json.NewDecoder(bytes.NewReader(ans.Stdout))
			dec.DisallowUnknownFields()
			require.NoError(t, dec.Decode(&out))
			specific := out.HookSpecificOutput
			require.Equal(t, map[sentinel.Phase]string{
				sentinel.PhasePre: "PreToolUse", sentinel.PhasePost: "PostToolUse",
				sentinel.PhaseStart: "SessionStart", sentinel.PhasePrompt: "UserPromptSubmit", sentinel.PhasePermission: "PermissionRequest",
			}[ev.Phase], specific.HookEventName, "an answer to an event that takes none")
			if require.Equal(t, ev.Phase == sentinel.PhasePermission, specific.Decision != nil); specific.Decision != nil {
				require.Equal(t, "deny", specific.Decision.Behavior)
				require.NotEmpty(t, specific.Decision.Message)
				continue
			}
			if specific.PermissionDecision == nil {
				require.Nil(t, specific.PermissionDecisionReason, "a reason without a decision is a failure")
				require.NotNil(t, specific.AdditionalContext)
				continue
			}
			denied++
			require.Equal(t, sentinel.PhasePre, ev.Phase)
			require.Equal(t, "deny", *specific.PermissionDecision)
			require.NotEmpty(t, strings.TrimSpace(*specific.PermissionDecisionReason))
		}
	}
	require.NotZero(t, denied)
}

// TestCodexContextStaysBelowItsFile holds the limit above which Codex shows the
// model the path of a file in place of the text.
func TestCodexContextStaysBelowItsFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 20_000), strings.Repeat("é", 9_000), strings.Repeat("界", 4_000)} {
		ans := agenttest.Named(t, "codex").Encode(sentinel.Event{Phase: sentinel.PhasePost}, sentinel.Decision{
			Verdict:  sentinel.VerdictAllow,
			Findings: []sentinel.Finding{{Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: sentinel.VerdictAllow, Advice: text}},
		})
		var out codexOut
		require.NoError(t, json.Unmarshal(ans.Stdout, &out))
		context := *out.HookSpecificOutput.AdditionalContext
		require.LessOrEqual(t, len(context), 10_000)
		require.Greater(t, len(context), 9_900)
		require.Regexp(t, ` … \[\d+ more characters\]$`, context)
	}
}

// TestCodexRecordings reads what Codex really sent.
func TestCodexRecordings(t *testing.T) {
	t.Parallel()
	for _, file := range agenttest.Recordings(t, "codex/*/*.json") {
		ev := agenttest.Recorded(t, "codex", file)
		event, tool := agenttest.RecordedName(file)
		require.Equal(t, map[string]sentinel.Phase{
			"SessionStart": sentinel.PhaseStart, "UserPromptSubmit": sentinel.PhasePrompt,
			"PreToolUse": sentinel.PhasePre, "PostToolUse": sentinel.PhasePost,
			"Stop": sentinel.PhaseStop, "SessionEnd": sentinel.PhaseEnd,
		}[event], ev.Phase, file)
		require.Equal(t, tool, ev.Tool.Name, file)
		require.Equal(t, "/home/dev/repo", ev.Dir, file)
		require.Contains(t, ev.Transcript, "/rollout-", file)
		require.Equal(t, tool != "", ev.Tool.ID != "", file)
		require.Equal(t, ev.Phase == sentinel.PhasePost, ev.Tool.Output != "", file)
	}
}

func FuzzCodexDecode(f *testing.F) {
	agenttest.FuzzDecode(f, "codex", `{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":{"content":null,"isError":"true"}}`)
}

package agenttest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
)

// Specific is the part of an answer about one event, as Claude Code and its kin read it.
type Specific struct {
	HookEventName, PermissionDecision, PermissionDecisionReason, AdditionalContext string
}

// Output reads that part of an answer, which has no other.
func Output(t *testing.T, ans agent.Answer) Specific {
	t.Helper()
	require.Zero(t, ans.Exit)
	var out struct{ HookSpecificOutput Specific }
	dec := json.NewDecoder(bytes.NewReader(ans.Stdout))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&out))
	return out.HookSpecificOutput
}

// Understood is what an agent makes of an answer.
type Understood struct {
	Decision string // deny, ask or nothing
	Reason   string
	Context  string
}

// Understand reads an answer as the agent does: by its own keys alone, so that
// one that it does not know is an error.
func Understand(t testing.TB, name string, ans agent.Answer) (u Understood) {
	t.Helper()
	if ans.Exit == 2 {
		require.Contains(t, []string{"windsurf", "amazonq"}, name, "this agent does not block by its exit code")
		return Understood{"deny", string(ans.Stderr), ""}
	}
	if name == "windsurf" || name == "amazonq" {
		return Understood{Context: string(ans.Stdout)}
	}
	if ans.Stdout == nil {
		require.NotEqual(t, "cursor", name, "no output is a refusal with failClosed")
		return u
	}
	dec := json.NewDecoder(strings.NewReader(string(ans.Stdout)))
	dec.DisallowUnknownFields()
	var err error
	switch name {
	case "copilot":
		var out struct {
			PermissionDecision, PermissionDecisionReason, AdditionalContext string
		}
		err = dec.Decode(&out)
		u = Understood{out.PermissionDecision, out.PermissionDecisionReason, out.AdditionalContext}
	case "vscode":
		var out struct{ HookSpecificOutput Specific }
		err = dec.Decode(&out)
		require.NotEmpty(t, out.HookSpecificOutput.HookEventName)
		u = Understood{out.HookSpecificOutput.PermissionDecision, out.HookSpecificOutput.PermissionDecisionReason, out.HookSpecificOutput.AdditionalContext}
	case "cursor":
		var out struct {
			Permission        string
			UserMessage       string `json:"user_message"`
			AgentMessage      string `json:"agent_message"`
			AdditionalContext string `json:"additional_context"`
		}
		err = dec.Decode(&out)
		require.True(t, strings.HasPrefix(out.AgentMessage, out.UserMessage), "the agent reads what the user does")
		u = Understood{out.Permission, out.AgentMessage, out.AdditionalContext}
	case "cline":
		var out struct {
			Cancel                            bool
			ContextModification, ErrorMessage string
		}
		err = dec.Decode(&out)
		if u = (Understood{"", out.ErrorMessage, out.ContextModification}); out.Cancel {
			u.Decision = "deny"
		}
	default:
		require.Fail(t, "nobody knows how this agent reads answers", name)
	}
	require.NoError(t, err, "%s", ans.Stdout)
	require.False(t, dec.More(), "%s", ans.Stdout)
	return u
}

// RequireMeaning holds that the agent understands what was decided: before a tool
// a refusal with a reason for every verdict but allow and warn, or a question
// where it has one; and never a refusal of anything else.
func RequireMeaning(t testing.TB, name string, ev sentinel.Event, d sentinel.Decision, ans agent.Answer) {
	t.Helper()
	if wire.Stays(ev, d) && Named(t, name).Abilities.StaysAtWork {
		return // see TestStaysAtWork
	}
	u := Understand(t, name, ans)
	switch {
	case ev.Phase != sentinel.PhasePre, d.Verdict == sentinel.VerdictAllow, d.Verdict == sentinel.VerdictWarn:
		require.Empty(t, u.Decision)
		require.Empty(t, u.Reason)
	case d.Verdict == sentinel.VerdictAsk && asks(name, ev):
		require.Equal(t, "ask", u.Decision)
		require.True(t, strings.HasPrefix(u.Reason, "Sentinel asks:"), u.Reason)
	case d.Verdict == sentinel.VerdictAsk:
		require.Equal(t, "deny", u.Decision)
		require.True(t, strings.HasPrefix(u.Reason, "Sentinel blocked this until a person approves it:"), u.Reason)
	default:
		require.Equal(t, "deny", u.Decision)
		require.True(t, strings.HasPrefix(u.Reason, "Sentinel blocked this:"), u.Reason)
	}
	if len(ans.Kept) > 0 {
		require.Equal(t, d.Context(), ans.Kept)
		require.Empty(t, u.Context)
		return
	}
	said := u.Context
	if u.Decision == "deny" && said == "" { // the denial says it
		said = u.Reason
	}
	for _, text := range d.Context() { // a line of standard error is folded
		require.Contains(t, strings.Join(strings.Fields(said), " "), "Sentinel: "+strings.Join(strings.Fields(text), " "))
	}
}

// asks reports whether the agent can ask its user at an event.
func asks(name string, ev sentinel.Event) bool {
	switch name {
	case "copilot", "vscode":
		return true
	case "cursor":
		return ev.Tool.ID == "" && ev.Tool.Name != "Read" && ev.Tool.Name != ""
	}
	return false
}

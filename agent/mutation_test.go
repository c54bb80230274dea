package agent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// Every event of every agent, changed in every way that a newer version, an older
// one or a broken one could: a field missing, of each other type, renamed, huge.
// The result is a refusal with a reason or an event that can be judged;
// never a crash, and never a call that has become something else in silence.
func TestEveryEventWithEachFieldChanged(t *testing.T) {
	t.Parallel()
	for _, name := range agenttest.ProtocolNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shapes := map[string]bool{}
			for _, file := range agenttest.GoldenEvents(t, name) {
				stdin, err := os.ReadFile(file)
				require.NoError(t, err)
				var fields map[string]json.RawMessage
				if json.Unmarshal(stdin, &fields) != nil {
					continue
				}
				shape := string(fields["hook_event_name"]) + fmt.Sprint(slices.Sorted(maps.Keys(fields)))
				if shapes[shape] {
					continue // one event of each shape is enough
				}
				shapes[shape] = true
				whole, err := agenttest.Named(t, name).Decode(stdin)
				require.NoError(t, err, file)
				for field := range fields {
					for change, changed := range changes(fields, field) {
						about := fmt.Sprintf("%s: %s %s", filepath.Base(file), field, change)
						data, err := json.Marshal(changed)
						require.NoError(t, err)
						ev, err := agenttest.Named(t, name).Decode(data)
						requireJudgeable(t, whole, ev, err, field, about)
					}
				}
			}
		})
	}
}

// changes are the ways in which a field can be wrong.
func changes(fields map[string]json.RawMessage, field string) map[string]map[string]json.RawMessage {
	out := map[string]map[string]json.RawMessage{}
	with := func(change string, edit func(map[string]json.RawMessage)) {
		changed := maps.Clone(fields)
		edit(changed)
		out[change] = changed
	}
	with("missing", func(f map[string]json.RawMessage) { delete(f, field) })
	with("renamed", func(f map[string]json.RawMessage) { f["new_"+field] = f[field]; delete(f, field) })
	with("in capitals", func(f map[string]json.RawMessage) { f[strings.ToUpper(field)+"_"] = f[field]; delete(f, field) })
	for _, value := range []string{`null`, `true`, `7`, `""`, `"\u0000\ud800"`, `[]`, `[null]`, `{}`, `{"a":{"b":[1]}}`} {
		with("= "+value, func(f map[string]json.RawMessage) { f[field] = json.RawMessage(value) })
	}
	with("huge", func(f map[string]json.RawMessage) {
		f[field] = json.RawMessage(`"` + strings.Repeat("x", 8<<10) + `"`)
	})
	return out
}

// requireJudgeable holds what may come of an event with one field changed.
func requireJudgeable(t *testing.T, whole, ev sentinel.Event, err error, field, about string) {
	t.Helper()
	if err != nil {
		require.ErrorIs(t, err, sentinel.ErrEvent, about)
		require.Zero(t, ev, about)
		return
	}
	if ev.Phase == sentinel.PhasePre || ev.Phase == sentinel.PhasePost {
		require.NotEmpty(t, ev.Tool.Name, about)
		require.True(t, json.Valid(ev.Tool.Args), about)
	}
	if !slices.Contains(eventFields(), field) {
		require.Equal(t, whole.Phase, ev.Phase, about)
	}
}

// eventFields are those that say what event it is.
func eventFields() []string {
	return []string{
		"hook_event_name", "hookEventName", "agent_action_name", "hookName", "type",
		// Copilot CLI's camelCase events and opencode's callbacks have no name: their fields tell.
		"sessionId", "toolName", "toolArgs", "toolResult", "error", "stopReason", "stop_hook_active", "response", "source", "initialPrompt", "prompt", "reason",
		"input", "output",
	}
}

// A newer version adds fields. None of them changes what is understood.
func TestEveryEventOfANewerVersion(t *testing.T) {
	t.Parallel()
	for _, name := range agenttest.ProtocolNames() {
		for _, file := range agenttest.GoldenEvents(t, name) {
			stdin, err := os.ReadFile(file)
			require.NoError(t, err)
			var fields map[string]json.RawMessage
			if json.Unmarshal(stdin, &fields) != nil {
				continue
			}
			whole, err := agenttest.Named(t, name).Decode(stdin)
			require.NoError(t, err, file)
			for i := range 50 {
				fields[fmt.Sprintf("added_in_%d", i)] = json.RawMessage([]string{`null`, `[1,{"a":[]}]`, `{"tool_name":"other","tool_input":{"command":"x"}}`, `"x"`, `1e308`}[i%5])
			}
			for _, added := range []string{"protocol_version", "schemaVersion", "permission_request", "Tool_Name", "toolInput2"} {
				fields[added] = json.RawMessage(`{"deep":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`)
			}
			data, err := json.Marshal(fields)
			require.NoError(t, err)
			ev, err := agenttest.Named(t, name).Decode(data)
			require.NoError(t, err, file)
			requireSameEvent(t, whole, ev, file)
		}
	}
}

// requireSameEvent compares events whose JSON may be written differently.
func requireSameEvent(t *testing.T, want, got sentinel.Event, about string) {
	t.Helper()
	if len(want.Tool.Args) > 0 {
		require.JSONEq(t, string(want.Tool.Args), string(got.Tool.Args), about)
	}
	want.Tool.Args, got.Tool.Args = nil, nil
	require.Equal(t, want, got, about)
}

package agenttest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// A Refusal is the name of a case, an event and what its error says.
type Refusal [3]string

// RequireRefusals holds that anything that is not an event is refused with the reason,
// and that nothing of it comes through.
func RequireRefusals(t *testing.T, name string, special []Refusal) {
	t.Helper()
	for _, tt := range append([]Refusal{
		{"nothing", "", "standard input is empty"},
		{"half an object", `{"hook_event_name":"PreToolUse","tool_na`, "not one JSON object"},
		{"two objects", `{"a":1}{}`, "after top-level value"},
		{"an array", `[1]`, "not a JSON object but an array"},
		{"null", `null`, "not a JSON object but null"},
		{"nested too deep", strings.Repeat(`{"a":`, 20_000), "exceeded max depth"},
		{"no field at all", `{}`, "hook"},
	}, special...) {
		t.Run(tt[0], func(t *testing.T) {
			t.Parallel()
			ev, err := Named(t, name).Decode([]byte(tt[1]))
			require.ErrorIs(t, err, sentinel.ErrEvent)
			require.ErrorContains(t, err, tt[2])
			require.Zero(t, ev)
		})
	}
}

// A Tolerance is the name of a case, an event, and the tool and arguments that it has.
type Tolerance [4]string

// RequireTolerance holds how a call is understood that comes in another form.
func RequireTolerance(t *testing.T, name string, cases []Tolerance) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt[0], func(t *testing.T) {
			t.Parallel()
			ev, err := Named(t, name).Decode([]byte(tt[1]))
			require.NoError(t, err)
			require.Equal(t, name, ev.Agent)
			require.Equal(t, sentinel.PhasePre, ev.Phase)
			require.Equal(t, tt[2], ev.Tool.Name)
			require.Equal(t, tt[3], string(ev.Tool.Args))
		})
	}
}

// RequireContextBelow holds that a long text is cut to fewer bytes than limit,
// with a note, and stays UTF-8.
func RequireContextBelow(t *testing.T, name string, ev sentinel.Event, limit int) {
	t.Helper()
	for _, letter := range []string{"x", "é", "\U0001f600"} {
		d := sentinel.Decision{Verdict: sentinel.VerdictAllow, Findings: []sentinel.Finding{{
			Rule: &sentinel.RuleSpec{ID: "r"}, Verdict: sentinel.VerdictAllow, Advice: strings.Repeat(letter, 60_000),
		}}}
		ans := Named(t, name).Encode(ev, d)
		require.Less(t, len(ans.Stdout), limit)
		require.Greater(t, len(ans.Stdout), 9_900)
		require.Contains(t, string(ans.Stdout), letter+" … [")
		require.NotContains(t, string(ans.Stdout), "\uFFFD")
	}
}

// RequireDetected holds that an event is known for the agent's own, without a
// flag and with its own.
func RequireDetected(t *testing.T, agent, file string, stdin []byte) {
	t.Helper()
	name, ok := Agents.Detect(stdin)
	require.True(t, ok, file)
	require.Equal(t, agent, name, file)
	for _, flag := range []string{"", agent} {
		ag, err := Agents.Resolve(flag, stdin)
		require.NoError(t, err, file)
		require.Equal(t, agent, ag.Name, file)
	}
}

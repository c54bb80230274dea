package hook

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// The hook answers before the agent that started it gives up, whether or not it
// was registered with a deadline.
func TestDeadlineOfAHook(t *testing.T) {
	t.Parallel()
	for _, ag := range (agent.Registry{}).All() {
		name := ag.Name
		h := &call{agent: ag, event: sentinel.Event{Phase: sentinel.PhasePre}}
		require.Equal(t, defaultDeadline, h.deadline(), name)
		if limit := ag.Timeout(sentinel.PhasePre); limit > 0 {
			require.Less(t, h.deadline(), limit, name)
		}
		h.flags.deadline = 40 * time.Second
		require.Equal(t, 40*time.Second, h.deadline(), name)
	}
	require.Equal(t, defaultDeadline, (&call{agent: unknownAgent()}).deadline())

	claude, err := agent.Registry{}.Named("claude")
	require.NoError(t, err)
	for phase, want := range map[sentinel.Phase]time.Duration{
		sentinel.PhaseEnd: 750 * time.Millisecond, sentinel.PhasePrompt: defaultDeadline, sentinel.PhaseUnknown: defaultDeadline,
	} {
		require.Equal(t, want, (&call{agent: claude, event: sentinel.Event{Phase: phase}}).deadline(), phase)
	}
}

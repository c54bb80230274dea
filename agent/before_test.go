package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/agent/internal/agenttest"
)

// TestBefore holds what the settings of every agent call an event before a tool, or at the
// end of a turn, to how its own events are read.
func TestBefore(t *testing.T) {
	t.Parallel()
	for _, a := range agenttest.Agents.All() {
		events := wantedEvents(t, a)
		if len(events) == 0 {
			continue // a plugin, which is started for all of them
		}
		before, stop := 0, 0
		for _, event := range events {
			if a.Settings.IsStop(event) {
				stop++
			}
			if a.Settings.IsBefore(event) {
				before++
			}
			for _, file := range agenttest.GoldenEvents(t, agenttest.Named(t, a.Name).Name) {
				stdin, err := os.ReadFile(file)
				require.NoError(t, err)
				ev, err := agenttest.Named(t, a.Name).Decode(stdin)
				require.NoError(t, err)
				if !strings.Contains(string(stdin), fmt.Sprintf("%q", event)) || ev.Phase == sentinel.PhaseUnknown {
					continue // an event of another name
				}
				require.Equal(t, ev.Phase == sentinel.PhasePre, a.Settings.IsBefore(event), "%s: %s", a.Name, file)
				require.Equal(t, ev.Phase == sentinel.PhaseStop && !ev.Part, a.Settings.IsStop(event), "%s: %s", a.Name, file)
			}
		}
		require.NotZero(t, before, "%s: no event that is registered comes before a tool", a.Name)
		require.NotZero(t, stop, "%s: no event that is registered comes at the end of a turn", a.Name)
	}
}

// wantedEvents are those that the hook is registered for.
func wantedEvents(t *testing.T, a *agent.Agent) (events []string) {
	t.Helper()
	place := agent.Place{Root: t.TempDir(), Home: t.TempDir(), GOOS: "linux"}
	for _, file := range a.Settings.Files(place, agent.Repository) {
		if a.Settings.PerEvent {
			events = append(events, filepath.Base(file))
		}
		if a.Settings.Wants == nil {
			continue
		}
		for _, want := range a.Settings.Wants(file, agent.Hook{GOOS: "linux", Reads: true}) {
			events = append(events, want.Event)
		}
	}
	return events
}

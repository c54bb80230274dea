package install_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

// TestAProgramOfAnotherName: the hook of a program with a name of its own is written, found
// and taken out by that name, for every agent; sentinel's is found too, and sentinel does not
// take the other one for its own.
func TestAProgramOfAnotherName(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.Installable() {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			ours := place(t, "linux")
			theirs := ours
			ours.Program = "ours"
			started := func(p install.Place) (programs []string) {
				targets, err := targetsOf(p, agent, install.Repository)
				require.NoError(t, err)
				for _, tg := range targets {
					r, err := install.Look(tg, install.Hook{GOOS: "linux"})
					require.NoError(t, err)
					for _, e := range r.Entries {
						call, ok := e.Call()
						require.True(t, ok, "%+v", e)
						programs = append(programs, call.Program)
					}
				}
				return programs
			}
			require.Positive(t, applyAll(t, agent, ours, install.Repository, putIn(install.Hook{GOOS: "linux"})))
			require.Subset(t, []string{"ours"}, started(ours))
			require.NotEmpty(t, started(ours))
			require.Empty(t, started(theirs), "it is another program's")
			require.Positive(t, applyAll(t, agent, ours, install.Repository, install.PlanRemoval))
			require.Empty(t, tree(t, ours.Root))

			require.Positive(t, applyAll(t, agent, theirs, install.Repository, putIn(install.Hook{GOOS: "linux"})))
			require.Subset(t, []string{"sentinel"}, started(ours))
			require.NotEmpty(t, started(ours))
		})
	}
}

package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
)

// TestLets: a rule lets a command pass that no pattern of it is about, and its text is not read again.
func TestLets(t *testing.T) {
	t.Parallel()
	r := ruletext.Rule{
		ID: "never-run-acme", Trigger: "bash", Severity: "block", Scope: []string{"acme", "acme *"}, Backend: "builtin", When: "true", Message: "Leave it.",
		Tests: []ruletext.Case{ruletext.AsStop(ruletext.Case{Bash: "acme go"}), ruletext.AsPass(ruletext.Case{Bash: "ls -l"})},
	}
	broken := r
	broken.When = "1 +"
	var b builder
	require.False(t, b.lets(&r, "acme --help"), "the rule stops it")
	require.False(t, b.lets(&broken, "ls"), "a rule that is broken holds nothing")
	require.Nil(t, b.held)
	require.True(t, b.lets(&r, "echo acme"))
	require.NotNil(t, b.held)
	require.Same(t, b.held, b.readHeld(r.ID, b.held.Text))
	data, err := r.Render()
	require.NoError(t, err)
	require.NotSame(t, b.held, b.readHeld(r.ID, data))
	data, err = broken.Render()
	require.NoError(t, err)
	require.Nil(t, b.readHeld(broken.ID, data))
}

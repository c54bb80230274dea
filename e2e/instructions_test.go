package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// The lines of CLAUDE.md become rules in one step, and the agent that breaks one reads
// which line it was.
func TestClaudeIsToldTheLine(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.write("CLAUDE.md", "# Shop\n\n- Use pnpm, not npm.\n- Never edit files in `dist/`.\n- Never run `terraform apply`.\n")
	r.initSentinel()
	res := r.sentinel("", "init", "--from", "CLAUDE.md", "--accept", "all", "--block")
	require.Zero(t, res.exit, res.stderr)
	require.Contains(t, res.stdout, "3 in force, 0 in shadow mode")

	s := r.claudeAsked("Deploy the shop.",
		bash("terraform apply"),
		write(r.path("dist/app.js"), "x\n"),
		bash("echo terraform apply"),
		fakeserver.Text("I could not do all of it."),
	)
	results := s.stopped(true, true, false)
	assert.Contains(t, results[0].Text, "CLAUDE.md:5 says")
	assert.Contains(t, results[1].Text, "CLAUDE.md:4 says")
	_, exists := r.read("dist/app.js")
	assert.False(t, exists)
}

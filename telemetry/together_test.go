package telemetry_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

// TestTogether: a call counts once for the rules of a line, whichever of them judged it.
func TestTogether(t *testing.T) {
	t.Parallel()
	of := func(id string) func(*telemetry.Record) { return func(r *telemetry.Record) { r.ID = id } }
	count := func(lines ...string) []telemetry.Together {
		return aggregate(t, &telemetry.StatsOptions{Together: [][]string{{"test", "lint"}, {"lint"}, {"none"}}}, lines...).Together
	}
	require.Equal(t, []telemetry.Together{{Held: 1, Broken: 1}, {Held: 2}, {}}, count(
		evaluation(0, "test", "git commit", true, of("a.1")), evaluation(0, "lint", "git commit", false, of("a.2")),
		evaluation(1, "test", "git commit", false, of("b.1")), evaluation(1, "lint", "git commit", false, of("b.2")),
		evaluation(1, "other", "git commit", true, of("b.3")),
	), "two rules of a line")
	require.Equal(t, []telemetry.Together{{Broken: 1}, {Broken: 1}, {}}, count(
		evaluation(0, "lint", "x", false, of("a.1")), evaluation(0, "lint", "y", true, of("a.2")), evaluation(9, "test", "x", true, of("a.3")),
	), "two actions of a call, and a rule that was judged later")
	require.Equal(t, []telemetry.Together{{Held: 2}, {Held: 1}, {}}, count(evaluation(0, "lint", "x", false), evaluation(0, "test", "x", false)), "lines of older programs")
	require.Equal(t, []telemetry.Together{{Held: 1}, {Held: 1}, {}}, count(evaluation(0, "lint", "x", false, call("c")), evaluation(0, "test", "x", false, call("c"))), "by the agent's id")
	var many []string
	for i := range 300 {
		many = append(many, evaluation(i, "test", "x", i%3 == 0, of(fmt.Sprintf("k%d.1", i))))
	}
	require.Equal(t, telemetry.Together{Held: 200, Broken: 100}, count(many...)[0])
}

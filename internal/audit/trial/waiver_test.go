package trial_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

// Judges are told what the rubric's owner has accepted, and the record has every
// criterion of the rubric, also with facts alone.
func TestWaiversReachTheJudges(t *testing.T) {
	t.Parallel()
	rb := criteria(t, 2, "waivers:", "  - {probe: p1, reason: Nobody needs a second line.}")
	told := make(chan string, 6)
	judge := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		told <- req.Prompt
		return says(4, req), nil
	})
	c := trial.Case{Repo: lines(t, 1).Dir, Rubric: rb}
	record := run(t, c, &trial.Options{Judges: models(judge)})
	close(told)
	waived := 0
	for prompt := range told {
		if strings.Contains(prompt, "waived, and no fault, by the rubric: Nobody needs a second line.") {
			require.Contains(t, prompt, "CRITERION: Line 1")
			waived++
		}
	}
	require.Equal(t, 3, waived, "each judge is told")

	require.Equal(t, []string{"Line 0", "Line 1"}, []string{record.Criteria[0].Name, record.Criteria[1].Name})
	require.Equal(t, record.Criteria, run(t, c, &trial.Options{FactsOnly: true}).Criteria)
}

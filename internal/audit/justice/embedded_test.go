package justice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// In the rubrics that come with the program facts bite: praise of all judges does
// not help a repository in which nothing holds that is required.
func TestEmbeddedRubrics(t *testing.T) {
	t.Parallel()
	for _, name := range rubric.Names() {
		rb, err := rubric.Embedded(name)
		require.NoError(t, err)
		rule := func(outcome audit.Outcome, score int) justice.Ruling {
			var evidence []audit.Evidence
			for i := range rb.Probes {
				evidence = append(evidence, whole(rb, rb.Probes[i].ID, outcome))
			}
			evidence = numbered(evidence...)
			var opinions []audit.Opinion
			var ids []string
			for i := range evidence {
				ids = append(ids, evidence[i].ID)
			}
			for i := range rb.Dimensions {
				opinions = append(opinions, three(rb.Dimensions[i].ID, score, score, score, ids...)...)
			}
			return justice.Rule(rb, evidence, opinions, nil)
		}
		for i, r := range rule(audit.True, 5).Results {
			require.Equal(t, 5, r.Score, "%s: %s", name, rb.Dimensions[i].ID)
		}
		for i, r := range rule(audit.False, 5).Results {
			if len(rb.Dimensions[i].Required) > 0 {
				require.LessOrEqual(t, r.Score, 2, "%s: %s", name, rb.Dimensions[i].ID)
			} else {
				require.Less(t, r.Score, 5, "%s: %s is opinion only", name, rb.Dimensions[i].ID)
			}
		}
		require.Equal(t, audit.NoVerdict, justice.Rule(rb, nil, nil, nil).Overall.Verdict)
	}
}

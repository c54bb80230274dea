package justice

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The manual explains every rule that a trace can name.
func TestManualNamesEveryRule(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "audit", "justice.md"))
	require.NoError(t, err)
	for _, rule := range []string{
		ruleNotApplicable, ruleMedian, ruleNoVerdict, ruleMean, ruleEvidence, ruleVariance,
		ruleFacts, ruleSecurity, ruleRounding, ruleThresholds,
	} {
		require.Contains(t, string(manual), "`"+rule+"`")
	}
}

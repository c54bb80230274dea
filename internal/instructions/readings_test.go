package instructions

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
)

// TestReadings: a draft says how often those of its form were wrong, where that was often, or that few were read.
func TestReadings(t *testing.T) {
	t.Parallel()
	byCode := []string{"together", "remind-also"} // forms without words of their own
	for name, r := range readings() {
		require.True(t, slices.Contains(byCode, name) || slices.ContainsFunc(forms.All().Forms, func(f forms.Form) bool { return f.Name == name }), "no form %s", name)
		require.GreaterOrEqual(t, r.Read, 5, name)
		require.LessOrEqual(t, r.Wrong, r.Read, name)
	}
	require.Contains(t, (&Draft{Form: "never-word"}).Doubt(), "were wrong")
	require.Empty(t, (&Draft{Form: "run-by"}).Doubt())
	require.Contains(t, (&Draft{Form: "none"}).Doubt(), "few such drafts")
}

package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/doctor"
)

// The page names every area and every status.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "doctor.md"))
	require.NoError(t, err)
	for _, area := range doctor.Areas() {
		require.Contains(t, string(page), "| `"+area+"` |")
	}
	for _, s := range []doctor.Status{doctor.StatusOK, doctor.StatusInfo, doctor.StatusPerson, doctor.StatusWarn, doctor.StatusFail} {
		require.Contains(t, string(page), "| `"+string(s)+"` |")
	}
}

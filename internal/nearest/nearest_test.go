package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/nearest"
)

func TestWord(t *testing.T) {
	t.Parallel()
	known := []string{"claude", "codex", "cline", "q"}
	for name, want := range map[string]string{
		"cluade": "claude", "Claude": "claude", "../claude": "claude", "CODEX": "codex", "codx": "codex", "clin": "cline",
		"": "", "x": "", "Q": "q", "postgres": "", strings.Repeat("claude", 1_000_000): "",
	} {
		require.Equal(t, want, nearest.Word(name, known), "%.20q", name)
	}
	require.Empty(t, nearest.Word("claude", nil))
}

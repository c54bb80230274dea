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
		"": "", "x": "", "Q": "q", "coc": "", "cdx": "", "postgres": "", strings.Repeat("claude", 1_000_000): "",
	} {
		require.Equal(t, want, nearest.Word(name, known), "%.20q", name)
	}
	require.Empty(t, nearest.Word("claude", nil))
}

func TestSlip(t *testing.T) {
	t.Parallel()
	known := []string{"scope", "exclude", "mode", "model", "when", "_draft", "ask", "file_write"}
	for name, want := range map[string]string{
		"scop": "scope", "scopes": "scope", "scpoe": "scope", "slope": "scope", "Scope": "scope", "SCOP": "scope", "exlude": "exclude",
		"file-write": "file_write", "fileWrite": "file_write", "draft": "_draft",
		"modes": "", "mod": "mode", "models": "model", "scp": "", "sope2": "", "aks": "", "ASK": "ask", "": "", "tags": "",
		strings.Repeat("scope", 1_000_000): "",
	} {
		require.Equal(t, want, nearest.Slip(name, known), "%.20q", name)
	}
}

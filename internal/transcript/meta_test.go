package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/transcript"
)

func TestUsable(t *testing.T) {
	for _, dir := range []string{"", ".", "a/b", `\\server\share`, "//server/share", `\\?\C:\x`} {
		require.False(t, transcript.Usable(dir), dir)
	}
	require.True(t, transcript.Usable(t.TempDir()))
}

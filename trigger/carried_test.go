package trigger

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
)

// TestCarried shows what comes of the words of an unknown program: actions of their own,
// none of them certain, and nothing in those of the command itself.
func TestCarried(t *testing.T) {
	t.Parallel()
	got, err := New(nil).MapTool(t.Context(), sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: "/repo", Root: "/repo",
		Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`{"command":"cd lib && frobnicate -x sh -c 'rm -rf src' > log"}`)}})
	require.NoError(t, err)
	var own, carried []string
	for _, a := range got {
		what := string(a.Trigger) + " " + a.Op.String() + " " + a.Target
		if a.Carrier == "" {
			own = append(own, what)
			continue
		}
		carried = append(carried, what)
		require.Equal(t, "frobnicate", a.Carrier)
		require.False(t, a.Certain, what)
		require.Equal(t, "cd lib && frobnicate -x sh -c 'rm -rf src' > log", a.DerivedFrom)
	}
	require.Equal(t, []string{"bash  cd lib && frobnicate -x sh -c 'rm -rf src' > log", "file_write create lib/log"}, own)
	require.Equal(t, []string{"bash  sh -c 'rm -rf src'", "file_write delete lib/src"}, carried)
}

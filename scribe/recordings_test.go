package scribe

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/sentineltest"
	"github.com/agentsentinel/sentinel/trigger"
)

// From the recorded session of each agent both signals come out: what the user
// said, and what the agent ran into and corrected, with the calls of both.
func TestRecordedSessions(t *testing.T) {
	t.Parallel()
	const recordings = "../../shared/recordings"
	if _, err := os.Stat(recordings); err != nil {
		t.Skip("the recordings are not here:", err)
	}
	found, err := filepath.Glob(filepath.Join(recordings, "*", "*errfix", "transcript.jsonl"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(found), 4)
	for _, path := range found {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(path))), func(t *testing.T) {
			t.Parallel()
			r, err := transcript.Open(path, transcript.Position{}, nil)
			require.NoError(t, err)
			defer r.Close()
			v := newView(4000)
			for {
				e, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				v.add(e)
			}
			lines := v.lines()
			said, source, ok := whoSaid("never modify the billing module directly; go through src/billing/api.ts", lines)
			require.True(t, ok, render(lines))
			require.Equal(t, UserFeedback, source)
			_, source, ok = whoSaid("make test", lines)
			require.True(t, ok, render(lines))
			require.Equal(t, AgentSelfCorrection, source)
			_, _, ok = whoSaid("Missing script", lines)
			require.False(t, ok, "tool output is no evidence")

			v.agent = r.Agent()
			o := (&Options{Root: "/home/dev/repo", Dir: "/home/dev/repo/.claude/sentinel", Mapper: trigger.New(nil), Backend: sentineltest.NewBackend()}).filled()
			c := o.candidates(t.Context(), v, said, lines)
			var wrong, right []string
			for _, k := range c.Wrong {
				wrong = append(wrong, caseText(k))
			}
			for _, k := range c.Right {
				right = append(right, caseText(k))
			}
			require.Contains(t, wrong, "bash npm test")
			require.Contains(t, right, "bash make test")
		})
	}
}

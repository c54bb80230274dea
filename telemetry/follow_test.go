package telemetry_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

func lineOf(rule string) string {
	return `{"ts":"2026-03-01T10:00:00Z","rule_id":"` + rule + `","trigger":"bash","target":"x","violation":false,"confidence":0,"reason":"","elapsed_ms":1,"model":"","backend":""}` + "\n"
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func next(t *testing.T, f *telemetry.Follower) []string {
	t.Helper()
	records, err := f.Next()
	require.NoError(t, err)
	ids := []string{}
	for _, r := range records {
		ids = append(ids, r.RuleID)
	}
	return ids
}

// Half a line waits for its end; a rotation loses nothing; a log may come later,
// and may be cut.
func TestFollow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	f := telemetry.Follow(path, false)
	t.Cleanup(func() { f.Close() })
	require.Empty(t, next(t, f))
	appendTo(t, path, lineOf("a")+"no record\n"+lineOf("b")[:40])
	require.Equal(t, []string{"a"}, next(t, f))
	appendTo(t, path, lineOf("b")[40:])
	require.Equal(t, []string{"b"}, next(t, f))
	require.Empty(t, next(t, f))

	appendTo(t, path, lineOf("c"))
	if err := os.Rename(path, path+".1"); err != nil {
		t.Skip("a file that is read cannot be renamed here")
	}
	appendTo(t, path, lineOf("d"))
	require.Equal(t, []string{"c", "d"}, next(t, f))

	require.NoError(t, os.Truncate(path, 0))
	require.Empty(t, next(t, f))
	appendTo(t, path, lineOf("e"))
	require.Equal(t, []string{"e"}, next(t, f))
}

func TestFollowFrom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	appendTo(t, path, lineOf("a"))
	end, start := telemetry.Follow(path, false), telemetry.Follow(path, true)
	t.Cleanup(func() { end.Close(); start.Close() })
	require.Empty(t, next(t, end))
	require.Equal(t, []string{"a"}, next(t, start))
}

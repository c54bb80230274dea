package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/replay"
)

// FuzzRun: for any file, the counts add up and nothing panics.
func FuzzRun(f *testing.F) {
	found, err := filepath.Glob("../transcript/testdata/*.json*")
	require.NoError(f, err)
	for _, path := range found {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(data)
	}
	var l log
	l.edit("src/billing/a.ts", "a", "b")
	l.bash("git push && git reset --hard; rm -rf src")
	f.Add([]byte(l.String()))
	all := rules(f, noPush, billing, notice, after, shadow)
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		r, err := replay.Run(t.Context(), []string{path}, options(all, nil, nil))
		require.NoError(t, err)
		rep := r.Report()
		v := rep.Before
		require.Equal(t, rep.Calls, v.Block+v.Ask+v.Warn+v.Allow)
		require.Equal(t, 1, rep.Transcripts+len(rep.Unread), "read or named: %v", rep.Unread)
	})
}

//go:build unix

package state_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
)

// A file that another user could have written, or that leads elsewhere,
// is neither read nor written.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	stores := map[string]struct {
		fill func(dir string) error
		has  func(dir string) bool
	}{
		"cache": {
			func(dir string) error { state.NewCache(dir, nil).Put("a", []byte("1")); return nil },
			func(dir string) bool { _, ok := state.NewCache(dir, nil).Get("a"); return ok },
		},
		"values": {
			func(dir string) error {
				return state.NewValues(dir).Update("a", func([]byte) []byte { return []byte("1") })
			},
			func(dir string) bool { return state.NewValues(dir).Load("a") != nil },
		},
		"told": {
			func(dir string) error { state.NewGiven(dir, nil).Repeated("s", "r", "text", 0); return nil },
			func(dir string) bool { return state.NewGiven(dir, nil).Repeated("s", "r", "text", 0) },
		},
		"ledger": {
			func(dir string) error { return state.NewLedger(dir).Add(today, 1, 0, false) },
			func(dir string) bool {
				tokens, _, err := state.NewLedger(dir).Used(today)
				return err == nil && tokens > 0
			},
		},
	}
	for name, s := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, s.fill(dir))
			require.True(t, s.has(dir))
			var path string
			require.NoError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
				if !d.IsDir() {
					path = p
				}
				return err
			}))
			data, err := os.ReadFile(path)
			require.NoError(t, err)

			require.NoError(t, os.Chmod(path, 0o666))
			require.False(t, s.has(dir), "anybody could have written it")

			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			require.NoError(t, os.WriteFile(elsewhere, data, 0o600))
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink(elsewhere, path))
			require.False(t, s.has(dir), "a link")
			if name != "cache" { // which replaces the link
				s.fill(dir)
				after, err := os.ReadFile(elsewhere)
				require.NoError(t, err)
				require.Equal(t, data, after, "nothing is written through a link")
			}

			os.Remove(path)
			require.NoError(t, syscall.Mkfifo(path, 0o600))
			require.False(t, s.has(dir), "a FIFO blocks nobody")
		})
	}
}

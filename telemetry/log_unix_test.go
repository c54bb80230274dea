//go:build unix

package telemetry

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cloned repository may hold anything at the log's path.
func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		make       func(t *testing.T, path string)
	}{
		{"symbolic link", "a symbolic link", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path+".target", nil, 0o600))
			require.NoError(t, os.Symlink(path+".target", path))
		}},
		{"dangling symbolic link", "a symbolic link", func(t *testing.T, path string) {
			require.NoError(t, os.Symlink(path+".missing", path))
		}},
		{"FIFO", "a named pipe", func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }},
		{"folder", "a folder", func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sentinel.log")
			c.make(t, path)
			err := Open(path, nil).Write([]Record{record("a")})
			require.ErrorContains(t, err, path+" is "+c.want)
			require.NoFileExists(t, path+".missing")
			if info, err := os.Stat(path + ".target"); err == nil {
				require.Zero(t, info.Size(), "nothing was written through the link")
			}
		})
	}
}

func TestIgnoreRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600))
	require.ErrorContains(t, Ignore(filepath.Join(dir, "sentinel.log")), "a named pipe")
	dir = t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, ".gitignore")))
	require.ErrorContains(t, Ignore(filepath.Join(dir, "sentinel.log")), "a symbolic link")
	require.NoFileExists(t, filepath.Join(dir, "elsewhere"))
}

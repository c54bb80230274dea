//go:build unix

package contextacc_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/contextacc"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// Files that a cloned repository has planted are neither read nor written through.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(t *testing.T, w *world, elsewhere string){
		"the working folder": func(t *testing.T, w *world, elsewhere string) {
			require.NoError(t, os.Symlink(elsewhere, filepath.Join(w.root, ".sentinel")))
		},
		"the sessions": func(t *testing.T, w *world, elsewhere string) {
			require.NoError(t, os.MkdirAll(filepath.Join(w.root, ".sentinel"), 0o700))
			require.NoError(t, os.Symlink(elsewhere, filepath.Join(w.root, ".sentinel", "sessions")))
		},
		"the session": func(t *testing.T, w *world, elsewhere string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(w.session.Dir), 0o700))
			require.NoError(t, os.Symlink(elsewhere, w.session.Dir))
		},
		"a file instead": func(t *testing.T, w *world, _ string) {
			require.NoError(t, os.WriteFile(filepath.Join(w.root, ".sentinel"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			elsewhere := t.TempDir()
			plant(t, w, elsewhere)
			w.add("One.")
			_, err := w.update()
			require.ErrorContains(t, err, "is not a folder")
			_, err = contextacc.Load(w.session.Dir)
			require.Error(t, err)
			left, err := os.ReadDir(elsewhere)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestPlantedFiles(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(path, elsewhere string) error{
		"a link": func(path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a FIFO": func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"anybody's": func(path, _ string) error {
			return os.WriteFile(path, []byte(answer), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sentineltest.Answer{Text: answer})
			w.add("One.")
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			require.NoError(t, os.WriteFile(elsewhere, []byte(`{"task_scope":"planted"}`), 0o600))
			require.NoError(t, os.MkdirAll(w.session.Dir, 0o700))
			for _, file := range []string{"summary.json", "checkpoint", "again"} {
				require.NoError(t, plant(w.file(file), elsewhere))
				if name == "anybody's" {
					require.NoError(t, os.Chmod(w.file(file), 0o666))
				}
			}
			_, err := contextacc.Load(w.session.Dir)
			require.Error(t, err)
			res, err := w.update()
			require.NoError(t, err)
			require.True(t, res.Written)
			require.Contains(t, w.asked(0), "There is no summary yet.")
			data, err := os.ReadFile(elsewhere)
			require.NoError(t, err)
			require.Equal(t, `{"task_scope":"planted"}`, string(data))
			info, err := os.Lstat(w.file("summary.json"))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode())
		})
	}
}

//go:build !windows

package safefile

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Replace replaces a file as a whole: a reader, and a crash at any moment,
// finds the old bytes or the new ones. An existing file keeps its mode; a new
// one gets perm, less the umask. The folder must exist.
func Replace(path string, data []byte, perm os.FileMode) error {
	err := renameio.WriteFile(path, data, perm,
		renameio.WithTempDir(filepath.Dir(path)), // the same file system, whatever TMPDIR says
		renameio.WithExistingPermissions())
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func rename(temp, path string) error { return os.Rename(temp, path) }

// busy is only known on Windows: elsewhere an open file can be renamed and replaced.
func busy(error) bool { return false }

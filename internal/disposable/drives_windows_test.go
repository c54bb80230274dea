package disposable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrives: a path that begins at the top of a drive does not lie in the project, and what
// no file can be called is nothing.
func TestDrives(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"/src": `C:\src`, "/tmp/x": `C:\tmp\x`, "D:/src": `D:\src`, "src": `C:\no\such\project\src`, "D:src": "", "//host/share/x": `\\host\share\x`,
	} {
		path, ok := evidence(t, `C:\no\such\project`).absolute(name)
		require.Equal(t, want, path, name)
		require.Equal(t, want != "", ok, name)
	}
	require.Empty(t, evidence(t, `C:\no\such\project`).Why("/build"), "a build makes this name in the project alone")
	require.NotEmpty(t, evidence(t, `C:\no\such\project`).Why("/tmp/x"))
	require.NotEmpty(t, evidence(t, `C:\no\such\project`).Why("build/*.o"))
}

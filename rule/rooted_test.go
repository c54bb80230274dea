package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRooted: a name on a drive of Windows is as absolute as one that begins with a slash.
func TestRooted(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"/p", ".", "/p"}, {"/p", "src/../a", "/p/a"}, {"/p", "/etc", "/etc"}, {"", "a", "/a"},
		{"C:/p", ".", "C:/p"}, {`C:\p`, "..", "C:"}, {"C:/p", "D:/x", "D:/x"}, {"C:/p", "/etc", "/etc"},
	} {
		require.Equal(t, c[2], rooted(c[0], c[1]), c)
	}
	require.True(t, within(rooted("C:/p", "C:/p"), rooted("C:/p", "."), true), "the folder itself")
}

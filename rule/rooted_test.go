package rule

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// TestRooted: a name on a drive of Windows is as absolute as one that begins with a slash.
func TestRooted(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"/p", ".", "/p"}, {"/p", "src/../a", "/p/a"}, {"/p", "/etc", "/etc"}, {"", "a", "/a"},
		{"C:/p", ".", "C:/p"}, {`C:\p`, "..", "C:"}, {"C:/p", "D:/x", "D:/x"}, {"C:/p", "/etc", "C:/etc"}, {"C:/p", "//host/x", "/host/x"},
	} {
		require.Equal(t, c[2], rooted(c[0], c[1]), c)
	}
	require.True(t, within(rooted("C:/p", "C:/p"), rooted("C:/p", "."), true), "the folder itself")
}

// TestWhenDrives: what begins with a slash lies on the project's drive.
func TestWhenDrives(t *testing.T) {
	t.Parallel()
	a := writeAction()
	a.Root = `C:\p`
	for when, want := range map[string]bool{
		`within("src/a", "/p")`:    true,
		`within("src", "/p/src")`:  true,
		`within("/x", "/")`:        true,
		`within("C:/x", "/")`:      true,
		`within("D:/p/a", "/p")`:   false,
		`within("//host/p", "/p")`: false,
	} {
		w, err := compileWhen(when)
		require.NoError(t, err, when)
		got, err := w.eval(context.Background(), a, sentinel.Match{OK: true})
		require.NoError(t, err, when)
		assert.Equal(t, want, got, when)
	}
}

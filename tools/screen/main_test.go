package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The picture in the documentation is what the commands print today.
func TestPictureIsNew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the picture is of a POSIX shell")
	}
	want, err := screen()
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(want, new(struct{})))
	for _, said := range []string{">BLOCK<", ">ASK<", ">ALLOW<", "sentinel check --bash"} {
		require.Contains(t, string(want), said)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", "screen.svg"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run: go generate ./tools/screen")
}

func TestWrap(t *testing.T) {
	t.Parallel()
	lines := wrap("  one " + strings.Repeat("word ", 30) + "\nshort")
	require.Len(t, lines, 3)
	require.Equal(t, "  word", lines[1][:6])
	require.Equal(t, "short", lines[2])
	require.Len(t, wrap(strings.Repeat("x", 300)), 1, "a long word stays whole")
}

package repo

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseTree(t *testing.T) {
	t.Parallel()
	files, err := parseTree([]byte("100644 blob aa     12\tb c\td\x00100644 blob bb     BAD\ta\x00160000 commit cc       -\tsub\x00120000 blob dd       3\tlink\x00"))
	require.NoError(t, err)
	require.Equal(t, []File{
		{Path: "a", Mode: 0o100644, Hash: "bb", Size: -1}, {Path: "b c\td", Mode: 0o100644, Hash: "aa", Size: 12},
		{Path: "link", Mode: modeLink, Hash: "dd", Size: 3}, {Path: "sub", Mode: modeSubmodule, Hash: "cc", Size: -1},
	}, files)
	require.True(t, files[0].Regular())
	require.False(t, files[2].Regular() || files[3].Regular())
	for _, broken := range []string{"x", "100644 blob aa 1\t", "9 blob aa 1\tp", "100644 blob aa\tp"} {
		_, err := parseTree([]byte(broken))
		require.Error(t, err, broken)
	}
}

func TestReadObject(t *testing.T) {
	t.Parallel()
	out := bufio.NewReader(strings.NewReader("aa blob 3\na\nb\nbb missing\ncc blob 9\n123456789\ndd blob 1\nx\n"))
	content, err := readObject(out, 5)
	require.NoError(t, err)
	require.Equal(t, "a\nb", string(content))
	for range 2 {
		_, err = readObject(out, 5)
		require.ErrorIs(t, err, ErrNotAvailable)
	}
	content, err = readObject(out, 5)
	require.NoError(t, err)
	require.Equal(t, "x", string(content))
	for _, broken := range []string{"", "aa blob 3\na", "aa blob x\n", "aa blob -1\n", "aa blob 1\nxx", "aa\n", "aa blob 9\n1", strings.Repeat("a", 100_000)} {
		_, err := readObject(bufio.NewReader(strings.NewReader(broken)), 5)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrNotAvailable, broken)
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 blob aa     12\tb\x00160000 commit cc       -\tsub\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		files, err := parseTree(out)
		if err != nil {
			return
		}
		for i := range files {
			require.NotEmpty(t, files[i].Path)
			require.GreaterOrEqual(t, files[i].Size, int64(-1))
		}
	})
}

func FuzzObject(f *testing.F) {
	f.Add("aa blob 3\na\nb\n", int64(5))
	f.Add("bb missing\n", int64(5))
	f.Fuzz(func(t *testing.T, out string, limit int64) {
		limit = min(max(limit, 0), 1<<20)
		content, err := readObject(bufio.NewReader(strings.NewReader(out)), limit)
		if err == nil {
			require.LessOrEqual(t, int64(len(content)), limit)
		}
	})
}

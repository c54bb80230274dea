package packs_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/packs"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	require.True(t, slices.IsSorted(packs.Names()))
	require.Subset(t, packs.Names(), []string{packs.All, packs.Recommended, "git"})
	for _, pack := range packs.Names() {
		files, err := packs.Files(pack)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		require.True(t, slices.IsSortedFunc(files, func(a, b packs.File) int { return strings.Compare(a.Name, b.Name) }))
		for _, f := range files {
			require.True(t, strings.HasSuffix(f.Name, ".yaml"), f.Name)
			require.True(t, bytes.HasSuffix(f.Data, []byte("\n")), f.Name)
			require.NotContains(t, string(f.Data), "\t", f.Name)
			require.NotContains(t, string(f.Data), "\r", f.Name)
			f.Data[0] = 'X' // a copy of the caller's own
		}
		again, err := packs.Files(pack)
		require.NoError(t, err)
		require.NotEqual(t, byte('X'), again[0].Data[0])
	}
}

func TestFilesOfNoPack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", "gti", "git/force-push.yaml", "../packs", `git\x`, "left-out.txt"} {
		_, err := packs.Files(name)
		require.ErrorContains(t, err, "there are: "+strings.Join(packs.Names(), ", "), "%q", name)
	}
}

package selfprotect

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quick look before all files of agents are listed leaves none of them out.
func TestEveryHookFileMayBeOne(t *testing.T) {
	t.Parallel()
	files := (&Guard{Home: "/home/u"}).hookFiles()
	require.Greater(t, len(files), 18)
	for _, f := range files {
		name := filepath.ToSlash(f.name)
		if !filepath.IsAbs(f.name) {
			name = "/repo/" + name
		}
		require.True(t, mayHook(name), name)
	}
}

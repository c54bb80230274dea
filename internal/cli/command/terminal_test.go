package command

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// environment is a world with these variables.
func environment(entries ...string) func(string) string {
	return func(name string) string {
		for _, e := range entries {
			if key, value, _ := strings.Cut(e, "="); key == name {
				return value
			}
		}
		return ""
	}
}

// Input that is not a terminal is never the user's word.
func TestPersonNeedsATerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	file, err := os.CreateTemp(t.TempDir(), "x")
	require.NoError(t, err)
	defer file.Close()
	in, out, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	defer out.Close()
	for name, stdin := range map[string]io.Reader{"a reader": strings.NewReader("y\n"), "null": null, "a file": file, "a pipe": in, "nothing": nil} {
		_, err := (&Env{Stdin: stdin, Getenv: environment()}).Person("sentinel allow")
		require.ErrorContains(t, err, "sentinel allow is for a person: standard input is not the terminal of this session", name)
	}
	_, err = (&Env{Stdin: null, Getenv: environment("CLAUDECODE=1")}).Person("sentinel pause")
	require.ErrorContains(t, err, "sentinel pause is for a person: an agent started it (CLAUDECODE is set)")
}

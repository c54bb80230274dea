package rule

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each name of an expression is known to be of the call alone, or not to be: a new one has
// to be put on one of the two sides.
func TestNamesThatReadTheDisk(t *testing.T) {
	t.Parallel()
	ofTheCall := []string{
		"path", "content", "old_content", "command", "commands", "cmd", "writes", "reads", "removes", "effects", "sends", "runs", "loses",
		"server", "tool", "args", "agent", "cwd", "trigger", "glob", "hasFlag", "secrets", "within", "secretFile",
	}
	require.ElementsMatch(t, append(whenVariables(), whenFunctions()...), slices.Concat(ofTheCall, onDisk))
	for when, want := range map[string]bool{
		"": false, `path == "a"`: false, "exists": true, `trigger == "bash" or tracked`: true, "any(removes, not disposable(#))": true,
		`operation == "create"`: true, "no such": true,
	} {
		r := &Rule{def: &Definition{When: when}}
		require.Equal(t, want, r.ReadsDisk(), when)
	}
}

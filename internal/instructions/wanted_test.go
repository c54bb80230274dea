package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestNamesInFile: what the rest of a file says of its languages, and of names to use, decides on
// a rule about a name.
func TestNamesInFile(t *testing.T) {
	for _, c := range []struct{ ban, rest, severity string }{
		{"Never use `var`.", "Build it with `dotnet build`.", ""},
		{"Never use `var`.", "Build it with `make all`.", "block"},
		{"Never use `var` in TypeScript.", "Build it with `dotnet build`.", "warn"},
		{"Never use `pool.grab`.", "In the loader, use `pool.grab` once.", "warn"},
		{"Never use `pool.grab`.", "Outside of it, do not use `pool.grab`.", "block"},
		{"Never use `pool.grab`.", "## Never\n\n- Use `pool.grab` in a loop.", "block"},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + c.ban + "\n\n# Notes\n\n" + c.rest + "\n"}
		p, all := survey.Of("", []statement.File{f}), statement.Of(&f)
		list := Drafts(&all[0], &p)
		if c.severity == "" {
			require.Empty(t, list, c)
			continue
		}
		require.Len(t, list, 1, c)
		require.True(t, strings.Contains(list[0].YAML, "severity: "+c.severity), c)
	}
}

package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestPlacesOfFile: what counts as a test, as a document and as code is also what the project's
// files name as such.
func TestPlacesOfFile(t *testing.T) {
	t.Parallel()
	const rules = "# Rules\n\n- Never use `eval` for control flow.\n- Every feature needs tests.\n- Update the documentation with any change in behavior.\n"
	perl := "# The kit\n\nPerl: `lib/A.pm`, `lib/B.pm`, `lib/C.pm`, `lib/D.pm`, `lib/E.pm`, `bin/a.pl`, `lib/F.pm`, `lib/G.pm`. Its checks are in `xt/unit/`, its manual is in `man/kit.1`, that of a module in `lib/A.pod`.\n\n"
	script := strings.NewReplacer(".pm", ".ts", ".pl", ".tsx", "Perl", "TypeScript", "xt/unit/", "src/a.test.ts", "man/kit.1", "guide.md", "A.pod", "A.md").Replace(perl)
	said := func(text string) string {
		f := statement.File{Path: "CLAUDE.md", Text: text}
		p := survey.Of("", []statement.File{f})
		var out strings.Builder
		all := statement.Of(&f)
		for i := range all {
			for _, d := range Drafts(&all[i], &p) {
				out.WriteString(d.YAML)
			}
		}
		return out.String()
	}
	own := []string{"'**/*.{pl,pm,t}'", "'**/xt/**'", "'**/man/**'"}
	for _, want := range own {
		require.Contains(t, said(perl+rules), want)
		require.NotContains(t, said(script+rules), want)
		require.NotContains(t, said(rules), want)
	}
	require.Contains(t, said(script+rules), "'**/*.{js,jsx,mjs,ts,tsx,py,rb,php}'")
	require.NotContains(t, said(perl+rules), "'**/*.{js,jsx,mjs,ts,tsx,py,rb,php}'")
}

package instructions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/forms"
	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestBesideComments: a ban of what code says is not about comments, nor about docstrings where it is a path.
func TestBesideComments(t *testing.T) {
	for _, c := range []struct {
		line          string
		stops, passes []string
	}{
		{"No `as any`.", []string{"write:a.ts:b = c as any;", "write:a.ts:b(c as any) // d"}, []string{"write:a.ts:// the same as any other", "write:a.ts:b = c; // as any", "write:a.ts:/** as any other */"}},
		{"Never use `any`.", []string{"write:a.ts:let b: any"}, []string{"write:a.ts:// takes: any value", "write:a.ts:/* @param b: any value"}},
		{"Never hardcode `~/.quill` paths.",
			[]string{`write:a.py:b = Path("~/.quill/c")`, "write:a.py:b = f'~/.quill'", "write:a.sh:cd ~/.quill", `write:a.ts:{ dir: "~/.quill" }`, `write:a.go:    "~/.quill",`},
			[]string{"write:a.py:# in ~/.quill/c", `write:a.py:    """Reads ~/.quill."""`, "write:a.py:    Reads `~/.quill`, if it's there.", "write:a.ts:b = c; // \"~/.quill\"", "write:a.sh:# cd ~/.quill", `write:a.go:    "~/.quills",`}},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + c.line + "\n"}
		list := Drafts(&statement.Of(&f)[0], &survey.Project{})
		require.Len(t, list, 1, c.line)
		for _, s := range c.stops {
			require.Empty(t, with(t, list[0], more(s, ruletext.Violation)), s)
		}
		for _, s := range c.passes {
			require.Empty(t, with(t, list[0], more(s, ruletext.Pass)), s)
		}
	}
	for _, w := range forms.All().Content {
		if w.Code {
			require.Contains(t, besideComment(w.Pattern), "(?<code>", w.Name)
			require.NotContains(t, w.Pattern, "(?<", w.Name)
		}
	}
}

package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
)

// TestLongTexts: a strict ban in a long text has its draft where it stands alone. One that points to
// another sentence, that a case in front or a sentence behind limits, or that is about a name has none.
func TestLongTexts(t *testing.T) {
	story := strings.Repeat("The store keeps what the pages have loaded, and tells each page of what is new. ", 6)
	for _, c := range []struct {
		text   string
		drafts []string
	}{
		{"Never push to `main`.", []string{"never-branch-main"}},
		{"Do not edit files in `gen/`. The script makes all files.", []string{"never-edit-gen"}},
		{"Never commit `.env` or any file that has real tokens.", []string{"never-commit-file-env"}},
		{"Never run `make deploy` if the tests fail.", nil},
		{"Never run `make deploy`. It is fine for the staging server, where you may.", nil},
		{"If the tests fail, stop. Never push to `main`.", nil},
		{"Never edit files in `gen/`. The script makes all files. It may be edited for a release.", nil},
		{"Never put them into `gen/`.", nil},
		{"Never edit those files in `gen/`.", nil},
		{"Pages never push to `main`.", nil},
		{"**Pull requests**: never edit files in `gen/`.", []string{"never-edit-gen"}},
		{"**Pull requests**: never edit them in `gen/`.", nil},
		{"Never use `window.title`.", nil},
		{"Always run `make a`.", nil},
	} {
		f := statement.File{Path: "CLAUDE.md", Text: "# Rules\n\n- " + story + c.text + "\n"}
		all := statement.Of(&f)
		require.Len(t, all, 1)
		require.Greater(t, len(all[0].Text), tooMuchText)
		var ids []string
		for _, d := range Drafts(&all[0], &survey.Project{}) {
			require.Equal(t, all[0].Text, d.Statement.Text)
			ids = append(ids, d.ID)
		}
		require.Equal(t, c.drafts, ids, c.text)
	}
}

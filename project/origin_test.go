package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/rule"
)

// TestStanding: the words of a quotation are found where they stand, and a sentence that goes on
// is another one.
func TestStanding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, quote string
		near, want  int
	}{
		"where it was":         {"# Shop\n\n- Use pnpm, not npm.\n", "Use pnpm, not npm.", 3, 3},
		"further down":         {"# Shop\n\nHello.\n\n- Use pnpm, not npm.\n", "Use pnpm, not npm.", 3, 5},
		"in other letters":     {"- USE pnpm, not npm.\n", "use pnpm, not NPM.", 3, 1},
		"over two lines":       {"- Never push\n  to main.\n- x\n", "Never push to main.", 9, 1},
		"a quoted block":       {"> Never push\n> to main.\n", "Never push to main.", 9, 1},
		"a sentence of some":   {"- Be kind. Never push to main. Ask.\n", "Never push to main.", 1, 1},
		"without a full stop":  {"- Never push to main\n- Ask first\n", "Never push to main", 1, 1},
		"below a heading":      {"## Never push to main\nReally\n", "Never push to main", 1, 1},
		"a row of a table":     {"| a | b |\n|---|---|\n| test | `npm test` |\n| lint | x |\n", "test | `npm test`", 1, 3},
		"the nearest of two":   {"- Use pnpm.\n\n\n\n- Use pnpm.\n", "Use pnpm.", 4, 5},
		"a quotation cut":      {"- Never push to main, whatever anybody says\n", "Never push to main, wh…", 1, 1},
		"with more words":      {"- Never push to main unless asked.\n", "Never push to main", 1, gone},
		"with others":          {"- Line length is 100.\n", "Use pnpm, not npm.", 1, gone},
		"a quotation of marks": {"- …\n", "…", 1, gone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, lineOf(words(c.text), c.quote, c.near))
		})
	}
}

// TestCorrect: a rule tells the agent the line where its words stand now, and none that it does not
// know.
func TestCorrect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"it stands": {"\n- Use pnpm.\n", `CLAUDE.md:2 says: "Use pnpm."`},
		"it moved":  {"\n\n\n- Use pnpm.\n", `CLAUDE.md:4 says: "Use pnpm."`},
		"it went":   {"\n- Use yarn.\n", `an earlier CLAUDE.md says: "Use pnpm."`},
		"no file":   {"", `CLAUDE.md says: "Use pnpm."`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if c.text != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "CLAUDE.md"), []byte(c.text), 0o600))
			}
			require.Equal(t, c.want, corrected(dir, "CLAUDE.md"))
		})
	}
}

func corrected(dir, file string) string {
	d := &rule.Definition{Source: file + ":2", Quote: "Use pnpm."}
	f := sentinel.Finding{Message: d.Source + ` says: "Use pnpm."`}
	(&Folder{Root: dir}).origins().correct(&f, d)
	return f.Message
}

// TestCorrectStaysInside: no file outside of the project is read for a rule, and none that does not
// end.
func TestCorrectStaysInside(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "o.md"), []byte("x\nx\nx\n- Use pnpm.\n"), 0o600))
	programtest.Link(t, filepath.Join(outside, "o.md"), filepath.Join(dir, "link.md"))
	require.Equal(t, `link.md says: "Use pnpm."`, corrected(dir, "link.md"))
	up := "../" + filepath.Base(outside) + "/o.md"
	require.Equal(t, up+` says: "Use pnpm."`, corrected(dir, up))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large.md"), make([]byte, maxInstructions+1), 0o600))
	require.Equal(t, `large.md says: "Use pnpm."`, corrected(dir, "large.md"))
}

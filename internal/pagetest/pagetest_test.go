package pagetest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/pagetest"
)

// Each promise of the threat model names a test, and so does each chapter of the limits.
// What a platform changes names one, or says that it has none.
func TestPagesNameTheirTests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ without, named int }{
		"threat-model.md": {without: 0, named: 150},
		"limits.md":       {without: 0, named: 60},
		"platforms.md":    {without: 2, named: 10},
	} {
		page, err := pagetest.Read(filepath.Join("..", ".."), name, "Test")
		require.NoError(t, err)
		require.Empty(t, page.Problems, "docs/%s", name)
		require.LessOrEqual(t, len(page.Without), want.without, "docs/%s: rows without a test: %s", name, page.Without)
		require.Greater(t, page.Named, want.named, "docs/%s is not read as it was meant", name)
		t.Logf("docs/%s: %d names, %d rows without a test", name, page.Named, len(page.Without))
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("part/a_test.go", "package part\n\nfunc TestA(t *testing.T) {\n\tfor range []string{\"one case\"} {\n\t}\n}\n")
	const head = "| what | Test |\n|---|---|\n"
	for _, tt := range []struct {
		row     string
		named   int
		problem string
	}{
		{"| x | `part` `TestA` |", 2, ""},
		{"| x | `part` `TestA/one case` |", 2, ""},
		{"| x | `part/a_test.go` |", 1, ""},
		{"| `TestGone` | `part` |", 1, ""},
		{"| x | none |", 0, ""},
		{"| x | `part` `TestGone` |", 1, `"part" has no TestGone`},
		{"| x | `part` `TestA/other case` |", 1, `has no case "other case"`},
		{"| x | `gone` `TestA` |", 0, "gone: "},
		{"| x | |", 0, "no test is named"},
		{"| x | later |", 0, "no test is named"},
	} {
		write("docs/page.md", head+tt.row+"\n")
		page, err := pagetest.Read(root, "page.md", "Test")
		require.NoError(t, err)
		require.Equal(t, tt.named, page.Named, tt.row)
		if tt.problem == "" {
			require.Empty(t, page.Problems, tt.row)
			continue
		}
		require.NotEmpty(t, page.Problems, tt.row)
		require.Contains(t, page.Problems[0], tt.problem)
	}
	write("docs/page.md", "| what | why |\n|---|---|\n| x | |\n")
	page, err := pagetest.Read(root, "page.md", "Test")
	require.NoError(t, err)
	require.Empty(t, page.Problems, "another table")
	_, err = pagetest.Read(root, "gone.md", "Test")
	require.Error(t, err)
}

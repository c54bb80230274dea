package pagetest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/pagetest"
)

const page = "# A page\n\n```yaml a/b.yaml\nkey: 1\n```\n\n## Part two\n\n<!-- event: x -->\n```json\n{}\n```\n\n1. In a list:\n\n   ```sh\n   sentinel test  # all\n   ```\n\n```\nnever closed\n"

func TestBlocks(t *testing.T) {
	t.Parallel()
	require.Equal(t, []pagetest.Block{
		{Page: "p.md", Line: 3, Heading: "A page", Kind: "yaml", File: "a/b.yaml", Text: "key: 1\n"},
		{Page: "p.md", Line: 10, Heading: "Part two", Marker: "event: x", Kind: "json", Text: "{}\n"},
		{Page: "p.md", Line: 16, Heading: "Part two", Kind: "sh", Text: "sentinel test  # all\n"},
		{Page: "p.md", Line: 20, Heading: "Part two", Text: "never closed\n\n"},
	}, pagetest.Blocks("p.md", page))
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, text string
		want       []pagetest.Command
	}{
		"prompts":     {"console", "$ a b   # exit status 2\nout\n\n$ c\n", []pagetest.Command{{Line: "a b", Prints: "out\n\n", Status: "2"}, {Line: "c", Status: "0"}}},
		"lines":       {"sh", "# why\na 'x' # what\n\nb \\\n  c\n", []pagetest.Command{{Line: "a 'x'", Status: "0"}, {Line: "b c", Status: "0"}}},
		"two columns": {"", "sentinel audit . --facts      no model\n", []pagetest.Command{{Line: "sentinel audit . --facts", Status: "0"}}},
		"a script":    {"sh", "#!/bin/sh\nexec a\n", []pagetest.Command{{Line: "#!/bin/sh\nexec a\n", Status: "0"}}},
	} {
		b := pagetest.Block{Kind: tt.kind, Text: tt.text}
		require.Equal(t, tt.want, b.Commands(), name)
		require.True(t, b.IsShell(), name)
	}
	for _, b := range []pagetest.Block{{Text: "git may be\n", Kind: "json"}, {Text: "agent ─ event\n"}, {Text: "gitter\n", Kind: "text"}} {
		require.False(t, b.IsShell(), b.Text)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	read := func(text string) ([]pagetest.Claim, error) {
		file := filepath.Join(root, "claims.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return pagetest.Claims(file)
	}
	b := pagetest.Block{Page: "docs/a/b.md", Heading: "H", Kind: "sh", Marker: "event: x", Text: "\nsentinel test x\nsentinel pause\n"}
	for text, fits := range map[string]bool{
		"{page: docs/a/*.md, why: w}": true,
		"{page: docs/*.md, why: w}":   false,
		"{page: docs/a/b.md, heading: H, kind: sh, marker: 'event:', begins: sentinel t, why: w}": true,
		"{page: docs/a/b.md, heading: G, why: w}":                                                 false,
		"{page: docs/a/b.md, kind: json, why: w}":                                                 false,
		"{page: docs/a/b.md, marker: answer, why: w}":                                             false,
		"{page: docs/a/b.md, begins: sentinel p, why: w}":                                         false,
		"{page: docs/a/b.md, command: sentinel p, why: w}":                                        true,
		"{page: docs/a/b.md, command: sentinel q, why: w}":                                        false,
	} {
		list, err := read("- " + text + "\n")
		require.NoError(t, err, text)
		require.Equal(t, fits, list[0].Fits(&b), text)
	}
	for text, want := range map[string]string{
		"{why: w}":                      "it names no page",
		"{page: a.md}":                  "it needs one of",
		"{page: a.md, why: w, test: x}": "it needs one of",
		"{page: a.md, status: '1'}":     "a status is one of a command",
		"{page: 'a[', why: w}":          "syntax error in pattern",
		"{page: a.md, because: w}":      "field because not found",
	} {
		_, err := read("- " + text + "\n")
		require.ErrorContains(t, err, want, text)
	}
}

func TestClaimedTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	for test, want := range map[string]string{
		"internal/pagetest TestClaimedTests": "",
		".ci/run demo":                       "",
		"internal/pagetest TestGone":         `"internal/pagetest" has no TestGone`,
		".ci/run gone":                       ".ci/run has no step gone",
		"TestClaimedTests":                   "is not a folder and a test",
	} {
		err := (&pagetest.Claim{Test: test}).Exists(root)
		if want == "" {
			require.NoError(t, err, test)
			continue
		}
		require.ErrorContains(t, err, want, test)
	}
}

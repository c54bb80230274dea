package trigger_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// TestFileLimits keeps docs/limits.md true: these commands change files below
// src/billing, or read them, and are not seen to.
func TestFileLimits(t *testing.T) {
	t.Parallel()
	root, engine := bulkProject(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "Makefile"), []byte("fmt:\n\tblack src/billing\n"), 0o600))
	if err := os.Link(filepath.Join(root, "src", "billing", "a.py"), filepath.Join(root, "docs", "hard.py")); err != nil {
		t.Skip(err)
	}
	for reason, command := range map[string]string{
		"a formatter that no table has":  "neatify src",
		"what a target formats":          "make fmt",
		"a name that a program computes": "python3 -c 'n = chr(115) + \"rc/b\" + \"illing/a.py\"; open(n, \"w\").write(\"x\")'",
		"a hard link of an earlier call": "echo x > docs/hard.py",
		"reading a whole folder":         "grep -r rate .",
		"a hidden folder":                "prettier --write .",
	} {
		want := sentinel.VerdictAllow
		if reason == "a hidden folder" {
			want = sentinel.VerdictBlock // the others are seen
		}
		require.Equal(t, want, bulkVerdict(t, root, engine, command), "%s: docs/limits.md says otherwise", reason)
	}
}

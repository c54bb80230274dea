package trigger_test

import (
	"fmt"
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
	if err := os.Link(filepath.Join(root, "src", "billing", "a.py"), filepath.Join(root, "docs", "hard.py")); err != nil {
		t.Skip(err)
	}
	for reason, command := range map[string]string{
		"a formatter that no table has":  "neatify src",
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

// A file beyond the bound of a pattern or a listing is represented: a file rule that may
// be about it is asked.
func TestNamesBeyondTheBound(t *testing.T) {
	t.Parallel()
	root, engine := bulkProject(t)
	dirs := ""
	for i := range 40 {
		dirs += fmt.Sprintf(" d%02d", i)
	}
	for i := range 300 {
		folder := filepath.Join(root, "src", fmt.Sprintf("a%03d", i))
		require.NoError(t, os.Mkdir(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x.py"), nil, 0o600))
	}
	for command, want := range map[string]sentinel.Verdict{
		"find" + dirs + " src/billing -name '*.py' | xargs sed -i s/a/b/": sentinel.VerdictBlock,
		"sed -i s/a/b/ $(find" + dirs + " src/billing -name '*.py')":      sentinel.VerdictBlock,
		"grep -rl a" + dirs + " src/billing | xargs sed -i s/a/b/":        sentinel.VerdictBlock,
		"git ls-files" + dirs + " src/billing | xargs sed -i s/a/b/":      sentinel.VerdictBlock,
		"rm -f src/*/*.py":                                sentinel.VerdictBlock,
		"sed -i s/a/b/ src/*/*.py":                        sentinel.VerdictBlock,
		"sed -i s/a/b/ src/*/**/*.py":                     sentinel.VerdictBlock,
		"rm -rf src/[ab]*":                                sentinel.VerdictBlock,
		"rm -rf src/a0*":                                  sentinel.VerdictAllow,
		"find d00 d01 -name '*.py' | xargs sed -i s/a/b/": sentinel.VerdictAllow,
		"sed -i s/a/b/ docs/*.py":                         sentinel.VerdictAllow,
	} {
		require.Equal(t, want, bulkVerdict(t, root, engine, command), "%.60s", command)
	}
}

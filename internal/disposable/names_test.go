package disposable

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/safefile"
)

// TestMktemp: where it fails it prints nothing, and it may be another program.
func TestMktemp(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		want       bool
	}{
		{"$(mktemp -d)", "D=$(mktemp -d); rm -rf $D", true},
		{"$(mktemp -d)/no/such", "D=$(mktemp -d); rm -rf $D/no/such", true},
		{"$(mktemp -d)/no/such", "cd $PATH; rm -rf $(mktemp -d)/no/such", true},
		{"$(mktemp -d)/etc", "D=$(mktemp -d); rm -rf $D/etc", false},
		{"$(mktemp -d)/", "rm -rf $(mktemp -d)/", false},
		{"$(mktemp -d)/./", "rm -rf $(mktemp -d)/./", false},
		{"$(mktemp -d)/*", "rm -rf $(mktemp -d)/*", false},
		{"$(mktemp -d)/{a,etc}", "rm -rf $(mktemp -d)/{a,etc}", false},
		{"$(mktemp -d /nonexistent/XXXX)/etc", "rm -rf $(mktemp -d /nonexistent/XXXX)/etc", false},
		{"$(mktemp -d /nope/XXXX)/no/such", "rm -rf $(mktemp -d /nope/XXXX)/no/such", false},
		{"$(mktemp -d)", "PATH=.:$PATH; rm -rf $(mktemp -d)", false},
		{"$(mktemp -d)", "export PATH; rm -rf $(mktemp -d)", false},
		{"$(mktemp -d)/no", "TMPDIR=/nonexist; rm -rf $(mktemp -d)/no", false},
		{"$(mktemp -d)", "mktemp() { echo src; }; rm -rf $(mktemp -d)", false},
		{"$(mktemp -d)", "alias mktemp='echo src'; rm -rf $(mktemp -d)", false},
		{"$(mktemp -d)", ". ./env; rm -rf $(mktemp -d)", false},
	} {
		e := evidence(t, t.TempDir())
		e.opts.Line = tt.line
		require.Equal(t, tt.want, e.Why(tt.name) != "", tt.line)
	}
}

// TestNames: what a name tells depends on what has it, and where.
func TestNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"thesis.bak/a", "app.log/a", "bazel-notes", "src/a.log", "src/b.tmp", "src/node_modules/x/a"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	e := evidence(t, root)
	e.temps = nil
	other := safefile.Resolve(t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Join(other, "a.log"), nil, 0o600))
	for name, want := range map[string]bool{
		"thesis.bak": false, "thesis.bak/a": false, "app.log": false, "bazel-notes": false, "src/a.log": true, "src": true, "src/*.tmp": true,
		"src/node_modules/x": true, other + "/a.log": false, other + "/none.bak": false, other + "/node_modules": true,
		"~/.gradle": false, "~/.gradle/init.d": false, "~/.gradle/caches/x": true, "~/node_modules": false, "~/code/.venv": true,
	} {
		require.Equal(t, want, e.Why(filepath.ToSlash(name)) != "", name)
	}
	for name, want := range map[string]bool{
		"/srv/build/customers": false, "/srv/build": false, "dist": false, "/srv/app/node_modules": true, "/srv/node_modules/customers": false,
		"/srv/x.bak": false, "/root/.gradle": false, "/srv/venv": false, "/srv/bazel-customers": false, "/tmp/x": true, "app/__pycache__": true,
	} {
		require.Equal(t, want, e.WhyElsewhere(name) != "", name)
	}
}

// TestNamedTemp: whole names of a path, not parts of words.
func TestNamedTemp(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"/tmp": true, "/home/u/.tmp": true, "/home/u/tmp/x": true, "C:/Users/u/AppData/Local/Temp": true, "/private/var/folders/a1/b2/T": true,
		"/x/TemporaryItems": true, "/home/u/templates": false, "/home/u/attempts": false, "/home/u/tmpfs-work": false, "/home/T": false,
		"/var/folders/a1/b2/C": false, "tmp": false,
	} {
		require.Equal(t, want, namedTemp.Get().MatchString(name), name)
	}
}

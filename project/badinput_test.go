package project_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// A rule file that cannot be read does nothing to the others. It is named, and where
// the project is strict nothing passes by it.
func TestAFileThatNobodyCanRead(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a folder":                   func(path string) error { return os.Mkdir(path, 0o755) },
		"a link that leads nowhere":  func(path string) error { return os.Symlink("nowhere.yaml", path) },
		"a link to itself":           func(path string) error { return os.Symlink(path, path) },
		"a link out of the project":  func(path string) error { return os.Symlink(os.DevNull, path) },
		"a file without permissions": func(path string) error { return os.WriteFile(path, []byte(guard("**")), 0) },
	} {
		for _, strict := range []bool{false, true} {
			files := tree{".claude/sentinel/rules/a.yaml": guard("src/**")}
			if strict {
				files[".claude/sentinel/config.yaml"] = strictConfig
			}
			d := newHookDesk(t, files)
			if err := make(d.rules("rules/nobody.yaml")); err != nil {
				t.Log(name, "cannot be made here:", err)
				continue
			}
			if _, err := os.ReadFile(d.rules("rules/nobody.yaml")); err == nil {
				t.Log(name, "can be read here, by root")
				continue
			}
			d.stops(true)
			want := sentinel.VerdictAllow
			if strict {
				want = sentinel.VerdictBlock
			}
			require.Equal(t, want, d.decide(write(d.dir, "docs/a.md")).Verdict, name)
			require.Contains(t, problems(project.Open([]string{d.dir}, &d.opts)), "nobody.yaml", name)
		}
	}
}

// A call is judged by the rules as they were when it began, whatever becomes of their
// files meanwhile. The next call meets the new ones, as far as they stop no less.
func TestARuleThatChangesWhileItIsJudged(t *testing.T) {
	t.Parallel()
	const judged = "trigger: file_write\nscope: ['src/**']\nbackend: fake\nprompt: Is it right?\nmessage: "
	for name, tt := range map[string]struct {
		becomes string // "" is removed
		next    string // the message of the call after it
	}{
		"removed":         {"", "as it was"},
		"broken":          {"[", "as it was"},
		"weaker":          {"severity: warn\n" + judged + "weaker\n", "as it was"},
		"another message": {judged + "another\n", "another"},
	} {
		d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": judged + "as it was\n"})
		d.opts.CacheDir = t.TempDir()
		change := func() error { return nil }
		d.opts.Backends = fakeBackend(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			err := change()
			return sentinel.Response{Text: `{"violation": true, "confidence": 0.9, "reason": "no"}`}, err
		}))
		says := func(path, want string) {
			t.Helper()
			dec := d.decide(write(d.dir, path))
			require.Equal(t, sentinel.VerdictBlock, dec.Verdict, name)
			require.Equal(t, want, dec.Findings[0].Message, name)
		}
		says("src/a.go", "as it was") // it is compiled, and pinned
		change = func() error {
			if tt.becomes == "" {
				return os.Remove(d.rules("rules/a.yaml"))
			}
			return os.WriteFile(d.rules("rules/a.yaml"), []byte(tt.becomes), 0o644)
		}
		says("src/b.go", "as it was")
		change = func() error { return nil }
		says("src/c.go", tt.next)
	}
}

//go:build unix

// Package callers_test is apart from safefile, which the modules of their own import: the
// tests of what a module imports count for its go.sum.
package callers_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/change"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// errNothing represents a caller that reads nothing of the file and reports no error.
var errNothing = errors.New("nothing was read")

// callers are those that read files which a repository may have prepared. Each gets the
// folder of a repository in which one of its files is not as it should be.
var callers = []struct {
	name, file string
	read       func(t *testing.T, dir, path string) error
	follows    bool // a link is followed
	streams    bool // a file is read piece by piece, whatever its size
}{
	{"change.Whole", "main.go", func(_ *testing.T, dir, _ string) error {
		_, err := change.Whole(dir, []string{"main.go"})
		return err
	}, true, false},
	{"document.Open", "README.md", func(t *testing.T, _, path string) error {
		_, err := document.Open(t.Context(), path, nil)
		return err
	}, true, false},
	{"telemetry.Follow", "sentinel.log", func(_ *testing.T, _, path string) error {
		f := telemetry.Follow(path, true)
		defer f.Close()
		return taken(f.Next())
	}, false, true},
	{"record.Book", "prompts.jsonl", func(_ *testing.T, _, path string) error {
		return taken((&record.Book{Prompts: path}).ReadPrompts("a"))
	}, false, true},
	{"install.Plan", ".claude/settings.json", func(t *testing.T, dir, _ string) error {
		_, err := install.Plan(claude(t, dir), install.Hook{})
		return err
	}, false, false},
	{"install.PlanRemoval of a backup", ".claude/settings.json.before-sentinel", func(t *testing.T, dir, _ string) error {
		before, hooked := []byte("{\n    \"kept\": true\n}\n"), filepath.Join(dir, ".claude", "settings.json")
		require.NoError(t, os.WriteFile(hooked, before, 0o600))
		added, err := install.Plan(claude(t, dir), install.Hook{})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(hooked, added.After, 0o600))
		c, err := install.PlanRemoval(claude(t, dir))
		require.NoError(t, err)
		require.JSONEq(t, string(before), string(c.After))
		return errNothing
	}, false, false},
	{"settings.Read", "config.yaml", func(_ *testing.T, _, path string) error {
		_, _, err := settings.Read(path)
		return err
	}, false, false},
	{"the plugins of agents", ".claude/settings.json", func(t *testing.T, dir, _ string) error {
		for _, a := range (agent.Registry{}).All() {
			if a.Plugin.Find != nil {
				require.Empty(t, a.Plugin.Find(install.Place{Root: dir, Home: t.TempDir()}), a.Name)
			}
		}
		return errNothing
	}, true, false},
	{"setup.Init", ".claude/sentinel/.gitignore", func(t *testing.T, dir, _ string) error {
		home := t.TempDir()
		_, err := setup.Init(t.Context(), &setup.Options{Dir: dir, Backend: "builtin", Where: setup.InProject, Say: func(string, ...any) {}, Project: &project.Options{
			Home: home, UserDir: filepath.Join(home, "user"), StateDir: filepath.Join(home, "state"), CacheDir: filepath.Join(home, "cache"),
		}})
		return err
	}, false, false},
}

func fifo(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) }

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

func taken[T any](all []T, err error) error {
	if err == nil && len(all) == 0 {
		return errNothing
	}
	return err
}

func claude(t *testing.T, dir string) install.Target {
	t.Helper()
	a, err := (agent.Registry{}).Named("claude")
	require.NoError(t, err)
	return install.Target{Agent: a.Name, Settings: &a.Settings, File: filepath.Join(dir, ".claude", "settings.json")}
}

// No caller waits for a FIFO, reads a device, or takes a file of a terabyte into memory.
func TestCallersRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		link bool // to a regular file
		huge bool
	}{
		"a FIFO": {func(t *testing.T, path string) { fifo(t, path) }, false, false},
		"a link to a FIFO": {func(t *testing.T, path string) {
			fifo(t, path+".pipe")
			require.NoError(t, os.Symlink(path+".pipe", path))
		}, false, false},
		"a device": {func(t *testing.T, path string) { require.NoError(t, os.Symlink("/dev/zero", path)) }, false, false},
		"a link": {func(t *testing.T, path string) {
			secret := filepath.Join(t.TempDir(), "secret")
			write(t, secret, "{\"id\":\"a\",\"kept\":\"secret\"}\n")
			require.NoError(t, os.Symlink(secret, path))
		}, true, false},
		"a terabyte": {func(t *testing.T, path string) {
			write(t, path, "")
			if os.Truncate(path, 1<<40) != nil {
				t.Skip("no sparse files here")
			}
		}, false, true},
	} {
		for _, caller := range callers {
			if c.link && caller.follows || c.huge && caller.streams {
				continue
			}
			t.Run(name+"/"+caller.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, filepath.FromSlash(caller.file))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
				c.make(t, path)
				done := make(chan error, 1)
				go func() { done <- caller.read(t, dir, path) }()
				select {
				case err := <-done:
					require.Error(t, err)
				case <-time.After(30 * time.Second):
					t.Fatal("it waits")
				}
			})
		}
	}
}

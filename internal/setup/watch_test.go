package setup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/project"
)

// Each way in which a session's hook can be lost is found; other changes by an
// agent or a user are not a loss.
func TestWatch(t *testing.T) {
	t.Parallel()
	replace := func(old, fresh string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, old, fresh) }
	}
	for name, c := range map[string]struct {
		agent, file string
		change      func(string) string // of the file's text; nil removes it
		want        string              // "" for no loss
	}{
		"nothing":                         {"claude", ".claude/settings.json", replace("", ""), ""},
		"another layout":                  {"claude", ".claude/settings.json", replace("\n", "\n "), ""},
		"a permission":                    {"claude", ".claude/settings.json", replace(`"hooks": {`, `"permissions": {"allow": ["Bash(ls)"]}, "hooks": {`), ""},
		"a hook of somebody else":         {"claude", ".claude/settings.json", replace(`"SessionEnd": [`, `"SessionEnd": [{"hooks": [{"type": "command", "command": "date"}]},`), ""},
		"hooks are off":                   {"claude", ".claude/settings.json", replace(`"hooks": {`, `"disableAllHooks": true, "hooks": {`), "disableAllHooks"},
		"off in a new file":               {"claude", ".claude/settings.local.json", func(string) string { return `{"disableAllHooks": true}` }, "settings.local.json"},
		"a person's own hooks are off":    {"claude", "~/.claude/settings.json", func(string) string { return `{"disableAllHooks": true}` }, "disableAllHooks"},
		"the file is gone":                {"claude", ".claude/settings.json", nil, "does not start the hook any more"},
		"no JSON any more":                {"claude", ".claude/settings.json", replace("}", "]"), "cannot be read"},
		"an event less":                   {"claude", ".claude/settings.json", replace(`"PreToolUse"`, `"Notification"`), "was changed"},
		"a narrower matcher":              {"claude", ".claude/settings.json", replace("Bash|", ""), "was changed"},
		"another command":                 {"claude", ".claude/settings.json", replace("sentinel hook", "true"), "does not start the hook any more"},
		"a program of the same name":      {"claude", ".claude/settings.json", replace("sentinel hook", "/tmp/sentinel hook"), "was changed"},
		"another project by a flag":       {"claude", ".claude/settings.json", replace("sentinel hook", "sentinel hook --agent cline"), "was changed"},
		"hardly any time":                 {"claude", ".claude/settings.json", replace(`"timeout": 20`, `"timeout": 1`), "was changed"},
		"Codex":                           {"codex", ".codex/hooks.json", nil, "does not start the hook any more"},
		"Qwen":                            {"qwen", ".qwen/settings.json", replace("PreToolUse", "PreCompact"), "was changed"},
		"Gemini":                          {"gemini", ".gemini/settings.json", func(string) string { return "{}" }, "does not start the hook any more"},
		"opencode's plugin":               {"opencode", ".opencode/plugins/sentinel.ts", replace("tool.execute.before", "tool.execute.never"), "was changed"},
		"Cline's script":                  {"cline", ".clinerules/hooks/PreToolUse", func(string) string { return "#!/bin/sh\nexit 0\n" }, "does not start the hook any more"},
		"Cursor, which runs its own":      {"cursor", ".cursor/hooks.json", nil, "does not start the hook any more"},
		"Copilot, whose file is Claude's": {"copilot", ".github/hooks/sentinel.json", nil, "does not start the hook any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatch(t, c.agent, nil)
			now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
			w.Opts.Now = func() time.Time { return now }
			require.NoError(t, w.Begin())
			require.Empty(t, w.Look())

			file := filepath.Join(w.Dir, c.file)
			if c.agent == "cline" && runtime.GOOS == "windows" {
				file += ".ps1"
			}
			if rest, own := strings.CutPrefix(c.file, "~/"); own {
				file = filepath.Join(w.Opts.Home, rest)
			}
			was, _ := os.ReadFile(file)
			if c.change == nil {
				require.NoError(t, os.Remove(file))
			} else {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(c.change(string(was))), 0o644))
			}
			lost := strings.Join(w.Look(), "\n")
			if c.want == "" {
				require.Empty(t, lost)
				require.Nil(t, w.Alarm())
				return
			}
			require.Contains(t, lost, c.want)
			require.NotNil(t, w.Alarm())
			require.Equal(t, lost, strings.Join(w.Look(), "\n"), "it stays lost")

			now = now.Add(time.Second)
			require.NoError(t, setup.Seen(w.Opts, w.Dir))
			require.Nil(t, w.Alarm())
			require.Empty(t, w.Look(), "a person has looked at it")
			require.Nil(t, w.Alarm())
		})
	}
}

// newWatch watches a session of an agent after `sentinel init`, before which files are
// written.
func newWatch(t *testing.T, name string, files map[string]string) *setup.Watch {
	t.Helper()
	dir := t.TempDir()
	root, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	require.NoError(t, os.MkdirAll(home, 0o755))
	for file, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
	}
	o := &project.Options{StateDir: filepath.Join(dir, "state"), Home: home}
	_, err := setup.Init(t.Context(), &setup.Options{
		Dir: root, Agents: []string{name}, Project: o, Backend: "builtin", Say: func(string, ...any) {},
	})
	require.NoError(t, err)
	a, err := o.Agents.Named(name)
	require.NoError(t, err)
	return &setup.Watch{Project: project.Open([]string{root}, o), Opts: o, Agent: a, Session: "s", Dir: root}
}

// docs/limits.md says what is not compared.
func TestWatchLimits(t *testing.T) {
	t.Parallel()
	t.Run("settings from elsewhere", func(t *testing.T) {
		t.Parallel()
		w := newWatch(t, "claude", nil)
		require.NoError(t, w.Begin())
		require.NoError(t, os.WriteFile(filepath.Join(w.Opts.Home, "managed-settings.json"), []byte(`{"disableAllHooks": true}`), 0o644))
		require.Empty(t, w.Look())
	})
	t.Run("more files than are compared", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{}
		for i := range 40 {
			files[fmt.Sprintf(".amazonq/cli-agents/%02d.json", i)] = `{"name": "x"}`
		}
		w := newWatch(t, "amazonq", files)
		require.NoError(t, w.Begin())
		take := func(name string) []string {
			require.NoError(t, os.WriteFile(filepath.Join(w.Dir, name), []byte(`{"name": "x"}`), 0o644))
			return w.Look()
		}
		require.Empty(t, take(".amazonq/cli-agents/39.json"))
		require.NotEmpty(t, take(".amazonq/cli-agents/00.json"))
	})
}

// An agent of a program of somebody's own, and one without settings, has nothing that
// could be compared.
func TestWatchOfAnUnknownAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := &project.Options{StateDir: filepath.Join(dir, "state")}
	w := &setup.Watch{Project: project.Open([]string{dir}, o), Opts: o, Agent: &agent.Agent{Name: "acme"}, Session: "s", Dir: dir}
	require.NoError(t, w.Begin())
	require.Empty(t, w.Look())
	require.Empty(t, w.Paths())
}

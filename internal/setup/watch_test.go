package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/project"
)

// What a session's hook loses is found whatever way it is lost; what an agent or a
// person changes besides is no loss.
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
			dir := t.TempDir()
			root, home := filepath.Join(dir, "repo"), filepath.Join(dir, "home")
			require.NoError(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
			require.NoError(t, os.MkdirAll(home, 0o755))
			now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
			o := &project.Options{StateDir: filepath.Join(dir, "state"), Home: home, Now: func() time.Time { return now }}
			require.NoError(t, setup.Init(t.Context(), &setup.Options{
				Dir: root, Agents: []string{c.agent}, Project: o, Backend: "builtin", Say: func(string, ...any) {},
			}))
			a, err := o.Agents.Named(c.agent)
			require.NoError(t, err)
			w := &setup.Watch{Project: project.Open([]string{root}, o), Opts: o, Agent: a, Session: "s", Dir: root}
			require.NoError(t, w.Begin())
			require.Empty(t, w.Look())

			file := filepath.Join(root, c.file)
			if rest, own := strings.CutPrefix(c.file, "~/"); own {
				file = filepath.Join(home, rest)
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
			require.NoError(t, setup.Seen(o, root))
			require.Nil(t, w.Alarm())
			require.Empty(t, w.Look(), "a person has looked at it")
			require.Nil(t, w.Alarm())
		})
	}
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

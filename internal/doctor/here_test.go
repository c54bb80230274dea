package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/install"
)

// The behaviour of an agent is reported for the folder that it would be started in.
func TestWhereTheAgentIsStarted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent  string
		setUp  func(*world)
		dir    string
		status doctor.Status
		words  string
	}{
		"at the root":                  {"claude", nil, ".", doctor.StatusInfo, "in a folder below"},
		"below":                        {"claude", nil, "src/deep", doctor.StatusWarn, "started in src/deep, Claude Code loads no hook"},
		"below, and it is here":        {"claude", func(w *world) { w.script("~/bin/claude", "exit 1"); w.onPath("~/bin") }, "src", doctor.StatusFail, "--user"},
		"below, with the user's":       {"claude", func(w *world) { w.copyTo(".claude/settings.json", "~/.claude/settings.json") }, "src", doctor.StatusOK, "of your own settings"},
		"below, with a hook there":     {"claude", func(w *world) { w.copyTo(".claude/settings.json", "src/.claude/settings.json") }, "src", doctor.StatusOK, "of that folder"},
		"below, with a plugin of all":  {"claude", func(w *world) { w.write("~/.claude/settings.json", `{"enabledPlugins": {"sentinel@x": true}}`) }, "src", doctor.StatusOK, "of your own settings"},
		"below, with a plugin of here": {"claude", func(w *world) { w.write(".claude/settings.local.json", `{"enabledPlugins": {"sentinel@x": true}}`) }, "src", doctor.StatusWarn, "loads no hook"},
		"below, nobody knows":          {"cursor", nil, "src", doctor.StatusInfo, "is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.init(install.Hook{}, c.agent)
			if c.setUp != nil {
				c.setUp(w)
			}
			requireFinding(t, w.examineIn(c.dir), "agents", c.agent, c.status, c.words)
		})
	}
	w := newWorld(t)
	w.init(install.Hook{}, "codex")
	requireNone(t, w.examineIn("src"), "agents", "started in")
}

// examineIn examines the world from a folder of the repository.
func (w *world) examineIn(dir string) []doctor.Finding {
	w.Helper()
	opts := w.options()
	opts.Dir = w.at(dir)
	require.NoError(w, os.MkdirAll(opts.Dir, 0o755))
	return doctor.Examine(w.Context(), opts)
}

// copyTo copies a file.
func (w *world) copyTo(from, to string) {
	text, err := os.ReadFile(w.at(from))
	require.NoError(w, err)
	w.write(to, string(text))
}

// A hook that other settings switch off does not run anywhere.
func TestSettingsThatSwitchHooksOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ agent, file, text, words string }{
		"Gemini's":            {"gemini", "~/.gemini/settings.json", `{"hooksConfig": {"enabled": false}}`, "hooksConfig.enabled"},
		"Gemini's, by name":   {"gemini", "~/.gemini/settings.json", `{"hooksConfig": {"disabled": ["x", "sentinel"]}}`, "hooksConfig.disabled"},
		"Qwen's":              {"qwen", "~/.qwen/settings.json", `{"disableAllHooks": true} // for now`, "disableAllHooks"},
		"Claude's, of a user": {"claude", "~/.claude/settings.json", `{"disableAllHooks": true}`, "disableAllHooks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.init(install.Hook{}, c.agent)
			w.write(c.file, c.text)
			found := w.examineIn("src")
			requireFinding(t, found, "agents", c.agent, doctor.StatusFail, c.file, c.words)
			requireNone(t, found, "agents", "started in")
		})
	}
}

// The settings of an organisation count for everybody, and keep the hooks of all others off.
func TestManagedSettings(t *testing.T) {
	t.Parallel()
	claude, err := agent.Registry{}.Named("claude")
	require.NoError(t, err)
	home := t.TempDir()
	for system, want := range map[string]string{
		"linux": "/etc/claude-code/managed-settings.json", "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
	} {
		read, err := (agent.Place{Home: home, GOOS: system}).AlsoRead("claude", &claude.Settings, agent.User)
		require.NoError(t, err)
		require.Equal(t, want, filepath.ToSlash(read[0].File))
	}

	w := newWorld(t)
	w.write("managed-settings.json", `{"allowManagedHooksOnly": true}`)
	managed := *claude
	managed.Name, managed.Speaks, managed.Decode, managed.Encode = "managed", "claude", nil, nil
	managed.Settings.Reads = func(agent.Place, agent.Scope) []string { return []string{w.at("managed-settings.json")} }
	opts := w.options()
	opts.Project.Agents, err = agent.New(managed)
	require.NoError(t, err)
	w.init(install.Hook{}, "claude")
	found := doctor.Examine(t.Context(), opts)
	requireFinding(t, found, "agents", "managed", doctor.StatusFail, "allowManagedHooksOnly", "only hooks of managed settings run")
}

// Two Sentinels are reported where they are two programs.
func TestSeveralSentinels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.init(install.Hook{}, "codex")
	w.copyTo(".codex/hooks.json", "~/.codex/hooks.json")
	requireNone(t, w.examine(), "agents", "different programs")
	other := w.script("~/opt/sentinel", "exit 1")
	w.replace("~/.codex/hooks.json", "sentinel hook", filepath.ToSlash(other)+" hook")
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusWarn, "different programs", "~/opt/sentinel in ~/.codex/hooks.json")
}

// A program of an agent that is a person's script may start it with other settings.
func TestWrappers(t *testing.T) {
	t.Parallel()
	for text, warns := range map[string]string{
		"exec /opt/claude \"$@\"":                              "",
		"CLAUDE_CONFIG_DIR=/elsewhere exec /opt/claude \"$@\"": "CLAUDE_CONFIG_DIR=/elsewhere",
		"exec /opt/claude --settings=/x \"$@\"":                "--settings=/x",
		"exec '/opt/claude' --bare \"$@\"":                     "--bare",
		"# nothing of --bareness":                              "",
	} {
		w := newWorld(t)
		w.script("~/bin/claude", text)
		w.onPath("~/bin")
		w.write("~/package.json", `{"name": "mine", "version": "9.9.9"}`) // of another thing
		w.init(install.Hook{}, "claude")
		found := w.examine()
		requireNone(t, found, "agents", "9.9.9")
		if warns == "" {
			requireNone(t, found, "agents", "is a script")
			continue
		}
		requireFinding(t, found, "agents", "claude", doctor.StatusWarn, "is a script that names "+warns)
	}
}

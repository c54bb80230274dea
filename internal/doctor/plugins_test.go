package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/install"
)

// pluginOf installs Sentinel's plugin for each agent that has one, as the agent's program
// does: the file or folder that it writes.
var pluginOf = map[string]func(t *testing.T, w *world){
	"claude": func(_ *testing.T, w *world) {
		w.write("~/.claude/settings.json", `{"enabledPlugins": {"sentinel@agentsentinel": true}}`)
	},
	"codex": func(t *testing.T, w *world) {
		w.write("~/.codex/config.toml", "[plugins.\"sentinel@agentsentinel\"]\nenabled = true\n")
		w.write("~/.codex/plugins/cache/agentsentinel/sentinel/0.1.0/hooks/hooks.json", shipped(t, "codex/hooks/hooks.json"))
	},
	"copilot": func(_ *testing.T, w *world) {
		w.write("~/.copilot/settings.json", `{"enabledPlugins": {"sentinel@agentsentinel": true}}`)
	},
	"cursor": func(_ *testing.T, w *world) { w.write("~/.cursor/plugins/local/sentinel/hooks/hooks.json", "{}") },
	"gemini": func(_ *testing.T, w *world) { w.write("~/.gemini/extensions/sentinel/gemini-extension.json", "{}") },
	"qwen":   func(_ *testing.T, w *world) { w.write("~/.qwen/extensions/sentinel/qwen-extension.json", "{}") },
	"opencode": func(_ *testing.T, w *world) {
		w.write("~/.config/opencode/opencode.json", `{"plugin": ["other", "@agentsentinel/opencode@1.2.3"] /* a note */}`)
	},
	"pi": func(t *testing.T, w *world) {
		w.write("~/.pi/agent/extensions/sentinel.ts", shipped(t, "pi/sentinel.ts"))
	},
}

func shipped(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "plugin", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// TestPlugins: each plugin that there is for an agent is known once it is installed.
func TestPlugins(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir(filepath.Join("..", "..", "plugin"))
	require.NoError(t, err)
	var seen int
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		seen++
		agent := folder.Name()
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, pluginOf, agent, "how does %s install plugin/%s? doctor has to know", agent, agent)
			w := newWorld(t)
			pluginOf[agent](t, w)
			found := w.examine()
			require.True(t, doctor.Sound(found), failures(found))
			requireFinding(t, found, "agents", agent, doctor.StatusOK, "tried: silent")
			if agent == "pi" { // its plugin is the file that init writes
				requireFinding(t, found, "agents", agent, doctor.StatusOK, "sentinel.ts")
				return
			}
			requireFinding(t, found, "agents", agent, doctor.StatusOK, "hook by the plugin")

			w.init(install.Hook{}, agent)
			requireFinding(t, w.examine(), "agents", agent, doctor.StatusInfo, "twice", "judged once")
		})
	}
	require.Len(t, pluginOf, seen)
}

// TestPluginsElsewhere: what else shows a plugin, and what switches it off.
func TestPluginsElsewhere(t *testing.T) {
	t.Parallel()
	const copilotFolder, geminiFolder, qwenFolder = "~/.copilot/installed-plugins/agentsentinel/sentinel/plugin.json",
		"~/.gemini/extensions/sentinel/gemini-extension.json", "~/.qwen/extensions/sentinel/qwen-extension.json"
	const geminiState, qwenState = "~/.gemini/extensions/extension-enablement.json", "~/.qwen/extensions/extension-enablement.json"
	const manifest = `{"name": "@agentsentinel/opencode"}`
	for name, tt := range map[string]struct {
		agent string
		files map[string]string // in them REPO and HOME are folders
		on    bool
	}{
		"claude, off here":                {"claude", map[string]string{"~/.claude/settings.json": `{"enabledPlugins": {"sentinel@a": true}}`, ".claude/settings.local.json": `{"enabledPlugins": {"sentinel@a": false}}`}, false},
		"claude, on here":                 {"claude", map[string]string{"~/.claude/settings.json": `{"enabledPlugins": {"sentinel@a": false}}`, ".claude/settings.json": `{"enabledPlugins": {"sentinel@a": true}}`}, true},
		"claude, another":                 {"claude", map[string]string{"~/.claude/settings.json": `{"enabledPlugins": {"sentinel-x@a": true}}`}, false},
		"codex, off":                      {"codex", map[string]string{"~/.codex/config.toml": "[plugins.\"sentinel@a\"]\nenabled = false\n"}, false},
		"codex, another":                  {"codex", map[string]string{"~/.codex/config.toml": "[plugins.\"other@a\"]\nenabled = true\n[marketplaces.sentinel]\nsource = \"x\"\n"}, false},
		"copilot, a folder":               {"copilot", map[string]string{copilotFolder: "{}"}, true},
		"copilot, off":                    {"copilot", map[string]string{copilotFolder: "{}", "~/.copilot/settings.json": `{"enabledPlugins": {"sentinel@a": false}}`}, false},
		"copilot, without a store":        {"copilot", map[string]string{"~/.copilot/config.json": "// managed\n" + `{"installedPlugins": [{"name": "other"}, {"name": "sentinel", "enabled": true}]}`}, true},
		"copilot, without a store, off":   {"copilot", map[string]string{"~/.copilot/config.json": `{"installedPlugins": [{"name": "sentinel", "enabled": false}]}`}, false},
		"gemini, off":                     {"gemini", map[string]string{geminiFolder: "{}", geminiState: `{"sentinel": {"overrides": ["!HOME/*", "!REPO/*"]}}`}, false},
		"gemini, off but here":            {"gemini", map[string]string{geminiFolder: "{}", geminiState: `{"sentinel": {"overrides": ["!/*", "REPO/"]}}`}, true},
		"gemini, off elsewhere":           {"gemini", map[string]string{geminiFolder: "{}", geminiState: `{"sentinel": {"overrides": ["!REPO2/*", "!REPO/x/*"]}, "x": {"overrides": ["!/*"]}}`}, true},
		"qwen, off":                       {"qwen", map[string]string{qwenFolder: "{}", qwenState: `{"sentinel": {"overrides": ["!REPO/*"]}}`}, false},
		"qwen, on":                        {"qwen", map[string]string{qwenFolder: "{}", qwenState: `{"sentinel": {"overrides": ["REPO/*"]}}`}, true},
		"opencode, a URL":                 {"opencode", map[string]string{"opencode.json": `{"plugin": ["file://REPO/a%20b"]}`, "a b/package.json": manifest}, true},
		"opencode, a folder with options": {"opencode", map[string]string{".opencode/opencode.jsonc": `{"plugin": [["../kept", {}]]}`, "kept/package.json": manifest}, true},
		"opencode, its file":              {"opencode", map[string]string{"opencode.json": `{"plugin": ["./kept/sentinel.ts"]}`, "kept/package.json": manifest}, true},
		"opencode, a file by a variable":  {"opencode", map[string]string{"~/elsewhere/mine.json": `{"plugin": ["@agentsentinel/opencode"]}`}, true},
		"opencode, another folder":        {"opencode", map[string]string{"opencode.json": `{"plugin": ["./kept"]}`, "kept/package.json": `{"name": "other"}`}, false},
		"opencode, another package":       {"opencode", map[string]string{"opencode.json": `{"plugin": ["kept"]}`, "kept/package.json": manifest}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env["OPENCODE_CONFIG"] = w.at("~/elsewhere/mine.json")
			for file, text := range tt.files {
				w.write(file, strings.NewReplacer("REPO", filepath.ToSlash(w.root), "HOME", filepath.ToSlash(w.home)).Replace(text))
			}
			on := false
			for _, f := range w.examine() {
				on = on || f.Name == tt.agent && strings.HasPrefix(f.What, "hook by the plugin")
			}
			require.Equal(t, tt.on, on)
		})
	}
}

// TestCodexPluginIsReviewed: Codex runs the hooks of a plugin only once its user has approved
// them. The digest is the one that Codex 0.169.0 has for this hook.
func TestCodexPluginIsReviewed(t *testing.T) {
	t.Parallel()
	const file, config = "~/.codex/plugins/cache/agentsentinel/sentinel/0.1.0/hooks/hooks.json", "[plugins.\"sentinel@agentsentinel\"]\nenabled = true\n"
	const hook = `{"hooks": {"PreToolUse": [{"matcher": "^(Bash|apply_patch|mcp__.*)$", "hooks": [
		{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/hooks/sentinel-hook\" codex --agent codex", "timeout": 20}]}]}}`
	const approved = "\n[hooks.state.\"sentinel@agentsentinel:hooks/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = " +
		"\"sha256:7169e97926681f4209d939007e44941c6c9d2192b444746ae4e28a960d9c299b/sha256:ee3a56bfa2ff9a0f346126db4c1af978e68d45476d4d84a926893105a387ef4a\"\n"
	w := newWorld(t)
	w.write(file, hook)
	w.write("~/.codex/config.toml", config)
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusPerson, "only after you have reviewed it", "/hooks")
	w.write("~/.codex/config.toml", config+approved)
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusOK, "has your approval of all 1 hooks")
	w.write(file, strings.Replace(hook, "apply_patch", "other", 1))
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusPerson, "only after you have reviewed it")
	w.write(file, hook)
	w.write("~/.codex/config.toml", config+approved+"[features]\nhooks = false\n")
	requireFinding(t, w.examine(), "agents", "codex", doctor.StatusPerson, "runs no hook")
}

package doctor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentsentinel/sentinel/internal/install"
)

// plugin finds Sentinel's plugin for an agent, and the call that its hook makes;
// where is "" when there is none.
func (d *doctor) plugin(agent string) (where string, e install.Entry) {
	if d.Home == "" {
		return "", e
	}
	var flags []string
	switch agent {
	case "claude":
		where = d.claudePlugin()
	case "copilot":
		base := d.getenv("COPILOT_HOME")
		if !filepath.IsAbs(base) {
			base = filepath.Join(d.Home, ".copilot")
		}
		where, flags = firstFolder(filepath.Join(base, "installed-plugins", "*", "sentinel")), []string{"--phase", "pre"}
	case "cursor":
		where, flags = firstFolder(filepath.Join(d.Home, ".cursor", "plugins", "local", "sentinel")), []string{"--agent", "cursor"}
	case "gemini":
		where, flags = firstFolder(filepath.Join(d.Home, ".gemini", "extensions", "sentinel")), []string{"--agent", "gemini"}
	}
	return where, install.Entry{Event: "plugin", Command: "sentinel", Args: append([]string{"hook"}, flags...), Timeout: install.DefaultTimeout}
}

func firstFolder(pattern string) string {
	found, _ := filepath.Glob(pattern) // the pattern is right unless the home folder's name has brackets: then nothing is found
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	return ""
}

// claudePlugin is the settings file that enables the plugin in Claude Code.
func (d *doctor) claudePlugin() string {
	files := []string{filepath.Join(d.Root, ".claude", "settings.local.json"), filepath.Join(d.Root, ".claude", "settings.json")}
	if targets, err := d.place.Targets("claude", install.User); err == nil {
		for _, t := range targets {
			files = append(files, t.File)
		}
	}
	for _, file := range files {
		var settings struct {
			EnabledPlugins map[string]any `json:"enabledPlugins"`
		}
		if data, err := readBounded(file); err != nil || json.Unmarshal(data, &settings) != nil {
			continue // what is wrong with the file is told where its hooks are
		}
		for name, on := range settings.EnabledPlugins {
			if base, _, _ := strings.Cut(name, "@"); base == "sentinel" && on != false && on != nil {
				return file
			}
		}
	}
	return ""
}

// examinePlugin looks at Sentinel's plugin for the agent.
func (a *patient) examinePlugin(ctx context.Context, where string, e install.Entry) {
	if a.registered() {
		a.add(info(a.name, "the hook is here twice, by the plugin ("+a.display(where)+") and by `sentinel init`: a call is judged once", ""))
		return
	}
	a.add(ok(a.name, "hook by the plugin, "+a.display(where)))
	f, _ := a.tryEntry(ctx, registration{scope: install.User}, e)
	a.add(f)
}

// pluginFolders are those that a plugin's hook looks into when the PATH has no
// sentinel: see plugin/claude/hooks/sentinel-hook.
func (d *doctor) pluginFolders() []string {
	var dirs []string
	if bin := d.getenv("GOBIN"); bin != "" {
		dirs = append(dirs, bin)
	}
	if path := d.getenv("GOPATH"); path != "" {
		dirs = append(dirs, filepath.Join(path, "bin"))
	}
	if d.Home != "" {
		dirs = append(dirs, filepath.Join(d.Home, "go", "bin"), filepath.Join(d.Home, ".local", "bin"))
	}
	return append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
}

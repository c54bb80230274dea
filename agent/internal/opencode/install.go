package opencode

import (
	_ "embed"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// text is the plugin without the common part.
//
//go:embed sentinel.ts
var text string

// files: opencode runs every plugin of this folder in its own process.
func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(p.Env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode", "plugins", "sentinel.ts")}
	}
	return []string{filepath.Join(p.Root, ".opencode", "plugins", "sentinel.ts")}
}

const (
	pkg         = "@agentsentinel/opencode" // plugin/opencode, at npm
	maxSettings = 1 << 20
)

// packaged is the file of settings that names the plugin as a package of npm, "" for none.
func packaged(p install.Place) string {
	global := filepath.Join(p.Env("XDG_CONFIG_HOME", filepath.Join(p.Home, ".config")), "opencode")
	for _, dir := range []string{p.Root, filepath.Join(p.Root, ".opencode"), global} {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			file := filepath.Join(dir, name)
			data, err := wire.ReadSmall(file, maxSettings)
			if err != nil {
				continue
			}
			var settings struct{ Plugin []any }
			if json.Unmarshal(install.WithoutComments(data), &settings) == nil && slices.ContainsFunc(settings.Plugin, ours) {
				return file
			}
		}
	}
	return ""
}

// ours reports whether an entry names Sentinel's package: NAME, NAME@VERSION, or the one with options.
func ours(entry any) bool {
	if list, ok := entry.([]any); ok && len(list) > 0 {
		entry = list[0]
	}
	name, _ := entry.(string)
	return name == pkg || strings.HasPrefix(name, pkg+"@")
}

func steps(install.Place, install.Scope) []install.Step {
	return []install.Step{{What: "opencode loads plugins when it starts", Do: "restart it"}}
}

func script(_ string, h install.Hook) install.Script { return plugin.Script(Name, text, h, 0) }

func readScript(_, text string) (install.Entry, bool) { return plugin.ReadScript(Name, text) }

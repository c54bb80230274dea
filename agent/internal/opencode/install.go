package opencode

import (
	_ "embed"
	"path/filepath"

	"github.com/agentsentinel/sentinel/agent/internal/plugin"
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

func steps(install.Place, install.Scope) []install.Step {
	return []install.Step{{What: "opencode loads plugins when it starts", Do: "restart it"}}
}

func script(_ string, h install.Hook) install.Script { return plugin.Script(Name, text, h, 0) }

func readScript(_, text string) (install.Entry, bool) { return plugin.ReadScript(Name, text) }

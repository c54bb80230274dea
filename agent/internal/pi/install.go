package pi

import (
	_ "embed"
	"path/filepath"

	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/internal/install"
)

// text is the extension without the common part.
//
//go:embed sentinel.ts
var text string

// home is pi's folder of the user.
func home(p install.Place) string {
	return p.Env("PI_CODING_AGENT_DIR", filepath.Join(p.Home, ".pi", "agent"))
}

func sessionHomes(p install.Place) []string { return []string{home(p)} }

// files: pi runs every extension of these folders in its own process.
func files(p install.Place, s install.Scope) []string {
	if s == install.User {
		return []string{filepath.Join(home(p), "extensions", "sentinel.ts")}
	}
	return []string{filepath.Join(p.Root, ".pi", "extensions", "sentinel.ts")}
}

func steps(_ install.Place, s install.Scope) []install.Step {
	restart := install.Step{What: "pi loads extensions when it starts", Do: "restart it, or enter /reload"}
	if s == install.User {
		return []install.Step{restart}
	}
	trust := install.Step{What: "pi loads the extensions of a folder that it trusts", Do: "start it in this folder and trust it, or enter /trust"}
	return []install.Step{trust, restart}
}

func script(_ string, h install.Hook) install.Script { return plugin.Script(Name, text, h, 0) }

func readScript(_, text, own string) (install.Entry, bool) { return plugin.ReadScript(Name, text, own) }

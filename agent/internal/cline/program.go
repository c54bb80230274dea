package cline

import (
	_ "embed"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel/agent/internal/plugin"
	"github.com/agentsentinel/sentinel/agent/internal/wire"
	"github.com/agentsentinel/sentinel/internal/install"
)

// Program is Cline's command line program with a plugin in the place of hook scripts,
// which the extension for VS Code does not load. The plugin's events are those of the
// scripts, so that a call which both see is judged once. Where both are there the script
// comes first. It is a choice of the person's and not what init takes for Cline: a plugin
// that cannot be loaded, or not within four seconds, is left out without a word.
var Program = wire.Agent{
	Name: "cline-cli", Title: "Cline's program", Speaks: Name,
	Abilities: wire.Abilities{
		Timeout: pluginTimeout,
		OnBlock: "does not run the call; the agent reads why",
		OnAsk:   "refuses the call, with a text that says that a person must approve it",
		OnWarn:  "reads it with the tool's result",
	},
	Tools: wire.Tools{Write: []string{"editor"}, Run: []string{"run_commands"}, Read: []string{"read_files"}, Search: []string{"search_codebase"}},
	Settings: install.Settings{
		Files: pluginFiles, Form: plugin.Form, Script: pluginScript, ReadScript: readPlugin, Steps: pluginSteps,
	},
	Traces: wire.Traces{Paths: []string{".cline/plugins/sentinel.js"}},
	Trial:  trial,
	Seen: []wire.Seen{{
		Program: "Cline's program, by the plugin", Page: "cline.md", Version: "3.0.65",
		Block:   wire.Claim{Test: "TestClineByPlugin/blocked"},
		Ask:     wire.Claim{Test: "TestClineByPlugin/asked", Note: "refused with the question"},
		Warn:    wire.Claim{Test: "TestClineByPlugin/warned", Note: "with the result"},
		Context: wire.Claim{Recorded: true},
		Stop:    wire.Claim{Test: "TestClineByPlugin/harmless"},
		Parts:   map[string]string{"verified": receipts, "kept": kept},
	}},
}

// pluginTimeout is how long Cline waits for a plugin. After that it ends the run.
const pluginTimeout = 3 * time.Second

// text is the plugin without the common part.
//
//go:embed sentinel.js
var text string

func pluginFiles(p install.Place, s install.Scope) []string {
	return []string{filepath.Join(p.Base(s), ".cline", "plugins", "sentinel.js")}
}

func pluginSteps(install.Place, install.Scope) []install.Step {
	return []install.Step{{
		What: "Cline leaves a plugin out without a word when it cannot be loaded within four seconds", Do: "start it with CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000",
	}}
}

func pluginScript(_ string, h install.Hook) install.Script {
	return plugin.Script(Name, text, h, pluginTimeout)
}

func readPlugin(_, text, own string) (install.Entry, bool) { return plugin.ReadScript(Name, text, own) }

package doctor

import (
	"context"
	"path/filepath"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/install"
)

// plugin finds Sentinel's plugin for an agent, and the call that its hook makes; where is
// "" without a plugin.
func (d *doctor) plugin(p *agent.Plugin) (where string, e install.Entry) {
	if d.Home == "" || p.Find == nil {
		return "", e
	}
	return p.Find(d.place), install.Entry{
		Event: install.PluginEvent, Command: "sentinel", Args: append([]string{"hook"}, p.Flags...), Timeout: install.DefaultTimeout,
	}
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
	if steps := a.agent.Plugin.Steps; steps != nil {
		a.left(steps(a.place))
	}
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

package agent

import (
	"slices"

	"github.com/agentsentinel/sentinel"
)

// A Tool is what is known of one tool of an agent.
type Tool struct {
	Does       sentinel.Trigger // "" means nothing that a rule could be about
	PowerShell bool             // its command is PowerShell text
	NoCommand  bool             // it may come without a command
	FolderKeys []string         // the arguments that hold the folder it runs in
}

// Tool returns what a tool of an agent does. Agents take over each other's tools, so
// where the agent has no tool of that name, those of the others count. agent may be
// unknown.
func (r Registry) Tool(agent, name string) (t Tool, ok bool) {
	own := r.find(agent)
	if own != nil {
		t.Does, ok = does(&own.Tools, name)
	}
	for _, list := range [][]*Agent{r.added, builtin[:]} {
		for _, a := range list {
			if !ok {
				t.Does, ok = does(&a.Tools, name)
			}
			t.PowerShell = t.PowerShell || slices.Contains(a.Tools.PowerShell, name)
			t.NoCommand = t.NoCommand || slices.Contains(a.Tools.NoCommand, name)
			if t.FolderKeys == nil {
				t.FolderKeys = folderKeys(&a.Tools, name, a == own)
			}
		}
	}
	return t, ok
}

// does returns the action of a tool, as its agent has it.
func does(t *Tools, name string) (what sentinel.Trigger, ok bool) {
	for _, list := range [...]struct {
		names []string
		does  sentinel.Trigger
	}{{t.Write, sentinel.FileWrite}, {t.Run, sentinel.Bash}, {t.Read, sentinel.FileRead}, {t.MCP, sentinel.MCP}, {t.Harmless, ""}} {
		if slices.Contains(list.names, name) {
			return list.does, true
		}
	}
	return "", false
}

// folderKeys returns the keys of a tool. With a tool that takes no folder such a key
// means something else, and must not lead the guard astray.
func folderKeys(t *Tools, name string, own bool) []string {
	for _, keys := range t.Folders {
		if slices.Contains(keys.Tools, name) && (own || !keys.Own) {
			return keys.Keys
		}
	}
	return nil
}

// ToolNames returns the names of the tools of all agents that a rule can be about, with
// what they do. The map is the caller's own.
func (r Registry) ToolNames() map[string]sentinel.Trigger {
	names := map[string]sentinel.Trigger{}
	for _, a := range slices.Backward(r.All()) {
		for _, list := range [][]string{a.Tools.Write, a.Tools.Run, a.Tools.Read, a.Tools.MCP} {
			for _, name := range list {
				names[name], _ = does(&a.Tools, name)
			}
		}
	}
	return names
}

// Separators are what the agent with this name writes between server and tool in the name
// of an MCP tool that has no prefix.
func (r Registry) Separators(agent string) []string {
	if a := r.find(agent); a != nil && a.Tools.Separator != "" {
		return []string{a.Tools.Separator}
	}
	return nil
}

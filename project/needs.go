package project

import (
	"maps"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// Needs are the tools for which an agent has to start the hook, in addition to those that
// write files, run commands or belong to an MCP server with the usual prefix.
type Needs struct {
	Reads bool     // those that only read files
	Tools []string // those that a configuration maps to what a rule is about, sorted
	// Prefixes begin the names of MCP tools where a configuration has another one than
	// the usual and a rule is about MCP tools.
	Prefixes []string
	Rule     string // the id of the first rule that needs one of them; "" if there is none
}

// HookNeeds are the needs of the rules that apply.
func (i *Inspector) HookNeeds() Needs {
	var n Needs
	usual := i.project.opts.Agents.ToolNames()
	for _, f := range i.project.Folders {
		about := map[sentinel.Trigger]string{}
		for _, r := range f.Rules() {
			spec := r.Spec()
			if r.Off() {
				continue
			}
			for _, t := range triggersOf(spec.Trigger) {
				if about[t] == "" {
					about[t] = spec.ID
				}
			}
		}
		n.add(&f.Config, about, usual)
	}
	slices.Sort(n.Tools)
	n.Tools = slices.Compact(n.Tools)
	return n
}

// triggersOf are the kinds of actions that rules with a trigger are about.
func triggersOf(t sentinel.Trigger) []sentinel.Trigger {
	if t == sentinel.Any {
		return []sentinel.Trigger{sentinel.FileWrite, sentinel.Bash, sentinel.MCP}
	}
	return []sentinel.Trigger{t}
}

// add adds the needs of one folder, whose rules are about the triggers in about.
func (n *Needs) add(c *config.Config, about map[sentinel.Trigger]string, usual map[string]sentinel.Trigger) {
	need := func(id string) {
		if n.Rule == "" {
			n.Rule = id
		}
	}
	if id := about[sentinel.FileRead]; id != "" {
		n.Reads = true
		need(id)
	}
	for _, named := range []map[string]string{c.ToolMap, c.ToolMapExtra} {
		for _, tool := range slices.Sorted(maps.Keys(named)) {
			id := about[sentinel.Trigger(named[tool])]
			if id == "" || usual[tool] != "" && usual[tool] != sentinel.FileRead {
				continue
			}
			n.Tools = append(n.Tools, tool)
			need(id)
		}
	}
	if id := about[sentinel.MCP]; id != "" && c.MCPPrefix != "" && c.MCPPrefix != config.Tools().MCPPrefix && !slices.Contains(n.Prefixes, c.MCPPrefix) {
		n.Prefixes = append(n.Prefixes, c.MCPPrefix)
		need(id)
	}
}

package project

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
	Stop     string // the id of the first rule that judges at the end of a turn

	about  map[sentinel.Trigger]string // the id of the first rule about a kind of action
	mapped map[string]string           // the same by what a configuration maps, as a matcher has it
	usual  map[string]sentinel.Trigger
}

// HookNeeds are the needs of the rules that apply, or of the one with an id.
func (i *Inspector) HookNeeds(only ...string) Needs {
	n := Needs{about: map[sentinel.Trigger]string{}, mapped: map[string]string{}, usual: i.project.opts.Agents.ToolNames()}
	for _, f := range i.project.Folders {
		about := map[sentinel.Trigger]string{}
		for _, r := range f.Rules() {
			spec := r.Spec()
			if r.Off() || len(only) > 0 && !slices.Contains(only, spec.ID) {
				continue
			}
			if (spec.Stop || spec.Turns) && n.Stop == "" {
				n.Stop = spec.ID
			}
			for _, t := range triggersOf(spec.Trigger) {
				about[t] = cmp.Or(about[t], spec.ID)
				n.about[t] = cmp.Or(n.about[t], spec.ID)
			}
		}
		n.add(&f.Config, about)
	}
	slices.Sort(n.Tools)
	n.Tools = slices.Compact(n.Tools)
	return n
}

// Rule is the id of a rule about the calls of a tool, as a matcher names it: mcp__* is
// every name that begins so. "" is no rule.
func (n *Needs) Rule(tool string) string {
	t, known := n.usual[tool]
	switch {
	case n.mapped[tool] != "":
		return n.mapped[tool]
	case strings.Contains(tool, "*"):
		return n.about[sentinel.MCP]
	case known:
		return n.about[t]
	}
	return n.Any()
}

// Any is the id of one of the rules; "" if there is none.
func (n *Needs) Any() string {
	for _, t := range []sentinel.Trigger{sentinel.FileWrite, sentinel.Bash, sentinel.MCP, sentinel.FileRead} {
		if n.about[t] != "" {
			return n.about[t]
		}
	}
	return ""
}

// triggersOf are the kinds of actions that rules with a trigger are about.
func triggersOf(t sentinel.Trigger) []sentinel.Trigger {
	if t == sentinel.Any {
		return []sentinel.Trigger{sentinel.FileWrite, sentinel.Bash, sentinel.MCP}
	}
	return []sentinel.Trigger{t}
}

// add adds the needs of one folder, whose rules are about the triggers in about.
func (n *Needs) add(c *config.Config, about map[sentinel.Trigger]string) {
	n.Reads = n.Reads || about[sentinel.FileRead] != ""
	for _, named := range []map[string]string{c.ToolMap, c.ToolMapExtra} {
		for _, tool := range slices.Sorted(maps.Keys(named)) {
			id := about[sentinel.Trigger(named[tool])]
			if id == "" || n.usual[tool] != "" && n.usual[tool] != sentinel.FileRead {
				continue
			}
			n.Tools, n.mapped[tool] = append(n.Tools, tool), id
		}
	}
	if id := about[sentinel.MCP]; id != "" && c.MCPPrefix != "" && c.MCPPrefix != config.Tools().MCPPrefix && !slices.Contains(n.Prefixes, c.MCPPrefix) {
		n.Prefixes = append(n.Prefixes, c.MCPPrefix)
		n.mapped[c.MCPPrefix+"*"] = id
	}
}

package project

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
)

// Starter is a project at root that has nothing but the starter rules that are
// built into the program, judged without a model. It serves where no folder of
// rules applies.
func Starter(root string, opts *Options) *Project {
	p := &Project{}
	if opts != nil {
		p.opts = *opts
	}
	if p.opts.Logger == nil {
		p.opts.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Folder{Root: root, Config: config.Default()}
	f.Config.Backend = sentinel.Builtin
	embedded, err := packs.Files("starter")
	if err != nil {
		p.opts.Logger.Error("sentinel: the starter rules", "error", err) // they are part of the program: a test holds it
	}
	var files []rule.File
	for _, e := range embedded {
		files = append(files, rule.Parse(e.Name, e.Data))
	}
	f.rules = buildRules(files, &rule.Options{Fold: foldsCase(), Backend: f.Config.Backend})
	p.Folders = []*Folder{f}
	return p
}

// ToolName is the name by which the nearest folder knows a tool that does t, for
// a caller that speaks of actions and not of an agent's tools. server and tool
// name the one of [sentinel.MCP].
func (p *Project) ToolName(t sentinel.Trigger, server, tool string) string {
	c := config.Default()
	if f := p.nearest(); f != nil {
		c = f.Config
	}
	want := "Write"
	switch t {
	case sentinel.MCP:
		return c.MCPPrefix + server + c.MCPSeparator + tool
	case sentinel.Bash:
		want = "Bash"
	case sentinel.FileRead:
		want = "Read"
	}
	if c.ToolMap == nil || c.ToolMap[want] == string(t) || c.ToolMapExtra[want] == string(t) {
		return want
	}
	for _, name := range slices.Sorted(maps.Keys(c.ToolMap)) { // a tool_map replaces the usual names
		if c.ToolMap[name] == string(t) {
			return name
		}
	}
	return want
}

package trigger

import (
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
)

// An mcpID is an MCP tool's name: server and tool, and every way to tell them
// apart when the separator stands in it more than once.
type mcpID struct {
	server, tool string
	forms        []string
}

// target is the name as a person reads it.
func (id mcpID) target() string {
	switch {
	case id.server == "":
		return id.tool
	case id.tool == "":
		return id.server
	}
	return id.server + ":" + id.tool
}

// mcpName reads the name of an MCP tool as the agents write it: with the
// configured prefix and separator, and in the forms of agents that have no such
// prefix. Of those only agents that are known to write them are believed.
func (m *Mapper) mcpName(name, agent string) (mcpID, bool) {
	for _, form := range [...]struct{ prefix, sep string }{
		{m.opts.MCPPrefix, m.opts.MCPSeparator},
		{"mcp__", "__"}, // Claude Code, Codex, Qwen Code
		{"mcp_", "_"},   // Gemini CLI, Copilot in VS Code, Cursor
	} {
		if rest, ok := strings.CutPrefix(name, form.prefix); ok && strings.Trim(rest, form.sep) != "" {
			return splitMCP(rest, form.sep), true
		}
	}
	if rest, ok := strings.CutPrefix(name, "MCP:"); ok && rest != "" { // Cursor; it does not name the server
		return mcpID{tool: rest, forms: []string{rest}}, true
	}
	if rest, ok := strings.CutPrefix(name, "@"); ok && strings.Contains(rest, "/") { // Amazon Q, Kiro
		return splitMCP(rest, "/"), true
	}
	for _, sep := range separatorsOf(agent) {
		if strings.Contains(strings.Trim(name, sep), sep) {
			return splitMCP(name, sep), true
		}
	}
	return mcpID{}, false
}

// separatorsOf are the separators of agents that write server and tool without
// a prefix.
func separatorsOf(agent string) []string {
	switch agent {
	case "cline":
		return []string{"__"}
	case "copilot":
		return []string{"-"}
	case "opencode":
		return []string{"_"}
	}
	return nil
}

// splitsMax bounds the ways to tell server and tool apart.
const splitsMax = 32

// splitMCP splits a name at every place where the separator stands with text on
// both sides. The forms are server:tool of each, then the tools and servers.
func splitMCP(rest, sep string) mcpID {
	var id mcpID
	var parts []string
	for i := 1; i+len(sep) < len(rest) && len(parts) < 2*splitsMax; i++ {
		if rest[i:i+len(sep)] != sep {
			continue
		}
		server, tool := rest[:i], rest[i+len(sep):]
		if id.server == "" {
			id.server, id.tool = server, tool
		}
		id.forms = appendNew(id.forms, server+":"+tool)
		parts = append(parts, tool, server)
	}
	if id.server == "" {
		return mcpID{tool: rest, forms: []string{rest}}
	}
	for _, p := range parts {
		id.forms = appendNew(id.forms, p)
	}
	return id
}

// mcp maps an MCP call, and what it does to files or runs where that is plain.
func (c *call) mcp(id mcpID) ([]sentinel.Action, error) {
	args := c.args
	if c.ev.Tool.Name == "use_mcp_tool" {
		var err error
		if id, args, err = c.wrappedMCP(); err != nil {
			return nil, err
		}
	}
	a := c.action(sentinel.MCP)
	a.Server, a.MCPTool, a.Args = id.server, id.tool, args.raw
	if len(a.Args) == 0 {
		a.Args = []byte("{}")
	}
	a.Target = id.target()
	a.Forms = id.forms
	if len(a.Forms) == 0 {
		a.Forms = []string{a.Target}
	}
	actions := []sentinel.Action{a}
	if c.m.opts.NoDerive || (args.obj == nil && args.text == "") {
		return actions, nil
	}
	inner := *c
	inner.args, inner.keys, inner.tool = args, ArgKeys{}, id.tool
	return append(actions, inner.derivedFromMCP(id)...), nil
}

// wrappedMCP reads a call whose server and tool stand in the arguments.
func (c *call) wrappedMCP() (mcpID, arguments, error) {
	server, _ := c.args.firstText([]string{"server_name", "serverName", "server"})
	tool, _ := c.args.firstText([]string{"tool_name", "toolName", "tool"})
	if server == "" && tool == "" {
		return mcpID{}, arguments{}, argError("no server_name and no tool_name")
	}
	id := mcpID{server: server, tool: tool}
	for _, form := range []string{id.target(), tool, server} {
		if form != "" {
			id.forms = appendNew(id.forms, form)
		}
	}
	args, ok := c.args.object("arguments")
	if !ok {
		args = arguments{raw: c.args.obj["arguments"]}
	}
	return id, args, nil
}

// derivedFromMCP is what an MCP tool does that plainly writes files, reads them
// or runs commands: its name says so, and it has the argument for it. Arguments
// that do not fit are no error here, since the name is only a hint.
func (c *call) derivedFromMCP(id mcpID) []sentinel.Action {
	words := nameWords(id.server + "_" + id.tool)
	var actions []sentinel.Action
	switch {
	case c.anyPatch() != "":
		actions = c.patchActions(c.anyPatch())
	case runsCommands(words) && c.args.has(mcpCommandKeys):
		if texts, err := commandTexts(c.args, mcpCommandKeys); err == nil {
			for _, text := range texts {
				actions = append(actions, c.commandActions(text, id.target())...)
			}
		}
	case anyWord(words, "move", "rename") && namesFiles(words):
		actions, _ = c.moves()
	case writesFiles(words):
		actions, _ = c.fileWrite()
	case readsFiles(words):
		actions, _ = c.fileRead()
	}
	for i := range actions {
		if anyWord(words, "delete", "remove") && !anyWord(words, "lines", "text", "content", "contents") {
			actions[i].Op, actions[i].Content = sentinel.OpDelete, ""
			c.fs.addBelow(&actions[i])
		}
		if actions[i].DerivedFrom == "" {
			actions[i].DerivedFrom = id.target()
		}
	}
	return actions
}

// mcpCommandKeys are the keys of a shell command; "script" may be any language.
var mcpCommandKeys = []string{"command", "cmd", "command_line", "commandLine", "commands"}

// anyPatch returns the patch text among the arguments, if there is one.
func (c *call) anyPatch() string {
	if strings.Contains(c.args.text, patchBegin) {
		return c.args.text
	}
	for _, k := range patchKeys {
		if s, ok := asString(c.args.obj[k]); ok && strings.HasPrefix(strings.TrimSpace(s), patchBegin) {
			return s
		}
	}
	return ""
}

// nameWords is the set of words in a tool's name: writeFile, write_file and
// write-file all have write and file.
func nameWords(name string) map[string]bool {
	words := map[string]bool{}
	start := 0
	flush := func(end int) {
		if start < end {
			words[strings.ToLower(name[start:end])] = true
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ' ':
			flush(i)
			start = i + 1
		case 'A' <= c && c <= 'Z' && i > start && name[i-1] >= 'a':
			flush(i)
		}
	}
	flush(len(name))
	return words
}

func anyWord(words map[string]bool, list ...string) bool {
	for _, w := range list {
		if words[w] {
			return true
		}
	}
	return false
}

func runsCommands(words map[string]bool) bool {
	return anyWord(words, "shell", "bash", "command", "commands", "cmd", "terminal", "exec", "execute", "process", "powershell", "ssh", "run")
}

func namesFiles(words map[string]bool) bool {
	return anyWord(words, "file", "files", "filesystem", "fs", "text", "content", "contents", "lines", "editor", "notebook", "directory", "folder")
}

func writesFiles(words map[string]bool) bool {
	return namesFiles(words) && anyWord(words, "write", "edit", "create", "save", "append", "overwrite", "replace", "insert", "update",
		"patch", "push", "put", "modify", "delete", "remove")
}

func readsFiles(words map[string]bool) bool {
	return anyWord(words, "read", "get", "view", "cat", "open") && anyWord(words, "file", "files", "filesystem", "fs", "contents")
}

package trigger

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
)

// An mcpID is an MCP tool's name: server and tool, and every way to tell them apart when it
// contains the separator more than once.
type mcpID struct {
	server, tool string
	forms        []string
	whole        string // the name without prefix if it can be split in several ways
}

// target is the name as a person reads it.
func (id mcpID) target() string {
	switch {
	case id.whole != "":
		return id.whole
	case id.server == "":
		return id.tool
	case id.tool == "":
		return id.server
	}
	return id.server + ":" + id.tool
}

// mcpName reads the name of an MCP tool as the agents write it: with the
// configured prefix and separator, and in the forms of agents that have no such
// prefix. Only agents that are known to write them are believed.
func (m *Mapper) mcpName(name, agent string) (mcpID, bool) {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok && m.opts.MCPPrefix != "mcp__" {
		// A shorter prefix, as "mcp_", fits that name too and would cut it wrongly.
		if id := splitMCP(rest, "__"); id.server != "" {
			return id, true
		}
	}
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
	for _, sep := range m.opts.Agents.Separators(agent) {
		if strings.Contains(strings.Trim(name, sep), sep) {
			return splitMCP(name, sep), true
		}
	}
	return mcpID{}, false
}

// splitsMax bounds the ways to tell server and tool apart.
const splitsMax = 32

// splitMCP splits a name at every separator that has text on both sides. The forms are
// server:tool of each, then the tools and servers.
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
		} else {
			id.whole = rest
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
	if c.known.Does == sentinel.MCP {
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
	inner.like, _ = c.m.opts.Agents.Tool(c.ev.Agent, id.tool)
	return append(actions, inner.derivedFromMCP(id)...), nil
}

// namedMCP is a tool whose server and name are known, "" where one is not.
func namedMCP(server, tool string) mcpID {
	id := mcpID{server: server, tool: tool}
	for _, form := range []string{id.target(), tool, server} {
		if form != "" {
			id.forms = appendNew(id.forms, form)
		}
	}
	return id
}

// wrappedMCP reads a call whose server and tool are in the arguments.
func (c *call) wrappedMCP() (mcpID, arguments, error) {
	server, _ := c.args.firstText([]string{"server_name", "serverName", "server"})
	tool, _ := c.args.firstText([]string{"tool_name", "toolName", "tool"})
	if server == "" && tool == "" {
		return mcpID{}, arguments{}, argError("no server_name and no tool_name")
	}
	id := namedMCP(server, tool)
	args, ok := c.args.object("arguments")
	if !ok {
		args = arguments{raw: c.args.obj["arguments"]}
	}
	return id, args, nil
}

// derivedFromMCP is what an MCP tool does that plainly writes files, reads them
// or runs commands: its name says so, and it has the argument for it. A server
// takes of the arguments what it likes, so all readings that fit count, and those
// that do not fit are not an error.
func (c *call) derivedFromMCP(id mcpID) []sentinel.Action {
	words := nameWords(id.server + "_" + id.tool)
	var all gatherer
	add := func(actions []sentinel.Action) {
		for _, a := range actions {
			if a.DerivedFrom == "" {
				a.DerivedFrom = id.target()
			}
			all.add(a)
		}
	}
	for _, args := range append([]arguments{c.args}, c.args.within()...) {
		inner := *c
		inner.args = args.withoutBadPaths()
		add(inner.mcpReadings(words, id.target()))
		for _, text := range inner.plainCommands(id) {
			add(inner.commandActions(text, id.target()))
		}
	}
	add(c.plainActions(nameWords(id.tool), all.actions))
	return all.done()
}

// mcpReadings are the actions of one object of arguments.
func (c *call) mcpReadings(words map[string]bool, via string) []sentinel.Action {
	var actions []sentinel.Action
	for _, text := range c.patches() {
		actions = append(actions, c.patchActions(text)...)
	}
	if runsCommands(words) {
		for _, text := range c.mcpCommands(words) {
			actions = append(actions, c.commandActions(text, via)...)
		}
	}
	if anyWord(words, "move", "rename") && namesFiles(words) {
		moved, _ := c.moves()
		actions = append(actions, moved...)
	}
	if writesFiles(words) || changes(words) && c.args.has(filePathKeys) {
		actions = append(actions, c.mcpWrites(words)...)
	}
	if readsFiles(words) {
		read, _ := c.fileRead()
		actions = append(actions, read...)
	}
	return actions
}

// mcpWrites reads the arguments as those of a tool that writes files. A patch next to a
// path is another reading.
func (c *call) mcpWrites(words map[string]bool) []sentinel.Action {
	plain := *c
	if c.like.Patch {
		plain.tool, plain.like = "edit", agent.Tool{}
	}
	actions, _ := plain.fileWrite()
	if anyWord(words, "delete", "remove") && !anyWord(words, "lines", "text", "content", "contents", "block", "blocks") {
		for i := range actions {
			actions[i].Op, actions[i].Content = sentinel.OpDelete, ""
			c.fs.addBelow(&actions[i])
		}
	}
	return actions
}

// mcpCommandKeys are the keys of a shell command; "script" may be any language.
var mcpCommandKeys = []string{"command", "cmd", "command_line", "commandLine", "commands", "argv", "program", "executable", "run"}

// mcpCommands are the commands under every key that may hold one.
func (c *call) mcpCommands(words map[string]bool) []string {
	keys := mcpCommandKeys
	if anyWord(words, "shell", "bash", "sh", "command", "commands", "cmd", "terminal", "powershell", "ssh") {
		keys = append(slices.Clip(keys), "script")
	}
	var texts []string
	for _, k := range keys {
		if !c.args.has([]string{k}) {
			continue
		}
		more, _ := commandTexts(c.args, []string{k}) // one that is not a text does not hide another
		for _, text := range more {
			texts = appendNew(texts, text)
		}
	}
	return texts
}

// patches are the patch texts among the arguments.
func (c *call) patches() []string {
	var found []string
	if strings.Contains(c.args.text, patchBegin) {
		found = append(found, c.args.text)
	}
	for _, k := range patchKeys {
		if s, ok := asString(c.args.obj[k]); ok && strings.HasPrefix(strings.TrimSpace(s), patchBegin) {
			found = appendNew(found, s)
		}
	}
	return found
}

// within are the objects in which a tool may take its arguments.
func (a arguments) within() []arguments {
	var all []arguments
	for _, k := range []string{"input", "arguments", "args", "params", "parameters", "request"} {
		if inner, ok := a.object(k); ok {
			all = append(all, inner)
		}
	}
	for _, k := range []string{"steps", "tasks", "operations", "actions", "requests", "calls", "batch", "items"} {
		for _, item := range asList(a.obj[k]) {
			inner := arguments{raw: item}
			if len(all) < splitsMax && json.Unmarshal(item, &inner.obj) == nil && inner.obj != nil {
				all = append(all, inner)
			}
		}
	}
	return all
}

// withoutBadPaths leaves out values under the keys of paths that are not texts.
func (a arguments) withoutBadPaths() arguments {
	obj := maps.Clone(a.obj)
	for _, keys := range [][]string{pathKeys, sourceKeys, destKeys} {
		for _, k := range keys {
			if raw, ok := obj[k]; ok {
				if _, isText := asString(raw); !isText {
					delete(obj, k)
				}
			}
		}
	}
	a.obj = obj
	return a
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
	return anyWord(words, "shell", "bash", "command", "commands", "cmd", "terminal", "exec", "execute", "process", "powershell", "ssh", "sh", "run")
}

func namesFiles(words map[string]bool) bool {
	return anyWord(words, "file", "files", "filesystem", "fs", "text", "content", "contents", "lines", "editor", "notebook", "directory", "folder")
}

func writesFiles(words map[string]bool) bool {
	return namesFiles(words) && changes(words)
}

// filePathKeys are the keys that a tool has for files alone.
var filePathKeys = []string{"file_path", "filePath", "absolute_path", "relative_path", "target_file", "targetFile", "notebook_path"}

func changes(words map[string]bool) bool {
	return anyWord(words, "write", "edit", "create", "save", "append", "prepend", "overwrite", "replace", "insert", "update",
		"patch", "push", "put", "modify", "delete", "remove")
}

func readsFiles(words map[string]bool) bool {
	return anyWord(words, "read", "get", "view", "cat", "open") && anyWord(words, "file", "files", "filesystem", "fs", "contents")
}

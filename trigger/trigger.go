// Package trigger says what an agent's tool call does: which files it writes
// and reads, which command it runs, which MCP tool it calls.
//
// A [Mapper] knows the tools of the common coding agents by name and reads
// their arguments by every key in use, so that one rule guards all agents. One
// call can be several actions: a patch writes many files, and a shell command
// that writes a file is a bash action and a file_write action. An action
// found inside another says so in DerivedFrom.
//
// Paths are hostile: a path is given both as it was written and with symbolic
// links resolved, so that no alias bypasses a rule. Nothing here runs, writes or
// opens anything but folders and, for scripts and patches, the beginning of regular
// files.
package trigger

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/safefile"
)

// Options are the settings of a [Mapper]. The zero value and nil mean the
// defaults of the reference.
type Options struct {
	// Map replaces the default names when it is not nil (tool_map). A tool that
	// is mapped to "" is known and does nothing that is judged.
	Map map[string]sentinel.Trigger
	// Extra adds to Map or to the defaults and goes before them (tool_map_extra).
	Extra map[string]sentinel.Trigger
	// Args names the arguments of tools that use other keys than the usual ones
	// (tool_args).
	Args map[string]ArgKeys

	// Agents are those whose tools are known by name; the zero value has those that
	// Sentinel knows.
	Agents agent.Registry

	// MCPPrefix begins the name of an MCP tool; "" means "mcp__".
	MCPPrefix string
	// MCPSeparator is between server and tool; "" means "__".
	MCPSeparator string

	// NoDerive leaves out the actions that are found inside commands and MCP
	// calls (derive: false).
	NoDerive bool
	// CaseFold says that the file system does not distinguish capitals from small
	// letters (macOS, Windows).
	CaseFold bool
	// Home is the folder that "~" means; "" leaves it as written.
	Home string

	// Git asks the repository of a folder with a command of git that reads: diff-tree,
	// ls-tree, ls-files or cat-file with its arguments. It must change nothing and return
	// soon; an error means that git gave no answer. With it a command of git that brings
	// other rules into the work tree counts as a change of these files. nil asks nothing.
	Git func(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// ArgKeys are the argument keys of one tool. An empty one means the usual keys.
// Dots lead through objects: "target.path" is the key path of the object under
// target. Path may hold a list of paths.
type ArgKeys struct {
	Path, Content, Old, Command string

	Edits string // a list of objects, each with the keys above
	To    string // the new path: the tool moves the file from Path
	Dir   string // the folder that the call runs in
}

// A Mapper maps tool calls. It is immutable and safe for concurrent use.
type Mapper struct {
	opts  Options
	style pathStyle
}

var _ sentinel.ToolMapper = (*Mapper)(nil)

// New returns a mapper. It does next to no work: a hook process makes one for
// each call. The maps in opts must not change afterwards.
func New(opts *Options) *Mapper {
	m := &Mapper{style: pathStyle{windows: runtime.GOOS == "windows"}}
	if opts != nil {
		m.opts = *opts
	}
	if m.opts.MCPPrefix == "" {
		m.opts.MCPPrefix = "mcp__"
	}
	if m.opts.MCPSeparator == "" {
		m.opts.MCPSeparator = "__"
	}
	return m
}

// nameMax bounds a tool's name, in bytes. Model APIs allow 64 to 128.
const nameMax = 512

// MapTool returns what the tool call of ev does. No actions and no error means
// that the tool is known and does nothing that rules are about. The error wraps
// [sentinel.ErrUnknownTool] for an unknown tool, and
// [sentinel.ErrEvent] for arguments that cannot be understood.
func (m *Mapper) MapTool(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	name := ev.Tool.Name
	switch {
	case name == "":
		return nil, fmt.Errorf("trigger: %w: the event names no tool", sentinel.ErrEvent)
	case len(name) > nameMax:
		return nil, fmt.Errorf("trigger: %w: the tool's name has %d bytes, more than %d", sentinel.ErrEvent, len(name), nameMax)
	case safefile.TooLong(ev.Dir) || safefile.TooLong(ev.Root):
		return nil, fmt.Errorf("trigger: %w: the folder of the call is longer than a path can be", sentinel.ErrEvent)
	}
	actions, err := m.mapCall(ctx, ev)
	if err == nil {
		err = ctx.Err()
	}
	var bad argError
	switch {
	case errors.As(err, &bad):
		return nil, fmt.Errorf("trigger: %w: tool %q: %s", sentinel.ErrEvent, name, bad)
	case err != nil:
		return nil, fmt.Errorf("trigger: tool %q: %w", name, err)
	}
	return actions, nil
}

func (m *Mapper) mapCall(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	name := ev.Tool.Name
	tool, named := m.opts.Agents.Tool(ev.Agent, name)
	trig, known := m.lookup(name, tool, named)
	var id mcpID
	if !known {
		var isMCP bool
		if id, isMCP = m.mcpName(name, ev.Agent); !isMCP {
			return nil, sentinel.ErrUnknownTool
		}
		trig = sentinel.MCP
	} else if trig == sentinel.MCP {
		id = mcpID{tool: name}
	}
	if trig == "" {
		return nil, nil
	}
	args, err := parseArguments(ev.Tool.Args)
	if err != nil {
		return nil, err
	}
	c := newCall(ctx, m, ev, args)
	if safefile.TooLong(c.dir) {
		return nil, argError("the folder that it runs in is longer than a path can be")
	}
	switch trig {
	case sentinel.FileWrite:
		return c.fileWrite()
	case sentinel.FileRead:
		if tool.Searches {
			return c.search()
		}
		return c.fileRead()
	case sentinel.Bash:
		return c.bash()
	case sentinel.MCP:
		return c.mcp(id)
	}
	return nil, argError(fmt.Sprintf("tool_map gives it the trigger %q (want file_write, file_read, bash or mcp)", trig))
}

// lookup finds a tool by its whole name. own is the agents' own tool of that name, and
// named says that there is one. A map that replaces the usual names need not have their
// searches.
func (m *Mapper) lookup(name string, own agent.Tool, named bool) (sentinel.Trigger, bool) {
	if t, ok := m.opts.Extra[name]; ok {
		return t, true
	}
	if m.opts.Map == nil {
		return own.Does, named
	}
	if t, ok := m.opts.Map[name]; ok {
		return t, true
	}
	return "", named && (own.Does == "" || own.Searches)
}

// An argError says what is wrong with a tool's arguments.
type argError string

func (e argError) Error() string { return string(e) }

// A call is the work on one tool call.
type call struct {
	ctx  context.Context
	m    *Mapper
	ev   sentinel.Event
	args arguments
	keys ArgKeys
	tool string // the name that says what is done; the tool's own for an MCP call
	dir  string // folder that the call runs in
	fs   *resolver

	known agent.Tool // what the agents' own tool of that name does
	named bool       // there is such a tool
	like  agent.Tool // what the agents' own tool called [call.tool] does

	archive archiveList // the one that was read last
}

func newCall(ctx context.Context, m *Mapper, ev sentinel.Event, args arguments) *call {
	known, named := m.opts.Agents.Tool(ev.Agent, ev.Tool.Name)
	c := &call{ctx: ctx, m: m, ev: ev, args: args, keys: m.opts.Args[ev.Tool.Name], tool: ev.Tool.Name, known: known, named: named, like: known}
	c.fs = newResolver(ctx, m.style, m.opts, ev)
	c.dir = c.fs.abs(ev.Dir, "")
	if dir, ok := args.firstText(or(c.keys.Dir, known.FolderKeys)); ok && dir != "" {
		c.dir = c.fs.abs(c.dir, dir)
	}
	return c
}

// action returns an action of this call with what all of them have.
func (c *call) action(trig sentinel.Trigger) sentinel.Action {
	return sentinel.Action{Trigger: trig, Tool: c.ev.Tool.Name, Root: c.fs.root, Dir: c.dir, Certain: true}
}

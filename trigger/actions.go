package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sentinel "github.com/agentsentinel/sentinel"
)

// WriteAction is the action of writing the whole of a file, for a caller that knows
// what its own tool does: ev.Actions, or the result of a mapper of its own. path is
// absolute or from ev.Dir; symbolic links are looked at as in [Mapper.MapTool]. Set
// Op of the result for another operation.
func WriteAction(ev sentinel.Event, path, content string) sentinel.Action {
	a := fileAction(ev, sentinel.FileWrite, sentinel.OpCreate, path)
	a.Content = content
	return a
}

// ReadAction is the action of reading a file: see [WriteAction].
func ReadAction(ev sentinel.Event, path string) sentinel.Action {
	return fileAction(ev, sentinel.FileRead, sentinel.OpNone, path)
}

func fileAction(ev sentinel.Event, t sentinel.Trigger, op sentinel.Op, path string) sentinel.Action {
	c := newCall(context.Background(), New(nil), ev, arguments{})
	a := c.fileAction(t, op, c.dir, path)
	a.Agent = ev.Agent
	return a
}

// CommandAction is the action of running a shell command in ev.Dir, followed by
// those of what the command does to files.
func CommandAction(ev sentinel.Event, line string) []sentinel.Action {
	return ours(ev, newCall(context.Background(), New(nil), ev, arguments{}).commandActions(line, ""))
}

// MCPAction is the action of calling an MCP tool with arguments in JSON, followed by
// those of what it plainly does to files or runs. Arguments that are not JSON are
// [sentinel.ErrEvent].
func MCPAction(ev sentinel.Event, server, tool string, args json.RawMessage) ([]sentinel.Action, error) {
	parsed, err := parseArguments(args)
	if err != nil {
		return nil, fmt.Errorf("trigger: %w: the arguments of %s:%s: %w", sentinel.ErrEvent, server, tool, err)
	}
	id := namedMCP(server, tool)
	actions, err := newCall(context.Background(), New(nil), ev, parsed).mcp(id)
	if err != nil {
		return nil, fmt.Errorf("trigger: %w: %s:%s: %w", sentinel.ErrEvent, server, tool, err)
	}
	return ours(ev, actions), nil
}

func ours(ev sentinel.Event, actions []sentinel.Action) []sentinel.Action {
	for i := range actions {
		actions[i].Agent = ev.Agent
	}
	return actions
}

// Chain is a mapper that asks each of the mappers in turn until one knows the tool.
// nil ones are left out.
func Chain(mappers ...sentinel.ToolMapper) sentinel.ToolMapper {
	return sentinel.MapperFunc(func(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
		for _, m := range mappers {
			if m == nil {
				continue
			}
			if actions, err := m.MapTool(ctx, ev); !errors.Is(err, sentinel.ErrUnknownTool) {
				return actions, err
			}
		}
		return nil, fmt.Errorf("trigger: tool %q: %w", ev.Tool.Name, sentinel.ErrUnknownTool)
	})
}

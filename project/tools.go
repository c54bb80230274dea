package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/gitread"
	"github.com/agentsentinel/sentinel/trigger"
)

// foreign asks the caller's mapper what a call does. nil without an error means that
// it does not know the tool.
func foreign(ctx context.Context, m sentinel.ToolMapper, ev sentinel.Event) ([]sentinel.Action, error) {
	actions, err := m.MapTool(ctx, ev)
	switch {
	case errors.Is(err, sentinel.ErrUnknownTool):
		return nil, nil
	case err != nil && !errors.Is(err, sentinel.ErrEvent):
		err = fmt.Errorf("%w: tool %q: %w", sentinel.ErrEvent, ev.Tool.Name, err)
	case err == nil && actions == nil:
		actions = []sentinel.Action{} // known to do nothing
	}
	return actions, err
}

// mapper knows tools by the names of c. It asks git what a command brings.
func (p *Project) mapper(c *config.Config) *trigger.Mapper {
	o := p.mapping(c)
	o.Git = (&gitread.Reader{Limit: gitTime}).Ask
	return trigger.New(o)
}

// gitTime is how long git may take to say which commit brings what, for all questions
// about one event. Without an answer the rules that are in force notice the change at
// the next call.
const gitTime = 250 * time.Millisecond

// mapping are the settings of a mapper that knows tools by the names of c.
func (p *Project) mapping(c *config.Config) *trigger.Options {
	return &trigger.Options{
		Map: triggers(c.ToolMap), Extra: triggers(c.ToolMapExtra), Args: argKeys(c.ToolArgs),
		MCPPrefix: c.MCPPrefix, MCPSeparator: c.MCPSeparator,
		NoDerive: !c.Derive, CaseFold: foldsCase(), Home: p.opts.Home, Agents: p.opts.Agents,
	}
}

// sameTools reports whether two configurations see tool calls in the same way.
func sameTools(a, b *config.Config) bool {
	return (a.ToolMap == nil) == (b.ToolMap == nil) && maps.Equal(a.ToolMap, b.ToolMap) &&
		maps.Equal(a.ToolMapExtra, b.ToolMapExtra) && maps.Equal(a.ToolArgs, b.ToolArgs) &&
		a.MCPPrefix == b.MCPPrefix && a.MCPSeparator == b.MCPSeparator && a.Derive == b.Derive
}

func triggers(m map[string]string) map[string]sentinel.Trigger {
	if m == nil {
		return nil
	}
	out := make(map[string]sentinel.Trigger, len(m))
	for tool, t := range m {
		out[tool] = sentinel.Trigger(t)
	}
	return out
}

func argKeys(m map[string]config.ToolArgs) map[string]trigger.ArgKeys {
	if m == nil {
		return nil
	}
	out := make(map[string]trigger.ArgKeys, len(m))
	for tool, k := range m {
		out[tool] = trigger.ArgKeys(k)
	}
	return out
}

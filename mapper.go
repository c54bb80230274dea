package sentinel

import "context"

// A ToolMapper says what a tool call does.
//
//  1. No actions and no error: there is nothing to judge.
//  2. [ErrUnknownTool]: the tool is not this mapper's; the next one may know it.
//  3. Any other error: the call cannot be understood, which is [ErrEvent].
//  4. It may read regular files below ev.Root, a bounded part of each. It runs
//     nothing and changes nothing.
//  5. It is safe for concurrent use.
type ToolMapper interface {
	MapTool(ctx context.Context, ev Event) ([]Action, error)
}

// MapperFunc lets a function be a [ToolMapper].
type MapperFunc func(context.Context, Event) ([]Action, error)

func (f MapperFunc) MapTool(ctx context.Context, ev Event) ([]Action, error) { return f(ctx, ev) }

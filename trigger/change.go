package trigger

import (
	"context"

	"github.com/agentsentinel/sentinel"
)

// Place returns ev.Actions with the paths of its file actions as this mapper
// sees them from ev.Root: for a caller who knows by other means than a tool call
// what happens, such as the changes of a commit. Of a file action it takes the
// trigger, the operation, Path, Content and Old; other actions stay as they are.
func (m *Mapper) Place(ctx context.Context, ev sentinel.Event) []sentinel.Action {
	c := newCall(ctx, m, ev, arguments{})
	placed := make([]sentinel.Action, len(ev.Actions))
	for i, a := range ev.Actions {
		if a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead {
			at := c.fileAction(a.Trigger, a.Op, c.dir, a.Path)
			at.Agent, at.Tool, at.Content, at.Old = ev.Agent, a.Tool, a.Content, a.Old
			a = at
		}
		placed[i] = a
	}
	return placed
}

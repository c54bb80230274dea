package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/gitread"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/trigger"
)

// A view is an event as one folder sees it.
type view struct {
	folder  *Folder
	own     bool     // with Sentinel's own rules
	alone   bool     // there are no other rules here
	only    []string // sources of the rules that are asked; nil asks all
	actions []sentinel.Action
	err     error
	further bool // only a path of the call leads to the folder
}

// ownView is that of Sentinel's own rules with the user's. They see tools by the
// user's own names, which no repository can change.
func (p *Project) ownView(ctx context.Context, ev sentinel.Event) view {
	user, root := p.matchingUser(), ""
	if nearest := p.nearest(); nearest != nil {
		root = nearest.at()
	}
	own := p.view(ctx, ev, root, &user.Config)
	own.folder, own.own = user, true
	return own
}

// views are those of the projects, of the paths that the event touches too.
func (p *Project) views(ctx context.Context, ev sentinel.Event, own view) (all []view) {
	nearest, user := p.nearest(), own.folder
	add := func(f *Folder, same bool) {
		v := view{actions: own.actions, err: own.err}
		if !same {
			v = p.view(ctx, ev, f.at(), &f.Config)
		}
		v.folder = f
		all = append(all, v)
	}
	for _, f := range p.projects() {
		add(f, p.haste || f == nearest && sameTools(&f.Config, &user.Config))
	}
	if p.opts.ConfigDir == "" && !p.haste {
		more, err := p.further(ctx, ev, append([]view{own}, all...))
		for _, f := range more {
			if own.err != nil || ev.Actions != nil || !sameTools(&f.Config, &user.Config) {
				add(f, false)
			} else {
				seen := ev
				seen.Root = f.at()
				all = append(all, view{folder: f, actions: p.mapper(&f.Config).From(ctx, seen, own.actions)})
			}
			v := &all[len(all)-1]
			v.further, v.actions = true, p.within(f, v.actions)
		}
		if err != nil {
			all = append(all, view{folder: cmp.Or(nearest, user), err: err})
		}
	}
	return all
}

// view maps the event's tool call by the names of c, with paths from root.
func (p *Project) view(ctx context.Context, ev sentinel.Event, root string, c *config.Config) (v view) {
	if root != "" {
		ev.Root = root
	}
	if ev.Actions == nil && p.opts.Mapper != nil {
		if ev.Actions, v.err = foreign(ctx, p.opts.Mapper, ev); v.err != nil {
			return v
		}
	}
	if ev.Actions != nil {
		if ev.Actions, v.err = stated(ctx, ev); v.err == nil {
			v.actions = p.mapper(c).Place(ctx, ev)
		}
		return v
	}
	v.actions, v.err = p.mapper(c).MapTool(ctx, ev)
	if v.actions == nil {
		v.actions = []sentinel.Action{} // known to do nothing, which is not "unknown"
	}
	return v
}

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

// noRules is an engine that only says what is wrong with an event. It knows the triggers
// that a rule file can name.
func noRules() *sentinel.Rulebook {
	book, _ := sentinel.New[sentinel.Rule](nil, nil) // fails for a rule alone
	return book
}

// stated are the actions that a caller states itself: what one leaves out is made from the
// rest, as the engine does. The paths of files stay as they are, for each root to place.
func stated(ctx context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	if ev.Phase != sentinel.PhasePre {
		return ev.Actions, nil
	}
	docket, err := noRules().Match(ctx, ev)
	if err != nil {
		return nil, err
	}
	actions := slices.Clone(docket.Actions)
	for i := range actions {
		if a := ev.Actions[i]; a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead {
			if a.Path = cmp.Or(a.Path, a.Target); a.Path == "" {
				a.Path = filepath.ToSlash(safefile.Rooted(actions[i].Root, a.Forms[0]))
			}
			actions[i] = a
		}
	}
	return actions, nil
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

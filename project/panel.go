package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/telemetry"
	"github.com/agentsentinel/sentinel/trigger"
)

// A panel is one engine with the actions as its folder sees them: paths start
// from the folder's own root, tools are mapped by its own names.
type panel struct {
	folder  *Folder
	engine  sentinel.Engine
	actions []sentinel.Action
	err     error
	strict  bool // what it cannot judge at all is stopped
}

func (b panel) evaluate(ctx context.Context, ev sentinel.Event) (sentinel.Decision, error) {
	switch {
	case errors.Is(b.err, sentinel.ErrUnknownTool):
		return sentinel.Decision{Verdict: sentinel.VerdictAllow, Unknown: true}, nil
	case b.err != nil:
		return sentinel.Decision{Verdict: sentinel.VerdictUndecided, Err: b.err}, b.err
	}
	ev.Actions = b.actions
	return b.engine.Evaluate(ctx, ev)
}

// panels seats everybody who judges the event: Sentinel's own rules with the
// user's, then the projects, those of the paths that it touches too.
func (p *Project) panels(ctx context.Context, ev sentinel.Event) []panel {
	user, nearest, projects := p.user(), p.nearest(), p.projects()
	root := ""
	if nearest != nil {
		root = nearest.Root
	}
	// The user's rules see tools by the user's own names, which no repository can change.
	own := p.seat(ctx, ev, root, &user.Config)
	own.folder = user
	own.take(p.ownEngine(user, ev.Session))
	all := []panel{own}
	for _, f := range projects {
		all = append(all, p.hear(ctx, ev, f, own, f == nearest && sameTools(&f.Config, &user.Config)))
	}
	if p.opts.ConfigDir == "" {
		for _, f := range p.further(all) {
			all = append(all, p.hear(ctx, ev, f, own, false))
		}
	}
	if len(p.Folders) == 0 && len(all) == 1 {
		return nil
	}
	return all
}

// hear seats the panel of a project. same says that it sees the event as own does.
func (p *Project) hear(ctx context.Context, ev sentinel.Event, f *Folder, own panel, same bool) panel {
	b := panel{actions: own.actions, err: own.err, strict: !f.Config.FailOpen}
	if !same {
		b = p.seat(ctx, ev, f.Root, &f.Config)
	}
	b.folder = f
	b.take(f.engine.get(ev.Session))
	return b
}

// seat maps the event's tool call by the names of c, with paths from root.
func (p *Project) seat(ctx context.Context, ev sentinel.Event, root string, c *config.Config) panel {
	if root != "" {
		ev.Root = root
	}
	b := panel{strict: !c.FailOpen}
	if ev.Actions == nil && p.opts.Mapper != nil {
		if ev.Actions, b.err = foreign(ctx, p.opts.Mapper, ev); b.err != nil {
			return b
		}
	}
	if ev.Actions != nil {
		b.actions = p.mapper(c).Place(ctx, ev)
		return b
	}
	b.actions, b.err = p.mapper(c).MapTool(ctx, ev)
	if b.actions == nil {
		b.actions = []sentinel.Action{} // known to do nothing, which is not "unknown"
	}
	return b
}

// foreign asks a mapper of the caller's what a call does. nil and no error: it
// does not know the tool.
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

// take gives the panel its engine. One that could not be built judges nothing.
func (b *panel) take(e sentinel.Engine, err error) {
	b.engine = e
	if err != nil {
		b.err = err
	}
}

// user is the user's own folder, or an empty one with the defaults.
func (p *Project) user() *Folder {
	if len(p.Folders) > 0 && p.Folders[0].User {
		return p.Folders[0]
	}
	return &Folder{User: true, Config: config.Default()}
}

// projects are the folders that are not the user's own.
func (p *Project) projects() []*Folder {
	var fs []*Folder
	for _, f := range p.Folders {
		if !f.User {
			fs = append(fs, f)
		}
	}
	return fs
}

// further loads the folders of the paths that actions touch, where they are not
// known yet: at and above each path, and at those below what is removed.
func (p *Project) further(panels []panel) []*Folder {
	var starts []string
	for _, b := range panels {
		for i := range b.actions {
			starts = append(starts, touched(&b.actions[i])...)
		}
	}
	if len(starts) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, f := range p.Folders {
		known[f.real] = true
	}
	var fs []*Folder
	for _, at := range findUpward(starts) {
		if !known[at.real] {
			fs = append(fs, load(at, &p.opts))
		}
	}
	return fs
}

// touched are the folders at which an action may meet rules.
func touched(a *sentinel.Action) []string {
	if a.Trigger != sentinel.FileWrite && a.Trigger != sentinel.FileRead {
		return nil
	}
	abs := func(form string) string {
		form = filepath.FromSlash(form)
		if filepath.IsAbs(form) {
			return form
		}
		return filepath.Join(a.Root, form)
	}
	at := []string{abs(a.Path)}
	if a.Op == sentinel.OpDelete || a.Op == sentinel.OpMove {
		for _, form := range a.Forms {
			if path.Base(form) == ".claude" {
				at = append(at, filepath.Dir(abs(form)))
			}
		}
	}
	return at
}

// mapper knows tools by the names of c.
func (p *Project) mapper(c *config.Config) *trigger.Mapper {
	return trigger.New(&trigger.Options{
		Map: triggers(c.ToolMap), Extra: triggers(c.ToolMapExtra), Args: argKeys(c.ToolArgs),
		MCPPrefix: c.MCPPrefix, MCPSeparator: c.MCPSeparator,
		NoDerive: !c.Derive, CaseFold: foldsCase(), Home: p.opts.Home,
	})
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

// writeLog appends what came of an event to the log at path, which belongs to f.
func (p *Project) writeLog(f *Folder, path string, ev sentinel.Event, d sentinel.Decision) error {
	records := telemetry.Records(p.opts.now(), ev, d, d.Err, threshold(&f.Config))
	if ev.Phase == sentinel.PhasePost {
		records = withoutDecisions(records)
	}
	return p.appendLog(f, path, records)
}

// appendLog appends records to the log at path, which belongs to f.
func (p *Project) appendLog(f *Folder, path string, records []telemetry.Record) error {
	c := &f.Config
	opts := &telemetry.Options{MaxMB: c.LogMaxMB, Keep: c.LogKeep, Logger: p.opts.Logger}
	if opts.Keep == 0 {
		opts.Keep = -1 // 0 is the default there; none are kept
	}
	if base := f.base(); safefile.Within(path, base) {
		opts.Within = base // a planted link must not lead the log out
	}
	return telemetry.Open(path, opts).Write(records)
}

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
	"github.com/agentsentinel/sentinel/trigger"
)

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

// user is the user's own folder, or an empty one with the defaults.
func (p *Project) user() *Folder {
	f := p.matchingUser()
	f.complete()
	return f
}

// matchingUser is user, with no more of a configuration than matching needs.
func (p *Project) matchingUser() *Folder {
	if len(p.Folders) > 0 && p.Folders[0].User {
		return p.Folders[0]
	}
	return &Folder{User: true, Config: config.Tools(), bare: true}
}

// complete gives a folder the whole of the default configuration.
func (f *Folder) complete() {
	if f.bare {
		f.Config, f.bare = config.Default(), false
	}
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
func (p *Project) further(views []view) []*Folder {
	var starts []string
	for _, v := range views {
		for i := range v.actions {
			starts = append(starts, touched(&v.actions[i])...)
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
		NoDerive: !c.Derive, CaseFold: foldsCase(), Home: p.opts.Home, Agents: p.opts.Agents,
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

package project

import (
	"context"

	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Gate is where a user pauses the rules that apply here, and approves single calls.
func (p *Project) Gate() *gate.Gate {
	g := &gate.Gate{StateDir: p.opts.StateDir, Program: p.opts.Program, Seal: state.Sealing{Key: p.opts.fenceKey, Dropped: p.opts.unsealed}, Now: p.opts.Now, Nearest: -1, Numbered: p.opts.Numbered, Question: p.opts.Question, Log: p.Past().Book().User}
	for i, f := range p.Folders {
		g.Folders = append(g.Folders, f.gated())
		if g.Nearest < 0 && !f.User {
			g.Nearest = i
		}
	}
	return g
}

// gated is the folder as the gate sees it.
func (f *Folder) gated() gate.Folder {
	return gate.Folder{Dir: f.Dir, Key: f.realDir(), Root: f.Root, User: f.User}
}

// realDir is Dir without symbolic links; "" for a folder that is nowhere.
func (f *Folder) realDir() string {
	if f.real == "" && f.Dir != "" {
		return safefile.Resolve(f.Dir)
	}
	return f.real
}

// Admit passes the event through the gate, when an agent acts on the answer: what a
// user has paused is left unjudged. It waits while another process judges the same
// call. The pass is nil, which has no effect, when no agent acts on the answer or
// there is nothing to judge.
func (d *Docket) Admit(ctx context.Context) *gate.Pass {
	if !d.project.opts.ForAgent || d.Empty() {
		return nil
	}
	ctx, cancel := d.bound(ctx)
	defer cancel()
	pass := d.project.Gate().Admit(ctx, d.Call())
	d.heed(pass)
	return pass
}

// HeedPauses leaves what a user has paused unjudged, as [Docket.Admit] does, and
// waits for no other process.
func (d *Docket) HeedPauses() {
	d.heed(d.project.Gate().Glance(d.Call()))
}

// heed leaves unjudged what a user has paused.
func (d *Docket) heed(pass *gate.Pass) {
	for i := range d.Parts {
		if why, ok := pass.Paused(i); ok {
			d.Pause(i, why)
		}
	}
}

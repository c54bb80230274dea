package project

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/record"
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
	return gate.Folder{Dir: f.Dir, Key: f.realDir(), User: f.User}
}

// realDir is Dir without symbolic links; "" for a folder that is nowhere.
func (f *Folder) realDir() string {
	if f.real == "" && f.Dir != "" {
		return safefile.Resolve(f.Dir)
	}
	return f.real
}

// Judged is what came of a docket for an agent that acts on the answer.
type Judged struct {
	Decision sentinel.Decision
	Record   *record.Call // of the decision; nil where another process judged the call, and has the record
	Unkept   error        // why no code could be kept for a stopped call, which stays stopped
}

// Decide judges what was matched, with the gate around it, in this order: what a user has
// paused is left unjudged; while another process judges this very call it is waited for,
// and its decision is taken; else the rules are judged, the decision is recorded, and a
// user's approval is applied to both. The error is that of [Docket.Judge].
func (d *Docket) Decide(ctx context.Context) (Judged, error) {
	pass := d.admit(ctx)
	defer pass.Close()
	if decision, relayed := pass.Relayed(); relayed {
		return Judged{Decision: decision}, nil
	}
	decision, err := d.Judge(ctx)
	if err != nil {
		return Judged{Decision: decision}, err
	}
	j := Judged{Decision: decision, Record: record.Of(d.project.opts.now(), d.Event, decision)}
	j.Unkept = pass.Settle(&j.Decision, j.Record)
	return j, nil
}

// admit passes the event through the gate. The pass is nil, which has no effect, when
// there is nothing to judge.
func (d *Docket) admit(ctx context.Context) *gate.Pass {
	if d.Empty() {
		return nil
	}
	ctx, cancel := d.bound(ctx)
	defer cancel()
	pass := d.project.Gate().Admit(ctx, d.Call())
	d.heed(pass)
	return pass
}

// HeedPauses leaves what a user has paused unjudged, as [Docket.Decide] does, and
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

package project

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/state"
)

// Gate is where a user pauses the rules that apply here, and approves single calls.
func (p *Project) Gate() *gate.Gate {
	g := &gate.Gate{StateDir: p.opts.StateDir, Seal: state.Sealing{Key: p.opts.fenceKey, Dropped: p.opts.unsealed}, Now: p.opts.Now, Nearest: -1, Numbered: p.opts.Numbered, Question: p.opts.Question, Log: p.Past().Book().User}
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
	for i := range d.Parts {
		if why, ok := pass.Paused(i); ok {
			d.Pause(i, why)
		}
	}
	return pass
}

// Book is where calls, notes and prompts are recorded here.
func (k *Past) Book() *record.Book {
	p := k.project
	b := &record.Book{
		StateDir: p.opts.StateDir, Now: p.opts.Now, Logger: p.opts.Logger, Off: p.opts.NoLog,
		Log: func() record.Log {
			f, path := p.log()
			if f == nil {
				return record.Log{}
			}
			return f.logAt(path)
		},
	}
	if f := p.Nearest(); f != nil {
		b.Prompts = p.opts.stateFolder("prompts", digest.Hex(f.realDir())+".jsonl")
		b.PromptsMB = f.Config.LogMaxMB
	}
	return b
}

// logAt says how the log at path is written, which belongs to f.
func (f *Folder) logAt(path string) record.Log {
	c := &f.Config
	log := record.Log{Path: path, MaxMB: c.LogMaxMB, Keep: c.LogKeep, Threshold: threshold(c)}
	if base := f.logBase(); safefile.Within(path, base) {
		log.Within = base
	}
	return log
}

// Record writes the decision on an event where calls are recorded here, and notes a tool
// that is not known.
func (p *Project) Record(ev sentinel.Event, d sentinel.Decision) error {
	book := p.Past().Book()
	var err error
	if d.Unknown && len(p.Folders) > 0 {
		err = book.Note("unknown-tool", ev.Agent, ev.Tool.Name)
	}
	if d.Quiet() {
		return err // the usual call: not even a log is looked for
	}
	return errors.Join(err, book.Write(record.Of(p.opts.now(), ev, d), d, ev))
}

// stateFolder is a folder of the user's state, "" where nothing can be kept.
func (o *Options) stateFolder(names ...string) string {
	if o.StateDir == "" {
		return ""
	}
	return filepath.Join(append([]string{o.StateDir}, names...)...)
}

package project

import (
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/turn"
)

// turns is where turns are kept; nil where that cannot be.
func (p *Project) turns(ev sentinel.Event) *state.Outbox {
	dir := p.opts.stateFolder("done")
	if dir == "" || ev.Session == "" {
		return nil
	}
	return state.NewOutbox(dir, turn.MaxBytes)
}

// AddToTurn keeps what a call did for the rules that judge its turn, of projects that only
// a path leads to as well. A call that failed did nothing.
func (k *Past) AddToTurn(ev sentinel.Event, d *Docket) error {
	outbox := k.project.turns(ev)
	judges := func(p Part) bool { return p.Folder.rules.judges(sentinel.PhaseStop) }
	if outbox == nil || ev.Tool.Failed || !slices.ContainsFunc(d.Parts, judges) {
		return nil
	}
	part := d.Parts[0]
	if len(d.Parts) > 1 && !d.Parts[1].further { // it knows the tools of its own project
		part = d.Parts[1]
	}
	return turn.Add(outbox, ev.Session, part.Actions)
}

// TakeTurn returns what the agent did since its last turn ended, and forgets it. It is
// nil when nothing was kept.
func (k *Past) TakeTurn(ev sentinel.Event) (*turn.Turn, error) {
	outbox := k.project.turns(ev)
	if outbox == nil {
		return nil, nil
	}
	return turn.Take(outbox, &ev, k.project.opts.now())
}

package project

import (
	"context"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// advise has the rules with post written what they have to say about a call that
// has been made. Nothing is decided: whatever goes wrong is silence.
func (p *Project) advise(ctx context.Context, ev sentinel.Event) sentinel.Decision {
	panels := p.awake(p.panels(ctx, ev))
	sit := p.sit(ev, panels)
	defer sit.close()
	if sit.advised(ctx) {
		return sentinel.Decision{Verdict: sentinel.VerdictAllow, Relayed: true}
	}
	said := make([]sentinel.Decision, len(panels))
	var wait sync.WaitGroup
	for i, b := range panels {
		wait.Go(func() {
			if d, err := b.evaluate(ctx, ev); err == nil {
				said[i] = d
			}
		})
	}
	wait.Wait()
	sit.pass(adviceGiven)
	notice := p.notice(ev, sentinel.VerdictAllow, panels, said)
	d := sentinel.Join(slices.DeleteFunc(said, func(d sentinel.Decision) bool { return d.Verdict != sentinel.VerdictAllow })...)
	d.Notice = notice
	d.Verdict, d.Unknown = sentinel.VerdictAllow, false // what nobody knows was noted before the call
	return d
}

// withoutDecisions are the lines of advice alone: a call has one decision, that
// before it.
func withoutDecisions(records []telemetry.Record) []telemetry.Record {
	return slices.DeleteFunc(records, func(r telemetry.Record) bool { return r.Level == telemetry.LevelDecision })
}

// adviceGiven is what a hook that has given advice leaves for its twins.
var adviceGiven = []byte("true")

// advised reports whether another hook that sees the same call gives the advice
// about it: what a model writes twice is written in two ways, and no memory of
// what was said would know them for one. Nothing is held before a rule applies.
func (s *sitting) advised(ctx context.Context) bool {
	if s == nil || s.project.opts.Numbered && s.event.Tool.ID == "" || !s.advises() {
		return false
	}
	call := state.Call{Session: s.event.Session, Action: "after " + s.version(), ID: s.event.Tool.ID}
	turn, given, err := s.project.turns().Take(ctx, call, func([]byte) bool { return true })
	s.turn = turn
	return given || err != nil // without time to wait there is none to ask in either
}

// advises reports whether a rule with post applies to the call.
func (s *sitting) advises() bool {
	for i := range s.panels {
		b := &s.panels[i]
		for _, r := range b.folder.candidates(sentinel.PhasePost, b.actions) {
			if !r.Spec().Post {
				continue
			}
			for k := range b.actions {
				if r.Match(&b.actions[k]).OK {
					return true
				}
			}
		}
	}
	return false
}

// awake are the panels whose folder no person has paused.
func (p *Project) awake(panels []panel) []panel {
	if !p.opts.ForAgent || p.opts.StateDir == "" {
		return panels
	}
	paused := p.pauses().All()
	return slices.DeleteFunc(panels, func(b panel) bool {
		_, ok := p.pauseOf(paused, b.folder)
		return ok
	})
}

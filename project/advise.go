package project

import (
	"context"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/telemetry"
)

// advise has the rules with post written what they have to say about a call that
// has been made. Nothing is decided: whatever goes wrong is silence.
func (p *Project) advise(ctx context.Context, ev sentinel.Event) sentinel.Decision {
	panels := p.panels(ctx, ev)
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

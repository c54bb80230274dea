package replay

import (
	"context"
	"fmt"
	"sync"

	"github.com/agentsentinel/sentinel"
)

// Ask asks the models the open questions, each once, with a lower priority than live
// sessions. A question that a model cannot answer counts as unavailable. When ctx
// ends the rest stays open, and the error says so. It needs Options.WillAsk.
func (r *Replay) Ask(ctx context.Context) error {
	var mu sync.Mutex
	var wait sync.WaitGroup
	var left []*result
	slots := make(chan struct{}, r.atOnce())
	all, done := len(r.open), 0
	for _, res := range r.open {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		wait.Go(func() {
			findings, ok := r.put(ctx, res)
			mu.Lock()
			defer mu.Unlock()
			if !ok { // ctx has ended, and no call waits for a slot
				left = append(left, res)
				return
			}
			<-slots
			r.count(func(t *tally) { t.add(res, r.rules, -1) })
			res.findings, res.pending = findings, nil
			r.count(func(t *tally) { t.add(res, r.rules, 1) })
			done++
			if r.opts.Progress != nil {
				r.opts.Progress(Progress{Sessions: len(r.sessions), Calls: int(r.calls.Load()), Asked: done, Open: all})
			}
		})
	}
	wait.Wait()
	r.open = left
	if err := ctx.Err(); err != nil {
		r.interrupted = true
		return fmt.Errorf("replay: %w", err)
	}
	return nil
}

// atOnce is how many calls are judged at the same time. Each backend limits how many
// questions its model gets at once.
func (r *Replay) atOnce() int {
	n := 1
	for i := range r.engines {
		most := r.engines[i].set.Engine.MaxParallel
		if most == 0 {
			most = sentinel.DefaultMaxParallel
		}
		n = max(n, most)
	}
	return n
}

// put judges a call by the sets that left it open. ok is false when ctx has ended.
func (r *Replay) put(ctx context.Context, res *result) (findings []Finding, ok bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	asked := map[int]bool{}
	for _, p := range res.pending {
		b := &r.engines[p.set]
		asked[p.set] = true
		d, err := b.asking.Evaluate(ctx, p.event)
		if err != nil || ctx.Err() != nil {
			return nil, false
		}
		for i := range d.Findings {
			findings = append(findings, r.finding(&d.Findings[i]))
		}
		findings = append(findings, r.advice(b, p.event.Actions)...)
	}
	for _, f := range res.findings {
		if !asked[r.rules[f.rule].set] {
			findings = append(findings, f)
		}
	}
	return findings, true
}

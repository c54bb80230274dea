package replay

import (
	"slices"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/rule"
)

// A past is what a session had done before a call, as far as rules ask about it: the facts
// that hooks would have kept, made of the calls of the record and their results.
type past struct {
	needs *rule.Needs
	fold  bool
	views []map[facts.Fact]facts.Fact // by the fact without order and time
	open  map[string]begun            // by the id of the call
	order int
}

// A begun is a call without a result yet.
type begun struct {
	order   int
	sub     bool
	actions [][]sentinel.Action // by view
	asked   []string            // ids of rules that asked about it
}

// maxBegun bounds the calls without a result. An agent runs few at a time.
const maxBegun = 64

// newPast is the past of a session at its beginning; nil where no rule asks about it.
func (r *Replay) newPast() *past {
	p := &past{needs: &rule.Needs{}, open: map[string]begun{}}
	for i := range r.rules {
		if asks, ok := r.rules[i].rule.(interface {
			Needs() *rule.Needs
			Fold() bool
		}); ok {
			p.needs.Add(asks.Needs())
			p.fold = p.fold || asks.Fold()
		}
	}
	if p.needs.Empty() {
		return nil
	}
	for range r.opts.Views {
		p.views = append(p.views, map[facts.Fact]facts.Fact{})
	}
	return p
}

// known is what rules may know so far; all of it is copied when one asks.
func (p *past) known(view int, now time.Time) *facts.Session {
	return &facts.Session{Past: sync.OnceValues(func() (*facts.Facts, error) {
		f := &facts.Facts{Now: now}
		for _, one := range p.views[view] {
			f.All = append(f.All, one)
		}
		slices.SortFunc(f.All, func(a, b facts.Fact) int { return a.Order - b.Order })
		return f, nil
	})}
}

// begin notes a call. Its runs count from here, when the result tells that they do.
func (p *past) begin(e *transcript.Entry, actions [][]sentinel.Action, res *result) {
	if p == nil {
		return
	}
	b := begun{order: p.next(), sub: e.Sub, actions: actions}
	for i := range res.findings {
		if f := &res.findings[i]; f.verdict == sentinel.VerdictAsk {
			b.asked = append(b.asked, f.Rule)
		}
	}
	if len(p.open) >= maxBegun {
		clear(p.open) // they have no results, or are not the record of an agent
	}
	p.open[e.CallID] = b
}

// done notes what a call did. One that was refused did nothing.
func (p *past) done(e *transcript.Entry) {
	if p == nil {
		return
	}
	b, ok := p.open[e.CallID]
	if delete(p.open, e.CallID); !ok || e.Denied {
		return
	}
	end := p.next()
	for view, actions := range b.actions {
		for _, f := range p.needs.Before(actions) {
			f.Order, f.Call, f.Result = b.order, b.order, came(f.Result, e, actions)
			p.add(view, f, b.sub, e.Time)
		}
		for _, f := range p.needs.After(actions, e.Failed, p.fold) {
			f.Order, f.Call = end, b.order
			p.add(view, f, b.sub, e.Time)
		}
		for _, id := range b.asked {
			if !e.Failed {
				p.add(view, facts.Fact{Kind: facts.Approved, Text: id, Order: end}, b.sub, e.Time)
			}
		}
	}
}

// turn notes that a person spoke: a turn has ended.
func (p *past) turn(at time.Time) {
	if p == nil {
		return
	}
	order := p.next()
	for view := range p.views {
		p.add(view, facts.Fact{Kind: facts.Ended, Order: order}, false, at)
	}
}

func (p *past) next() int { p.order++; return p.order }

func (p *past) add(view int, f facts.Fact, sub bool, at time.Time) {
	f.Part = sub
	f.At = at
	p.views[view][f.Kept()] = f
}

// came is the result of a run whose line shows it as proven.
func came(proven facts.Result, e *transcript.Entry, actions []sentinel.Action) facts.Result {
	shell := slices.ContainsFunc(actions, func(a sentinel.Action) bool { return a.Trigger == sentinel.Bash })
	switch {
	case e.Failed || e.Came == sentinel.ResultFailed:
		return facts.Failed
	case e.Came == sentinel.ResultRunning:
		return facts.Running
	case shell && e.Came == sentinel.ResultUnknown && proven == facts.Succeeded:
		return facts.Unknown
	}
	return proven
}

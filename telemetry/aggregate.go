package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"maps"
	"runtime"
	"slices"
	"time"
)

// Aggregate reads the files of a log, the oldest first, as [Files] names them,
// and counts what is in them. Files of several logs may follow one another.
//
// Memory is bounded, whatever the files hold; parts of them are read at the same
// time. A line that is no record is counted and passed over. The error is that of
// a file that cannot be read, or ctx's. opts may be nil.
func Aggregate(ctx context.Context, files []string, opts *StatsOptions) (*Stats, error) {
	if opts == nil {
		opts = &StatsOptions{}
	}
	chunks, closeAll, size, opened, err := openChunks(files)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	workers := opts.Parallel
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(min(workers, len(chunks)), 1)
	seed := maphash.MakeSeed()
	lanes := make([]*lane, workers)
	parts := make([]chan part, workers)
	for i := range lanes {
		lanes[i], parts[i] = newLane(opts, seed), make(chan part, 2)
		go lanes[i].run(ctx, chunks, i, workers, parts[i])
	}
	g := gathered{contests: newContests(opts.Retry), recent: recent{limit: opts.Recent}}
	err = g.collect(ctx, chunks, parts, size, opts.Progress)
	cancel()
	for _, c := range parts { // until every lane has ended, and its figures stand
		for range c { //nolint:revive // nothing is left to do with what comes
		}
	}
	if err != nil {
		return nil, err
	}
	for _, l := range lanes[1:] {
		lanes[0].merge(l)
	}
	s := lanes[0].stats(&g)
	s.Lines.Files, s.Lines.Bytes = opened, size
	return s, nil
}

// A part is what a lane found in one chunk that depends on the log's order.
type part struct {
	events []event
	recent [][]byte
	err    error
}

// run aggregates every so manieth chunk.
func (l *lane) run(ctx context.Context, chunks []chunk, first, step int, out chan<- part) {
	defer close(out)
	var buffer []byte
	for i := first; i < len(chunks); i += step {
		l.previousIsKnown = false
		keep := recent{limit: l.opts.Recent}
		var err error
		buffer, err = chunks[i].each(buffer, func(line []byte) {
			if l.add(line) {
				keep.add(line)
			}
		}, func() {
			l.lines.Read++
			l.lines.TooLong++
		})
		if cap(buffer) > 2*chunkSize {
			buffer = nil // one long line must not cost memory for ever
		}
		p := part{events: l.events, recent: keep.lines(), err: err}
		l.events = make([]event, 0, len(l.events))
		select {
		case out <- p:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// A recent holds copies of the last lines that were added.
type recent struct {
	limit int
	ring  [][]byte
	next  int
}

func (r *recent) add(line []byte) {
	switch {
	case r.limit <= 0:
	case len(r.ring) < r.limit:
		r.ring = append(r.ring, bytes.Clone(line))
	default:
		r.ring[r.next] = append(r.ring[r.next][:0], line...)
		r.next = (r.next + 1) % r.limit
	}
}

// lines are those that are held, the oldest first.
func (r *recent) lines() [][]byte {
	return append(slices.Clone(r.ring[r.next:]), r.ring[:r.next]...)
}

// gathered is what depends on the order of the log.
type gathered struct {
	contests *contests
	recent   recent
}

// collect takes the parts of all chunks in the order of the log.
func (g *gathered) collect(ctx context.Context, chunks []chunk, parts []chan part, size int64, progress func(done, total int64)) error {
	var done int64
	for i := range chunks {
		p, ok := <-parts[i%len(parts)]
		switch {
		case !ok:
			return ctx.Err()
		case p.err != nil:
			return p.err
		}
		for j := range p.events {
			g.contests.take(&p.events[j])
		}
		for _, line := range p.recent {
			g.recent.add(line)
		}
		done += chunks[i].to - chunks[i].from
		if progress != nil {
			progress(done, size)
		}
	}
	return nil
}

// merge takes in what another lane counted, and spoils it.
func (l *lane) merge(o *lane) {
	l.lines.merge(&o.lines)
	if o.seen {
		l.date(o.first)
		l.date(o.last)
	}
	l.tally.add(o.tally)
	l.calls.merge(&o.calls)
	l.overridden += o.overridden
	l.pauses += o.pauses
	l.tainted += o.tainted
	l.tokens.add(&o.tokens)
	for id, r := range o.rules {
		switch mine := l.rules[id]; {
		case mine != nil:
			mine.merge(r)
		case len(l.rules) < maxRules:
			l.rules[id] = r
		default:
			l.left.RuleLines += r.lines()
		}
	}
	for i := range o.groups {
		l.mergeGroups(i, o.groups[i].rows)
	}
	l.judged.merge(&o.judged)
	l.violated.merge(&o.violated)
	l.sessions.merge(&o.sessions, func(a, _ struct{}) struct{} { return a })
	l.pairs.merge(&o.pairs, func(a, b *pair) *pair {
		return &pair{a.pass + b.pass, a.violations + b.violations, a.rule, cmp.Or(a.target, b.target)}
	})
	for key, s := range o.spent {
		switch mine := l.spent[key]; {
		case mine != nil:
			mine.Calls += s.Calls
			mine.Usage.add(&s.Usage)
		case len(l.spent) < maxSpent:
			l.spent[key] = s
		default:
			l.left.SpentCalls += s.Calls
		}
	}
	l.context.merge(&o.context)
	l.scribe.merge(&o.scribe)
	l.left.RuleLines += o.left.RuleLines
	l.left.GroupLines += o.left.GroupLines
	l.left.SpentCalls += o.left.SpentCalls
	l.timeline.merge(&o.timeline)
}

func (l *lane) mergeGroups(kind int, rows map[string]*Group) {
	for key, g := range rows {
		switch mine := l.groups[kind].rows[key]; {
		case mine != nil:
			mine.Tally.add(&g.Tally)
			mine.Usage.add(&g.Usage)
			mine.Latency.merge(&g.Latency)
		case len(l.groups[kind].rows) < maxGroups:
			l.groups[kind].rows[key] = g
		default:
			l.left.GroupLines += g.lines()
		}
	}
}

func (c *LineCounts) merge(o *LineCounts) {
	c.Read += o.Read
	c.Counted += o.Counted
	c.Torn += o.Torn
	c.Foreign += o.Foreign
	c.TooLong += o.TooLong
	c.Unknown += o.Unknown
	c.Ahead += o.Ahead
	c.Backward += o.Backward
}

func (u *Usage) add(o *Usage) {
	u.PromptTokens += o.PromptTokens
	u.OutputTokens += o.OutputTokens
	u.Cost += o.Cost
}

func (r *RuleStats) merge(o *RuleStats) {
	later := !o.Last.Before(r.Last)
	if later {
		r.Trigger, r.Shadow = o.Trigger, o.Shadow
	}
	if later && o.Severity != "" || r.Severity == "" {
		r.Severity = o.Severity
	}
	r.Tally.add(&o.Tally)
	r.ShadowEvaluations += o.ShadowEvaluations
	r.WouldBlock += o.WouldBlock
	r.WouldAsk += o.WouldAsk
	r.WouldWarn += o.WouldWarn
	r.Overridden += o.Overridden
	r.Paused += o.Paused
	r.Tainted += o.Tainted
	r.Latency.merge(&o.Latency)
	r.Confidence.merge(&o.Confidence)
	r.Sure.merge(&o.Sure)
	if !o.First.IsZero() {
		r.date(o.First.Unix())
		r.date(o.Last.Unix())
	}
	r.timeline.merge(&o.timeline)
	for model, u := range o.spent {
		r.spentOn([]byte(model)).add(u)
	}
}

func (p *Pipeline) merge(o *Pipeline) {
	p.Runs += o.Runs
	p.Done += o.Done
	p.Skipped += o.Skipped
	p.Failed += o.Failed
	p.Latency.merge(&o.Latency)
	if o.Last.After(p.Last) {
		p.Last = o.Last
	}
	p.LastError = cmp.Or(o.LastError, p.LastError)
	if p.spent == nil {
		p.spent = o.spent
		return
	}
	for model, u := range o.spent {
		if mine := p.spent[model]; mine != nil {
			mine.add(u)
		} else if len(p.spent) < maxModels {
			p.spent[model] = u
		}
	}
}

// stats is the end of it.
func (l *lane) stats(g *gathered) *Stats {
	s := &Stats{
		Lines: l.lines, Tally: *l.tally, CallLatency: l.calls, Overridden: l.overridden, Pauses: l.pauses, Tainted: l.tainted,
		Sessions: int64(len(l.sessions.values)) * l.sessions.scale(),
		Judged:   l.judged.top(50), Violated: l.violated.top(50), Left: l.left, timeline: l.timeline,
		Context: l.context, Scribe: l.scribe,
	}
	if l.seen {
		s.First, s.Last = time.Unix(l.first, 0).UTC(), time.Unix(l.last, 0).UTC()
	}
	price := func(model string, u *Usage) {
		if l.opts.Pricing != nil && u.PromptTokens|u.OutputTokens != 0 {
			in, out := l.opts.Pricing(model)
			u.Cost = (float64(u.PromptTokens)*in + float64(u.OutputTokens)*out) / 1e6
		}
	}
	for _, p := range []*Pipeline{&s.Context, &s.Scribe} {
		for model, u := range p.spent {
			price(model, u)
			p.Usage.add(u)
		}
	}
	s.PromptTokens, s.OutputTokens = l.tokens.PromptTokens, l.tokens.OutputTokens
	for _, d := range l.spent {
		price(d.Model, &d.Usage)
		s.Cost += d.Cost
		s.Spent = append(s.Spent, *d)
	}
	slices.SortFunc(s.Spent, func(a, b Spent) int { return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model)) })
	l.pairsTo(s)
	for _, id := range slices.Sorted(maps.Keys(l.rules)) {
		r := l.rules[id]
		for model, u := range r.spent {
			price(model, u)
			r.Usage.add(u)
		}
		if c := g.contests.byRule[id]; c != nil {
			r.Contested, r.Insisted = c.Tries, c.Insisted
		}
		s.Rules = append(s.Rules, *r)
	}
	for kind, to := range [groupKinds]*[]Group{byTrigger: &s.Triggers, byTool: &s.Tools, byAgent: &s.Agents, byBackend: &s.Backends, byModel: &s.Models} {
		for row := range maps.Values(l.groups[kind].rows) {
			if kind == byModel {
				price(row.Name, &row.Usage)
			}
			*to = append(*to, *row)
		}
		slices.SortFunc(*to, func(a, b Group) int {
			return cmp.Or(cmp.Compare(b.Evaluations, a.Evaluations), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Backend, b.Backend))
		})
	}
	s.Contests = g.contests.all()
	s.Left.Contests = g.contests.left
	slices.SortFunc(s.Contests, func(a, b Contest) int {
		return cmp.Or(cmp.Compare(b.Tries, a.Tries), b.Last.Compare(a.Last), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Rule, b.Rule))
	})
	for _, line := range g.recent.lines() {
		if r, err := Parse(line); err == nil {
			s.Recent = append(s.Recent, r)
		}
	}
	return s
}

// maxFlaky is how many targets with different judgements are named.
const maxFlaky = 50

// pairsTo finds what was judged in different ways.
func (l *lane) pairsTo(s *Stats) {
	for _, p := range l.pairs.values {
		if p.pass+p.violations < 2 {
			continue
		}
		r := l.rules[p.rule]
		if r == nil {
			continue
		}
		r.RepeatedTargets += l.pairs.scale()
		if p.pass == 0 || p.violations == 0 {
			continue
		}
		r.FlakyTargets += l.pairs.scale()
		s.Flaky = append(s.Flaky, Flaky{Rule: p.rule, Target: p.target, Pass: int64(p.pass), Violations: int64(p.violations)})
	}
	slices.SortFunc(s.Flaky, func(a, b Flaky) int {
		return cmp.Or(cmp.Compare(min(b.Pass, b.Violations), min(a.Pass, a.Violations)), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Rule, b.Rule))
	})
	s.Flaky = slices.Clip(s.Flaky[:min(len(s.Flaky), maxFlaky)])
}

package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentsentinel/sentinel"
)

// A View is how tool calls are seen: by the tool names of one configuration,
// with paths from one folder. Each call is mapped once for each view.
type View struct {
	Root   string // absolute folder that path patterns start from
	Mapper sentinel.ToolMapper
}

// A Set is rules that are judged by one configuration.
type Set struct {
	View   int // in Options.Views
	Rules  []sentinel.Rule
	Engine sentinel.Options // how they are judged; its mapper and what belongs to a live session is left aside

	// Model names the model that a backend asks where a rule names none; "" and
	// nil: not known.
	Model func(backend string) string

	// Draft says that these rules are being tried against the others. One with
	// the id of a rule in force takes its place.
	Draft bool
}

// Options say what sessions are put before.
type Options struct {
	Views []View
	Sets  []Set

	// Keep is how many calls the report tells of one by one; the others are only
	// counted. 0 means 10,000.
	Keep int
	// WillAsk says that [Replay.Ask] may follow: what is open is then kept in memory.
	WillAsk bool
	// Parallel is how many sessions are read at once; 0 means one for each
	// processor.
	Parallel int

	// Price is what a model costs for a million tokens; 0 and nil: not known.
	Price func(model string) (input, output float64)
	// Took is how long a judgement usually takes, and how many are made at once;
	// 0 and nil mean [DefaultTook], one at a time.
	Took func(backend, model string) (each time.Duration, atOnce int)

	// Mask takes secrets out of a text that the report shows; nil leaves it.
	Mask func(string) string
	// Progress, if any, is called now and then, from several goroutines.
	Progress func(Progress)
}

// Progress is how far a replay is.
type Progress struct {
	Sessions, Calls int // done
	Asked, Open     int // questions put to models, and all of them; 0 before Ask
}

// defaultKeep is Options.Keep where none is given: enough for a person and for a
// script, and a few megabytes.
const defaultKeep = 10_000

// A Replay is sessions that were read and judged. It is not safe for concurrent
// use.
type Replay struct {
	opts     *Options
	benches  []bench
	rules    []ruleInfo
	index    map[*sentinel.RuleSpec]int
	gauge    *gauge
	sessions []session
	total    tally
	open     []*result // of calls with questions that no model was asked

	whyMu sync.Mutex
	why   []string // why a rule could not be judged, for each rule

	interrupted bool
	calls, done atomic.Int64
}

// ruleInfo is a rule, and where it belongs.
type ruleInfo struct {
	spec     *sentinel.RuleSpec
	rule     sentinel.Rule
	set      int
	draft    bool
	replaced bool // a draft has taken its place
	replaces bool
}

// A bench is a set that is ready to judge.
type bench struct {
	set    *Set
	gauged sentinel.Engine // asks no model
	asking sentinel.Engine
	post   []sentinel.Rule // give advice after the tool; only matched here
}

// Run reads transcripts and judges what happened in them without asking any
// model. One that cannot be read is named in the report. When ctx ends it returns
// what there is, with the error. Other errors are those of opts.
func Run(ctx context.Context, transcripts []string, opts *Options) (*Replay, error) {
	own := *opts
	opts = &own
	r := &Replay{opts: opts, gauge: newGauge(opts), index: map[*sentinel.RuleSpec]int{}}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	r.sessions = make([]session, len(transcripts))
	var wait sync.WaitGroup
	next := make(chan int)
	parallel := opts.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	for range parallel {
		wait.Go(func() {
			for i := range next {
				r.sessions[i] = r.read(ctx, transcripts[i])
				r.done.Add(1)
				r.tell()
			}
		})
	}
	sent := 0
feed:
	for sent < len(transcripts) {
		select {
		case next <- sent:
			sent++
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wait.Wait()
	r.sessions = r.sessions[:sent]
	r.gather()
	if err := ctx.Err(); err != nil {
		r.interrupted = true
		return r, fmt.Errorf("replay: %w", err)
	}
	return r, nil
}

// prepare builds the engines. No rule is read again from here on.
func (r *Replay) prepare() error {
	o := r.opts
	if len(o.Sets) == 0 {
		return errors.New("replay: there are no rules")
	}
	drafts := map[string]bool{}
	for i := range o.Sets {
		if v := o.Sets[i].View; v < 0 || v >= len(o.Views) || o.Views[v].Mapper == nil {
			return fmt.Errorf("replay: set %d has no view with a mapper", i)
		}
		for _, rule := range o.Sets[i].Rules {
			if o.Sets[i].Draft && rule != nil {
				drafts[rule.Spec().ID] = true
			}
		}
	}
	inForce := map[string]bool{}
	for i := range o.Sets {
		b, err := r.newBench(&o.Sets[i])
		if err != nil {
			return err
		}
		r.benches = append(r.benches, b)
		for _, rule := range o.Sets[i].Rules {
			spec := rule.Spec()
			info := ruleInfo{spec: spec, rule: rule, set: i, draft: o.Sets[i].Draft}
			info.replaced = !info.draft && drafts[spec.ID]
			if !info.draft {
				inForce[spec.ID] = true
			}
			r.index[spec] = len(r.rules)
			r.rules = append(r.rules, info)
		}
	}
	for i := range r.rules {
		r.rules[i].replaces = r.rules[i].draft && inForce[r.rules[i].spec.ID]
	}
	r.total, r.why = newTally(len(r.rules)), make([]string, len(r.rules))
	return nil
}

// newBench builds the two engines of a set: one that asks nobody, and one that
// does.
func (r *Replay) newBench(set *Set) (bench, error) {
	o := set.Engine
	o.Mapper, o.Begin, o.Told, o.SecondOpinion = nil, nil, nil, ""
	o.NoModel, o.Explain, o.Deadline = false, false, 0
	o.Shadow, o.KeepAsked = sentinel.ShadowInline, false
	o.CollectAll = true // one rule's block must not hide what another one says
	o.FailOpen = true   // that a judge failed is no verdict here
	if key := o.FenceKey; key != nil {
		o.FenceKey = sync.OnceValue(key) // it is read from a file
	}
	b := bench{set: set}
	for _, rule := range set.Rules {
		if rule != nil && rule.Spec().Post {
			b.post = append(b.post, rule)
		}
	}
	real := o.Backends
	var err error
	o.Backends = r.gauge.wrap(real, set, o.Default)
	if b.gauged, err = sentinel.New(set.Rules, &o); err != nil {
		return b, fmt.Errorf("replay: %w", err)
	}
	o.Backends = r.gauge.patient(real)
	b.asking, err = sentinel.New(set.Rules, &o)
	return b, err
}

// OnProgress sets who is told from now on. It must not be called while Run or Ask
// is at work.
func (r *Replay) OnProgress(tell func(Progress)) { r.opts.Progress = tell }

// tell reports progress.
func (r *Replay) tell() {
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{Sessions: int(r.done.Load()), Calls: int(r.calls.Load())})
	}
}

// gather puts the sessions together, in the order of the transcripts.
func (r *Replay) gather() {
	keep := r.opts.Keep
	if keep <= 0 {
		keep = defaultKeep
	}
	for i := range r.sessions {
		s := &r.sessions[i]
		r.total.merge(&s.tally)
		for _, res := range s.results {
			if len(res.pending) > 0 {
				r.open = append(r.open, res)
			}
		}
	}
	r.total.keep = keep
}

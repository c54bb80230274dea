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
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// A View maps tool calls by the tool names of one configuration, with paths from one
// folder. Each call is mapped once for each view.
type View struct {
	Root   string // absolute folder that path patterns start from
	Mapper sentinel.ToolMapper
}

// A Set is rules that are judged by one configuration.
type Set struct {
	View   int // in Options.Views
	Rules  []sentinel.Rule
	Engine sentinel.Options // how they are judged; its mapper and its settings of live sessions are ignored

	// Model names the model that a backend asks where a rule names none; "" and
	// nil: not known.
	Model func(backend string) string

	// Draft marks rules that are tried against the others. One with the id of a
	// rule in force replaces it.
	Draft bool
}

// Options are the settings of [Run].
type Options struct {
	Views []View
	Sets  []Set

	// Keep is how many calls the report lists; the others are only counted. 0 means
	// 10,000.
	Keep int
	// WillAsk announces [Replay.Ask]: open questions are then kept in memory.
	WillAsk bool

	// Whose says in whose folder a transcript was found, as [Find] does; nil says
	// nothing. The content decides.
	Whose func(path string) Transcript

	// Price is what a model costs for a million tokens; 0 and nil: not known.
	Price func(model string) (input, output float64)
	// Took is how long a judgement usually takes, and how many are made at once;
	// 0 and nil mean [DefaultTook], one at a time.
	Took func(backend, model string) (each time.Duration, atOnce int)

	// Mask takes secrets out of a text that the report shows; nil leaves it.
	Mask func(string) string
	// Progress, unless nil, is called from time to time, from several goroutines.
	Progress func(Progress)
}

// Progress is how far a replay is.
type Progress struct {
	Sessions, Calls int // done
	Asked, Open     int // questions put to models, and all of them; 0 before Ask
}

// defaultKeep is the default of Options.Keep: enough for people and scripts, in a few
// megabytes.
const defaultKeep = 10_000

// A Replay has the sessions that were read and judged. It is not safe for concurrent
// use.
type Replay struct {
	opts     *Options
	engines  []engines
	rules    []ruleInfo
	index    map[*sentinel.RuleSpec]int
	gauge    *gauge
	sessions []session
	open     []*result // of calls with questions that no model was asked

	mu    sync.Mutex // guards what follows
	total tally
	why   []string // why a rule could not be judged, for each rule

	interrupted bool
	calls, done atomic.Int64
}

// ruleInfo is a rule and its set.
type ruleInfo struct {
	spec     *sentinel.RuleSpec
	rule     sentinel.Rule
	set      int
	draft    bool
	replaced bool // a draft replaces it
	replaces bool
}

// An engines is a set with the engines that judge by it.
type engines struct {
	set    *Set
	gauged sentinel.Engine // asks no model
	asking sentinel.Engine
	post   []sentinel.Rule // give advice after the tool; only matched here
}

// whose is what the reader of a transcript is told.
func (o *Options) whose(path string) *transcript.Options {
	if o.Whose == nil {
		return nil
	}
	t := o.Whose(path)
	return &transcript.Options{Agent: t.Agent, Format: t.Format}
}

// Run reads transcripts and judges what happened in them without asking any
// model. The report names a transcript that cannot be read. When ctx ends it returns
// the sessions so far and the error. Other errors are those of opts.
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
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				r.sessions[i] = r.read(ctx, transcripts[i])
				r.done.Add(1)
				r.notify()
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
	for i := range r.sessions {
		for _, res := range r.sessions[i].results {
			if len(res.pending) > 0 {
				r.open = append(r.open, res)
			}
		}
	}
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
		b, err := r.newEngines(&o.Sets[i])
		if err != nil {
			return err
		}
		r.engines = append(r.engines, b)
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
	r.total.rules, r.why = make([]RuleCounts, len(r.rules)), make([]string, len(r.rules))
	return nil
}

// newEngines builds the two engines of a set: one that asks no model, and one that
// does.
func (r *Replay) newEngines(set *Set) (engines, error) {
	o := set.Engine
	o.Mapper, o.SecondOpinion = nil, ""
	o.NoModel, o.Explain, o.Deadline = false, false, 0
	o.CollectAll = true // one rule's block must not hide what another one says
	o.FailOpen = true   // a failed judge has no part in the verdict here
	if key := o.FenceKey; key != nil {
		o.FenceKey = sync.OnceValue(key) // it is read from a file
	}
	b := engines{set: set}
	for _, rule := range set.Rules {
		if rule != nil && rule.Spec().Post {
			b.post = append(b.post, rule)
		}
	}
	real := o.Backends
	var err error
	o.Backends = wrapped(real, func(name string, m sentinel.Backend) sentinel.Backend {
		return &gauged{r.gauge, m, name, o.Default, set}
	})
	if b.gauged, err = sentinel.New(set.Rules, &o); err != nil {
		return b, fmt.Errorf("replay: %w", err)
	}
	o.Backends = wrapped(real, func(name string, m sentinel.Backend) sentinel.Backend { return &patient{r.gauge, m, name} })
	b.asking, err = sentinel.New(set.Rules, &o)
	return b, err
}

// OnProgress replaces Options.Progress. It must not be called during Run or Ask.
func (r *Replay) OnProgress(progress func(Progress)) { r.opts.Progress = progress }

// notify reports progress.
func (r *Replay) notify() {
	if r.opts.Progress != nil {
		r.opts.Progress(Progress{Sessions: int(r.done.Load()), Calls: int(r.calls.Load())})
	}
}

// count changes the totals.
func (r *Replay) count(change func(t *tally)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.total)
}

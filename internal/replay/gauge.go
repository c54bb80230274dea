package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// errNotAsked is why a question has no answer yet.
var errNotAsked = errors.New("no model was asked")

// The estimated cost of a question before it is asked.
const (
	charsPerToken = 4  // about what tokenizers make of English and code
	answerTokens  = 30 // a clean verdict has about 12, a violation with its reason about 50

	// DefaultTook is how long a judgement is taken to last where nothing is known
	// of the model: what a model of 4 billion parameters needs on a usual GPU.
	DefaultTook = time.Second
)

// peeker is a backend that returns a cached answer without asking a model.
type peeker interface {
	Peek(req sentinel.Request) (sentinel.Response, bool)
}

// A gauge replaces the models. It counts the questions to them, each once, and
// returns cached answers.
type gauge struct {
	opts *Options

	mu     sync.Mutex
	seen   map[key]bool // true: an answer was kept
	judges map[judge]*Judge
	memo   map[key]*answer
	asked  int
}

type (
	key   [digest.Size]byte
	judge struct{ backend, model string }
)

// answer is the answer to a question that is asked once.
type answer struct {
	once sync.Once
	resp sentinel.Response
	err  error
}

func newGauge(opts *Options) *gauge {
	return &gauge{opts: opts, seen: map[key]bool{}, judges: map[judge]*Judge{}, memo: map[key]*answer{}}
}

// wrapped returns backends in which wrap has taken the place of every model.
func wrapped(real map[string]sentinel.Backend, wrap func(name string, b sentinel.Backend) sentinel.Backend) map[string]sentinel.Backend {
	out := make(map[string]sentinel.Backend, len(real))
	for name, b := range real {
		if out[name] = b; name != sentinel.Builtin {
			out[name] = wrap(name, b)
		}
	}
	return out
}

// keyOf tells a question from others. A backend that keeps no answers may look at
// more than the prompt.
func keyOf(name string, b sentinel.Backend, req *sentinel.Request) key {
	texts := []string{name, req.Model, req.System, req.Prompt}
	if _, keeps := sentinel.As[peeker](b); !keeps && req.Action != nil {
		a := req.Action
		texts = append(texts, req.Rule.Spec().ID, string(a.Trigger), a.Op.String(), a.Target, a.Path, a.Content, a.Old, string(a.Args), a.DerivedFrom)
	}
	return digest.List(texts...)
}

// gauged is a model that is not asked.
type gauged struct {
	gauge   *gauge
	real    sentinel.Backend
	name    string
	primary string // of rules that name none
	set     *Set
}

// Complete returns a cached answer, or counts the question.
func (b *gauged) Complete(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
	none := fmt.Errorf("%w: %w", sentinel.ErrUnavailable, errNotAsked)
	if req.Rule == nil || cmp.Or(req.Rule.Spec().Backend, b.primary) != b.name {
		return sentinel.Response{}, none // a fallback: it is asked only when the rule's own fails
	}
	k := keyOf(b.name, b.real, &req)
	if p, ok := sentinel.As[peeker](b.real); ok {
		if resp, kept := p.Peek(req); kept {
			b.count(k, &req, true)
			return resp, nil
		}
	}
	b.count(k, &req, false)
	return sentinel.Response{}, none
}

// Unwrap returns the model's backend.
func (b *gauged) Unwrap() sentinel.Backend { return b.real }

// count adds a question to the estimate, unless it has come up before.
func (b *gauged) count(k key, req *sentinel.Request, kept bool) {
	model := req.Model
	if model == "" && b.set.Model != nil {
		model = b.set.Model(b.name)
	}
	g := b.gauge
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, before := g.seen[k]; before {
		return
	}
	g.seen[k] = kept
	j := g.judges[judge{b.name, model}]
	if j == nil {
		j = &Judge{Backend: b.name, Model: model}
		g.judges[judge{b.name, model}] = j
	}
	if kept {
		j.Cached++
		return
	}
	j.Calls++
	j.PromptTokens += (utf8.RuneCountInString(req.System) + utf8.RuneCountInString(req.Prompt)) / charsPerToken
	j.OutputTokens += answerTokens
}

// estimate is what asking all that is open takes.
func (g *gauge) estimate() Estimate {
	g.mu.Lock()
	defer g.mu.Unlock()
	e := Estimate{Judges: []Judge{}}
	for _, j := range g.judges {
		one := *j
		if g.opts.Price != nil {
			in, out := g.opts.Price(one.Model)
			one.Cost = (float64(one.PromptTokens)*in + float64(one.OutputTokens)*out) / 1e6
		}
		each, atOnce := DefaultTook, 1
		if g.opts.Took != nil {
			if d, n := g.opts.Took(one.Backend, one.Model); d > 0 {
				each, atOnce = d, max(n, 1)
			}
		}
		one.Seconds = each.Seconds() * float64((one.Calls+atOnce-1)/atOnce)
		e.Calls += one.Calls
		e.Cached += one.Cached
		e.PromptTokens += one.PromptTokens
		e.OutputTokens += one.OutputTokens
		e.Cost += one.Cost
		e.Seconds += one.Seconds
		e.Judges = append(e.Judges, one)
	}
	slices.SortFunc(e.Judges, func(a, b Judge) int {
		return cmp.Or(cmp.Compare(a.Backend, b.Backend), cmp.Compare(a.Model, b.Model))
	})
	return e
}

// patient asks a model with a lower priority than live sessions, and each question
// once. It does not repeat a failed one, because a server that is down stays down for
// a while.
type patient struct {
	gauge *gauge
	real  sentinel.Backend
	name  string
}

// Complete asks, or waits for another call with the same question.
func (b *patient) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	req.Priority = sentinel.PriorityScribe
	k := keyOf(b.name, b.real, &req)
	g := b.gauge
	g.mu.Lock()
	a := g.memo[k]
	if a == nil {
		a = &answer{}
		g.memo[k] = a
	}
	g.mu.Unlock()
	a.once.Do(func() {
		a.resp, a.err = b.real.Complete(ctx, req)
		g.mu.Lock()
		g.asked++
		g.mu.Unlock()
	})
	return a.resp, a.err
}

// Unwrap returns the model's backend.
func (b *patient) Unwrap() sentinel.Backend { return b.real }

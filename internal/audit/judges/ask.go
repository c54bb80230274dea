package judges

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Ask asks every judge about every criterion and returns the opinions in the
// order of the rubric's criteria, then of [audit.Judges], then of the samples. A
// judge that gives none after three tries has an opinion with Err. evidence has
// its ids and is not changed. When ctx ends, Ask returns the opinions it has.
func Ask(ctx context.Context, rb *rubric.Rubric, evidence []audit.Evidence, o *Options) []audit.Opinion {
	h := newAsker(o)
	questions := h.questions(rb, evidence)
	h.total = len(questions)
	answered := make([]*audit.Opinion, len(questions)) // each goroutine writes its own
	var group errgroup.Group
	for i := range questions {
		group.Go(func() error {
			answered[i] = h.ask(ctx, &questions[i])
			return nil
		})
	}
	_ = group.Wait() // no error: a failure is in the opinion
	opinions := []audit.Opinion{}
	for _, op := range answered {
		if op != nil {
			opinions = append(opinions, *op)
		}
	}
	return opinions
}

// asker is one call of Ask.
type asker struct {
	Options
	slots map[string]*semaphore.Weighted // of each backend, by its name

	mu    sync.Mutex // guards the caller's functions and done
	done  int
	total int
}

func newAsker(o *Options) *asker {
	h := &asker{slots: map[string]*semaphore.Weighted{}}
	if o != nil {
		h.Options = *o
	}
	h.Samples = cmp.Or(max(h.Samples, 0), DefaultSamples)
	h.Evidence = cmp.Or(max(h.Evidence, 0), DefaultEvidence)
	h.Timeout = cmp.Or(max(h.Timeout, 0), DefaultTimeout)
	for _, model := range h.Judges {
		h.slots[model.Name] = semaphore.NewWeighted(int64(cmp.Or(max(h.Parallel[model.Name], 0), DefaultParallel)))
	}
	return h
}

// questions returns all questions, in the order of the answers.
func (h *asker) questions(rb *rubric.Rubric, evidence []audit.Evidence) []question {
	var all []question
	probes := map[string]audit.Probe{}
	_, told, _ := rb.Told()
	for _, p := range told {
		probes[p.ID] = p
	}
	for i := range rb.Dimensions {
		d := &rb.Dimensions[i]
		if h.Criteria != nil && !slices.Contains(h.Criteria, d.ID) {
			continue
		}
		shown := exhibitsOf(d.ID, evidence, probes, h.Evidence)
		for _, j := range audit.Judges() {
			model, given := h.Judges[j]
			if !given {
				continue
			}
			for sample := range h.Samples {
				all = append(all, newQuestion(place{judge: j, criterion: d, sample: sample}, model, shown, h.Seed))
			}
		}
	}
	return all
}

// ask returns the opinion of an earlier run, or asks the judge. It returns nil
// when ctx ends first.
func (h *asker) ask(ctx context.Context, q *question) *audit.Opinion {
	if q.model.Backend == nil {
		op := q.blank()
		op.Err = fmt.Sprintf("no model speaks for the %s", q.judge.Title())
		h.report(&op, nil)
		return &op
	}
	key := q.key()
	if op, known := h.known(q, key); known {
		h.report(&op, nil)
		return &op
	}
	slots := h.slots[q.model.Name]
	if slots.Acquire(ctx, 1) != nil {
		return nil
	}
	op := q.opinion(ctx, &h.Options)
	slots.Release(1)
	if op.Err != "" && ctx.Err() != nil {
		return nil
	}
	h.report(&op, func() {
		if h.Answered != nil {
			h.Answered(key, op)
		}
	})
	return &op
}

// known returns the opinion of an earlier run on this question. It was in a file,
// so its citations are checked again.
func (h *asker) known(q *question, key string) (op audit.Opinion, known bool) {
	if h.Known == nil {
		return op, false
	}
	op, known = h.Known(key)
	if !known || !op.Valid(q.criterion.Scale) || op.Judge != q.judge || op.Criterion != q.criterion.ID || op.Sample != q.sample {
		return op, false
	}
	valid, invented := divide(op.Cited, q.ids)
	op.Cited, op.Invalid = valid, append(op.Invalid, invented...)
	return op, true
}

// report gives an opinion to the caller, one at a time.
func (h *asker) report(op *audit.Opinion, first func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done++
	if first != nil {
		first()
	}
	if h.Progress != nil {
		h.Progress(h.done, h.total, *op)
	}
}

package bench

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

// Hear asks every judge about every criterion and returns the opinions in the
// order of the rubric's criteria, then of [audit.Judges], then of the samples. A
// judge that gives none after three tries is an opinion with Err. evidence has
// its ids and is not changed. When ctx ends Hear returns what was heard by then.
func Hear(ctx context.Context, rb *rubric.Rubric, evidence []audit.Evidence, o *Options) []audit.Opinion {
	h := newHearing(o)
	questions := h.questions(rb, evidence)
	h.total = len(questions)
	opinions := make([]*audit.Opinion, len(questions)) // each goroutine writes its own
	var asked errgroup.Group
	for i := range questions {
		asked.Go(func() error {
			opinions[i] = h.hear(ctx, &questions[i])
			return nil
		})
	}
	asked.Wait() //nolint:errcheck // hear never fails: what went wrong is in the opinion
	heard := []audit.Opinion{}
	for _, op := range opinions {
		if op != nil {
			heard = append(heard, *op)
		}
	}
	return heard
}

// hearing is one call of Hear.
type hearing struct {
	Options
	slots map[string]*semaphore.Weighted // of each backend, by the name of its seats

	mu    sync.Mutex // around the caller's functions and done
	done  int
	total int
}

func newHearing(o *Options) *hearing {
	h := &hearing{slots: map[string]*semaphore.Weighted{}}
	if o != nil {
		h.Options = *o
	}
	h.Samples = cmp.Or(max(h.Samples, 0), DefaultSamples)
	h.Evidence = cmp.Or(max(h.Evidence, 0), DefaultEvidence)
	h.Timeout = cmp.Or(max(h.Timeout, 0), DefaultTimeout)
	for _, seat := range h.Seats {
		h.slots[seat.Name] = semaphore.NewWeighted(int64(cmp.Or(max(h.Parallel[seat.Name], 0), DefaultParallel)))
	}
	return h
}

// questions are all that is to be asked, in the order of the answers.
func (h *hearing) questions(rb *rubric.Rubric, evidence []audit.Evidence) []question {
	var all []question
	for i := range rb.Dimensions {
		d := &rb.Dimensions[i]
		if h.Criteria != nil && !slices.Contains(h.Criteria, d.ID) {
			continue
		}
		shown := exhibitsOf(d.ID, evidence, h.Evidence)
		for _, j := range audit.Judges() {
			seat, seated := h.Seats[j]
			if !seated {
				continue
			}
			for sample := range h.Samples {
				all = append(all, newQuestion(place{judge: j, criterion: d, sample: sample}, seat, shown, h.Seed))
			}
		}
	}
	return all
}

// hear has one question answered: by an earlier run, or by the judge. It is nil
// when ctx ended first.
func (h *hearing) hear(ctx context.Context, q *question) *audit.Opinion {
	if q.seat.Backend == nil {
		op := q.blank()
		op.Err = fmt.Sprintf("no model speaks for the %s", q.judge.Title())
		h.tell(&op, nil)
		return &op
	}
	key := q.key()
	if op, known := h.known(q, key); known {
		h.tell(&op, nil)
		return &op
	}
	slots := h.slots[q.seat.Name]
	if slots.Acquire(ctx, 1) != nil {
		return nil
	}
	op := q.opinion(ctx, &h.Options)
	slots.Release(1)
	if !op.Valid() && ctx.Err() != nil {
		return nil
	}
	h.tell(&op, func() {
		if h.Heard != nil {
			h.Heard(key, op)
		}
	})
	return &op
}

// known is the opinion of an earlier run, if that is one on this very question.
// It has lain in a file: what it cites is looked at again.
func (h *hearing) known(q *question, key string) (op audit.Opinion, known bool) {
	if h.Known == nil {
		return op, false
	}
	op, known = h.Known(key)
	if !known || !op.Valid() || op.Judge != q.judge || op.Criterion != q.criterion.ID || op.Sample != q.sample {
		return op, false
	}
	valid, invented := divide(op.Cited, q.ids)
	op.Cited, op.Invalid = valid, append(op.Invalid, invented...)
	return op, true
}

// tell reports an opinion to the caller, one at a time.
func (h *hearing) tell(op *audit.Opinion, first func()) {
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

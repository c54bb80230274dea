package trial_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
)

// rounds is a model that answers only when as many questions wait as may be under
// way at once, or as are left: it counts how many such rounds there are.
type rounds struct {
	parallel int

	mu      sync.Mutex
	left    int
	waiting []chan struct{}
	flying  int
	most    int
	done    int
}

func (r *rounds) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	mine := make(chan struct{})
	r.mu.Lock()
	r.flying++
	r.most = max(r.most, r.flying)
	r.waiting = append(r.waiting, mine)
	if len(r.waiting) == min(r.parallel, r.left) {
		r.done++
		r.left -= len(r.waiting)
		for _, w := range r.waiting {
			close(w)
		}
		r.waiting = nil
	}
	r.mu.Unlock()
	select {
	case <-mine:
	case <-ctx.Done():
		return sentinel.Response{}, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flying--
	return says(4, req), nil
}

// Three judges on ten criteria take the time of ⌈30 / parallel⌉ calls.
func TestJudgesAreParallel(t *testing.T) {
	t.Parallel()
	repo := lines(t, 10).Dir
	for parallel, want := range map[int]int{1: 30, 4: 8, 7: 5, 30: 1} {
		r := &rounds{parallel: parallel, left: 30}
		record := run(t, trial.Case{Repo: repo, Rubric: criteria(t, 10)}, &trial.Options{
			Judges: models(r), Parallel: map[string]int{"scripted": parallel},
		})
		require.Equal(t, 10, record.Overall.Counted)
		require.Equal(t, want, r.done, "with %d at once", parallel)
		require.Equal(t, parallel, r.most)
	}
}

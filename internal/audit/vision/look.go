package vision

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/asking"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

const maxTokens = 400 // of one answer

// seen is the result of showing one page.
type seen struct {
	answer
	model string
	err   error // nil when there is an answer
}

// outcome returns the outcome of the page's evidence: an unusable answer is an
// error, and without a model the page is not available.
func (s *seen) outcome() audit.Outcome {
	switch {
	case s.err == nil:
		return audit.True
	case errors.Is(s.err, sentinel.ErrMalformed), errors.Is(s.err, asking.ErrPanic):
		return audit.Error
	}
	return audit.NotAvailable
}

// look shows an album to a model.
type look struct {
	Options
	album *album

	mu   sync.Mutex // guards done, and one call of Progress at a time
	done int
}

func newLook(o *Options, a *album) *look {
	l := &look{Options: *o, album: a}
	l.Timeout = cmp.Or(max(l.Timeout, 0), DefaultTimeout)
	if l.Parallel == nil {
		l.Parallel = semaphore.NewWeighted(1)
	}
	return l
}

// all asks every probe's question about every page; the results are by probe, then
// by page. When the model cannot be asked at all, it stops: 24 pages would take 24
// timeouts.
func (l *look) all(ctx context.Context, probes []*rubric.Probe) [][]seen {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results := make([][]seen, len(probes))
	var group errgroup.Group
	for i, p := range probes {
		results[i] = make([]seen, len(l.album.pages))
		for j := range l.album.pages {
			group.Go(func() error {
				s := l.one(ctx, p, &l.album.pages[j])
				if s.err != nil && s.outcome() == audit.NotAvailable {
					stop(s.err)
				}
				results[i][j] = s
				l.tell(len(probes) * len(l.album.pages))
				return nil // one page leaves the others
			})
		}
	}
	group.Wait()
	return results
}

func (l *look) tell(total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done++
	if l.Progress != nil {
		l.Progress(l.done, total)
	}
}

// one asks about one page until there is an answer that can be used.
func (l *look) one(ctx context.Context, p *rubric.Probe, pg *page) (s seen) {
	if err := l.Parallel.Acquire(ctx, 1); err != nil {
		return seen{err: context.Cause(ctx)}
	}
	defer l.Parallel.Release(1)
	if ctx.Err() != nil {
		return seen{err: context.Cause(ctx)}
	}
	var asked asking.Asked
	s.answer, asked, s.err = asking.Ask(ctx, l.Backend, sentinel.Request{
		System: system, Prompt: question(p),
		Images:    []sentinel.Image{{MIME: "image/png", Data: pg.png}},
		Schema:    schema(p.Answers),
		Model:     l.Model,
		MaxTokens: maxTokens,
		Seed:      &l.Seed,
		Timeout:   l.Timeout,
		Priority:  sentinel.PriorityAudit,
	}, func(text string) (answer, error) { return parse(text, p.Answers) }, l.Wait)
	s.model = asked.Model
	return s
}

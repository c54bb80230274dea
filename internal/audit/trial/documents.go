package trial

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/bench"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/vision"
)

// docFindings is what DocAnalyst and VisionInspector came back with.
type docFindings struct {
	documents []*document.Document // those that could not be read too
	analysis  []audit.Evidence
	vision    []audit.Evidence
	failures  []audit.Failure
}

// documents reads each document once, and then has its text analysed and its
// diagrams looked at, in parallel.
func (t *trial) documents(ctx context.Context, chosen <-chan *rubric.Rubric) docFindings {
	skip := t.blind(ctx)
	f := t.open(ctx, skip != "")
	rb := <-chosen
	if len(f.documents) == 0 {
		none := gap{audit.SourceDocs, audit.NotApplicable, "there is no document"}
		f.analysis = gaps(rb, ofTerms, none)
		none.source = audit.SourceVision
		f.vision = gaps(rb, ofVision, none)
		return f
	}
	key := digest(append([]string{t.Program, fingerprint(rb)}, digests(f.documents)...)...)
	var analysis, seen stageResult
	var detectives errgroup.Group
	detectives.Go(func() error { analysis = t.analyse(ctx, f.documents, rb, key); return nil })
	detectives.Go(func() error { seen = t.look(ctx, f.documents, rb, key, skip); return nil })
	_ = detectives.Wait() // no detective fails: see its result
	f.analysis, f.vision = analysis.evidence, seen.evidence
	f.failures = slices.Concat(f.failures, analysis.failures, seen.failures)
	return f
}

// stageResult is what one stage found, and how it failed.
type stageResult struct {
	evidence []audit.Evidence
	failures []audit.Failure
}

// open reads the documents, one after the other: reading a PDF takes some hundred
// megabytes.
func (t *trial) open(ctx context.Context, noPictures bool) (f docFindings) {
	o := &document.Options{Reader: t.Reader, Cache: t.CacheDir, NoPictures: noPictures}
	for i, path := range t.Documents {
		t.progress(Progress{Stage: StageDocument, Doing: path, Done: i, Total: len(t.Documents)})
		d, err := guarded(func() (*document.Document, error) { return document.Open(ctx, path, o) })
		u := unreadable(err)
		switch {
		case ctx.Err() != nil:
			return f
		case err != nil && u == nil:
			u = &document.Unreadable{Name: path, Outcome: audit.Error, Reason: "the reader failed", Err: err}
		}
		if d == nil {
			d = &document.Document{Name: path, Unreadable: u}
		}
		if u != nil && u.Outcome == audit.Error {
			f.failures = append(f.failures, audit.Failure{Stage: StageDocument, Err: u.Error()})
		}
		f.documents = append(f.documents, d)
	}
	return f
}

// digests tells the documents apart by name and content.
func digests(docs []*document.Document) []string {
	var all []string
	for _, d := range docs {
		all = append(all, d.Name, d.Digest)
		if d.Unreadable != nil {
			all = append(all, d.Unreadable.Error())
		}
	}
	return all
}

func (t *trial) analyse(ctx context.Context, docs []*document.Document, rb *rubric.Rubric, key string) (r stageResult) {
	var err error
	r.evidence, err = t.remembered(ctx, StageDocument, key, func() ([]audit.Evidence, error) {
		return document.Investigate(ctx, docs, rb), nil
	})
	if err != nil {
		r.failures = []audit.Failure{{Stage: StageDocument, Err: err.Error()}}
		r.evidence = gaps(rb, ofTerms, gap{audit.SourceDocs, audit.Error, err.Error()})
	}
	return r
}

// look has a model look at diagrams; skip is why nobody does.
func (t *trial) look(ctx context.Context, docs []*document.Document, rb *rubric.Rubric, key, skip string) (r stageResult) {
	key = digest(key, t.Vision.Name, t.Vision.Model, skip)
	var err error
	r.evidence, err = t.remembered(ctx, StageVision, key, func() ([]audit.Evidence, error) {
		return vision.Investigate(ctx, docs, rb, &vision.Options{
			Backend: t.meter.on(t.Vision.Backend), Model: t.Vision.Model, Skip: skip, Seed: t.Seed,
			Parallel: semaphore.NewWeighted(int64(max(t.Parallel[t.Vision.Name], 1))),
			Progress: func(done, total int) { t.progress(Progress{Stage: StageVision, Done: done, Total: total}) },
		}), nil
	})
	if err != nil {
		r.failures = []audit.Failure{{Stage: StageVision, Err: err.Error()}}
		r.evidence = gaps(rb, ofVision, gap{audit.SourceVision, audit.Error, err.Error()})
	}
	return r
}

// blind says why nobody looks at diagrams; "" if somebody does.
func (t *trial) blind(ctx context.Context) string {
	switch {
	case t.VisionSkip != "":
		return t.VisionSkip
	case t.FactsOnly || t.Vision.Backend == nil:
		return "no model is asked"
	}
	if err := ping(ctx, t.Vision); err != nil {
		return "no vision model can be asked: " + err.Error()
	}
	return ""
}

// pingTimeout bounds the question whether a model is there, which is not asked of
// the model itself.
const pingTimeout = 10 * time.Second

// ping says why the model of a seat cannot be asked, as far as its backend can
// tell without asking it.
func ping(ctx context.Context, s bench.Seat) error {
	p, ok := sentinel.As[sentinel.Pinger](s.Backend)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return p.Ping(ctx, s.Model)
}

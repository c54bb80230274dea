package trial

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/vision"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// docFindings are the results of DocAnalyst and VisionInspector.
type docFindings struct {
	documents []*document.Document // unreadable ones too
	analysis  []audit.Evidence
	vision    []audit.Evidence
	failures  []audit.Failure
}

// documents reads each document once. Then it analyses the texts and looks at the
// diagrams, in parallel.
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
	key := digest.HexList(append([]string{t.Program, fingerprint(rb)}, digests(f.documents)...)...)
	var analysis, seen stageResult
	var detectives errgroup.Group
	detectives.Go(func() error { analysis = t.analyse(ctx, f.documents, rb, key); return nil })
	detectives.Go(func() error { seen = t.look(ctx, f.documents, rb, key, skip); return nil })
	_ = detectives.Wait() // no error: failures are in the results
	f.analysis, f.vision = analysis.evidence, seen.evidence
	f.failures = slices.Concat(f.failures, analysis.failures, seen.failures)
	return f
}

// open reads the documents one by one, because reading a PDF takes some hundred
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

// digests identifies the documents by name and content.
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

func (t *trial) analyse(ctx context.Context, docs []*document.Document, rb *rubric.Rubric, key string) stageResult {
	return t.remembered(ctx, detective{StageDocument, audit.SourceDocs, ofTerms}, rb, key, func() []audit.Evidence {
		return document.Investigate(ctx, docs, rb)
	})
}

// look shows diagrams to a model; skip says why not.
func (t *trial) look(ctx context.Context, docs []*document.Document, rb *rubric.Rubric, key, skip string) stageResult {
	key = digest.HexList(key, t.Vision.Name, t.Vision.Model, skip)
	return t.remembered(ctx, detective{StageVision, audit.SourceVision, ofVision}, rb, key, func() []audit.Evidence {
		return vision.Investigate(ctx, docs, rb, &vision.Options{
			Backend: t.meter.on(t.Vision.Backend), Model: t.Vision.Model, Skip: skip, Seed: t.Seed,
			Parallel: semaphore.NewWeighted(int64(max(t.Parallel[t.Vision.Name], 1))),
			Progress: func(done, total int) { t.progress(Progress{Stage: StageVision, Done: done, Total: total}) },
		})
	})
}

// blind says why no model looks at diagrams; "" if one does.
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

// pingTimeout bounds a ping, which does not run the model.
const pingTimeout = 10 * time.Second

// ping returns why a model cannot be asked, as far as its backend knows without
// running it.
func ping(ctx context.Context, m judges.Model) error {
	p, ok := sentinel.As[sentinel.Pinger](m.Backend)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return p.Ping(ctx, m.Model)
}

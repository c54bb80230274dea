package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/digest"
)

// findings are the joined results of the detectives.
type findings struct {
	rubric   *rubric.Rubric
	subject  audit.Subject
	evidence []audit.Evidence // numbered
	failures []audit.Failure
	standing standing
	lost     error // why the repository cannot be had
}

// collect investigates the repository and the documents in parallel and joins the
// evidence. Then it checks the paths that the documents name against the tree.
func (t *trial) collect(ctx context.Context) findings {
	chosen := make(chan *rubric.Rubric, 1) // the repository decides; documents are read meanwhile
	var r repoFindings
	var d docFindings
	var detectives errgroup.Group
	detectives.Go(func() error { r = t.repository(ctx, chosen); return nil })
	detectives.Go(func() error { d = t.documents(ctx, chosen); return nil })
	_ = detectives.Wait() // no error: failures are in the findings
	defer r.close()

	f := findings{rubric: r.rubric, subject: t.subject(r, d), failures: append(r.failures, d.failures...), lost: r.lost}
	paths, err := guarded(func() ([]audit.Evidence, error) { return t.paths(ctx, r, d), nil })
	if err != nil {
		f.failures = append(f.failures, audit.Failure{Stage: StageDocument, Err: err.Error()})
		paths = gaps(f.rubric, ofPaths, gap{audit.SourceDocs, audit.Error, err.Error()})
	}
	for _, part := range [][]audit.Evidence{r.evidence, d.analysis, paths, d.vision} {
		f.evidence = append(f.evidence, part...)
	}
	f.rubric.Qualify(f.evidence)
	audit.Number(f.evidence)
	f.standing = t.stand(f, r)
	return f
}

// paths returns the evidence about paths that the documents name.
func (t *trial) paths(ctx context.Context, r repoFindings, d docFindings) []audit.Evidence {
	if len(d.documents) == 0 {
		return gaps(r.rubric, ofPaths, gap{audit.SourceDocs, audit.NotApplicable, "there is no document"})
	}
	var tree []string
	if r.repository != nil {
		tree = append([]string{}, r.repository.Paths()...) // of an empty repository too it is not nil
	}
	return document.Paths(ctx, d.documents, r.rubric, tree)
}

func (t *trial) subject(r repoFindings, d docFindings) audit.Subject {
	s := audit.Subject{Name: r.name}
	if r.repository != nil {
		s = r.repository.Subject()
		s.Unsearched = slices.DeleteFunc(r.repository.Parsed(), r.rubric.Reads)
	}
	for _, doc := range d.documents {
		s.Documents = append(s.Documents, doc.Name)
	}
	if s.Name == "" && len(s.Documents) > 0 {
		s.Name = s.Documents[0]
	}
	return s
}

// gap says why probes could not look.
type gap struct {
	source  audit.Source
	outcome audit.Outcome
	why     string
}

// gaps returns the evidence of probes that could not look.
func gaps(rb *rubric.Rubric, of func(probeType string) bool, g gap) []audit.Evidence {
	var all []audit.Evidence
	for i := range rb.Probes {
		p := &rb.Probes[i]
		if of(p.Type) {
			all = append(all, audit.Evidence{
				Source: g.source, Probe: p.ID, Criteria: rb.Criteria(p.ID), Kind: audit.KindFact,
				Outcome: g.outcome, Summary: g.why, Confidence: 1,
			})
		}
	}
	return all
}

// These say which detective runs a probe of a type.

func ofRepo(probeType string) bool {
	return !ofTerms(probeType) && !ofPaths(probeType) && !ofVision(probeType)
}
func ofTerms(probeType string) bool  { return probeType == rubric.TypeDocTerms }
func ofPaths(probeType string) bool  { return probeType == rubric.TypeDocPaths }
func ofVision(probeType string) bool { return probeType == rubric.TypeDiagram }

// A detective is a stage that runs the probes of some types.
type detective struct {
	stage  string
	source audit.Source
	of     func(probeType string) bool
}

// stageResult is the evidence of a stage, and its failures.
type stageResult struct {
	evidence []audit.Evidence
	failures []audit.Failure
}

// remembered returns evidence from the folder, or that of look, which it keeps
// when it is sound.
func (t *trial) remembered(ctx context.Context, d detective, rb *rubric.Rubric, key string, look func() []audit.Evidence) (r stageResult) {
	if t.folder.get(d.stage, key, &r.evidence) {
		return r
	}
	var err error
	r.evidence, err = guarded(func() ([]audit.Evidence, error) { return look(), nil })
	switch {
	case err != nil:
		r.failures = []audit.Failure{{Stage: d.stage, Err: err.Error()}}
		r.evidence = gaps(rb, d.of, gap{d.source, audit.Error, err.Error()})
	case ctx.Err() == nil && sound(d.stage, r.evidence):
		t.folder.put(d.stage, key, r.evidence)
	}
	return r
}

// sound reports whether another look would find the same. A model that is not
// available may be so the next time; a file stays too large.
func sound(stage string, evidence []audit.Evidence) bool {
	for i := range evidence {
		switch evidence[i].Outcome {
		case audit.Error:
			return false
		case audit.NotAvailable:
			if stage == StageVision {
				return false
			}
		}
	}
	return true
}

// fingerprint returns a digest of the rubric as it is applied.
func fingerprint(rb *rubric.Rubric) string {
	text, err := json.Marshal(rb)
	if err != nil {
		return fmt.Sprintf("%p", rb) // never happens: it is plain data
	}
	return digest.Hex(text)
}

// unreadable returns why a document could not be read; nil if it was.
func unreadable(err error) *document.Unreadable {
	var u *document.Unreadable
	if errors.As(err, &u) {
		return u
	}
	return nil
}

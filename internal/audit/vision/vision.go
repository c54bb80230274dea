// Package vision shows the pages of documents with diagrams to a model, which
// chooses one of a probe's answers for each.
//
// An answer of a model is not a fact: its evidence is [audit.KindModel], with a
// confidence below 1. Without a model the evidence says why, and assumes nothing
// about the diagrams. A picture is hostile: it may have text that tells the model
// how to answer. The question warns of that, the answer is one of a fixed set, and
// the description is marked as the model's words.
package vision

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

const (
	// DefaultTimeout bounds one answer. A model without a graphics card takes
	// minutes for the thousands of tokens that a page is.
	DefaultTimeout = 10 * time.Minute

	// MaxPages bounds the pages of one audit, over all documents. Each is one
	// question of every probe.
	MaxPages = 24
)

// Options say which model looks. nil means none.
type Options struct {
	// Backend asks the model; nil means that there is none.
	Backend sentinel.Backend
	Model   string // "" means the backend's default
	// Skip is the reason for not looking, for the evidence; "" looks.
	Skip string
	Seed int64 // of the first try of every question
	// Parallel is the caller's semaphore for the backend; a question takes 1. nil
	// asks one question at a time.
	Parallel *semaphore.Weighted
	Timeout  time.Duration // of one answer; 0 means [DefaultTimeout]
	// Wait waits before a page is asked about again after a failure that was no
	// malformed answer; nil waits by the clock. It returns early, with an error,
	// when ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
	// Progress gets every finished page, one at a time; nil gets none.
	Progress func(done, total int)
}

// blind says why no model looks; "" if one does.
func (o *Options) blind() string {
	switch {
	case o == nil || o.Skip == "" && o.Backend == nil:
		return "no vision model is configured"
	case o.Skip != "":
		return o.Skip
	}
	return ""
}

// Investigate classifies the pages with diagrams, for every diagram probe of the
// rubric. For each probe, in the rubric's order, it returns the evidence of the
// whole and then that of each page. Prompt injection in a description is listed at
// the end.
//
// It never fails: the outcomes say which pages were not seen. When ctx ends, it
// returns soon, with the pages up to then.
func Investigate(ctx context.Context, docs []*document.Document, rb *rubric.Rubric, o *Options) []audit.Evidence {
	var probes []*rubric.Probe
	for i := range rb.Probes {
		if rb.Probes[i].Type == rubric.TypeDiagram {
			probes = append(probes, &rb.Probes[i])
		}
	}
	if len(probes) == 0 {
		return nil
	}
	if gap, why := nothingToSee(docs); gap != audit.Unknown {
		return unseen(probes, rb, gap, why)
	}
	if why := o.blind(); why != "" {
		return unseen(probes, rb, audit.NotAvailable, why)
	}
	album := collect(ctx, docs)
	seen := newLook(o, album).all(ctx, probes)
	var all, attempts []audit.Evidence
	for i, p := range probes {
		found, injections := evidenceOf(p, rb, album, seen[i])
		all, attempts = append(all, found...), append(attempts, injections...)
	}
	return append(all, attempts...)
}

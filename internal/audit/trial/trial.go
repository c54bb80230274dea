// Package trial runs an audit from end to end.
//
//	rubric → repository ‖ (documents read once → analysis ‖ diagrams)
//	       → evidence joined and numbered
//	       → Prosecutor ‖ Defense ‖ Tech Lead
//	       → Chief Justice → record
//
// Every stage takes values and returns values; no stage changes shared data. A
// stage that fails or panics is an [audit.Failure] in the record, and its probes
// have evidence with the outcome Error: the other stages go on. Only wrong
// arguments, a repository that cannot be had where there is no document, and the end
// of the context are errors of [Run].
package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Case is the subject of an audit: a repository, documents about it, or both.
type Case struct {
	Repo      string         // https URL or local folder; "" for documents alone
	Base      string         // of a local folder: audit the commit where HEAD left this revision; "" audits HEAD
	Documents []string       // paths of files
	Rubric    *rubric.Rubric // nil chooses an embedded one by the repository's languages
}

// Options say how to run an audit. nil finds facts alone.
type Options struct {
	Program string           // version of the program, for the record
	Now     func() time.Time // nil means time.Now

	// Judges are the models of the judges. Without any, the trial ends after the
	// evidence, as with FactsOnly. A judge without a model gives no opinion.
	Judges    map[audit.Judge]judges.Model
	FactsOnly bool

	Vision     judges.Model // looks at diagrams; the zero value looks at none
	VisionSkip string       // why no model looks at diagrams; "" lets Vision look

	Samples  int            // opinions of each judge on each criterion; 0 means 1
	Seed     int64          // decides the order in which judges see evidence
	Parallel map[string]int // simultaneous calls of a backend, by its name

	AllowPrivate bool     // clone from private and loopback hosts too
	NoFsck       bool     // accept repositories with malformed objects
	Reader       []string // program that reads a PDF; see document.Options
	CacheDir     string   // folder for the reader's compiled code; "" keeps none

	// Folder keeps evidence and opinions, so that a second run with the same
	// folder asks only for missing ones. "" keeps nothing.
	Folder string

	// Price returns the price of a million tokens of a model, in US dollars; nil
	// counts no costs.
	Price func(model string) (input, output float64)

	Progress func(Progress)    // may be called from several goroutines at once
	Warn     func(text string) // gets warnings that change no result
}

// Progress is how far a stage is.
type Progress struct {
	Stage     string      // clone, repo, document, vision, bench
	Criterion string      // of an opinion
	Judge     audit.Judge // of an opinion
	Doing     string      // the step in words, where there is one
	Done      int
	Total     int // 0 when unknown
}

// The stages, as records and progress name them.
const (
	StageClone    = "clone"
	StageRepo     = "repo"
	StageDocument = "document"
	StageVision   = "vision"
	StageBench    = "bench"
	StageJustice  = "justice"
)

// ErrCase says that there is neither a repository nor a document.
var ErrCase = errors.New("trial: wrong case")

// Run audits a case. The error wraps [ErrCase], or is a *repo.CloneError of a
// repository without documents, or wraps the context's error when that ends first; Options.Folder has the evidence and opinions up to then.
func Run(ctx context.Context, c Case, o *Options) (*audit.Record, error) {
	if o == nil {
		o = &Options{}
	}
	if c.Repo == "" && len(c.Documents) == 0 {
		return nil, fmt.Errorf("%w: there is neither a repository nor a document", ErrCase)
	}
	t := newTrial(c, o)
	began := t.now()
	found := t.collect(ctx)
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	if found.lost != nil && len(c.Documents) == 0 {
		return nil, found.lost
	}
	record := found.record()
	record.Program, record.Started, record.Seed = o.Program, began.UTC(), o.Seed
	t.judge(ctx, found, record)
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	record.Usage = t.meter.usage(o.Price)
	record.Took = t.now().Sub(began)
	return record, nil
}

func stopped(ctx context.Context) error {
	return fmt.Errorf("trial: stopped: %w", context.Cause(ctx))
}

// trial is one run. Its fields do not change after newTrial.
type trial struct {
	Case
	*Options
	folder *folder
	meter  *meter
}

func newTrial(c Case, o *Options) *trial {
	t := &trial{Case: c, Options: o, meter: &meter{}}
	t.folder = &folder{dir: o.Folder, warn: t.warn}
	return t
}

func (t *trial) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

func (t *trial) warn(format string, args ...any) {
	if t.Warn != nil {
		t.Warn(fmt.Sprintf(format, args...))
	}
}

func (t *trial) progress(p Progress) {
	if t.Progress != nil {
		t.Progress(p)
	}
}

// guarded runs a stage and turns a panic into an error.
func guarded[T any](stage func() (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	return stage()
}

// Package trial runs an audit from end to end.
//
//	rubric → repository ‖ (documents read once → analysis ‖ diagrams)
//	       → evidence joined and numbered
//	       → Prosecutor ‖ Defense ‖ Tech Lead
//	       → Chief Justice → record
//
// Every stage is given values and returns values; nothing is shared and changed.
// A stage that fails or panics is a [audit.Failure] of the record, and its probes
// are evidence with the outcome Error: the others go on. Only a wrong rubric,
// wrong arguments and the end of the context are errors of [Run].
package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/bench"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Case is what is audited: a repository, documents about it, or both.
type Case struct {
	Repo      string         // https URL or local folder; "" for documents alone
	Documents []string       // paths of files
	Rubric    *rubric.Rubric // nil chooses an embedded one by what the repository is
}

// Options says how. nil is allowed and finds facts alone.
type Options struct {
	Program string           // version of the program, for the record
	Now     func() time.Time // nil means time.Now

	// Seats are the judges; without any the trial ends after the evidence, as
	// with FactsOnly. A judge without a seat gives no opinion.
	Seats     map[audit.Judge]bench.Seat
	FactsOnly bool

	Vision     bench.Seat // who looks at diagrams; the zero value is nobody
	VisionSkip string     // why nobody is to look at them; "" when somebody is

	Samples  int            // opinions of each judge on each criterion; 0 means 1
	Seed     int64          // of the order in which judges see evidence
	Parallel map[string]int // calls of a backend under way at once, by its name

	AllowPrivate bool     // repositories may lie on private and loopback hosts
	NoFsck       bool     // take repositories with malformed objects
	Reader       []string // program that reads a PDF: see document.Options
	CacheDir     string   // folder for compiled code of that reader; "" keeps none

	// Folder keeps evidence and opinions as they come, so that a second run with
	// the same folder asks only for what is missing. "" keeps nothing.
	Folder string

	// Price is what a million tokens of a model cost, in US dollars; nil costs
	// nothing.
	Price func(model string) (input, output float64)

	Progress func(Progress)    // told as it goes on, from several goroutines at once
	Warn     func(text string) // told what a person should know of and that changes no result
}

// Progress is how far a stage is.
type Progress struct {
	Stage     string // clone, repo, document, vision, bench
	Criterion string // of an opinion
	Judge     audit.Judge
	Doing     string // in words, where there is more to say
	Done      int
	Total     int // 0 when it is not known
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

// ErrCase says that a case cannot be heard as it was brought.
var ErrCase = errors.New("trial: wrong case")

// Run hears a case. The error wraps [ErrCase], or the context's error when that
// ends first; then what was found by then stands in Options.Folder.
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
	record := found.record()
	record.Program, record.Started, record.Seed = o.Program, began, o.Seed
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

// trial is one run. What is in it is not changed after newTrial.
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

// guarded runs a stage and makes an error of a panic in it.
func guarded[T any](stage func() (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	return stage()
}

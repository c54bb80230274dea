// Package bench puts a rubric's criteria to three judges: a Prosecutor who looks
// for what is missing, a Defense who looks for what is there, and a Tech Lead who
// asks whether it works.
//
// Each gives an [audit.Opinion] on each criterion, from the same evidence and
// from nothing else. That evidence is hostile text: it stands fenced and marked
// line by line, a judge answers by a schema and cites by id, and no word of an
// answer is ever read as a rule. What opinions lead to is not decided here: see
// package justice.
package bench

import (
	"context"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
)

// Defaults of [Options].
const (
	DefaultSamples = 1
	// DefaultParallel is how many questions a backend is asked at once.
	DefaultParallel = 4
	// DefaultEvidence is how much evidence a judge is shown on a criterion, in
	// bytes. With persona, criterion and answer it fits into 4,096 tokens, the
	// context that a local server gives a model unless told otherwise.
	DefaultEvidence = 6000
	// DefaultTimeout bounds one answer. A small model on two cores needs minutes
	// for a prompt of this length.
	DefaultTimeout = 10 * time.Minute
)

// Options say who judges, and how. nil means that nobody sits.
type Options struct {
	// Seats are the judges. Who has none is not heard.
	Seats map[audit.Judge]Seat
	// Samples is how many opinions each judge gives on each criterion; 0 means
	// [DefaultSamples].
	Samples int
	// Seed decides the order in which each judge sees the evidence, the mark
	// around it, and the seed of the model. Equal seeds ask equal questions.
	Seed int64
	// Parallel is how many questions a backend is asked at once, by the name of
	// its seat; 0 means [DefaultParallel].
	Parallel map[string]int
	// Criteria are the ids of those that are judged, in any order; nil means all
	// of the rubric's.
	Criteria []string

	Evidence int           // bytes of evidence for a criterion; 0 means [DefaultEvidence]
	Timeout  time.Duration // of one answer; 0 means [DefaultTimeout]
	// Wait waits before a question is put again; nil waits by the clock. It
	// returns ctx's error when that ends first.
	Wait func(ctx context.Context, d time.Duration) error

	// Known returns the opinion that an earlier run was given on a question; it
	// is taken if it is valid. The key is a digest of everything that goes into
	// the question. It may be called from several goroutines at once.
	Known func(key string) (audit.Opinion, bool)
	// Heard is told of every opinion that was asked for, also of one that did
	// not come about; never of one that ctx cut off. Calls come one at a time.
	Heard func(key string, o audit.Opinion)
	// Progress is told of every opinion, known ones too. Calls come one at a time.
	Progress func(done, total int, o audit.Opinion)
}

// Seat is a judge's place: the model that speaks for it.
type Seat struct {
	Name    string           // of the backend; seats of one name share its semaphore
	Backend sentinel.Backend // nil: nobody speaks for the judge, and its opinions say so
	Model   string           // "" means the backend's default
}

// Package judges asks three judges about a rubric's criteria: a Prosecutor who
// looks for what is missing, a Defense who looks for what is there, and a Tech
// Lead who asks whether it works.
//
// Each gives an [audit.Opinion] on each criterion, from the same evidence and
// from nothing else. The evidence is hostile text: a fence surrounds it and each
// line begins with its id. A judge answers by a schema and cites ids, and no word
// of an answer is ever read as a rule. Package justice decides what the opinions
// lead to.
package judges

import (
	"context"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
)

// Defaults of [Options].
const (
	DefaultSamples = 1
	// DefaultParallel bounds the questions that a backend answers at once.
	DefaultParallel = 4
	// DefaultEvidence bounds the evidence that a judge sees on a criterion, in
	// bytes. With persona, criterion and answer it fits into 4,096 tokens, the
	// usual context of a model on a local server.
	DefaultEvidence = 6000
	// DefaultTimeout bounds one answer. A small model on two cores needs minutes
	// for a prompt of this length.
	DefaultTimeout = 10 * time.Minute
)

// Options say who judges, and how. nil means no judge.
type Options struct {
	// Judges are the models of the judges. A judge without one is not asked.
	Judges map[audit.Judge]Model
	// Samples is the number of opinions of each judge on each criterion; 0 means
	// [DefaultSamples].
	Samples int
	// Seed decides the order in which each judge sees the evidence, the mark
	// around it, and the seed of the model. Equal seeds ask equal questions.
	Seed int64
	// Parallel bounds the questions that a backend answers at once, by its name;
	// 0 means [DefaultParallel].
	Parallel map[string]int
	// Criteria are the ids of the criteria to judge, in any order; nil means all
	// of the rubric.
	Criteria []string

	Evidence int           // bytes of evidence for a criterion; 0 means [DefaultEvidence]
	Timeout  time.Duration // of one answer; 0 means [DefaultTimeout]
	// Wait waits before a question is asked again; nil waits by the clock. It
	// returns ctx's error when that ends first.
	Wait func(ctx context.Context, d time.Duration) error

	// Known returns the opinion of an earlier run on a question; a valid one is
	// used. The key is a digest of everything in the question. Known may be
	// called from several goroutines at once.
	Known func(key string) (audit.Opinion, bool)
	// Answered gets every opinion that was asked for, valid or not, except one
	// that the end of ctx cut off. Calls come one at a time.
	Answered func(key string, o audit.Opinion)
	// Progress gets every opinion, known ones too. Calls come one at a time.
	Progress func(done, total int, o audit.Opinion)
}

// Model is a model behind a backend. Models with the same Name share the limit of
// [Options.Parallel].
type Model struct {
	Name    string           // of the backend, as reports show it
	Backend sentinel.Backend // nil: the opinions say that no model judged
	Model   string           // "" means the backend's default
}

package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Backend asks one model one question.
//
//  1. It is safe for concurrent use.
//  2. When ctx ends, Complete returns within 100 ms with an error that wraps
//     ctx.Err(), and what it started has ended.
//  3. Response.Text is the whole answer, byte for byte.
//  4. Request.Schema is passed on where the model takes one.
//  5. Images that cannot be passed on are errors.ErrUnsupported.
//  6. No answer, a cut one and an empty one are errors ([ErrUnavailable],
//     [ErrMalformed]), never "" and nil.
//  7. It keeps no cache, repeats nothing and takes no lock: the wrappers in
//     package backend do that.
//
// A Backend may also implement [Pinger], [Warmer] or io.Closer; [As] finds
// those through wrappers.
type Backend interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// BackendFunc lets a function be a [Backend].
type BackendFunc func(context.Context, Request) (Response, error)

// Complete calls f.
func (f BackendFunc) Complete(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// A Pinger can say whether its server is there and has the model, without
// asking it anything. model "" means the backend's default.
type Pinger interface {
	Ping(ctx context.Context, model string) error
}

// A Warmer can have a model loaded before it is needed. model "" means the
// backend's default.
type Warmer interface {
	Warm(ctx context.Context, model string) error
}

// As finds the first backend in b's chain of wrappers that is a T. A wrapper is
// a backend with a method Unwrap() Backend.
func As[T any](b Backend) (t T, ok bool) {
	for b != nil {
		if t, ok = b.(T); ok {
			return t, true
		}
		w, wraps := b.(interface{ Unwrap() Backend })
		if !wraps {
			break
		}
		b = w.Unwrap()
	}
	return t, false
}

// Request is one question to a model.
type Request struct {
	System, Prompt string
	Images         []Image
	Schema         json.RawMessage // JSON Schema of the answer; nil for free text
	Model          string          // "" means the backend's default
	MaxTokens      int             // at most this much output; 0 means the backend's default, never "no limit"
	Temperature    float64
	Seed           *int64
	Think          bool          // let a thinking model think
	Effort         Effort        // how much, for a server that takes it; "" leaves it to Think
	Logprobs       bool          // report Response.PTrue where the server can
	PTrue          *Tokens       // where Response.PTrue is read; nil is the first boolean of the answer
	Timeout        time.Duration // the model's own time, without waiting for a slot; ctx bounds the whole. 0 means ctx alone
	Priority       Priority

	// Valid says whether an answer is of the form that was asked for, for cache,
	// fallback and retry alike. It is pure. nil accepts every non-empty text.
	Valid func(text string) error

	// Rule, Action and Match are set when the question is about a rule: the
	// builtin backend evaluates the rule's expression on them.
	Rule   Rule
	Action *Action
	Match  Match

	// Criterion and Material are the two parts of a question about a rule, for a
	// model that was trained on a layout of its own: the rule's own words, with the
	// names of variables in place of their values, and the values, fenced. Both are
	// empty in any other question. System and Prompt say the same in one.
	Criterion, Material string

	// Fence is the mark around the data in Prompt and Material; an answer that
	// repeats it was copied from there. It is empty if nothing is fenced.
	Fence string

	// Messages replace System and Prompt where they are not nil.
	Messages []Message
}

// Message is one turn of a conversation with a model.
type Message struct {
	Role string // "system", "user" or "assistant"
	Text string
}

// Effort is how much a model is to think before it answers, as servers name it.
type Effort string

// EffortOmit says nothing to the server: the model is not asked to leave thinking out either.
const EffortOmit Effort = "omit"

// Thinks reports whether the effort has a model think, so that it needs room for that
// beyond its answer.
func (e Effort) Thinks() bool { return e != "" && e != EffortOmit }

// Tokens are the words of an answer whose probabilities say how sure it is.
type Tokens struct {
	After   string   // the answer's text right before the word; "" is its beginning
	Yes, No []string // the words for a violation and for none
}

// Image is a picture that goes with a prompt.
type Image struct {
	MIME string
	Data []byte
}

// Response is a model's answer, and how it was got.
type Response struct {
	Text         string
	Backend      string        // name of the backend that answered
	Model        string        // model that answered
	Cached       bool          // taken from a cache; nothing was asked
	PromptTokens int           // 0 means not reported
	OutputTokens int           // 0 means not reported
	Waited       time.Duration // for a slot and a lock
	Took         time.Duration // by the model itself
	PTrue        *float64      // the model's own probability of true at the first boolean of Text, or of Request.PTrue's Yes; nil if not reported
	Own          string        // the model's answer in its own form, where Text is written from that; else ""
}

// Errors that backends, wrappers, locks and mappers return, wrapped. Compare
// with errors.Is.
var (
	// ErrEvent: the event cannot be understood; nothing was judged.
	ErrEvent = errors.New("event cannot be understood")
	// ErrUnknownTool: a mapper does not know the tool; ask the next one.
	ErrUnknownTool = errors.New("unknown tool")
	// ErrUnavailable: the model could not be reached or gave no answer.
	ErrUnavailable = errors.New("unavailable")
	// ErrTooLong: the prompt does not fit into the model's context. It comes with
	// ErrUnavailable; a shorter prompt may be answered.
	ErrTooLong = errors.New("prompt too long")
	// ErrMalformed: the model answered, but not in the form asked for.
	ErrMalformed = errors.New("malformed answer")
	// ErrRefused: asking was not allowed (not trusted, over budget).
	ErrRefused = errors.New("refused")
	// ErrOverBudget: the limit of what models may cost is reached. It is an
	// ErrRefused; a rule that only such backends could judge is skipped.
	ErrOverBudget = fmt.Errorf("%w: over budget", ErrRefused)
	// ErrUnseen: a judge found nothing in what it was shown, and that was not all.
	ErrUnseen = errors.New("not all of it was seen")
	// ErrBusy: a lock or slot did not come free in time.
	ErrBusy = errors.New("busy")
	// ErrPreempted: a holder of a lock has to give way to a judge.
	ErrPreempted = errors.New("preempted")
)

// BackendError says which backend failed, at what, and why.
type BackendError struct {
	Backend    string        // its name
	Op         string        // what it was doing: "complete", "ping", "warm"
	RetryAfter time.Duration // when the server asked to wait; 0 if it did not
	Err        error
}

// Error returns "backend: op: reason".
func (e *BackendError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Backend, e.Op, e.Err) }

// Unwrap returns Err.
func (e *BackendError) Unwrap() error { return e.Err }

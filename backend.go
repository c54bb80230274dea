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
//  7. It caches and repeats nothing and takes no lock: package backend does.
//
// It may also be a [Pinger], [Warmer] and io.Closer; [As] looks through wrappers.
type Backend interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// BackendFunc lets a function be a [Backend].
type BackendFunc func(context.Context, Request) (Response, error)

func (f BackendFunc) Complete(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// A Pinger can say whether its server is there and has the model, without asking it
// anything. model "" means the backend's default.
type Pinger interface {
	Ping(ctx context.Context, model string) error
}

// A Warmer can load a model before it is needed; model "" means the default.
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
	Effort         string        // how much, in the server's words; "" leaves it to Think, EffortOmit sends neither
	Logprobs       bool          // report Response.PTrue where the server can
	PTrue          *Tokens       // where Response.PTrue is read; nil is the first boolean of the answer
	Timeout        time.Duration // the model's own time, without waiting for a slot; ctx bounds the whole. 0 means ctx alone
	Priority       Priority

	// Valid says whether an answer is of the form that was asked for, for cache, fallback and retry alike. It is pure.
	// nil accepts every non-empty text.
	Valid func(text string) error
	// Rule, Action and Match are set when the question is about a rule: the builtin backend evaluates the rule's
	// expression on them. So are Criterion and Material, which say the same as System and Prompt in two parts, for a
	// model that was trained on a layout of its own: the rule's words, with the names of variables, and their values, fenced.
	Rule                Rule
	Action              *Action
	Match               Match
	Criterion, Material string
	Fence               string    // the mark around data in Prompt and Material: an answer that repeats it was copied from there; "" if nothing is fenced
	Messages            []Message // in place of System and Prompt; nil for those
}

// Message is one turn of a conversation with a model.
type Message struct {
	Role string // "system", "user" or "assistant"
	Text string
}

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

// Errors that come wrapped: compare with errors.Is.
var (
	ErrEvent       = errors.New("event cannot be understood")    // nothing was judged
	ErrUnknownTool = errors.New("unknown tool")                  // to this mapper; ask the next one
	ErrUnavailable = errors.New("unavailable")                   // the model could not be reached or gave no answer
	ErrTooLong     = errors.New("prompt too long")               // for the model's context; with ErrUnavailable; a shorter one may be answered
	ErrMalformed   = errors.New("malformed answer")              // the model answered, but not in the form asked for
	ErrRefused     = errors.New("refused")                       // asking was not allowed (not trusted, over budget)
	ErrOverBudget  = fmt.Errorf("%w: over budget", ErrRefused)   // the limit of what models may cost is reached; a rule that only such backends could judge is skipped
	ErrUnseen      = errors.New("not all of it was seen")        // a judge found nothing in what it was shown, and that was not all
	ErrBusy        = errors.New("busy")                          // a lock or slot did not come free in time
	ErrPreempted   = errors.New("preempted")                     // a holder of a lock has to give way to a judge
	ErrJSONVersion = errors.New("newer JSON form of a decision") // than this program reads
)

// BackendError says which backend failed, at what, and why. It wraps Err.
type BackendError struct {
	Backend    string        // its name
	Op         string        // what it was doing: "complete", "ping", "warm"
	RetryAfter time.Duration // when the server asked to wait; 0 if it did not
	Err        error
}

func (e *BackendError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Backend, e.Op, e.Err) }

func (e *BackendError) Unwrap() error { return e.Err }

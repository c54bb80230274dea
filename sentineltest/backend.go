package sentineltest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentsentinel/sentinel"
)

// Answer is what a [Backend] says to one request. Build a verdict with
// [Clean] or [Violation], anything else as a literal; then set what else
// matters.
type Answer struct {
	// Prompt and Rule say which requests the answer is for: those whose
	// system text or prompt contains Prompt, and that judge the rule with the
	// id Rule. Empty means any.
	Prompt, Rule string

	// Text and Err are what the request gets. One of them should be set: an
	// Answer with neither breaks the contract of a backend, which a test may
	// want.
	Text string
	Err  error

	// Response holds whatever else is to be reported, such as tokens. Text
	// takes precedence over Response.Text.
	Response sentinel.Response

	// Wait holds the answer back until the channel is closed or yields a
	// value. A request whose context ends first gets the error of the context.
	Wait <-chan struct{}

	// Always lets the answer be given any number of times. Otherwise it is
	// given once.
	Always bool
}

// Clean is the answer of a judge that saw no violation.
func Clean(confidence float64) Answer {
	return Answer{Text: fmt.Sprintf(`{"violation":false,"confidence":%v}`, confidence)}
}

// Violation is the answer of a judge that saw one.
func Violation(confidence float64, reason string) Answer {
	quoted, _ := json.Marshal(reason) // a string can always be marshalled
	return Answer{Text: fmt.Sprintf(`{"violation":true,"confidence":%v,"reason":%s}`, confidence, quoted)}
}

// Backend is a [sentinel.Backend] that answers from a script and records what
// it was asked. It is safe for concurrent use and fulfils the contract, except
// where its script says otherwise.
//
// A request gets the first answer of the script that is for it and was not yet
// given. A request that no answer is left for gets [sentinel.ErrUnavailable];
// [Backend.Verify] reports it.
type Backend struct {
	name string

	mu         sync.Mutex
	script     []scripted
	requests   []sentinel.Request
	unexpected []string
}

type scripted struct {
	Answer
	given int
}

// NewBackend returns a backend that answers from script.
func NewBackend(script ...Answer) *Backend {
	b := &Backend{name: "fake"}
	for _, a := range script {
		b.script = append(b.script, scripted{Answer: a})
	}
	return b
}

// Complete answers from the script. Errors are *[sentinel.BackendError], but
// for an Answer.Err, which is returned as it is.
func (b *Backend) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	b.record(req)
	if err := ctx.Err(); err != nil {
		return b.fail(fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err))
	}
	a, ok := b.take(req)
	if !ok {
		return b.fail(fmt.Errorf("%w: no answer is left in the script for %s", sentinel.ErrUnavailable, describe(req)))
	}
	if a.Wait != nil {
		select {
		case <-a.Wait:
		case <-ctx.Done():
			return b.fail(fmt.Errorf("%w: %w", sentinel.ErrUnavailable, ctx.Err()))
		}
	}
	if a.Err != nil {
		return a.Response, a.Err
	}
	return b.response(a, req), nil
}

func (b *Backend) record(req sentinel.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, req)
}

// take finds the answer to a request and strikes it off the script.
func (b *Backend) take(req sentinel.Request) (Answer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.script {
		s := &b.script[i]
		if (s.given == 0 || s.Always) && s.isFor(req) {
			s.given++
			return s.Answer, true
		}
	}
	b.unexpected = append(b.unexpected, describe(req))
	return Answer{}, false
}

func (a *Answer) isFor(req sentinel.Request) bool {
	return (strings.Contains(req.Prompt, a.Prompt) || strings.Contains(req.System, a.Prompt)) &&
		(a.Rule == "" || a.Rule == ruleID(req))
}

func (b *Backend) response(a Answer, req sentinel.Request) sentinel.Response {
	resp := a.Response
	if a.Text != "" {
		resp.Text = a.Text
	}
	if resp.Backend == "" {
		resp.Backend = b.name
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	if resp.Model == "" {
		resp.Model = b.name
	}
	return resp
}

func (b *Backend) fail(err error) (sentinel.Response, error) {
	return sentinel.Response{}, &sentinel.BackendError{Backend: b.name, Op: "complete", Err: err}
}

// Requests returns everything that was asked so far, in the order of arrival.
func (b *Backend) Requests() []sentinel.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Verify fails the test if an answer of the script was never given, or if a
// request found none. Call it when all is done, for instance by t.Cleanup.
func (b *Backend) Verify(tb testing.TB) {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, s := range b.script {
		if s.given == 0 {
			tb.Errorf("sentineltest: answer %d of the script was never asked for%s: %s", i+1, s.forWhat(), s.says())
		}
	}
	for _, what := range b.unexpected {
		tb.Errorf("sentineltest: no answer was left in the script for %s", what)
	}
}

func (a *Answer) forWhat() string {
	var s string
	if a.Rule != "" {
		s += fmt.Sprintf(" (rule %q)", a.Rule)
	}
	if a.Prompt != "" {
		s += fmt.Sprintf(" (prompt with %q)", a.Prompt)
	}
	return s
}

func (a *Answer) says() string {
	if a.Err != nil {
		return "error: " + a.Err.Error()
	}
	return a.Text
}

// describe names a request in a line of a test's output.
func describe(req sentinel.Request) string {
	prompt := req.Prompt
	if len(prompt) > 80 {
		prompt = strings.ToValidUTF8(prompt[:80], "") + "…"
	}
	if id := ruleID(req); id != "" {
		return fmt.Sprintf("rule %q, prompt %q", id, prompt)
	}
	return fmt.Sprintf("prompt %q", prompt)
}

func ruleID(req sentinel.Request) string {
	if req.Rule == nil || req.Rule.Spec() == nil {
		return ""
	}
	return req.Rule.Spec().ID
}

var _ sentinel.Backend = (*Backend)(nil)

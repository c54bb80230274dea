package backend_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// The second time no backend is asked, and no call is billed. The store of the
// command is a folder; any map behind a mutex will do.
func ExampleCached() {
	model := sentineltest.NewBackend(sentineltest.Clean(0.9)) // it has one answer
	b := backend.Cached(model, &store{}, "ollama http://127.0.0.1:11434 gemma3:4b")

	for range 2 {
		resp, err := b.Complete(context.Background(), sentinel.Request{Prompt: "…"})
		fmt.Println(resp.Text, resp.Cached, err)
	}
	// Output:
	// {"violation":false,"confidence":0.9} false <nil>
	// {"violation":false,"confidence":0.9} true <nil>
}

// A server that is down costs the time of three calls, not of every one.
func ExampleBreaker() {
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, time.Local)
	down := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{}, fmt.Errorf("%w: connection refused", sentinel.ErrUnavailable)
	})
	b := backend.Breaker(down, nil, "ollama", &backend.BreakerOptions{Now: func() time.Time { return now }})

	for range 4 {
		_, err := b.Complete(context.Background(), sentinel.Request{})
		fmt.Println(err)
	}
	// Output:
	// unavailable: connection refused
	// unavailable: connection refused
	// unavailable: connection refused
	// ollama: complete: unavailable: no answer since 14:00:00 (3 failed calls in a row, the last: unavailable: connection refused); left alone until 14:01:00
}

// What is over the budget is refused, and the rule's fallback judges.
func ExampleBudget() {
	answer := sentineltest.Clean(0.9)
	answer.Always = true
	answer.Response.PromptTokens, answer.Response.OutputTokens = 480, 20
	b := backend.Budget(sentineltest.NewBackend(answer), nil, &backend.BudgetOptions{TokensPerDay: 1000})

	for range 3 {
		_, err := b.Complete(context.Background(), sentinel.Request{})
		fmt.Println(errors.Is(err, sentinel.ErrRefused), err)
	}
	// Output:
	// false <nil>
	// false <nil>
	// true backend: refused: over budget: 1000 of 1000 tokens are used today; raise budget.tokens_per_day, or wait until midnight
}

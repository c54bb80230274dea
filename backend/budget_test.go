package backend_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/sentineltest"
)

func TestBudgetContract(t *testing.T) {
	t.Parallel()
	answer := sentineltest.Violation(0.9, "it is one")
	answer.Always = true
	sentineltest.RunBackend(t, func(*testing.T) sentinel.Backend {
		return backend.Budget(sentineltest.NewBackend(answer), nil, &backend.BudgetOptions{TokensPerDay: 1e9})
	})
}

func TestBudgetWithoutLimit(t *testing.T) {
	t.Parallel()
	b := sentineltest.NewBackend()
	require.Same(t, b, backend.Budget(b, nil, nil))
	require.Same(t, b, backend.Budget(b, nil, &backend.BudgetOptions{}))
}

// prices of two models; the rest costs nothing.
func prices(model string) (input, output float64) {
	switch model {
	case "m":
		return 1, 5
	case "alias":
		return 10, 50
	case "odd":
		return -1, math.Inf(1)
	}
	return 0, 0
}

// The day's use is counted until a limit is reached, and starts again at local
// midnight.
func TestBudget(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*60*60)
	for name, c := range map[string]struct {
		opts    backend.BudgetOptions
		resp    sentinel.Response
		allowed int
		text    string
	}{
		"tokens": {backend.BudgetOptions{TokensPerDay: 1000}, sentinel.Response{Text: "yes", PromptTokens: 300, OutputTokens: 100}, 3,
			"backend: refused: over budget: 1200 of 1000 tokens are used today; raise budget.tokens_per_day, or wait until midnight"},
		"money": {backend.BudgetOptions{MoneyPerDay: 0.01}, sentinel.Response{Text: "yes", Model: "m", PromptTokens: 1000, OutputTokens: 800}, 2,
			"backend: refused: over budget: 0.01 of 0.01 is spent today; raise budget.money_per_day, or wait until midnight"},
		"exactly": {backend.BudgetOptions{TokensPerDay: 800}, sentinel.Response{Text: "yes", PromptTokens: 300, OutputTokens: 100}, 2,
			"800 of 800 tokens"},
	} {
		for stored, ledger := range map[string]backend.Ledger{"in files": state.NewLedger(t.TempDir()), "in memory": nil} {
			t.Run(name+", "+stored, func(t *testing.T) {
				t.Parallel()
				now := time.Date(2026, 3, 30, 23, 59, 0, 0, zone)
				c.opts.Pricing, c.opts.Now = prices, func() time.Time { return now }
				b, calls := counting(answers(c.resp, nil))
				g := backend.Budget(b, ledger, &c.opts)
				day := func() {
					t.Helper()
					calls.Store(0)
					for range c.allowed {
						resp, err := g.Complete(t.Context(), sentinel.Request{})
						require.NoError(t, err)
						require.Equal(t, c.resp, resp)
					}
					for range 2 {
						_, err := g.Complete(t.Context(), sentinel.Request{})
						require.ErrorIs(t, err, sentinel.ErrRefused)
						require.ErrorContains(t, err, c.text)
					}
					require.EqualValues(t, c.allowed, calls.Load())
				}
				day()
				now = now.Add(time.Minute)
				day()
			})
		}
	}
}

// What is written down of each call.
func TestBudgetRecords(t *testing.T) {
	t.Parallel()
	const day = "2026-03-30"
	req := sentinel.Request{System: strings.Repeat("s", 30), Prompt: strings.Repeat("p", 31), Schema: []byte(`{}`), Model: "alias"} // 63 bytes
	withImages := req
	withImages.Images = make([]sentinel.Image, 2)
	timeUp := fmt.Errorf("%w: %w", sentinel.ErrUnavailable, context.DeadlineExceeded)
	for name, c := range map[string]struct {
		req  sentinel.Request
		resp sentinel.Response
		err  error
		want state.Usage
	}{
		"reported":                {req, sentinel.Response{Text: "yes", Model: "m", PromptTokens: 1000, OutputTokens: 200}, nil, state.Usage{Calls: 1, Tokens: 1200, Money: 0.002}},
		"price of what was asked": {req, sentinel.Response{Text: "yes", Model: "m-2026-01-01", PromptTokens: 1000, OutputTokens: 200}, nil, state.Usage{Calls: 1, Tokens: 1200, Money: 0.02}},
		"a price that is none":    {sentinel.Request{}, sentinel.Response{Text: "yes", Model: "odd", PromptTokens: 1, OutputTokens: 1}, nil, state.Usage{Calls: 1, Tokens: 2}},
		"estimated":               {req, sentinel.Response{Text: "yes!", Model: "free"}, nil, state.Usage{Calls: 1, Tokens: 21 + 2, Money: (21*10 + 2*50) / 1e6, Estimated: 1}},
		"estimated with images":   {withImages, sentinel.Response{Text: "yes"}, nil, state.Usage{Calls: 1, Tokens: 21 + 1 + 3200, Money: (3221*10 + 50) / 1e6, Estimated: 1}},
		"half reported":           {req, sentinel.Response{Text: "yes", PromptTokens: 100}, nil, state.Usage{Calls: 1, Tokens: 101, Money: 1050 / 1e6, Estimated: 1}},
		"negative":                {req, sentinel.Response{Text: "yes", PromptTokens: -5, OutputTokens: -5}, nil, state.Usage{Calls: 1, Tokens: 22, Money: 260 / 1e6, Estimated: 1}},
		"malformed, reported":     {req, sentinel.Response{PromptTokens: 100, OutputTokens: 300}, sentinel.ErrMalformed, state.Usage{Calls: 1, Tokens: 400, Money: 0.016}},
		"malformed":               {req, sentinel.Response{}, sentinel.ErrMalformed, state.Usage{Calls: 1, Tokens: 21, Money: 210 / 1e6, Estimated: 1}},
		"cut off at work":         {req, sentinel.Response{Took: time.Second}, timeUp, state.Usage{Calls: 1, Tokens: 21, Money: 210 / 1e6, Estimated: 1}},
		"cut off while it waited": {req, sentinel.Response{Waited: time.Second}, timeUp, state.Usage{}},
		"not reached":             {req, sentinel.Response{Took: time.Second}, sentinel.ErrUnavailable, state.Usage{}},
		"busy":                    {req, sentinel.Response{}, sentinel.ErrBusy, state.Usage{}},
		"cached":                  {req, sentinel.Response{Text: "yes", Cached: true}, nil, state.Usage{}},
	} {
		ledger := state.NewLedger(t.TempDir())
		g := backend.Budget(answers(c.resp, c.err), ledger, &backend.BudgetOptions{
			TokensPerDay: 1e9, Pricing: prices, Now: func() time.Time { return time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC) },
		})
		resp, err := g.Complete(t.Context(), c.req)
		require.Equal(t, c.err, err, name)
		require.Equal(t, c.resp, resp, "%s: an estimate is not passed off as a report", name)
		u, err := ledger.Usage(day)
		require.NoError(t, err)
		require.InDelta(t, c.want.Money, u.Money, 1e-12, name)
		u.Money = c.want.Money
		require.Equal(t, c.want, u, name)
	}
}

// brokenLedger cannot be written, or not even read.
type brokenLedger struct{ unreadable error }

func (l brokenLedger) Used(string) (int64, float64, error) { return 0, 0, l.unreadable }

func (brokenLedger) Add(string, int64, float64, bool) error { return errors.New("the disk is full") }

func TestBudgetBrokenLedger(t *testing.T) {
	t.Parallel()
	b, calls := counting(answers(sentinel.Response{Text: "yes", PromptTokens: 400}, nil))
	g := backend.Budget(b, brokenLedger{}, &backend.BudgetOptions{TokensPerDay: 1000})
	var err error
	for range 10 {
		_, err = g.Complete(t.Context(), sentinel.Request{})
	}
	require.ErrorIs(t, err, sentinel.ErrRefused)
	require.EqualValues(t, 3, calls.Load(), "the process itself still counts")

	calls.Store(0)
	g = backend.Budget(b, brokenLedger{errors.New("no permission")}, &backend.BudgetOptions{TokensPerDay: 1000})
	_, err = g.Complete(t.Context(), sentinel.Request{})
	require.ErrorIs(t, err, sentinel.ErrRefused)
	require.ErrorContains(t, err, "no permission")
	require.Zero(t, calls.Load())
}

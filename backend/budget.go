package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
)

// A Ledger records what model calls use, by day: YYYY-MM-DD in local time. It is
// safe for concurrent use, by several processes if the budget is theirs together.
type Ledger interface {
	// Used returns what the calls of a day used together.
	Used(day string) (tokens int64, money float64, err error)
	// Add records one call. estimated says that its tokens were not reported.
	Add(day string, tokens int64, money float64, estimated bool) error
}

// BudgetOptions are the settings of [Budget]. nil means no limit.
type BudgetOptions struct {
	TokensPerDay int64   // of prompts and answers together; 0 means no limit
	MoneyPerDay  float64 // in the unit of Pricing; 0 means no limit

	// Pricing returns what a million tokens of a model's prompts and of its
	// answers cost. model is the one that answered, or, when that has no price,
	// the one that was asked; "" is the backend's default. A model without a
	// price costs nothing. nil means that none has one.
	Pricing func(model string) (input, output float64)

	Now    func() time.Time // its location says when a day begins; nil means time.Now
	Logger *slog.Logger     // gets what could not be recorded; nil discards
}

// Budget returns a backend that asks b only while the day's use is below the
// limits. Beyond them every call is [sentinel.ErrOverBudget], with what was used
// and how to raise the limit, until midnight of local time. When the ledger cannot
// be read it is [sentinel.ErrRefused]: a limit that cannot be checked does not limit.
// Without a limit it is b itself. With a nil ledger only this process counts.
//
// The use of a call is known when it has ended, so calls that are under way at
// once can go beyond a limit together.
//
// Tokens are those that the response reports, of failed calls too. An answer
// without them is estimated, and recorded as an estimate, at one token for each
// three bytes of the request and of the answer, and 1,600 for an image. That
// is more than usual text takes, which has about four bytes to a token. Of a call
// that was cut off while the model was at work (which takes [Timed] to know), or
// answered in the wrong form, the request is estimated.
func Budget(b sentinel.Backend, ledger Ledger, opts *BudgetOptions) sentinel.Backend {
	if opts == nil || opts.TokensPerDay <= 0 && opts.MoneyPerDay <= 0 {
		return b
	}
	g := &budget{next: b, ledger: ledger, opts: *opts}
	if g.opts.Now == nil {
		g.opts.Now = time.Now
	}
	if g.opts.Pricing == nil {
		g.opts.Pricing = func(string) (input, output float64) { return 0, 0 }
	}
	if g.opts.Logger == nil {
		g.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if g.ledger == nil {
		g.ledger = &diary{}
	}
	return g
}

type budget struct {
	next   sentinel.Backend
	ledger Ledger
	opts   BudgetOptions

	unkept diary // what the ledger did not take
}

// Complete asks, if the day's use is below the limits.
func (g *budget) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	if err := g.check(); err != nil {
		return sentinel.Response{}, err
	}
	resp, err := g.next.Complete(ctx, req)
	if u := g.measure(&req, &resp, err); u.tokens > 0 {
		day := g.today() // the answer belongs to the day on which it came
		if err := g.ledger.Add(day, u.tokens, u.money, u.estimated); err != nil {
			g.unkept.Add(day, u.tokens, u.money, u.estimated)
			g.opts.Logger.Warn("backend: what a model call used could not be recorded; only this process knows", "tokens", u.tokens, "error", err)
		}
	}
	return resp, err
}

// Unwrap returns the backend that is asked.
func (g *budget) Unwrap() sentinel.Backend { return g.next }

func (g *budget) today() string { return g.opts.Now().Format(time.DateOnly) }

// check returns an error when the day's use has reached a limit.
func (g *budget) check() error {
	day := g.today()
	tokens, money, err := g.ledger.Used(day)
	if err != nil {
		return fmt.Errorf("backend: %w: what was used today cannot be read, so the budget cannot be kept: %w", sentinel.ErrRefused, err)
	}
	moreTokens, moreMoney, _ := g.unkept.Used(day)
	tokens, money = tokens+moreTokens, money+moreMoney
	switch {
	case g.opts.TokensPerDay > 0 && tokens >= g.opts.TokensPerDay:
		return fmt.Errorf("backend: %w: %d of %d tokens are used today; raise budget.tokens_per_day, or wait until midnight",
			sentinel.ErrOverBudget, tokens, g.opts.TokensPerDay)
	case g.opts.MoneyPerDay > 0 && money >= g.opts.MoneyPerDay:
		return fmt.Errorf("backend: %w: %.2f of %.2f is spent today; raise budget.money_per_day, or wait until midnight",
			sentinel.ErrOverBudget, money, g.opts.MoneyPerDay)
	}
	return nil
}

type usage struct {
	tokens    int64
	money     float64
	estimated bool
}

// measure says what a call used, as far as the response tells; the rest is
// estimated.
func (g *budget) measure(req *sentinel.Request, resp *sentinel.Response, err error) (u usage) {
	if resp.Cached {
		return usage{}
	}
	in, out := int64(max(resp.PromptTokens, 0)), int64(max(resp.OutputTokens, 0))
	if in == 0 && reached(resp, err) {
		in, u.estimated = promptTokens(req), true
	}
	if out == 0 && err == nil {
		out, u.estimated = textTokens(len(resp.Text)), true
	}
	u.tokens = in + out
	u.money = g.price(req, resp, in, out)
	return u
}

// price is what tokens cost. A negative or endless price counts as 0: it would
// let the day's use shrink.
func (g *budget) price(req *sentinel.Request, resp *sentinel.Response, in, out int64) float64 {
	for _, model := range []string{resp.Model, req.Model} {
		input, output := g.opts.Pricing(model)
		if money := (float64(in)*input + float64(out)*output) / 1e6; money > 0 && !math.IsInf(money, 0) {
			return money
		}
	}
	return 0
}

// reached reports whether a model has read the request.
func reached(resp *sentinel.Response, err error) bool {
	if err == nil || errors.Is(err, sentinel.ErrMalformed) {
		return true
	}
	return resp.Took > 0 && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled))
}

const (
	bytesPerToken = 3    // English has 4, source code 3 to 4, Chinese about 3
	imageTokens   = 1600 // the most that Anthropic's models take for one
)

func promptTokens(req *sentinel.Request) int64 {
	return textTokens(len(req.System)+len(req.Prompt)+len(req.Schema)) + imageTokens*int64(len(req.Images))
}

func textTokens(bytes int) int64 { return int64(bytes+bytesPerToken-1) / bytesPerToken }

// diary is a Ledger in memory, of one day at a time.
type diary struct {
	mu     sync.Mutex
	day    string
	tokens int64
	money  float64
}

// Used implements [Ledger].
func (d *diary) Used(day string) (tokens int64, money float64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.day != day {
		return 0, 0, nil
	}
	return d.tokens, d.money, nil
}

// Add implements [Ledger].
func (d *diary) Add(day string, tokens int64, money float64, _ bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.day != day {
		d.day, d.tokens, d.money = day, 0, 0
	}
	d.tokens += tokens
	d.money += money
	return nil
}

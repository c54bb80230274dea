package trial

import (
	"context"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/audit"
)

// meter counts the calls of models. It is safe for concurrent use.
type meter struct {
	mu      sync.Mutex
	calls   int
	cached  int
	byModel map[string]tokens
}

type tokens struct{ prompt, output int }

// on returns a backend whose calls are counted.
func (m *meter) on(b sentinel.Backend) sentinel.Backend {
	if b == nil {
		return nil
	}
	return &metered{Backend: b, meter: m}
}

type metered struct {
	sentinel.Backend
	meter *meter
}

// Unwrap returns the backend itself.
func (b *metered) Unwrap() sentinel.Backend { return b.Backend }

// Complete asks and counts the call, also one that fails.
func (b *metered) Complete(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
	resp, err := b.Backend.Complete(ctx, req)
	m := b.meter
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if resp.Cached {
		m.cached++
		return resp, err
	}
	if m.byModel == nil {
		m.byModel = map[string]tokens{}
	}
	t := m.byModel[resp.Model]
	m.byModel[resp.Model] = tokens{t.prompt + resp.PromptTokens, t.output + resp.OutputTokens}
	return resp, err
}

// known counts an answer of an earlier run.
func (m *meter) known() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	m.cached++
}

// usage returns the counts. price returns the price of a million tokens.
func (m *meter) usage(price func(model string) (input, output float64)) audit.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := audit.Usage{Calls: m.calls, Cached: m.cached}
	for model, t := range m.byModel {
		u.PromptTokens += t.prompt
		u.OutputTokens += t.output
		if price != nil {
			in, out := price(model)
			u.CostUSD += (in*float64(t.prompt) + out*float64(t.output)) / 1e6
		}
	}
	return u
}

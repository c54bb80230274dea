package backend_test

import (
	"context"
	"strings"
	"testing"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/state"
)

// BenchmarkWrapped is what each wrapper adds to a backend that takes no time,
// with its state in files.
func BenchmarkWrapped(b *testing.B) {
	req := sentinel.Request{
		System: strings.Repeat("s", 800), Prompt: strings.Repeat("p", 1200), Model: "gemma3:4b", MaxTokens: 300,
		Valid: func(string) error { return nil },
	}
	bare := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
		return sentinel.Response{Text: `{"violation":false,"confidence":0.9}`, PromptTokens: 500, OutputTokens: 12}, nil
	})
	limit := &backend.BudgetOptions{TokensPerDay: 1e15}
	for _, c := range []struct {
		name string
		wrap func(dir string) sentinel.Backend
	}{
		{"bare", func(string) sentinel.Backend { return bare }},
		{"cached-hit", func(dir string) sentinel.Backend { return backend.Cached(bare, state.NewCache(dir, nil), "f") }},
		{"in-flight-only", func(string) sentinel.Backend { return backend.Cached(bare, nil, "f") }},
		{"breaker", func(dir string) sentinel.Backend { return backend.Breaker(bare, state.NewValues(dir), "b", nil) }},
		{"all, not cached", func(dir string) sentinel.Backend {
			b := backend.Limited(backend.Locked(backend.Timed(bare), gpulock.New(gpulock.SessionPath(dir, "s"), nil)), 1)
			b = backend.Budget(backend.Breaker(b, state.NewValues(dir+"/v"), "b", nil), state.NewLedger(dir+"/l"), limit)
			return backend.Cached(b, state.NewCache(dir+"/c", nil), "f")
		}},
		{"budget", func(dir string) sentinel.Backend { return backend.Budget(bare, state.NewLedger(dir), limit) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := c.wrap(b.TempDir())
			for seed := int64(0); b.Loop(); seed++ {
				if c.name == "all, not cached" {
					req.Seed = &seed
				}
				if _, err := w.Complete(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/internal/realollama"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// real returns a backend for a real server with a model of random weights.
func real(t *testing.T, opts ollama.Options) *ollama.Backend {
	t.Helper()
	opts.Model = realollama.Model
	b := ollama.New(parse(t, realollama.Start(t)), &opts)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func TestRealContract(t *testing.T) {
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend { return real(t, ollama.Options{}) })
}

// With either form of the schema every answer is a verdict, whatever the seed.
func TestRealSchema(t *testing.T) {
	for name, branches := range map[string]int{"two branches": 2, "one branch": 1} {
		t.Run(name, func(t *testing.T) {
			b := real(t, ollama.Options{SchemaBranches: branches})
			seen := map[bool]bool{}
			for seed := range int64(20) {
				req := question()
				req.Temperature, req.Seed = 1, &seed
				resp, err := b.Complete(t.Context(), req)
				require.NoError(t, err, "seed %d", seed)
				var verdict struct {
					Violation  *bool       `json:"violation"`
					Confidence json.Number `json:"confidence"`
					Reason     *string     `json:"reason"`
				}
				require.NoError(t, json.Unmarshal([]byte(resp.Text), &verdict), "seed %d: %s", seed, resp.Text)
				require.NotNil(t, verdict.Violation, "seed %d: %s", seed, resp.Text)
				require.NotEmpty(t, verdict.Confidence, "seed %d: %s", seed, resp.Text)
				require.Equal(t, *verdict.Violation || branches == 1, verdict.Reason != nil, "seed %d: %s", seed, resp.Text)
				require.NotZero(t, resp.PromptTokens)
				require.NotZero(t, resp.OutputTokens)
				seen[*verdict.Violation] = true
			}
			require.Len(t, seen, 2, "a model of chance says both")
		})
	}
}

func TestRealProbability(t *testing.T) {
	req := question()
	req.Logprobs = true
	resp, err := real(t, ollama.Options{}).Complete(t.Context(), req)
	require.NoError(t, err)
	t.Log(resp.Text)
	require.NotNil(t, resp.PTrue)
	require.GreaterOrEqual(t, *resp.PTrue, 0.0)
	require.LessOrEqual(t, *resp.PTrue, 1.0)
}

// The server lets go of a call whose client has gone, at whatever moment.
func TestRealCancelled(t *testing.T) {
	b := real(t, ollama.Options{})
	endless := sentinel.Request{Prompt: "Tell a long story.", MaxTokens: 4000}
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		_, err := b.Complete(ctx, endless)
		cancel()
		require.Error(t, err)

		_, err = b.Complete(t.Context(), question())
		require.NoError(t, err, "after a call that was cancelled after %s", after)
	}
}

// manyCalls is the variable that sets how many calls TestRealManyCalls makes.
const manyCalls = "SENTINEL_OLLAMA_CALLS"

// Calls of several hooks, a third of them given up at random moments: on their
// way, in the server's queue, while the model works. No later call hangs, and
// every one that was not given up has an answer.
func TestRealManyCalls(t *testing.T) {
	const hooks = 3
	calls := 300
	if text := os.Getenv(manyCalls); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err, manyCalls)
		calls = n
	}
	b := real(t, ollama.Options{})
	var answered, givenUp, late atomic.Int32
	var wait sync.WaitGroup
	for hook := range hooks {
		wait.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(hook), 1))
			for i := hook; i < calls; i += hooks {
				seed := int64(i)
				req := question()
				req.Temperature, req.Seed = 1, &seed
				limit := 2 * time.Minute // what takes longer hangs
				if i%hooks == (i/hooks)%hooks {
					limit = time.Duration(chance.Int64N(int64(30 * time.Millisecond)))
					req.MaxTokens, req.Schema = 4000, nil // seconds of work
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				_, err := b.Complete(ctx, req)
				cancel()
				switch {
				case err == nil:
					answered.Add(1)
				case limit < time.Minute && errors.Is(err, context.DeadlineExceeded):
					givenUp.Add(1)
				default:
					late.Add(1)
					t.Errorf("call %d: %v", i, err)
				}
			}
		})
	}
	wait.Wait()
	t.Logf("%d calls: %d answered, %d given up, %d wrong", calls, answered.Load(), givenUp.Load(), late.Load())
	require.EqualValues(t, calls, answered.Load()+givenUp.Load())
	require.Greater(t, int(givenUp.Load()), calls/4, "hardly any was given up")
	require.NoError(t, b.Ping(t.Context(), ""))
}

func TestRealErrors(t *testing.T) {
	b := real(t, ollama.Options{NumCtx: 512})
	require.NoError(t, b.Ping(t.Context(), ""))
	require.NoError(t, b.Warm(t.Context(), ""))
	require.ErrorContains(t, b.Ping(t.Context(), "absent"), "`ollama pull absent`")
	require.ErrorContains(t, b.Warm(t.Context(), "absent"), "`ollama pull absent`")

	for name, c := range map[string]struct {
		change func(*sentinel.Request)
		kind   error
		says   string
	}{
		"absent model": {func(r *sentinel.Request) { r.Model = "absent" }, sentinel.ErrUnavailable, "`ollama pull absent`"},
		"thinking":     {func(r *sentinel.Request) { r.Think = true }, sentinel.ErrUnavailable, "cannot think"},
		"cut":          {func(r *sentinel.Request) { r.MaxTokens = 3 }, sentinel.ErrMalformed, "cut after 3 tokens"},
		"bad schema":   {func(r *sentinel.Request) { r.Schema = json.RawMessage(`{"type":"nonsense"}`) }, sentinel.ErrUnavailable, "schema"},
		"long prompt": {func(r *sentinel.Request) {
			for range 2000 {
				r.Prompt += " abc"
			}
		}, sentinel.ErrUnavailable, "longer than the 512 tokens of num_ctx"},
	} {
		t.Run(name, func(t *testing.T) {
			req := question()
			c.change(&req)
			_, err := b.Complete(t.Context(), req)
			require.ErrorIs(t, err, c.kind)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// A model that can think is told not to: its thoughts are bound by no schema and
// would use up the answer's tokens.
func TestRealThinkingModel(t *testing.T) {
	req := question()
	req.Model = realollama.ThinkingModel
	resp, err := real(t, ollama.Options{}).Complete(t.Context(), req)
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(resp.Text)), resp.Text)
}

// A real server applies the schema of the probe, whatever its model would like to say.
func TestRealProbe(t *testing.T) {
	b := real(t, ollama.Options{})
	require.NoError(t, b.Probe(t.Context(), ""))
	require.False(t, b.Unbound(""))
	said, err := b.Abilities(t.Context(), "", "")
	require.NoError(t, err)
	require.Contains(t, said, "schemas are applied")
	t.Log(said)
}

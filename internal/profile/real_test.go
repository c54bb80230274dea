package profile_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/internal/profile"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// verdictSchema is that of the engine's questions, in short.
const verdictSchema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"integer","minimum":0,"maximum":1}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"integer","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":80}},"required":["violation","confidence","reason"],"additionalProperties":false}]}`

// bound are the profiles that a real server holds to the schema.
var bound = map[string]bool{"generic": true, "thinking-chat": true}

// TestRealProfiles asks a real server by every profile that it can carry: by its own
// protocol, and by OpenAI's. No call hangs. A model of chance gives no verdict where no
// schema binds it, and one at nearly every call where one does.
// SENTINEL_OLLAMA_CALLS sets how many calls there are in all.
func TestRealProfiles(t *testing.T) {
	calls := 52
	if text := os.Getenv("SENTINEL_OLLAMA_CALLS"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		calls = n
	}
	server := realollama.Start(t)
	base, err := url.Parse(server)
	require.NoError(t, err)
	backends := map[string]sentinel.Backend{
		ollama.Name: ollama.New(base, &ollama.Options{NumCtx: 2048, Thinking: 100}),
		openai.Name: openai.New(&openai.Options{BaseURL: server + "/v1", Thinking: 100}),
	}
	type asked struct{ backend, profile, model string }
	var all []asked
	for name := range backends {
		set := profile.Embedded().For(name)
		for _, p := range append(profile.Set{{Name: profile.Generic}}, set...) {
			if p.Refuse == "" {
				all = append(all, asked{name, p.Name, realollama.ThinkingModel})
			}
			if p.Refuse == "" && p.Think != "low" { // the other model cannot think
				all = append(all, asked{name, p.Name, realollama.Model})
			}
		}
	}
	per, took := (calls+len(all)-1)/len(all), []time.Duration{}
	for _, a := range all {
		usable := 0
		b := profile.Wrap(backends[a.backend], profile.Options{Profiles: profile.Embedded().For(a.backend), Forced: a.profile})
		require.NoError(t, b.Warm(t.Context(), a.model), "as at the start of a session")
		for i := range per {
			seed := int64(i)
			req := question(a.model)
			req.Schema, req.Seed, req.Temperature = json.RawMessage(verdictSchema), &seed, 1
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // what takes longer hangs
			start := time.Now()
			_, err := b.Complete(ctx, req)
			took = append(took, time.Since(start))
			cancel()
			if err == nil {
				usable++
			} else if !errors.Is(err, sentinel.ErrMalformed) {
				t.Errorf("%v: %v", a, err)
			}
		}
		t.Logf("%-7s %-24s %-11s %d of %d usable", a.backend, a.profile, a.model, usable, per)
		if bound[a.profile] {
			require.GreaterOrEqual(t, usable*100, per*95, "%v", a)
		}
	}
	t.Logf("%d calls, none hung", len(took))
}

// TestRealOpenAIServer: what a real server says of itself, and that it applies the schema.
func TestRealOpenAIServer(t *testing.T) {
	b := openai.New(&openai.Options{BaseURL: realollama.Start(t) + "/v1", Model: realollama.Model})
	require.NoError(t, b.Probe(t.Context(), ""))
	said, err := b.Abilities(t.Context(), "", "")
	require.NoError(t, err)
	require.Regexp(t, `^Ollama 0\.\d+\.\d+, schemas are applied, sent as response_format \(`, said)
}

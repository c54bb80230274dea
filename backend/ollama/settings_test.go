package ollama_test

import (
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// site is where a judge is built, with a configuration that is trusted or not.
func site(trusted bool) *judge.Site {
	return &judge.Site{
		Model: "gemma3:4b", Trusted: func() bool { return trusted },
		MayAsk: func(*url.URL) error {
			if trusted {
				return nil
			}
			return sentinel.ErrRefused
		},
	}
}

// TestKeepAlive: every form that the configuration takes reaches the server.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for written, sent := range map[string]string{
		"10m": `"10m0s"`, "-1": `-1`, "-1m": `-1`, "0": `"1ns"`, "90": `"1m30s"`, "1h30m": `"1h30m0s"`,
	} {
		server := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(clean))
		var s ollama.Settings
		s.SetDefaults()
		s.URL, s.KeepAlive = server.URL, written
		b, err := s.Build(site(true))
		require.NoError(t, err, written)
		_, err = b.Complete(t.Context(), question())
		require.NoError(t, err)
		require.Contains(t, string(server.Chats()[0]), `"keep_alive":`+sent+`,`, written)
	}
}

// TestBuildRefuses: without trust neither another machine nor a cloud model is asked.
func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	var s ollama.Settings
	s.SetDefaults()
	_, err := s.Build(site(false))
	require.ErrorIs(t, err, sentinel.ErrRefused)

	there := site(false)
	there.MayAsk = func(*url.URL) error { return nil } // a server on this machine
	b, err := s.Build(there)
	require.NoError(t, err)
	for _, model := range []string{"gpt-oss:120b-cloud", "glm:CLOUD", "qwen3-coder:480b-cloud "} {
		_, err := b.Complete(t.Context(), sentinel.Request{Model: model})
		require.ErrorIs(t, err, sentinel.ErrRefused, model)
		there.Only = model
		_, err = s.Build(there)
		require.ErrorIs(t, err, sentinel.ErrRefused, model)
		require.NotErrorIs(t, err, errors.ErrUnsupported)
	}
}

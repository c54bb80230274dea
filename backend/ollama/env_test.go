package ollama_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// The environment belongs to the program that started the process, and a repository can
// have a say in it. None of it moves a prompt or has a key read.
func TestEnvironmentDoesNotMatter(t *testing.T) {
	thief := fakeserver.NewOllamaServer(t)
	for _, name := range []string{"OLLAMA_HOST", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, thief.URL)
	}
	server := fakeserver.NewOllamaServer(t)
	_, err := at(t, server, nil).Complete(t.Context(), question())
	require.NoError(t, err)

	// A proxy is never used for loopback; a name that does not exist shows that it is not used at all.
	_, err = ollama.New(parse(t, "http://ollama.invalid"), nil).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.Empty(t, thief.Requests())
}

// The key in ~/.ollama is not read: with a home that has one that cannot be
// parsed, the client would say so.
func TestNothingIsSigned(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ollama"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ollama", "id_ed25519"), []byte("no key"), 0o600))

	for _, raw := range []string{"https://ollama.com", "http://ollama.com:8080", "https://OLLAMA.COM", "https://ollama.com."} {
		_, err := ollama.New(parse(t, raw), nil).Complete(t.Context(), question())
		require.ErrorIs(t, err, sentinel.ErrRefused, raw)
		require.ErrorContains(t, err, "~/.ollama", raw)
	}

	server := fakeserver.NewOllamaServer(t)
	b := at(t, server, nil)
	t.Setenv("OLLAMA_AUTH", "1") // has the maker's own client sign
	_, err := b.Complete(t.Context(), question())
	require.NoError(t, err)
	require.NoError(t, b.Ping(t.Context(), ""))
	for _, req := range server.Requests() {
		require.Empty(t, req.Header.Get("Authorization"))
	}
}

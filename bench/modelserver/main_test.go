package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	save := filepath.Join(t.TempDir(), "body")
	server := httptest.NewServer(handler(0, save))
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		body, says string
		status     int
	}{
		"two branches": {`{"format":{"anyOf":[]},"messages":[{}]}`, `{\"violation\":false,\"confidence\":0.95}`, 200},
		"json":         {`{"format":"json","messages":[{}]}`, `payment logic`, 200},
		"no question":  {`{"messages":[]}`, "no messages", 400},
		"no JSON":      {`{`, "unexpected end", 400},
	} {
		resp, err := http.Post(server.URL+"/api/chat", "application/json", strings.NewReader(c.body))
		require.NoError(t, err, name)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err, name)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, c.status, resp.StatusCode, name)
		require.Contains(t, string(text), c.says, name)
	}
	_, err := os.Stat(save)
	require.NoError(t, err)
}

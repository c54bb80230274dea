package vision_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/vision"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// scanned is a document with one page, and its picture.
func scanned(t *testing.T) (*document.Document, []byte) {
	t.Helper()
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))))
	d := pdf("a.pdf", 1)
	d.Render = func(context.Context) ([]document.Picture, error) {
		return []document.Picture{{Page: 1, PNG: picture.Bytes()}}, nil
	}
	return d, picture.Bytes()
}

// TestServers shows a page to servers of both protocols that take images: the
// picture arrives, byte for byte, with the question and the answers.
func TestServers(t *testing.T) {
	t.Parallel()
	const answer = `{"description": "three boxes", "answer": "linear"}`
	d, picture := scanned(t)
	bodies := make(chan map[string]any, 8)
	mux := http.NewServeMux()
	reply := func(path string, record bool, value any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err == nil && record {
				bodies <- body
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value) // a client that has gone is its own test's matter
		})
	}
	reply("/chat/completions", true, map[string]any{"model": "eyes", "choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": answer}}}})
	reply("/api/show", false, map[string]any{"capabilities": []string{"completion", "vision"}})
	reply("/api/chat", true, map[string]any{"model": "eyes", "done": true, "done_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)

	for name, b := range map[string]sentinel.Backend{
		"openai": openai.New(&openai.Options{BaseURL: server.URL, Model: "eyes"}),
		"ollama": ollama.New(base, &ollama.Options{Model: "eyes"}),
	} {
		all := vision.Investigate(t.Context(), []*document.Document{d}, rubricOf(rubric.Expect{"linear": atLeast(1)}), &vision.Options{Backend: b, Wait: noWait})
		require.Len(t, all, 2, name)
		require.Equal(t, audit.True, all[0].Outcome, "%s: %s", name, all[0].Summary)
		require.Equal(t, "three boxes", all[1].Snippet)
		require.Equal(t, "a model (eyes) saw: linear", all[1].Summary)
		sent, err := json.Marshal(<-bodies)
		require.NoError(t, err)
		require.Contains(t, string(sent), base64.StdEncoding.EncodeToString(picture), name)
		require.Contains(t, string(sent), "Is the flow parallel?", name)
		require.Contains(t, string(sent), `"enum":["parallel","linear","none"]`, name)
	}
	require.Empty(t, bodies, "each was asked once")
}

// TestRealServer shows a page to a real server, whose models cannot see: that is
// said, and nothing is assumed.
func TestRealServer(t *testing.T) {
	t.Parallel()
	server, err := url.Parse(realollama.Start(t))
	require.NoError(t, err)
	d, _ := scanned(t)
	b := ollama.New(server, &ollama.Options{Model: realollama.Model})
	all := vision.Investigate(t.Context(), []*document.Document{d}, rubricOf(rubric.Expect{"parallel": atLeast(1)}), &vision.Options{Backend: b})
	require.Equal(t, audit.NotAvailable, all[0].Outcome)
	require.Contains(t, all[0].Summary, "cannot see images")
}

package ollama_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/agentsentinel/sentinel/backend/ollama"
)

// What the backend adds to a call: "bare" sends the same bytes to the same
// server and reads the answer.
func BenchmarkComplete(b *testing.B) {
	const answer = `{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":"{\"violation\":false,\"confidence\":0.9}"},"done":true,"done_reason":"stop","eval_count":9}`
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, answer)
	}))
	b.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	judge := ollama.New(base, nil)
	b.Cleanup(func() { judge.Close() })

	b.Run("backend", func(b *testing.B) {
		for b.Loop() {
			if _, err := judge.Complete(b.Context(), question()); err != nil {
				b.Fatal(err)
			}
		}
	})
	sent := bytes.Clone(body)
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			resp, err := http.Post(server.URL+"/api/chat", "application/json", bytes.NewReader(sent))
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}

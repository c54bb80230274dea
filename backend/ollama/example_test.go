package ollama_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
)

// A question in free text, here to a server that always says the same.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"message":{"role":"assistant","content":"{\"ok\":true}"},"done":true,"done_reason":"stop"}`)
	}))
	defer server.Close()
	base, err := url.Parse(server.URL) // a server on this machine: http://localhost:11434, or nil
	if err != nil {
		fmt.Println(err)
		return
	}

	b := ollama.New(base, &ollama.Options{Model: "gemma3:4b"})
	defer b.Close()
	resp, err := b.Complete(context.Background(), sentinel.Request{
		Prompt: "Is everything all right?",
		Schema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`),
	})
	fmt.Println(resp.Text, err)
	// Output: {"ok":true} <nil>
}

// A server that is not there is an error that says what to do.
func ExampleBackend_Ping() {
	nowhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	err := ollama.New(nowhere, nil).Ping(context.Background(), "")
	what, _, _ := strings.Cut(err.Error(), " (dial tcp")
	fmt.Println(what)
	// Output: ollama: ping: unavailable: nothing answers at http://127.0.0.1:1: start Ollama there (`ollama serve`) or correct the URL
}

package openai_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/openai"
)

// A server of one's own: its address, and no key. Here it always says the same.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"model":"qwen3:8b","choices":[{"message":{"content":"{\"violation\":false}"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":40,"completion_tokens":6}}`)
	}))
	defer server.Close()

	b := openai.New(&openai.Options{BaseURL: server.URL + "/v1", Model: "qwen3:8b"})
	resp, err := b.Complete(context.Background(), sentinel.Request{Prompt: "Does this break the rule?"})
	fmt.Println(resp.Text, resp.PromptTokens, resp.OutputTokens, err)
	// Output:
	// {"violation":false} 40 6 <nil>
}

package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/anthropic"
)

// The answer comes as the arguments of a tool that the model has to call, so it is of
// the schema's form. A gateway has an address of its own.
func Example() {
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Tools []struct{ Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Tools) != 1 {
			http.Error(w, "no tool", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"content":[{"type":"tool_use","id":"1","name":%q,"input":{"violation":true}}],`+
			`"stop_reason":"tool_use","usage":{"input_tokens":50,"output_tokens":8}}`, asked.Tools[0].Name)
	}))
	defer gateway.Close()

	b := anthropic.New(&anthropic.Options{BaseURL: gateway.URL, Key: "secret", Model: "claude-haiku-4-5"})
	resp, err := b.Complete(context.Background(), sentinel.Request{
		Prompt: "Does this break the rule?",
		Schema: json.RawMessage(`{"type":"object","properties":{"violation":{"type":"boolean"}},"required":["violation"]}`),
	})
	fmt.Println(resp.Text, err)
	// Output:
	// {"violation":true} <nil>
}

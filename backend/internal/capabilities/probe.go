package capabilities

import (
	"encoding/json"

	"github.com/agentsentinel/sentinel"
)

// ProbeQuestion has one answer under its schema, and another one without.
func ProbeQuestion() sentinel.Request {
	return sentinel.Request{
		Prompt:    "Say hello in one word.",
		Schema:    json.RawMessage(`{"type":"object","properties":{"bird":{"type":"string","enum":["kestrel"]}},"required":["bird"],"additionalProperties":false}`),
		MaxTokens: 30,
	}
}

// Obeyed reports whether an answer to the [ProbeQuestion] is the one of its schema.
func Obeyed(answer string) bool {
	var said struct{ Bird string }
	return json.Unmarshal([]byte(answer), &said) == nil && said.Bird == "kestrel"
}

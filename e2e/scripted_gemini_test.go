package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
)

// generateContent is Gemini's POST /v1beta/models/MODEL:generateContent and
// :streamGenerateContent.
type generateContent struct{}

func (generateContent) read(body []byte) (conversation []said, tools bool, err error) {
	var req struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse *struct {
					ID       string
					Response json.RawMessage
				}
			}
		}
		Tools []json.RawMessage
	}
	err = json.Unmarshal(body, &req)
	for _, c := range req.Contents {
		for _, p := range c.Parts {
			s := said{role: "user", text: p.Text}
			switch {
			case c.Role == "model":
				s.role = "model"
			case p.FunctionResponse != nil:
				s.role, s.call, s.text = "tool", p.FunctionResponse.ID, responseText(p.FunctionResponse.Response)
			}
			conversation = append(conversation, s)
		}
	}
	return conversation, len(req.Tools) > 0, err
}

// responseText joins the texts of the object that a function answered with, an
// output or an error.
func responseText(response json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(response, &fields) != nil {
		return string(response)
	}
	var all []string
	for _, key := range []string{"output", "error"} {
		if text, ok := fields[key].(string); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

func (generateContent) write(w http.ResponseWriter, r *http.Request, body []byte, _ int, t turn) {
	parts := []any{}
	if t.says != "" {
		parts = append(parts, map[string]any{"text": t.says})
	}
	for _, c := range t.calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.tool, "args": c.args}})
	}
	answer := map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": len(body)/4 + 1, "candidatesTokenCount": 1, "totalTokenCount": len(body)/4 + 2},
	}
	if strings.Contains(r.URL.Path, ":stream") {
		sendEvents(w, answer)
		return
	}
	writeJSON(w, answer)
}

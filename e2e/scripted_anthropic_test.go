package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// messages is Anthropic's POST /v1/messages.
type messages struct{}

func (messages) read(body []byte) (conversation []said, tools bool, err error) {
	var req struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []json.RawMessage
	}
	err = json.Unmarshal(body, &req)
	for _, m := range req.Messages {
		var blocks []struct {
			Type, Text string
			ToolUseID  string `json:"tool_use_id"`
			Content    json.RawMessage
		}
		if json.Unmarshal(m.Content, &blocks) != nil { // a bare string
			conversation = append(conversation, said{role: "user", text: texts(m.Content)})
			continue
		}
		for _, b := range blocks {
			s := said{role: "user", text: b.Text}
			switch {
			case m.Role == "assistant":
				s.role = "model"
			case b.Type == "tool_result":
				s.role, s.call, s.text = "tool", b.ToolUseID, texts(b.Content)
			}
			conversation = append(conversation, s)
		}
	}
	return conversation, len(req.Tools) > 0, err
}

func (messages) write(w http.ResponseWriter, _ *http.Request, body []byte, n int, t turn) {
	var req struct {
		Model  string
		Stream bool
	}
	_ = json.Unmarshal(body, &req) // read has read it
	content, stop := []any{}, "end_turn"
	if t.says != "" {
		content = append(content, map[string]any{"type": "text", "text": t.says})
	}
	for i, c := range t.calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.id(n, i), "name": c.tool, "input": c.args})
		stop = "tool_use"
	}
	answer := map[string]any{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": req.Model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": len(body)/4 + 1, "output_tokens": 1},
	}
	if !req.Stream {
		writeJSON(w, answer)
		return
	}
	answer["content"], answer["stop_reason"] = []any{}, nil
	events := []any{map[string]any{"type": "message_start", "message": answer}}
	for i, block := range content {
		events = append(events, streamed(i, block.(map[string]any))...)
	}
	sendEvents(w, append(events,
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
		map[string]any{"type": "message_stop"})...)
}

// streamed is one block as events.
func streamed(i int, block map[string]any) []any {
	delta := map[string]any{"type": "text_delta", "text": block["text"]}
	start := map[string]any{"type": block["type"], "text": ""}
	if block["type"] == "tool_use" {
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(mustJSON(block["input"]))}
		start = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
	}
	return []any{
		map[string]any{"type": "content_block_start", "index": i, "content_block": start},
		map[string]any{"type": "content_block_delta", "index": i, "delta": delta},
		map[string]any{"type": "content_block_stop", "index": i},
	}
}

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// chatCompletions is OpenAI's POST /v1/chat/completions.
type chatCompletions struct{}

func (chatCompletions) read(body []byte) (conversation []said, tools bool, err error) {
	var req struct {
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCallID string `json:"tool_call_id"`
		}
		Tools []json.RawMessage
	}
	err = json.Unmarshal(body, &req)
	for _, m := range req.Messages {
		s := said{role: "user", text: texts(m.Content)}
		switch m.Role {
		case "assistant":
			s.role = "model"
		case "tool":
			s.role, s.call = "tool", m.ToolCallID
		}
		conversation = append(conversation, s)
	}
	return conversation, len(req.Tools) > 0, err
}

func (chatCompletions) write(w http.ResponseWriter, _ *http.Request, body []byte, n int, t turn) {
	var req struct {
		Model  string
		Stream bool
	}
	_ = json.Unmarshal(body, &req) // read has read it
	message := map[string]any{"role": "assistant", "content": t.says}
	finish := "stop"
	var calls []any
	for i, c := range t.calls {
		calls = append(calls, map[string]any{
			"index": i, "id": c.id(n, i), "type": "function",
			"function": map[string]any{"name": c.tool, "arguments": c.json()},
		})
		finish = "tool_calls"
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	usage := map[string]any{"prompt_tokens": len(body)/4 + 1, "completion_tokens": 1, "total_tokens": len(body)/4 + 2}
	answer := func(object, key string, value, finish any) map[string]any {
		return map[string]any{
			"id": fmt.Sprintf("chat_%d", n), "object": object, "created": 1, "model": req.Model, "usage": usage,
			"choices": []any{map[string]any{"index": 0, key: value, "finish_reason": finish}},
		}
	}
	if !req.Stream {
		writeJSON(w, answer("chat.completion", "message", message, finish))
		return
	}
	const chunk = "chat.completion.chunk"
	sendEvents(w, answer(chunk, "delta", message, nil), answer(chunk, "delta", map[string]any{}, finish))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// responses is OpenAI's POST /v1/responses.
type responses struct{}

func (responses) read(body []byte) (conversation []said, tools bool, err error) {
	var req struct {
		Input []struct {
			Type, Role string
			Content    json.RawMessage
			CallID     string `json:"call_id"`
			Output     json.RawMessage
		}
		Tools []json.RawMessage
	}
	err = json.Unmarshal(body, &req)
	for _, item := range req.Input {
		s := said{role: "user", text: texts(item.Content)}
		switch {
		case item.Type == "function_call_output", item.Type == "custom_tool_call_output":
			s = said{role: "tool", call: item.CallID, text: texts(item.Output)}
		case item.Type != "message" && item.Type != "", item.Role == "assistant":
			s.role = "model"
		}
		conversation = append(conversation, s)
	}
	return conversation, len(req.Tools) > 0, err
}

func (responses) write(w http.ResponseWriter, _ *http.Request, body []byte, n int, t turn) {
	var output []any
	if t.says != "" {
		output = append(output, map[string]any{
			"type": "message", "id": fmt.Sprintf("msg_%d", n), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": t.says, "annotations": []any{}}},
		})
	}
	for i, c := range t.calls {
		item := map[string]any{"id": fmt.Sprintf("item_%d_%d", n, i), "call_id": c.id(n, i), "name": c.tool, "status": "completed"}
		if text, bare := c.args.(string); bare {
			item["type"], item["input"] = "custom_tool_call", text
		} else {
			item["type"], item["arguments"] = "function_call", c.json()
			if namespace, name, within := strings.Cut(c.tool, "/"); within {
				item["namespace"], item["name"] = namespace, name
			}
		}
		output = append(output, item)
	}
	response := func(status string, output []any) map[string]any {
		return map[string]any{
			"id": fmt.Sprintf("resp_%d", n), "object": "response", "created_at": 1, "status": status, "model": "scripted-model", "output": output,
			"usage": map[string]any{
				"input_tokens": len(body)/4 + 1, "input_tokens_details": map[string]any{"cached_tokens": 0},
				"output_tokens": 1, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": len(body)/4 + 2,
			},
		}
	}
	events := []any{map[string]any{"type": "response.created", "response": response("in_progress", []any{})}}
	for i, item := range output {
		events = append(events,
			map[string]any{"type": "response.output_item.added", "output_index": i, "item": item},
			map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	sendEvents(w, append(events, map[string]any{"type": "response.completed", "response": response("completed", output)})...)
}

package fakeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// The part of the protocol that is used here. Unused fields are left out;
// unknown ones are ignored.
type (
	messagesRequest struct {
		Model     string            `json:"model"`
		MaxTokens int               `json:"max_tokens"`
		Stream    bool              `json:"stream"`
		Tools     []json.RawMessage `json:"tools"`
		Messages  []message         `json:"messages"`
	}
	message struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	}
	content      []contentBlock // a bare string is one text block
	contentBlock struct {
		Type string `json:"type"`

		Text string `json:"text,omitempty"`

		ID    string          `json:"id,omitempty"` // of a tool_use
		Name  string          `json:"name,omitempty"`
		Input json.RawMessage `json:"input,omitempty"`

		ToolUseID string  `json:"tool_use_id,omitempty"` // of a tool_result
		Content   content `json:"content,omitempty"`
		IsError   bool    `json:"is_error,omitempty"`
	}
	usage struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
	response struct {
		ID           string  `json:"id"`
		Type         string  `json:"type"`
		Role         string  `json:"role"`
		Model        string  `json:"model"`
		Content      []any   `json:"content"`
		StopReason   *string `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
		Usage        usage   `json:"usage"`
	}
)

// UnmarshalJSON accepts the two forms of content: a list of blocks and a string.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []contentBlock
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	*c = blocks
	return nil
}

// text joins the text blocks.
func (c content) text() string {
	var parts []string
	for _, b := range c {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// apiError is an error as the protocol tells it.
type apiError struct {
	status     int
	kind, text string
}

func (e *apiError) Error() string { return e.kind + ": " + e.text }

func invalid(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, args...)}
}

func bodyError(err error) error {
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return &apiError{http.StatusRequestEntityTooLarge, "request_too_large", "request exceeds 32 MB"}
	}
	return invalid("reading the request: %v", err)
}

// decodeMessages reads a request and refuses what the real server refuses.
func decodeMessages(rec *AnthropicRequest) (*messagesRequest, error) {
	if rec.Method != http.MethodPost {
		return nil, &apiError{http.StatusMethodNotAllowed, "invalid_request_error", "method not allowed"}
	}
	if err := credentials(rec); err != nil {
		return nil, err
	}
	msg := new(messagesRequest)
	if err := json.Unmarshal(rec.Body, msg); err != nil {
		return nil, invalid("the request is not a JSON object of the right form: %v", err)
	}
	switch {
	case msg.Model == "":
		return nil, invalid("model: field required")
	case msg.MaxTokens < 1 && rec.Path == "/v1/messages":
		return nil, invalid("max_tokens: must be at least 1")
	case len(msg.Messages) == 0:
		return nil, invalid("messages: at least one message is required")
	}
	return msg, nil
}

// credentials wants what every request has to carry.
func credentials(rec *AnthropicRequest) error {
	if rec.Header.Get("X-Api-Key") == "" && rec.Header.Get("Authorization") == "" {
		return &apiError{http.StatusUnauthorized, "authentication_error", "x-api-key header is required"}
	}
	if rec.Header.Get("Anthropic-Version") == "" {
		return invalid("anthropic-version: header is required")
	}
	return nil
}

// refuse answers with an error object.
func refuse(rec *AnthropicRequest, err error) http.HandlerFunc {
	e := &apiError{http.StatusInternalServerError, "api_error", err.Error()}
	errors.As(err, &e)
	rec.Status = e.status
	return func(w http.ResponseWriter, _ *http.Request) {
		give(w, e.status, map[string]any{
			"type":  "error",
			"error": map[string]string{"type": e.kind, "message": e.text},
		})
	}
}

// countTokens answers with an estimate: four bytes a token.
func countTokens(rec *AnthropicRequest) http.HandlerFunc {
	n := len(rec.Body)/4 + 1
	return func(w http.ResponseWriter, _ *http.Request) {
		give(w, http.StatusOK, map[string]int{"input_tokens": n})
	}
}

// respond writes a turn of the model, in the form that the request asked for.
func respond(msg *messagesRequest, step Step, requestBytes int) http.HandlerFunc {
	turn := assistantTurns(msg.Messages)
	blocks := append([]contentBlock(nil), step.blocks...)
	stop := "end_turn"
	for i := range blocks {
		if blocks[i].Type == "tool_use" {
			blocks[i].ID = fmt.Sprintf("toolu_scripted_%d_%d", turn, i)
			stop = "tool_use"
		}
	}
	if step.stop != "" {
		stop = step.stop
	}
	res := response{
		ID:      fmt.Sprintf("msg_scripted_%d", turn),
		Type:    "message",
		Role:    "assistant",
		Model:   msg.Model,
		Content: []any{},
		Usage:   usage{InputTokens: requestBytes/4 + 1, OutputTokens: 1},
	}
	if msg.Stream {
		return func(w http.ResponseWriter, _ *http.Request) { stream(w, res, blocks, stop) }
	}
	for _, b := range blocks {
		res.Content = append(res.Content, b.wire(b.Text, b.Input))
	}
	res.StopReason = &stop
	return func(w http.ResponseWriter, _ *http.Request) { give(w, http.StatusOK, res) }
}

// stream writes a turn as server-sent events, every block in two pieces, so
// that a client which takes the first for the whole is found out.
func stream(w http.ResponseWriter, start response, blocks []contentBlock, stop string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Request-Id", "req_scripted")
	send := func(event string, fields map[string]any) {
		fields["type"] = event
		data, err := json.Marshal(fields)
		if err != nil {
			panic(err) // only maps, strings, numbers and valid raw JSON are sent
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
	}
	send("message_start", map[string]any{"message": start})
	send("ping", map[string]any{})
	for i, b := range blocks {
		whole, deltaType, deltaField := b.Text, "text_delta", "text"
		if b.Type == "tool_use" {
			whole, deltaType, deltaField = string(b.Input), "input_json_delta", "partial_json"
		}
		empty := b.wire("", json.RawMessage("{}"))
		send("content_block_start", map[string]any{"index": i, "content_block": empty})
		first, second := halve(whole)
		for _, piece := range []string{first, second} {
			send("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": deltaType, deltaField: piece}})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": start.Usage,
	})
	send("message_stop", map[string]any{})
}

// wire is a block of an answer with the given text or input.
func (b contentBlock) wire(text string, input json.RawMessage) map[string]any {
	if b.Type == "tool_use" {
		return map[string]any{"type": b.Type, "id": b.ID, "name": b.Name, "input": input}
	}
	return map[string]any{"type": b.Type, "text": text}
}

// halve cuts s near its middle, never inside a rune.
func halve(s string) (first, second string) {
	at := len(s) / 2
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at], s[at:]
}

// give answers with a JSON object.
func give(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Request-Id", "req_scripted")
	writeJSON(w, status, "application/json", body)
}

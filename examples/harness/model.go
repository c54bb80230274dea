package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A message of a conversation, as chat completions have it.
type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// A toolCall is what the model wants done.
type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON text, as far as the model keeps to it
}

// arguments are the call's arguments as JSON: the object that the model wrote,
// or its text as a string if it is not JSON, so that it is judged as what it
// is.
func (c toolCall) arguments() json.RawMessage {
	text := strings.TrimSpace(c.Function.Arguments)
	switch {
	case text == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string: cannot fail
	return quoted
}

// A client asks a model by POST {url}/chat/completions.
type client struct {
	url, model, key string
}

type chatRequest struct {
	Model    string     `json:"model"`
	Messages []message  `json:"messages"`
	Tools    []toolSpec `json:"tools"`
}

type chatResponse struct {
	Choices []struct {
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

const (
	answerWithin = 5 * time.Minute // a local model may have to be loaded first
	answerMax    = 16 << 20        // bytes
)

// next asks for the model's next message.
func (c *client) next(ctx context.Context, conversation []message) (message, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	body, err := json.Marshal(chatRequest{Model: c.model, Messages: conversation, Tools: toolSpecs()})
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.url, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, fmt.Errorf("the model's URL: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, fmt.Errorf("asking the model: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil {
		return message{}, fmt.Errorf("the model's answer: %w", err)
	}
	return readAnswer(resp.StatusCode, text)
}

// readAnswer takes the message out of a response.
func readAnswer(status int, text []byte) (message, error) {
	var answer chatResponse
	err := json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Error != nil:
		return message{}, fmt.Errorf("the model's server answers %d: %s", status, answer.Error.Message)
	case status != http.StatusOK:
		return message{}, fmt.Errorf("the model's server answers %d: %.200s", status, text)
	case err != nil:
		return message{}, fmt.Errorf("the model's answer is not a chat completion: %w", err)
	case len(answer.Choices) == 0:
		return message{}, errors.New("the model's answer holds no message")
	case answer.Choices[0].FinishReason == "length":
		return message{}, errors.New("the model's answer was cut: it ran out of tokens")
	}
	return answer.Choices[0].Message, nil
}

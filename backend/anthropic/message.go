package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/jsonschema"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

// answerTool is the tool that the model answers with.
const answerTool = "answer"

// DefaultThinking is how many tokens a model may think that cannot help it, beyond those
// of the answer.
const DefaultThinking = 2000

// A mode is how a model is asked: a set of the bits below.
type mode uint32

const (
	noTemperature mode = 1 << iota
	byFormat           // the schema as output format, not as a tool
)

// after returns the mode to try after a refusal; m itself means that no other is left.
func (m mode) after(refusal *webapi.StatusError) mode {
	switch {
	case refusal.Says("tool_choice"):
		return m | byFormat
	case refusal.Says("temperature"):
		return m | noTemperature
	}
	return m
}

// question is the body of a request.
type question struct {
	Model       string      `json:"model"`
	MaxTokens   int         `json:"max_tokens"`
	System      string      `json:"system,omitempty"`
	Messages    []turn      `json:"messages"`
	Temperature *float64    `json:"temperature,omitempty"`
	Tools       []tool      `json:"tools,omitempty"`
	ToolChoice  *toolChoice `json:"tool_choice,omitempty"`
	Output      *output     `json:"output_config,omitempty"`
}

type output struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type   string  `json:"type"`
	Text   string  `json:"text,omitempty"`
	Source *source `json:"source,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64 on the wire
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Alone bool   `json:"disable_parallel_tool_use"`
}

// newQuestion puts a request into the service's words. The same request gives
// the same bytes.
func (b *Backend) newQuestion(model string, req sentinel.Request, m mode) *question {
	q := &question{Model: model, MaxTokens: req.MaxTokens, System: req.System}
	if q.MaxTokens <= 0 {
		q.MaxTokens = defaultTokens
	}
	if m&noTemperature == 0 {
		temperature := min(req.Temperature, 1) // more is refused
		q.Temperature = &temperature
	}
	var content []block
	for _, img := range req.Images {
		content = append(content, block{Type: "image", Source: &source{Type: "base64", MediaType: img.MIME, Data: img.Data}})
	}
	q.Messages = []turn{{Role: "user", Content: append(content, block{Type: "text", Text: req.Prompt})}}
	if len(req.Schema) > 0 {
		q.hold(jsonschema.Merge(req.Schema, jsonschema.Common), m, b.thinking)
	}
	return q
}

// hold has the answer obey a schema.
func (q *question) hold(schema json.RawMessage, m mode, thinking int) {
	if m&byFormat != 0 {
		q.MaxTokens += thinking
		q.Output = &output{format{"json_schema", jsonschema.Unbounded(schema)}}
		return
	}
	q.Tools = []tool{{answerTool, "Gives the answer. It is the only way to answer.", schema}}
	q.ToolChoice = &toolChoice{Type: "tool", Name: answerTool, Alone: true}
}

// message is the part of an answer that is read.
type message struct {
	Content []struct {
		Type  string          `json:"type"`
		Text  string          `json:"text"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		Input         int `json:"input_tokens"`
		Output        int `json:"output_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

// text returns what the model said, if it is all of it: the input of the answer
// tool, byte for byte, or without a schema its text.
func (m *message) text(byTool bool) (string, error) {
	want := "end_turn"
	if byTool {
		want = "tool_use"
	}
	switch m.StopReason {
	case want:
	case "max_tokens":
		return "", fmt.Errorf("%w: the answer was cut after %d tokens: allow more", sentinel.ErrMalformed, m.Usage.Output)
	case "refusal":
		return "", fmt.Errorf("%w: the model refused to answer", sentinel.ErrMalformed)
	case "model_context_window_exceeded":
		return "", fmt.Errorf("%w: the prompt fills the model's context: show less", sentinel.ErrMalformed)
	default:
		return "", fmt.Errorf("%w: the answer ended for the reason %s, not %q", sentinel.ErrMalformed, failure.Excerpt(m.StopReason), want)
	}
	var parts []string
	for _, b := range m.Content {
		switch {
		case byTool && b.Type == "tool_use" && b.Name == answerTool:
			parts = append(parts, string(b.Input))
		case !byTool && b.Type == "text":
			parts = append(parts, b.Text)
		}
	}
	if byTool && len(parts) > 1 {
		return "", fmt.Errorf("%w: the model answered %d times", sentinel.ErrMalformed, len(parts))
	}
	text := strings.Join(parts, "")
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%w: the answer is empty", sentinel.ErrMalformed)
	}
	return text, nil
}

package ollama

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/agentsentinel/sentinel/internal/jsonschema"
)

// topLogprobs is how many candidates are reported for each token: the most that
// the server gives, so that true and false are both among them.
const topLogprobs = 20

// chat is the body of a request to /api/chat. truncate and shift are always sent,
// because each has a harmful default, and think unless the model's profile says not to.
type chat struct {
	Model       string          `json:"model"`
	Messages    []message       `json:"messages"`
	Stream      bool            `json:"stream"`
	Format      json.RawMessage `json:"format,omitempty"`
	KeepAlive   duration        `json:"keep_alive"`
	Options     map[string]any  `json:"options"`
	Think       any             `json:"think,omitempty"` // a boolean, or an effort as text
	Truncate    bool            `json:"truncate"`
	Shift       bool            `json:"shift"`
	Logprobs    bool            `json:"logprobs,omitempty"`
	TopLogprobs int             `json:"top_logprobs,omitempty"`
}

type message struct {
	Role    string   `json:"role"`
	Content string   `json:"content"`
	Images  [][]byte `json:"images,omitempty"` // base64 on the wire
}

// A duration is written as the server reads it: -1 means for ever.
type duration time.Duration

// MarshalJSON implements json.Marshaler.
func (d duration) MarshalJSON() ([]byte, error) {
	if d < 0 {
		return []byte("-1"), nil
	}
	return json.Marshal(time.Duration(d).String())
}

// answer is the part of an answer of /api/chat that is read.
type answer struct {
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Done            bool             `json:"done"`
	DoneReason      string           `json:"done_reason"`
	PromptEvalCount int              `json:"prompt_eval_count"`
	EvalCount       int              `json:"eval_count"`
	Logprobs        []logprobs.Place `json:"logprobs"`
}

// newChat puts a question into the server's words. The same question gives the same
// bytes. merged sends a schema of several branches as one object.
func (b *Backend) newChat(name string, req sentinel.Request, merged bool) *chat {
	c := &chat{
		Model:     name,
		Messages:  messages(req),
		Format:    req.Schema,
		KeepAlive: duration(b.keepAlive),
		Options:   b.options(req),
		Think:     think(req),
	}
	if merged {
		c.Format = jsonschema.Merge(req.Schema, jsonschema.All)
	}
	if req.Logprobs {
		c.Logprobs, c.TopLogprobs = true, topLogprobs
	}
	return c
}

// think is whether a model is to think, or how much. nil leaves it to the server.
func think(req sentinel.Request) any {
	switch req.Effort {
	case "":
		return req.Think
	case sentinel.EffortOmit:
		return nil
	}
	return req.Effort
}

func messages(req sentinel.Request) []message {
	var list []message
	for _, m := range req.Messages {
		list = append(list, message{Role: m.Role, Content: m.Text})
	}
	if list != nil {
		return list
	}
	if req.System != "" {
		list = append(list, message{Role: "system", Content: req.System})
	}
	user := message{Role: "user", Content: req.Prompt}
	for _, img := range req.Images {
		user.Images = append(user.Images, img.Data)
	}
	return append(list, user)
}

func (b *Backend) options(req sentinel.Request) map[string]any {
	tokens := req.MaxTokens
	if tokens <= 0 {
		tokens = defaultTokens
	}
	switch think(req) {
	case nil, false:
	default:
		tokens += b.thinking
	}
	options := map[string]any{
		"num_ctx":     b.numCtx,
		"num_predict": tokens,
		"temperature": req.Temperature,
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed
	}
	return options
}

// chat sends one request.
func (b *Backend) chat(ctx context.Context, c *chat) (*answer, error) {
	a := new(answer)
	return a, b.post(ctx, c.Model, "api/chat", c, a)
}

// shown is what the server knows of a model.
type shown struct {
	Capabilities []string `json:"capabilities"`
	Parser       string   `json:"parser"` // takes the model's thoughts and tool calls out; "" for none
	Details      struct {
		Family string `json:"family"`
	} `json:"details"`
}

// show asks what the server knows of a model.
func (b *Backend) show(ctx context.Context, name string) (about shown, err error) {
	err = b.post(ctx, name, "api/show", struct {
		Model string `json:"model"`
	}{name}, &about)
	return about, err
}

// post sends a question about a model.
func (b *Backend) post(ctx context.Context, model, path string, question, answer any) error {
	if err := b.ready(); err != nil {
		return err
	}
	return b.explain(model, b.service.Post(ctx, path, question, answer))
}

package ollama

import (
	"context"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/branches"
	"github.com/ollama/ollama/api"
)

// topLogprobs is how many candidates are reported for each token: the most that
// the server gives, so that true and false are both among them.
const topLogprobs = 20

// chatRequest puts a question into the server's words. The same question gives
// the same bytes. merged sends a schema of several branches as one object.
func (b *Backend) chatRequest(name string, req sentinel.Request, merged bool) *api.ChatRequest {
	no := false
	chat := &api.ChatRequest{
		Model:     name,
		Messages:  messages(req),
		Stream:    &no,
		Format:    req.Schema,
		KeepAlive: &api.Duration{Duration: b.keepAlive},
		Options:   b.options(req),
		Think:     &api.ThinkValue{Value: req.Think},
		Truncate:  &no,
		Shift:     &no,
	}
	if merged {
		chat.Format = branches.Merge(req.Schema, branches.All)
	}
	if req.Logprobs {
		chat.Logprobs, chat.TopLogprobs = true, topLogprobs
	}
	return chat
}

func messages(req sentinel.Request) []api.Message {
	var list []api.Message
	if req.System != "" {
		list = append(list, api.Message{Role: "system", Content: req.System})
	}
	user := api.Message{Role: "user", Content: req.Prompt}
	for _, img := range req.Images {
		user.Images = append(user.Images, img.Data)
	}
	return append(list, user)
}

func (b *Backend) options(req sentinel.Request) map[string]any {
	options := map[string]any{
		"num_ctx":     b.numCtx,
		"num_predict": req.MaxTokens,
		"temperature": req.Temperature,
	}
	if req.MaxTokens <= 0 {
		options["num_predict"] = defaultTokens
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed
	}
	return options
}

// chat sends one request. The transport has made sure that there is exactly one
// object in the answer and that it is no error.
func (b *Backend) chat(ctx context.Context, req *api.ChatRequest) (*api.ChatResponse, error) {
	client, err := b.client()
	if err != nil {
		return nil, err
	}
	var answer api.ChatResponse
	err = client.Chat(ctx, req, func(r api.ChatResponse) error { answer = r; return nil })
	if err != nil {
		return nil, b.explain(req.Model, err)
	}
	return &answer, nil
}

package openai

import (
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/logprobs"
	"github.com/agentsentinel/sentinel/internal/judge/failure"
)

// completion is the part of an answer that is read.
type completion struct {
	Choices []choice `json:"choices"`
	Usage   struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
}

type choice struct {
	Message struct {
		Content *string `json:"content"`
		Refusal string  `json:"refusal"`

		Reasoning    string `json:"reasoning"` // what a model thought, as newer servers name it
		OldReasoning string `json:"reasoning_content"`
	} `json:"message"`
	FinishReason string `json:"finish_reason"`
	Logprobs     struct {
		Content []logprobs.Place `json:"content"`
	} `json:"logprobs"`
}

// thought reports whether the model thought before its answer.
func (c *completion) thought() bool {
	if len(c.Choices) == 0 {
		return false
	}
	m := &c.Choices[0].Message
	return m.Reasoning != "" || m.OldReasoning != "" || m.Content != nil && strings.HasPrefix(strings.TrimSpace(*m.Content), "<think>")
}

// cut reports whether the model ran out of tokens.
func (c *completion) cut() bool { return len(c.Choices) == 1 && c.Choices[0].FinishReason == "length" }

// text returns what the model said, if it is all of it.
func (c *completion) text() (string, error) {
	if len(c.Choices) != 1 {
		return "", fmt.Errorf("%w: the answer has %d choices, not one", sentinel.ErrMalformed, len(c.Choices))
	}
	first := &c.Choices[0]
	content := ""
	if first.Message.Content != nil {
		content = *first.Message.Content
	}
	switch {
	case first.Message.Refusal != "":
		return "", fmt.Errorf("%w: the model refused to answer: %s", sentinel.ErrMalformed, failure.Excerpt(first.Message.Refusal))
	case c.cut() && c.thought():
		return "", fmt.Errorf("%w: the model thought for all of its %d tokens: it is asked not to from now on, and gets num_predict more", sentinel.ErrMalformed, c.Usage.CompletionTokens)
	case c.cut():
		return "", fmt.Errorf("%w: the answer was cut after %d tokens: allow more, or use a model that does not think", sentinel.ErrMalformed, c.Usage.CompletionTokens)
	case first.FinishReason == "content_filter":
		return "", fmt.Errorf("%w: the service's filter held the answer back", sentinel.ErrMalformed)
	case first.FinishReason != "stop":
		return "", fmt.Errorf("%w: the answer ended for the reason %s, not \"stop\"", sentinel.ErrMalformed, failure.Excerpt(first.FinishReason))
	case strings.TrimSpace(content) == "":
		return "", fmt.Errorf("%w: the answer is empty", sentinel.ErrMalformed)
	}
	return content, nil
}

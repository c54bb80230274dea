package openai

import (
	"fmt"
	"math"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/failure"
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
	} `json:"message"`
	FinishReason string `json:"finish_reason"`
	Logprobs     struct {
		Content []logprob `json:"content"`
	} `json:"logprobs"`
}

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
	case first.FinishReason == "length":
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

// logprob is a token with the logarithm of its probability, and what else could
// have stood there.
type logprob struct {
	Token       string    `json:"token"`
	Logprob     float64   `json:"logprob"`
	TopLogprobs []logprob `json:"top_logprobs"`
}

// probabilityOfTrue returns the probability, in 0..1, that the model gave to true
// at the first boolean of its answer, measured against false alone. nil means
// that it cannot be told.
func (c *completion) probabilityOfTrue() *float64 {
	tokens := c.Choices[0].Logprobs.Content
	i, offset := firstBoolean(tokens)
	if i < 0 {
		return nil
	}
	before := tokens[i].Token[:offset]
	var yes, no float64
	for _, candidate := range tokens[i].candidates() {
		word, ok := strings.CutPrefix(candidate.Token, before)
		word = strings.TrimLeft(word, " \t\r\n")
		p := math.Exp(candidate.Logprob)
		switch {
		case !ok || word == "" || math.IsNaN(p) || p > 1:
		case begins(word, "true"):
			yes += p
		case begins(word, "false"):
			no += p
		}
	}
	if yes+no == 0 {
		return nil
	}
	p := yes / (yes + no)
	return &p
}

// candidates are the likely tokens at a place, the one that was written among them.
func (l logprob) candidates() []logprob {
	for _, other := range l.TopLogprobs {
		if other.Token == l.Token {
			return l.TopLogprobs
		}
	}
	return append([]logprob{l}, l.TopLogprobs...)
}

// begins reports whether a token is, or starts, or starts with, the word.
func begins(token, word string) bool {
	return strings.HasPrefix(word, token) || strings.HasPrefix(token, word)
}

// firstBoolean finds the first true or false that stands outside of strings: the
// token it begins in and the byte there. Without one the token is -1.
func firstBoolean(tokens []logprob) (token, offset int) {
	inString, escaped := false, false
	for i, t := range tokens {
		for at := range len(t.Token) {
			switch c := t.Token[at]; {
			case escaped:
				escaped = false
			case inString && c == '\\':
				escaped = true
			case c == '"':
				inString = !inString
			case !inString && (c == 't' || c == 'f'): // nothing else in JSON begins so
				return i, at
			}
		}
	}
	return -1, 0
}

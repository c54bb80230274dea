package openai

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/branches"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
)

// A way is how a server wants to be asked: a set of the bits below.
type way uint32

const (
	oneBranch      way = 1 << iota // schemas have one branch
	notStrict                      // and no "strict"
	noSchema                       // "json_object" instead of a schema
	noFormat                       // nor that; the prompt alone says what is wanted
	newMaxTokens                   // max_completion_tokens instead of max_tokens
	knownMaxTokens                 // which of them it takes was found out
	noTemperature                  // for models that think
	noSeed                         //
	noLogprobs                     //
	fixedBranches                  // the caller wants them as they are
)

func firstWay(schemaBranches int, ownHost bool) (w way) {
	if ownHost {
		w = newMaxTokens
	}
	switch {
	case schemaBranches == 1, schemaBranches == 0 && ownHost:
		w |= oneBranch
	case schemaBranches == 2:
		w |= fixedBranches
	}
	return w
}

// after is another way after a refusal; w itself if there is none. The services'
// words are free text, so they are only looked through for names of parameters.
func (w way) after(refusal *webapi.StatusError, req sentinel.Request) way {
	about := func(names ...string) bool {
		for _, n := range names {
			if refusal.Param == n {
				return true
			}
		}
		return refusal.Says(names...)
	}
	switch {
	case w&knownMaxTokens == 0 && about("max_tokens", "max_completion_tokens"):
		return (w ^ newMaxTokens) | knownMaxTokens
	case about("temperature"):
		return w | noTemperature
	case about("logprobs", "top_logprobs") && req.Logprobs:
		return w | noLogprobs
	case about("seed") && req.Seed != nil:
		return w | noSeed
	case len(req.Schema) > 0 && about("response_format", "schema", "grammar", "anyof", "strict", "json_object"):
		return w.simpler(req.Schema)
	}
	return w
}

// simpler asks for less of the form of the answer.
func (w way) simpler(schema json.RawMessage) way {
	switch {
	case w&(oneBranch|fixedBranches) == 0 && branches.In(schema):
		return w | oneBranch
	case w&notStrict == 0:
		return w | notStrict
	case w&noSchema == 0:
		return w | noSchema
	}
	return w | noFormat
}

// question is the body of a request. Fields that are not always sent are
// pointers or left out when empty.
type question struct {
	Model          string    `json:"model"`
	Messages       []message `json:"messages"`
	MaxTokens      int       `json:"max_tokens,omitempty"`
	MaxCompletion  int       `json:"max_completion_tokens,omitempty"`
	Temperature    *float64  `json:"temperature,omitempty"`
	Seed           *int64    `json:"seed,omitempty"`
	ResponseFormat *format   `json:"response_format,omitempty"`
	Effort         string    `json:"reasoning_effort,omitempty"`
	Logprobs       bool      `json:"logprobs,omitempty"`
	TopLogprobs    int       `json:"top_logprobs,omitempty"`
	Stream         bool      `json:"stream"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a text, or a list of parts
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type format struct {
	Type   string      `json:"type"`
	Schema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict,omitempty"`
	Schema json.RawMessage `json:"schema"`
}

// topLogprobs is how many candidates are reported for each token, the most that
// OpenAI and vLLM give.
const topLogprobs = 20

// newQuestion puts a request into the server's words. The same request gives the
// same bytes.
func newQuestion(model string, req sentinel.Request, w way) *question {
	q := &question{Model: model, Messages: messages(req), ResponseFormat: w.format(req.Schema)}
	tokens := req.MaxTokens
	if tokens <= 0 {
		tokens = defaultTokens
	}
	if thinks(model) {
		w |= newMaxTokens | noTemperature
		tokens += thinkingTokens
		if !req.Think {
			q.Effort = "low"
		}
	}
	if w&newMaxTokens != 0 {
		q.MaxCompletion = tokens
	} else {
		q.MaxTokens = tokens
	}
	if w&noTemperature == 0 {
		q.Temperature = &req.Temperature
	}
	if w&noSeed == 0 {
		q.Seed = req.Seed
	}
	if req.Logprobs && w&noLogprobs == 0 {
		q.Logprobs, q.TopLogprobs = true, topLogprobs
	}
	return q
}

// thinks reports whether a model is one of OpenAI's that think before they
// answer and cannot be told not to.
func thinks(model string) bool {
	model = model[strings.LastIndex(model, "/")+1:]
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if model == family || strings.HasPrefix(model, family+"-") || strings.HasPrefix(model, family+".") {
			return true
		}
	}
	return false
}

func (w way) format(schema json.RawMessage) *format {
	switch {
	case len(schema) == 0 || w&noFormat != 0:
		return nil
	case w&noSchema != 0:
		return &format{Type: "json_object"}
	}
	if w&oneBranch != 0 {
		schema = branches.Unbounded(branches.Merge(schema, branches.All))
	}
	return &format{Type: "json_schema", Schema: &jsonSchema{Name: "answer", Strict: w&notStrict == 0, Schema: schema}}
}

func messages(req sentinel.Request) []message {
	var list []message
	if req.System != "" {
		list = append(list, message{Role: "system", Content: req.System})
	}
	if len(req.Images) == 0 {
		return append(list, message{Role: "user", Content: req.Prompt})
	}
	parts := []part{{Type: "text", Text: req.Prompt}}
	for _, img := range req.Images {
		url := "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
		parts = append(parts, part{Type: "image_url", ImageURL: &imageURL{url}})
	}
	return append(list, message{Role: "user", Content: parts})
}

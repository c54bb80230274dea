package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/internal/webapi"
	"github.com/agentsentinel/sentinel/internal/jsonschema"
)

// A mode is how a server is asked: a set of the bits below.
type mode uint32

const (
	oneBranch      mode = 1 << iota // schemas have one branch
	notStrict                       // no "strict"
	noSchema                        // "json_object" instead of a schema
	noFormat                        // no format at all; the prompt alone asks for one
	newMaxTokens                    // max_completion_tokens instead of max_tokens
	knownMaxTokens                  // it was found out which of them is accepted
	noTemperature                   // for models that think
	noSeed                          //
	noLogprobs                      //
	fixedBranches                   // the caller wants them as they are
	thinksFirst                     // it was seen to think unasked
	noEffort                        // no reasoning_effort: none
	noTemplate                      // no arguments of the server's template of messages
)

func firstMode(schemaBranches int, ownHost bool) (m mode) {
	if ownHost {
		m = newMaxTokens
	}
	switch {
	case schemaBranches == 1, schemaBranches == 0 && ownHost:
		m |= oneBranch
	case schemaBranches == 2:
		m |= fixedBranches
	}
	return m
}

// after returns the mode to try after a refusal; m itself means that no other is left. The
// service's message is free text, so it is only searched for names of parameters.
func (m mode) after(refusal *webapi.StatusError, req sentinel.Request, w way) mode {
	about := func(names ...string) bool {
		for _, n := range names {
			if refusal.Param == n {
				return true
			}
		}
		return refusal.Says(names...)
	}
	switch {
	case m&knownMaxTokens == 0 && about("max_tokens", "max_completion_tokens"):
		return (m ^ newMaxTokens) | knownMaxTokens
	case about("temperature"):
		return m | noTemperature
	case about("logprobs", "top_logprobs") && req.Logprobs:
		return m | noLogprobs
	case about("seed") && req.Seed != nil:
		return m | noSeed
	case m&(thinksFirst|noEffort) == thinksFirst && about("reasoning_effort", "reasoning"):
		return m | noEffort
	case m&(thinksFirst|noTemplate) == thinksFirst && about("chat_template_kwargs", "template"):
		return m | noTemplate
	case len(req.Schema) > 0 && w.name == ways[0].name && about("response_format", "schema", "grammar", "anyof", "strict", "json_object"):
		return m.simpler(req.Schema)
	}
	return m
}

// simpler asks for less of the form of the answer.
func (m mode) simpler(schema json.RawMessage) mode {
	switch {
	case m&(oneBranch|fixedBranches) == 0 && jsonschema.IsAnyOf(schema):
		return m | oneBranch
	case m&notStrict == 0:
		return m | notStrict
	case m&noSchema == 0:
		return m | noSchema
	}
	return m | noFormat
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

	// A schema where response_format does not bind the model, see ways.
	StructuredOutputs *structured     `json:"structured_outputs,omitempty"`
	GuidedJSON        json.RawMessage `json:"guided_json,omitempty"`
	JSONSchema        json.RawMessage `json:"json_schema,omitempty"`
	Grammar           string          `json:"grammar,omitempty"`

	Template json.RawMessage `json:"chat_template_kwargs,omitempty"`
}

type structured struct {
	JSON json.RawMessage `json:"json"`
}

// A way is how a schema is sent.
type way struct {
	name string
	put  func(q *question, schema json.RawMessage)
}

// ways are tried in this order by [Backend.Probe]. The first is the standard, and has
// simpler forms for servers that refuse a part of it.
var ways = []way{
	{"response_format", nil},
	{"structured_outputs", func(q *question, s json.RawMessage) { q.StructuredOutputs = &structured{s} }},               // vLLM from 0.10.2
	{"guided_json", func(q *question, s json.RawMessage) { q.GuidedJSON = s }},                                          // vLLM before 0.12
	{"json_schema", func(q *question, s json.RawMessage) { q.JSONSchema = s }},                                          // llama.cpp, TabbyAPI
	{"json_object", func(q *question, s json.RawMessage) { q.ResponseFormat = &format{Type: "json_object", Loose: s} }}, // older llama.cpp
	{"grammar", func(q *question, s json.RawMessage) { q.Grammar = jsonschema.Grammar(s) }},                             // llama.cpp, KoboldCpp
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
	Type   string          `json:"type"`
	Schema *jsonSchema     `json:"json_schema,omitempty"`
	Loose  json.RawMessage `json:"schema,omitempty"`
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
func (b *Backend) newQuestion(model string, req sentinel.Request, m mode, w way) *question {
	q := &question{Model: model, Messages: messages(req)}
	if w.put == nil {
		q.ResponseFormat = m.format(req.Schema)
	} else if len(req.Schema) > 0 {
		w.put(q, req.Schema)
	}
	tokens := req.MaxTokens
	if tokens <= 0 {
		tokens = defaultTokens
	}
	own := thinks(model)
	if own {
		m |= newMaxTokens | noTemperature
		if !req.Think {
			q.Effort = "low"
		}
	}
	if req.Effort != sentinel.EffortOmit {
		q.Effort = cmp.Or(req.Effort, q.Effort)
	}
	if m&thinksFirst != 0 && !req.Think && q.Effort == "" {
		q.stopThinking(m)
	}
	if own || q.Effort != "" || req.Think || m&thinksFirst != 0 {
		tokens += b.thinking
	}
	if m&newMaxTokens != 0 {
		q.MaxCompletion = tokens
	} else {
		q.MaxTokens = tokens
	}
	if m&noTemperature == 0 {
		q.Temperature = &req.Temperature
	}
	if m&noSeed == 0 {
		q.Seed = req.Seed
	}
	if req.Logprobs && m&noLogprobs == 0 {
		q.Logprobs, q.TopLogprobs = true, topLogprobs
	}
	return q
}

// stopThinking asks a model not to think, in the two ways that servers have for it.
func (q *question) stopThinking(m mode) {
	if m&noEffort == 0 {
		q.Effort = "none"
	}
	if m&noTemplate == 0 {
		q.Template = json.RawMessage(`{"enable_thinking":false}`)
	}
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

func (m mode) format(schema json.RawMessage) *format {
	switch {
	case len(schema) == 0 || m&noFormat != 0:
		return nil
	case m&noSchema != 0:
		return &format{Type: "json_object"}
	}
	if m&oneBranch != 0 {
		schema = jsonschema.Unbounded(jsonschema.Merge(schema, jsonschema.All))
	}
	return &format{Type: "json_schema", Schema: &jsonSchema{Name: "answer", Strict: m&notStrict == 0, Schema: schema}}
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

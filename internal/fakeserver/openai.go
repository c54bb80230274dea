package fakeserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// OpenAIServer is a scripted model server on loopback with OpenAI's chat
// completions, as OpenAI, llama.cpp, vLLM and LM Studio have them: POST
// /v1/chat/completions, not streamed, and GET /v1/models. It cuts an answer at
// max_tokens (a token is four bytes here), refuses unknown models (404) and, when
// it has one, a wrong key (401). The script has its answers and its failures.
//
// Answers are given in the order of the script, one a chat; the last one stays.
// Those that are meant for a prompt ([Answer.To]) are outside of that
// order: they are given to every chat whose messages contain it. An empty script
// is one clean verdict. It knows every model until [OpenAIServer.SetModels], and
// its answers carry token counts by length, so that a test can compare them.
//
// All methods may be called concurrently.
type OpenAIServer struct {
	server[*openAICall] // its URL ends in /v1

	models  []string
	key     string
	refused []string
	fault   *Fault
}

// OpenAIAnswer is one answer of an [OpenAIServer]. Build it with the functions
// below.
type OpenAIAnswer = Answer[*openAICall]

// OpenAIText is a whole answer with text as its content, cut as a real server
// cuts it where the request allows less.
func OpenAIText(text string) OpenAIAnswer { return OpenAIEnded(text, "stop") }

// OpenAIVerdict is a judge's answer as a well-behaved model gives it: with a
// reason if it has one or sees a violation.
func OpenAIVerdict(violation bool, confidence float64, reason string) OpenAIAnswer {
	return OpenAIText(verdictText(violation, confidence, reason))
}

// OpenAIEnded is an answer that ended for a reason of the protocol's: "length",
// "content_filter", "tool_calls".
func OpenAIEnded(text, reason string) OpenAIAnswer {
	return OpenAIAnswer{give: func(c *openAICall) { c.say(map[string]any{"role": "assistant", "content": text}, text, reason) }}
}

// OpenAIRefusal is an answer in which the model refuses, with the words that a
// service has for it apart from the content.
func OpenAIRefusal(words string) OpenAIAnswer {
	return OpenAIAnswer{give: func(c *openAICall) {
		c.say(map[string]any{"role": "assistant", "content": nil, "refusal": words}, words, "stop")
	}}
}

// OpenAIProse is a verdict with words around it, as a model writes when the
// server did not hold it to a schema.
func OpenAIProse() OpenAIAnswer {
	return OpenAIText("Sure! Here is my verdict:\n```json\n" + verdictText(false, 0.9, "") + "\n```\nLet me know if you need more.")
}

// OpenAILogprobs is a whole answer made of tokens, each an object of the protocol:
// "token", "logprob" and "top_logprobs". A request without logprobs gets the text
// alone.
func OpenAILogprobs(logprobs []map[string]any) OpenAIAnswer {
	var text strings.Builder
	for _, l := range logprobs {
		fmt.Fprint(&text, l["token"])
	}
	return OpenAIAnswer{give: func(c *openAICall) {
		c.logprobs = logprobs
		c.say(map[string]any{"role": "assistant", "content": text.String()}, text.String(), "stop")
	}}
}

// OpenAIFault is a failure in place of an answer.
func OpenAIFault(f Fault) OpenAIAnswer {
	return OpenAIAnswer{give: func(c *openAICall) { f.give(c.w, c.r, c.done) }}
}

// NewOpenAIServer starts a server that answers chats from script. It is closed
// when the test ends.
func NewOpenAIServer(tb testing.TB, script ...OpenAIAnswer) *OpenAIServer {
	tb.Helper()
	s := &OpenAIServer{}
	s.start(tb, s.serve, script, OpenAIVerdict(false, 1, ""))
	s.URL += "/v1"
	return s
}

// SetModels sets the models that the server has; none means that it knows every
// model and lists none.
func (s *OpenAIServer) SetModels(names ...string) { s.locked(func() { s.models = names }) }

// SetKey has the server want a key.
func (s *OpenAIServer) SetKey(key string) { s.locked(func() { s.key = key }) }

// Refuse names what the server does not take; it answers 400 with the words that
// such a server has for it. Names of parameters ("temperature", "max_tokens",
// "max_completion_tokens", "seed", "logprobs", "response_format"), and "anyOf",
// "strict", "json_schema", "maxLength" for parts of the response format.
func (s *OpenAIServer) Refuse(parts ...string) { s.locked(func() { s.refused = parts }) }

// SetFault has every request, of whatever kind, fail; nil ends that.
func (s *OpenAIServer) SetFault(f *Fault) { s.locked(func() { s.fault = f }) }

// openAIChat is what the server reads of a request.
type openAIChat struct {
	Model     string                     `json:"model"`
	Messages  []json.RawMessage          `json:"messages"`
	Stream    bool                       `json:"stream"`
	Tokens    int                        `json:"max_tokens"`
	NewTokens int                        `json:"max_completion_tokens"`
	Logprobs  bool                       `json:"logprobs"`
	Keys      map[string]json.RawMessage `json:"-"`
}

// openAICall is one request on its way to an answer.
type openAICall struct {
	w        http.ResponseWriter
	r        *http.Request
	chat     openAIChat
	logprobs []map[string]any
	done     <-chan struct{}
}

// serve chooses the answer, records the request, and answers. In this order a request in
// the record has taken its turn in the script, and a client that has its answer finds
// itself in the record.
func (s *OpenAIServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	c := &openAICall{w: w, r: r, done: s.done}
	answer := s.answer(c, body, err)
	s.record(r, body)
	answer.give(c)
}

// answer chooses the answer to a request whose body could be read unless err says otherwise.
func (s *OpenAIServer) answer(c *openAICall, body []byte, err error) OpenAIAnswer {
	s.mu.Lock()
	fault, key := s.fault, s.key
	s.mu.Unlock()
	switch r := c.r; {
	case err != nil:
		return openAIRefusal(http.StatusRequestEntityTooLarge, err.Error(), "")
	case fault != nil:
		return OpenAIFault(*fault)
	case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
		return openAIRefusal(http.StatusUnauthorized, "Incorrect API key provided.", "")
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		return OpenAIAnswer{give: func(c *openAICall) {
			c.json(http.StatusOK, map[string]any{"object": "list", "data": s.listed()})
		}}
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		return s.complete(c, body)
	default:
		return openAIRefusal(http.StatusNotFound, r.Method+" "+r.URL.Path+" is not served here", "")
	}
}

// openAIRefusal is a status and the error that goes with it.
func openAIRefusal(status int, message, param string) OpenAIAnswer {
	return OpenAIAnswer{give: func(c *openAICall) { c.fail(status, message, param) }}
}

func (s *OpenAIServer) listed() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, m := range s.models {
		list = append(list, map[string]any{"id": m, "object": "model", "created": 1, "owned_by": "fakeserver"})
	}
	return list
}

func (s *OpenAIServer) complete(c *openAICall, body []byte) OpenAIAnswer {
	if err := json.Unmarshal(body, &c.chat); err != nil {
		return openAIRefusal(http.StatusBadRequest, "the request is not a JSON object of the right form: "+err.Error(), "")
	}
	_ = json.Unmarshal(body, &c.chat.Keys) // it is an object
	s.mu.Lock()
	models, refused := s.models, s.refused
	s.mu.Unlock()
	switch param, words := c.chat.refusal(refused); {
	case c.chat.Model == "":
		return openAIRefusal(http.StatusBadRequest, "you must provide a model parameter", "model")
	case len(models) > 0 && !slices.Contains(models, c.chat.Model):
		return openAIRefusal(http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", c.chat.Model), "")
	case len(c.chat.Messages) == 0:
		return openAIRefusal(http.StatusBadRequest, "[] is too short - 'messages'", "messages")
	case c.chat.Stream:
		return openAIRefusal(http.StatusBadRequest, "this server does not stream", "stream")
	case words != "":
		return openAIRefusal(http.StatusBadRequest, words, param)
	default:
		return s.next(c.chat.holds)
	}
}

// refusal finds the first part of a chat that the server does not take.
func (chat *openAIChat) refusal(refused []string) (param, words string) {
	format := string(chat.Keys["response_format"])
	for _, part := range refused {
		switch part {
		case "anyOf":
			var f struct {
				Schema struct{ Schema map[string]json.RawMessage } `json:"json_schema"`
			}
			if json.Unmarshal([]byte(format), &f) == nil && f.Schema.Schema["anyOf"] != nil {
				return "response_format", "Invalid schema for response_format 'answer': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."
			}
		case "strict", "json_schema", "maxLength":
			if strings.Contains(format, `"`+part+`"`) {
				return "response_format", fmt.Sprintf("Invalid schema for response_format 'answer': '%s' is not permitted.", part)
			}
		case "max_tokens":
			if chat.Keys[part] != nil {
				return part, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			}
		default:
			if chat.Keys[part] != nil {
				return part, fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", part)
			}
		}
	}
	return "", ""
}

// holds reports whether a message contains a text.
func (chat *openAIChat) holds(prompt string) bool {
	for _, m := range chat.Messages {
		var said struct{ Content any }
		if json.Unmarshal(m, &said) == nil && strings.Contains(fmt.Sprint(said.Content), prompt) {
			return true
		}
	}
	return false
}

// say answers with a message whose text is cut where the request allows less.
func (c *openAICall) say(message map[string]any, text, reason string) {
	limit := max(c.chat.Tokens, c.chat.NewTokens)
	if limit > 0 && reason == "stop" && tokensOf(text) > limit && message["content"] != nil {
		text, reason = text[:limit*ollamaTokenBytes], "length"
		message["content"] = text
	}
	prompt := 0
	for _, m := range c.chat.Messages {
		prompt += tokensOf(string(m))
	}
	choice := map[string]any{"index": 0, "message": message, "finish_reason": reason}
	if c.chat.Logprobs && c.logprobs != nil {
		choice["logprobs"] = map[string]any{"content": c.logprobs}
	}
	c.json(http.StatusOK, map[string]any{
		"id": "chatcmpl-scripted", "object": "chat.completion", "created": 1, "model": c.chat.Model,
		"choices": []any{choice},
		"usage":   map[string]int{"prompt_tokens": prompt, "completion_tokens": tokensOf(text), "total_tokens": prompt + tokensOf(text)},
	})
}

func (c *openAICall) fail(status int, message, param string) {
	e := map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}
	if param != "" {
		e["param"] = param
	}
	c.json(status, map[string]any{"error": e})
}

func (c *openAICall) json(status int, body map[string]any) {
	writeJSON(c.w, status, "application/json", body)
}

package fakeserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// OllamaModel is a model that an [OllamaServer] says it has.
type OllamaModel struct {
	Name     string // as clients ask for it; without a tag, ":latest" is meant
	Thinking bool   // refuses think:true otherwise
	Vision   bool   // /api/show lists the capability
}

// OllamaServer is a scripted model server on loopback that speaks the wire of
// Ollama as versions 0.24 and 0.32 do: POST /api/chat and /api/show, GET
// /api/tags, /api/version and /. It obeys what those obey: a request without
// "stream":false is streamed, an empty list of messages loads the model,
// num_predict cuts the answer (a token is four bytes here), an unknown model is
// 404, "think":true on a model that cannot think is 400, a "format" that is not a
// schema is 500, and so is its answer to what it cannot read. The script has
// its answers and its failures.
//
// Answers are given in the order of the script, one a chat; the last one stays.
// Those that are meant for a prompt ([Answer.To]) are outside of that
// order: they are given to every chat whose messages contain it. An empty script
// is one clean verdict. Its only models at first are gemma3:4b, which can see,
// and the server's answers carry constant times and token counts by length, so
// that a test can compare them.
//
// All methods may be called concurrently.
type OllamaServer struct {
	server[*ollamaCall]

	models []OllamaModel
	byPath map[string]OllamaAnswer
}

// NewOllamaServer starts a server that answers chats from script. It is closed
// when the test ends.
func NewOllamaServer(tb testing.TB, script ...OllamaAnswer) *OllamaServer {
	tb.Helper()
	s := &OllamaServer{models: []OllamaModel{{Name: "gemma3:4b", Vision: true}}, byPath: map[string]OllamaAnswer{}}
	s.start(tb, s.serve, script, OllamaVerdict(false, 1, ""))
	return s
}

// SetModels sets the models that the server has.
func (s *OllamaServer) SetModels(models ...OllamaModel) { s.locked(func() { s.models = models }) }

// Answer makes a the answer to every request for path, such as /api/version,
// in place of what the server would say by itself. It is how faults reach
// anything but chats.
func (s *OllamaServer) Answer(path string, a OllamaAnswer) { s.locked(func() { s.byPath[path] = a }) }

// Chats returns the bodies of the chats so far, without those that only load a
// model.
func (s *OllamaServer) Chats() (bodies [][]byte) {
	for _, r := range s.Requests() {
		var chat ollamaChat
		if r.Path == "/api/chat" && json.Unmarshal(r.Body, &chat) == nil && len(chat.Messages) > 0 {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// ollamaChat is what the server reads of a request.
type ollamaChat struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Stream   *bool           `json:"stream"`
	Format   json.RawMessage `json:"format"`
	Think    any             `json:"think"`
	Truncate *bool           `json:"truncate"`
	Options  struct {
		NumPredict *int `json:"num_predict"`
		NumCtx     int  `json:"num_ctx"`
	} `json:"options"`
}

// ollamaCall is one request on its way to an answer.
type ollamaCall struct {
	w    http.ResponseWriter
	r    *http.Request
	chat ollamaChat
	done <-chan struct{}
}

// serve chooses the answer, records the request, and answers. In this order a request in
// the record has taken its turn in the script, and a client that has its answer finds
// itself in the record.
func (s *OllamaServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	c := &ollamaCall{w: w, r: r, done: s.done}
	answer := s.answer(c, body, err)
	s.record(r, body)
	answer.give(c)
}

// answer chooses the answer to a request whose body could be read unless err says otherwise.
func (s *OllamaServer) answer(c *ollamaCall, body []byte, err error) OllamaAnswer {
	s.mu.Lock()
	scripted, isScripted := s.byPath[c.r.URL.Path]
	s.mu.Unlock()
	switch {
	case err != nil:
		return ollamaRefusal(http.StatusBadRequest, err.Error())
	case isScripted:
		_ = json.Unmarshal(body, &c.chat) // so that the answer obeys a chat; other bodies are not chats
		return scripted
	case c.r.Method == http.MethodPost && c.r.URL.Path == "/api/chat":
		return s.chat(c, body)
	}
	return OllamaAnswer{give: func(c *ollamaCall) { s.inform(c, body) }}
}

// ollamaRefusal is a status and the words of an error.
func ollamaRefusal(status int, message string) OllamaAnswer {
	return OllamaAnswer{give: func(c *ollamaCall) { c.fail(status, message) }}
}

// inform answers a request that is not a chat.
func (s *OllamaServer) inform(c *ollamaCall, body []byte) {
	switch c.r.Method + " " + c.r.URL.Path {
	case "GET /", "HEAD /":
		fmt.Fprint(c.w, "Ollama is running")
	case "GET /api/version":
		c.json(http.StatusOK, map[string]any{"version": "0.24.0"})
	case "GET /api/tags":
		c.json(http.StatusOK, map[string]any{"models": s.tags()})
	case "POST /api/show":
		s.show(c, body)
	case "GET /api/chat", "GET /api/show", "POST /api/version", "POST /api/tags":
		http.Error(c.w, "405 method not allowed", http.StatusMethodNotAllowed)
	default:
		http.Error(c.w, "404 page not found", http.StatusNotFound)
	}
}

func (s *OllamaServer) tags() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, m := range s.models {
		list = append(list, map[string]any{"name": fullName(m.Name), "model": fullName(m.Name), "modified_at": ollamaTime, "size": 691156})
	}
	return list
}

func (s *OllamaServer) show(c *ollamaCall, body []byte) {
	var req struct{ Model string }
	if err := json.Unmarshal(body, &req); err != nil {
		c.fail(http.StatusBadRequest, err.Error())
		return
	}
	m, ok := s.model(req.Model)
	if !ok {
		c.fail(http.StatusNotFound, fmt.Sprintf("model '%s' not found", req.Model))
		return
	}
	can := []string{"completion"}
	if m.Vision {
		can = append(can, "vision")
	}
	if m.Thinking {
		can = append(can, "thinking")
	}
	c.json(http.StatusOK, map[string]any{"details": map[string]any{"family": "llama"}, "capabilities": can, "modified_at": ollamaTime})
}

func (s *OllamaServer) chat(c *ollamaCall, body []byte) OllamaAnswer {
	if err := json.Unmarshal(body, &c.chat); err != nil {
		return ollamaRefusal(http.StatusBadRequest, err.Error())
	}
	if status, message := s.refusal(&c.chat); status != 0 {
		return ollamaRefusal(status, message)
	}
	if len(c.chat.Messages) == 0 {
		return OllamaAnswer{give: func(c *ollamaCall) {
			c.json(http.StatusOK, map[string]any{"model": c.chat.Model, "created_at": ollamaTime,
				"message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "load"})
		}}
	}
	return s.next(c.chat.holds)
}

// refusal says why a real server would not take the chat; status 0 if it would.
func (s *OllamaServer) refusal(chat *ollamaChat) (status int, message string) {
	m, ok := s.model(chat.Model)
	think, wantsThought := chat.Think.(bool)
	format := bytes.TrimSpace(chat.Format)
	switch {
	case chat.Model == "":
		return http.StatusBadRequest, "model is required"
	case !ok:
		return http.StatusNotFound, fmt.Sprintf("model '%s' not found", chat.Model)
	case wantsThought && think && !m.Thinking:
		return http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", chat.Model)
	case len(format) > 0 && format[0] != '{' && !slices.Contains([]string{`""`, `null`, `"json"`}, string(format)):
		return http.StatusInternalServerError, fmt.Sprintf(`invalid format: %q; expected "json" or a valid JSON Schema object`, format)
	case chat.Truncate != nil && !*chat.Truncate && chat.Options.NumCtx > 0 && chat.tokens() > chat.Options.NumCtx:
		return http.StatusBadRequest, "the input length exceeds the context length"
	}
	return 0, ""
}

func (chat *ollamaChat) tokens() (n int) {
	for _, m := range chat.Messages {
		n += tokensOf(m.Content)
	}
	return n
}

func tokensOf(text string) int { return (len(text) + ollamaTokenBytes - 1) / ollamaTokenBytes }

func (s *OllamaServer) model(name string) (OllamaModel, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.models {
		if fullName(m.Name) == fullName(name) {
			return m, true
		}
	}
	return OllamaModel{}, false
}

// fullName adds the tag that Ollama takes when a name has none.
func fullName(name string) string {
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		return name
	}
	return name + ":latest"
}

// holds reports whether a message contains a text.
func (chat *ollamaChat) holds(prompt string) bool {
	for _, m := range chat.Messages {
		if strings.Contains(m.Content, prompt) {
			return true
		}
	}
	return false
}

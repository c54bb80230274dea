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

// AnthropicServer is a model server on loopback that speaks the Anthropic
// Messages protocol and answers from a script, so that a real coding agent or
// a backend runs against it with no network, no key and no chance.
//
// Its only memory is a record of the requests. Which step of the script a
// request gets is the number of assistant turns that the request carries: the
// first request gets the first step, the one that brings the result of the
// first tool call gets the second. Retries and requests outside the
// conversation therefore do no harm, and neither does the order in which
// requests arrive. A conversation that has gone past the last step is told
// "Done." and ends. A sub-agent starts a conversation of its own, and so at
// the first step.
//
// A request without tools is never part of the script (agents ask for a title
// of the session in this way, judges for a verdict); see
// [AnthropicServer.SetAside]. Neither is one that offers a tool that has an answer
// of its own, see [AnthropicServer.SetToolAnswer].
//
// It serves POST /v1/messages, streamed and plain, POST
// /v1/messages/count_tokens, GET /v1/models/NAME and HEAD /. Like the real server it refuses a
// request that has no credential (401), no anthropic-version header, model,
// max_tokens or messages (400), or that is longer than 32 MB (413). Any
// credential will do.
//
// All methods may be called concurrently.
type AnthropicServer struct {
	listener // its URL is what ANTHROPIC_BASE_URL takes

	script   []Step
	aside    string
	byTool   map[string]Step
	models   []string
	fault    *Fault
	requests []AnthropicRequest
}

// AnthropicRequest is one request that an [AnthropicServer] received.
type AnthropicRequest struct {
	Method, Path string
	Header       http.Header // not to be changed
	Body         []byte      // not to be changed
	Status       int         // HTTP status that it was answered with
	Step         int         // index of the script's step that answered it; -1 if it was not part of the script
}

// Step is one turn of the scripted model. Build it with [Text], [ToolUse] and
// [Turn].
type Step struct {
	blocks []contentBlock
	stop   string // "" is what the blocks make of it
}

// Stopped is the turn with another reason for its end: "max_tokens", "refusal",
// "pause_turn".
func (s Step) Stopped(reason string) Step {
	s.stop = reason
	return s
}

// Text is a turn in which the model says text and stops.
func Text(text string) Step {
	return Step{blocks: []contentBlock{{Type: "text", Text: text}}}
}

// ToolUse is a turn in which the model calls one tool. input becomes the tool's
// arguments: a json.RawMessage unchanged, anything else by [json.Marshal].
// It panics if input cannot be marshalled, which is a mistake in the test.
func ToolUse(name string, input any) Step {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("fakeserver: input of tool %s: %v", name, err))
	}
	return Step{blocks: []contentBlock{{Type: "tool_use", Name: name, Input: raw}}}
}

// Turn joins several steps into one turn, for a model that calls tools in
// parallel or speaks before it acts.
func Turn(steps ...Step) Step {
	var joined Step
	for _, s := range steps {
		joined.blocks = append(joined.blocks, s.blocks...)
	}
	return joined
}

// NewAnthropicServer starts a server that answers from script. It stops when
// the test ends.
func NewAnthropicServer(tb testing.TB, script ...Step) *AnthropicServer {
	tb.Helper()
	s := &AnthropicServer{script: script, aside: "ok", byTool: map[string]Step{}}
	s.listen(tb, s.serve)
	return s
}

// SetToolAnswer makes step the answer to every request that offers the tool of
// this name, outside of the script: that distinguishes a judge from the
// agent that it watches, on one server. Claude Code offers StructuredOutput where
// its answer has to obey a schema.
func (s *AnthropicServer) SetToolAnswer(tool string, step Step) {
	s.locked(func() { s.byTool[tool] = step })
}

// SetModels sets the models that the server has; none, as at first, means that it
// knows every model.
func (s *AnthropicServer) SetModels(names ...string) { s.locked(func() { s.models = names }) }

// SetFault has every request, of whatever kind, fail; nil ends that.
func (s *AnthropicServer) SetFault(f *Fault) { s.locked(func() { s.fault = f }) }

// SetAside sets the text that requests without tools are answered with. It is
// "ok" at first.
func (s *AnthropicServer) SetAside(text string) { s.locked(func() { s.aside = text }) }

// Requests returns everything that was asked so far, in the order of arrival.
func (s *AnthropicServer) Requests() []AnthropicRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// serve records a request with the answer's status, then answers it. In this
// order a client that has its answer finds itself in the record.
func (s *AnthropicServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	rec := AnthropicRequest{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body, Step: -1}
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	var answer http.HandlerFunc
	switch {
	case err != nil:
		answer = refuse(&rec, bodyError(err))
	case fault != nil:
		rec.Status = fault.status
		answer = func(w http.ResponseWriter, r *http.Request) { fault.give(w, r, s.done) }
	default:
		answer = s.answer(&rec)
	}
	s.mu.Lock()
	s.requests = append(s.requests, rec)
	s.mu.Unlock()
	answer(w, r)
}

// maxRequestBytes is the real server's limit for a Messages request.
const maxRequestBytes = 32 << 20

// answer decides what a request gets and notes status and step in it.
func (s *AnthropicServer) answer(rec *AnthropicRequest) http.HandlerFunc {
	switch rec.Path {
	case "/":
		if rec.Method == http.MethodHead || rec.Method == http.MethodGet {
			rec.Status = http.StatusOK
			return func(http.ResponseWriter, *http.Request) {}
		}
	case "/v1/messages", "/v1/messages/count_tokens":
		msg, err := decodeMessages(rec)
		if err == nil {
			err = s.knows(msg.Model)
		}
		if err != nil {
			return refuse(rec, err)
		}
		rec.Status = http.StatusOK
		if rec.Path != "/v1/messages" {
			return countTokens(rec)
		}
		return respond(msg, s.step(rec, msg), len(rec.Body))
	}
	if name, ok := strings.CutPrefix(rec.Path, "/v1/models/"); ok && rec.Method == http.MethodGet {
		return s.describe(rec, name)
	}
	return refuse(rec, &apiError{http.StatusNotFound, "not_found_error", rec.Method + " " + rec.Path + " is not served here"})
}

// knows says what the real server says of a model that it does not have.
func (s *AnthropicServer) knows(model string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.models) == 0 || slices.Contains(s.models, model) {
		return nil
	}
	return &apiError{http.StatusNotFound, "not_found_error", "model: " + model}
}

// describe answers a question about a model.
func (s *AnthropicServer) describe(rec *AnthropicRequest, name string) http.HandlerFunc {
	err := credentials(rec)
	if err == nil {
		err = s.knows(name)
	}
	if err != nil {
		return refuse(rec, err)
	}
	rec.Status = http.StatusOK
	return func(w http.ResponseWriter, _ *http.Request) {
		give(w, http.StatusOK, map[string]string{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-02T03:04:05Z"})
	}
}

// step picks the turn that a request gets and notes its index.
func (s *AnthropicServer) step(rec *AnthropicRequest, msg *messagesRequest) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(msg.Tools) == 0 {
		return Text(s.aside)
	}
	for _, raw := range msg.Tools {
		var tool struct{ Name string }
		if json.Unmarshal(raw, &tool) != nil {
			continue
		}
		if step, ok := s.byTool[tool.Name]; ok {
			return step
		}
	}
	rec.Step = assistantTurns(msg.Messages)
	if rec.Step < len(s.script) {
		return s.script[rec.Step]
	}
	return Text("Done.")
}

// assistantTurns counts the turns the model has had. A turn may arrive as
// several messages in a row, one for each of its blocks.
func assistantTurns(messages []message) (n int) {
	before := ""
	for _, m := range messages {
		if m.Role == "assistant" && before != "assistant" {
			n++
		}
		before = m.Role
	}
	return n
}

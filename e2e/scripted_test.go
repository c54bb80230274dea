package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// A scriptedModel is a model server on loopback that plays a script to a real
// agent, in the protocol that the agent speaks: Anthropic's messages, OpenAI's chat
// completions and responses, or Gemini's generateContent. The file of each protocol says
// how it is read and written.
//
// Which turn of the script a request gets is the number of turns that the model
// has had in the conversation which the request carries. So the server needs no
// memory, and retries and requests outside of the conversation do no harm. Past the
// script the model says "Done." and stops. A request that offers no tools is
// not part of the conversation: agents ask for a title in this way. A subagent that is given
// the errand has a conversation and a script of its own.
type scriptedModel struct {
	t      *testing.T
	url    string // http://127.0.0.1:PORT
	script []turn
	errand []turn

	mu            sync.Mutex
	conversations [][]said        // as they came, those beside the script left out
	errands       [][]said        // those of subagents
	unknown       []string        // requests that were for no protocol
	tools         map[string]bool // that the agent offered
}

// turn is one turn of the model: words, then calls of tools.
type turn struct {
	says  string
	calls []call
	after func(results []string) call // a call that is made of the results of those before
}

// call is a call of a tool. Arguments that are a string are sent as bare text
// to a tool that takes such.
type call struct {
	tool string
	args any
}

func says(text string) turn       { return turn{says: text} }
func calling(calls ...call) turn  { return turn{calls: calls} }
func (c call) json() string       { return string(mustJSON(c.args)) }
func (c call) id(t, i int) string { return fmt.Sprintf("call_%d_%d", t, i) }

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return data
}

// said is one entry of a conversation, whatever the protocol.
type said struct {
	role string // "model", "tool" for the result of a call, "user" for all else
	text string
	call string // the call's id of a result; Gemini's have none
}

// A protocol reads requests and writes turns.
type protocol interface {
	// read returns the conversation and whether tools are offered.
	read(body []byte) (conversation []said, tools bool, err error)
	// write answers with a turn, which is the model's n-th.
	write(w http.ResponseWriter, r *http.Request, body []byte, n int, t turn)
}

// newScriptedModel starts a server that ends with the test.
func newScriptedModel(t *testing.T, script ...turn) *scriptedModel {
	m := &scriptedModel{t: t, script: script, tools: map[string]bool{}}
	server := httptest.NewServer(m)
	m.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections() // an agent that is ended keeps none
		server.Close()
	})
	return m
}

func protocolOf(path string) protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return chatCompletions{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/v1/messages"):
		return messages{}
	case strings.Contains(path, ":generateContent"), strings.Contains(path, ":streamGenerateContent"):
		return generateContent{}
	}
	return nil
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent has gone
	}
	p := protocolOf(r.URL.Path)
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		writeJSON(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted-model", "object": "model"}}})
		return
	case strings.Contains(r.URL.Path, ":countTokens"):
		writeJSON(w, map[string]any{"totalTokens": len(body)/4 + 1})
		return
	case p == nil:
		m.note(r.Method + " " + r.URL.String())
		http.NotFound(w, r)
		return
	}
	conversation, tools, err := p.read(body)
	if err != nil {
		m.note(fmt.Sprintf("%s: %v: %.300s", r.URL, err, body))
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !tools {
		p.write(w, r, body, 0, says("A title"))
		return
	}
	n, next := modelTurns(conversation), says("Done.")
	script := m.script
	m.mu.Lock()
	if isErrand(conversation) {
		m.errands = append(m.errands, conversation)
		script = m.errand
	} else {
		m.conversations = append(m.conversations, conversation)
	}
	for _, name := range fakeserver.OfferedTools(body) {
		m.tools[name] = true
	}
	m.mu.Unlock()
	if n < len(script) {
		next = script[n]
	}
	if next.after != nil {
		next.calls = []call{next.after(resultsIn(conversation))}
	}
	if isErrand(conversation) {
		n += 1000 // ids of calls are those of one conversation
	}
	p.write(w, r, body, n, next)
}

func (m *scriptedModel) note(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unknown = append(m.unknown, what)
}

// prompt is what every agent is asked to do, and errand what a subagent is.
const (
	prompt = "Do the task. Touch deployed."
	errand = "Run the errand."
)

// modelTurns counts the model's turns after the prompt; agents put words into its
// mouth before it. What a turn said and called can be entries of their own, one
// after the other.
func modelTurns(conversation []said) (n int) {
	before := ""
	for _, s := range conversation {
		switch {
		case s.role == "user" && (strings.Contains(s.text, prompt) || strings.Contains(s.text, errand)):
			n = 0
		case s.role == "model" && before != "model":
			n++
		}
		before = s.role
	}
	return n
}

// isErrand reports whether a conversation is that of a subagent.
func isErrand(conversation []said) bool {
	return slices.ContainsFunc(conversation, func(s said) bool { return s.role == "user" && strings.Contains(s.text, errand) })
}

// conversation is the longest that the model was sent: all that it ever knew.
func (m *scriptedModel) conversation() []said { return m.longest(&m.conversations) }

func (m *scriptedModel) longest(of *[][]said) (longest []said) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range *of {
		if modelTurns(c) >= modelTurns(longest) {
			longest = c
		}
	}
	return longest
}

// results are those that the model got for its calls, which must be n.
func (m *scriptedModel) results(n int) []string {
	m.t.Helper()
	texts := resultsIn(m.conversation())
	require.Len(m.t, texts, n, "results of calls that the model was sent:\n%s", m)
	return texts
}

func resultsIn(conversation []said) (texts []string) {
	for _, s := range conversation {
		if s.role == "tool" {
			texts = append(texts, s.text)
		}
	}
	return texts
}

// notes are the texts that the agent gave the model besides the results of calls.
func (m *scriptedModel) notes() string {
	var notes []string
	for _, s := range m.conversation() {
		if s.role == "user" {
			notes = append(notes, s.text)
		}
	}
	return strings.Join(notes, "\n")
}

// String is the conversation, for a test that failed.
func (m *scriptedModel) String() string {
	var b strings.Builder
	for i, s := range append(m.conversation(), m.longest(&m.errands)...) {
		fmt.Fprintf(&b, "%d [%s %s] %.1500s\n", i, s.role, s.call, s.text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range m.unknown {
		fmt.Fprintf(&b, "[not understood] %s\n", u)
	}
	return b.String()
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(body)) // an agent that has gone is not our concern
}

// sendEvents writes server-sent events. A name means the type of the event
// where the protocol has one.
func sendEvents(w http.ResponseWriter, events ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if named, ok := e.(map[string]any); ok {
			if name, ok := named["type"].(string); ok {
				fmt.Fprintf(w, "event: %s\n", name)
			}
		}
		fmt.Fprintf(w, "data: %s\n\n", mustJSON(e))
	}
}

// texts joins what a protocol has as a string or as a list of parts with texts.
func texts(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

package canary

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// A protocol is how an agent talks with its model, as far as one call needs it: what
// shows in a request that the call was answered, and the answers themselves. In these
// TOOL, ID and MODEL are placeholders for themselves, INPUT for the arguments, ARGUMENTS for the
// same as a JSON string.
type protocol struct {
	path     string   // of requests; a part of it
	answered []string // in the request after the call
	call     string
	done     string
}

// protocols are known by the name that an agent's value has.
func protocols() map[string]protocol {
	return map[string]protocol{
		"messages": {
			path: "/v1/messages", answered: []string{`"tool_result"`},
			call: messages(`{"type":"tool_use","id":ID,"name":TOOL,"input":{}}`, `{"type":"input_json_delta","partial_json":ARGUMENTS}`, "tool_use"),
			done: messages(`{"type":"text","text":""}`, `{"type":"text_delta","text":"Done."}`, "end_turn"),
		},
		"responses": {
			path: "/responses", answered: []string{`"function_call_output"`, `"custom_tool_call_output"`},
			call: responses(`{"type":"custom_tool_call","id":"item_1","call_id":ID,"name":TOOL,"status":"completed","input":INPUT}`),
			done: responses(`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Done.","annotations":[]}]}`),
		},
		"chat": {
			path: "/chat/completions", answered: []string{`"role":"tool"`, `"role": "tool"`},
			call: chat(`{"role":"assistant","content":"","tool_calls":[{"index":0,"id":ID,"type":"function","function":{"name":TOOL,"arguments":ARGUMENTS}}]}`, "tool_calls"),
			done: chat(`{"role":"assistant","content":"Done."}`, "stop"),
		},
		"generate": {
			path: "enerateContent", answered: []string{`"functionResponse"`},
			call: generated(`{"functionCall":{"name":TOOL,"args":INPUT}}`),
			done: generated(`{"text":"Done."}`),
		},
	}
}

func messages(block, delta, stop string) string {
	return sse("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":MODEL,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`) +
		sse("content_block_start", `{"type":"content_block_start","index":0,"content_block":`+block+`}`) +
		sse("content_block_delta", `{"type":"content_block_delta","index":0,"delta":`+delta+`}`) +
		sse("content_block_stop", `{"type":"content_block_stop","index":0}`) +
		sse("message_delta", `{"type":"message_delta","delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":{"output_tokens":1}}`) +
		sse("message_stop", `{"type":"message_stop"}`)
}

func responses(item string) string {
	const head = `"id":"resp_1","object":"response","created_at":1,"model":MODEL,"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":0},"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":2}`
	return sse("response.created", `{"type":"response.created","response":{`+head+`,"status":"in_progress","output":[]}}`) +
		sse("response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":`+item+`}`) +
		sse("response.completed", `{"type":"response.completed","response":{`+head+`,"status":"completed","output":[`+item+`]}}`)
}

func chat(message, finish string) string {
	chunk := func(delta, finish string) string {
		return sse("", `{"id":"chat_1","object":"chat.completion.chunk","created":1,"model":MODEL,"choices":[{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}
	return chunk(message, "null") + chunk("{}", `"`+finish+`"`) + "data: [DONE]\n\n"
}

func generated(part string) string {
	return sse("", `{"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[`+part+`]}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`)
}

// sse is a server-sent event.
func sse(name, data string) string {
	if name != "" {
		name = "event: " + name + "\n"
	}
	return name + "data: " + data + "\n\n"
}

// A server is a model server on this machine whose model makes one call. It refuses to
// be a proxy, so that an agent that is told to use it as one reaches no other server.
type server struct {
	protocol
	fill func(template, model string) string

	called   atomic.Bool // the call was made
	answered atomic.Bool // the agent said what came of it
}

// maxRequest bounds a request, in bytes.
const maxRequest = 32 << 20

// listen starts it on loopback.
func (s *server) listen() (url string, stop func(), err error) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(at) // ends with Close
	return "http://" + at.Addr().String(), func() { server.Close() }, nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.Host != "" {
		http.Error(w, "nothing leaves this machine", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "count_tokens"), strings.HasSuffix(r.URL.Path, ":countTokens"):
		io.WriteString(w, `{"input_tokens":1,"totalTokens":1}`)
	case strings.HasSuffix(r.URL.Path, "/models"):
		io.WriteString(w, `{"object":"list","data":[{"id":"scripted-model","object":"model"}]}`)
	case r.Method != http.MethodPost || !strings.Contains(r.URL.Path, s.path):
		http.NotFound(w, r)
	default:
		s.answer(w, r, body)
	}
}

// answer plays the model. A request without tools is not part of the conversation: agents ask
// for a title in this way.
func (s *server) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	var said struct {
		Model  string
		Stream *bool
		Tools  []json.RawMessage
	}
	if json.Unmarshal(body, &said) != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	answer := s.done
	switch {
	case len(said.Tools) == 0:
	case s.shows(body):
		s.answered.Store(true)
	default:
		s.called.Store(true)
		answer = s.call
	}
	answer = s.fill(answer, said.Model)
	if strings.Contains(r.URL.Path, ":generateContent") { // not streamed: one object
		answer = strings.TrimSuffix(strings.TrimPrefix(answer, "data: "), "\n\n")
		w.Header().Set("Content-Type", "application/json")
	} else {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	io.WriteString(w, answer)
}

func (s *server) shows(body []byte) bool {
	for _, mark := range s.protocol.answered {
		if bytes.Contains(body, []byte(mark)) {
			return true
		}
	}
	return false
}

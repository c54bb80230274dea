package fakeserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

const (
	askWrite = `{"role":"user","content":"write it"}`
	didWrite = `{"role":"assistant","content":[{"type":"text","text":"I will"},{"type":"tool_use","id":"t1","name":"Write","input":{}}]}`
	gotWrite = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"not allowed","is_error":true}]}`
)

// messages is the body of a request with one tool and these messages.
func messages(stream bool, msgs ...string) string {
	return fmt.Sprintf(`{"model":"m","max_tokens":9,"stream":%t,"tools":[{"name":"Write"}],"messages":[%s]}`,
		stream, strings.Join(msgs, ","))
}

// post sends a request as a client with a key would.
func post(t *testing.T, url, body string) (status int, header http.Header, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("X-Api-Key", "any")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (status int, header http.Header, answer []byte) {
	t.Helper()
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, res.Header, answer
}

// turn is what a client makes of an answer.
type turn struct {
	Content    []block
	StopReason string `json:"stop_reason"`
}

type block struct {
	Type, Text, ID, Name string
	Input                json.RawMessage
}

// readStream puts a streamed turn together again as a strict client does: it
// wants the events in order and every block whole.
func readStream(t *testing.T, stream []byte) turn {
	t.Helper()
	var got turn
	var events []string
	lines := bufio.NewScanner(bytes.NewReader(stream))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var ev struct {
			Type         string
			Index        int
			ContentBlock json.RawMessage `json:"content_block"`
			Delta        struct {
				Type, Text  string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(data), &ev), data)
		events = append(events, ev.Type)
		switch ev.Type {
		case "content_block_start":
			require.Len(t, got.Content, ev.Index)
			var b block
			require.NoError(t, json.Unmarshal(ev.ContentBlock, &b))
			b.Input = nil // an empty object that the deltas replace
			got.Content = append(got.Content, b)
		case "content_block_delta":
			b := &got.Content[ev.Index]
			b.Text += ev.Delta.Text
			b.Input = append(b.Input, ev.Delta.PartialJSON...)
		case "message_delta":
			got.StopReason = ev.Delta.StopReason
		}
	}
	require.NotEmpty(t, events)
	assert.Equal(t, "message_start", events[0])
	assert.Equal(t, "message_stop", events[len(events)-1])
	return got
}

func TestAnthropicServerFollowsScript(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t,
		fakeserver.Turn(
			fakeserver.Text("日本語"),
			fakeserver.ToolUse("Write", map[string]string{"file_path": "größe.ts", "content": "ä"}),
			fakeserver.ToolUse("Bash", json.RawMessage(`{"command":"ls"}`)),
		),
		fakeserver.Text("finished"),
	)
	for _, stream := range []bool{true, false} {
		read := func(msgs ...string) (got turn) {
			status, header, body := post(t, s.URL+"/v1/messages", messages(stream, msgs...))
			require.Equal(t, http.StatusOK, status)
			if stream {
				assert.Contains(t, header.Get("Content-Type"), "text/event-stream")
				return readStream(t, body)
			}
			assert.Equal(t, "application/json", header.Get("Content-Type"))
			require.NoError(t, json.Unmarshal(body, &got))
			return got
		}
		for range 2 { // a retry gets the same step
			first := read(askWrite)
			require.Len(t, first.Content, 3)
			assert.Equal(t, "tool_use", first.StopReason)
			assert.Equal(t, "日本語", first.Content[0].Text)
			assert.Equal(t, "Write", first.Content[1].Name)
			assert.JSONEq(t, `{"file_path":"größe.ts","content":"ä"}`, string(first.Content[1].Input))
			assert.JSONEq(t, `{"command":"ls"}`, string(first.Content[2].Input))
			assert.NotEqual(t, first.Content[1].ID, first.Content[2].ID)
		}
		second := read(askWrite, didWrite, gotWrite)
		require.Len(t, second.Content, 1)
		assert.Equal(t, "finished", second.Content[0].Text)
		assert.Equal(t, "end_turn", second.StopReason)

		past := read(askWrite, didWrite, gotWrite, `{"role":"assistant","content":"finished"}`, askWrite)
		require.Len(t, past.Content, 1)
		assert.Equal(t, "end_turn", past.StopReason)
		assert.NotEqual(t, "finished", past.Content[0].Text)
	}
}

func TestAnthropicServerCountsSplitTurnOnce(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t, fakeserver.Text("first"), fakeserver.Text("second"), fakeserver.Text("third"))
	said, called := `{"role":"assistant","content":"I will"}`, `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{}}]}`
	_, _, body := post(t, s.URL+"/v1/messages", messages(false, askWrite, said, called, gotWrite))
	assert.Contains(t, string(body), "second")
	assert.Equal(t, 1, s.Requests()[0].Step)
}

func TestAnthropicServerBesideTheScript(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t, fakeserver.Text("scripted"))
	s.SetAside(`{"title":"t"}`)

	_, _, body := post(t, s.URL+"/v1/messages", `{"model":"m","max_tokens":9,"messages":[`+askWrite+`]}`)
	var got turn
	require.NoError(t, json.Unmarshal(body, &got))
	require.Len(t, got.Content, 1)
	assert.Equal(t, `{"title":"t"}`, got.Content[0].Text)

	status, _, body := post(t, s.URL+"/v1/messages/count_tokens", `{"model":"m","messages":[`+askWrite+`]}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Regexp(t, `^\{"input_tokens":[1-9]\d*\}$`, string(body))

	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.URL+"/", nil)
	require.NoError(t, err)
	status, _, _ = do(t, req)
	assert.Equal(t, http.StatusOK, status)

	for _, rec := range s.Requests() {
		assert.Equal(t, -1, rec.Step, rec.Path)
	}
	assert.Len(t, s.Requests(), 3)
}

func TestAnthropicServerRefuses(t *testing.T) {
	t.Parallel()
	good := messages(false, askWrite)
	for name, tt := range map[string]struct {
		method, path, body, without string
		status                      int
		kind                        string
	}{
		"no key":      {body: good, without: "X-Api-Key", status: 401, kind: "authentication_error"},
		"no version":  {body: good, without: "Anthropic-Version", status: 400, kind: "invalid_request_error"},
		"other path":  {body: good, path: "/v1/complete", status: 404, kind: "not_found_error"},
		"GET":         {method: "GET", status: 405, kind: "invalid_request_error"},
		"empty":       {body: "", status: 400, kind: "invalid_request_error"},
		"half":        {body: good[:len(good)/2], status: 400, kind: "invalid_request_error"},
		"a list":      {body: "[]", status: 400, kind: "invalid_request_error"},
		"bad content": {body: messages(false, `{"role":"user","content":7}`), status: 400, kind: "invalid_request_error"},
		"no model":    {body: strings.Replace(good, `"m"`, `""`, 1), status: 400, kind: "invalid_request_error"},
		"no limit":    {body: strings.Replace(good, `9`, `0`, 1), status: 400, kind: "invalid_request_error"},
		"no messages": {body: messages(false), status: 400, kind: "invalid_request_error"},
		"too long":    {body: strings.Repeat(" ", 33<<20), status: 413, kind: "request_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewAnthropicServer(t, fakeserver.Text("never said"))
			method, path := tt.method, tt.path
			if method == "" {
				method = http.MethodPost
			}
			if path == "" {
				path = "/v1/messages"
			}
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(tt.body))
			require.NoError(t, err)
			req.Header.Set("X-Api-Key", "any")
			req.Header.Set("Anthropic-Version", "2023-06-01")
			req.Header.Del(tt.without)
			status, _, body := do(t, req)
			assert.Equal(t, tt.status, status)
			var answer struct {
				Type  string
				Error struct{ Type, Message string }
			}
			require.NoError(t, json.Unmarshal(body, &answer), string(body))
			assert.Equal(t, "error", answer.Type)
			assert.Equal(t, tt.kind, answer.Error.Type)
			assert.NotEmpty(t, answer.Error.Message)
			require.Len(t, s.Requests(), 1)
			assert.Equal(t, tt.status, s.Requests()[0].Status)
			assert.Equal(t, -1, s.Requests()[0].Step)
		})
	}
}

func TestAnthropicServerShowsWhatTheModelSaw(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t, fakeserver.Text("a"), fakeserver.Text("b"))
	post(t, s.URL+"/v1/messages", messages(false, askWrite))
	assert.Empty(t, s.ToolResults())
	assert.Empty(t, s.Notes())

	parallel := `{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
		{"type":"text","text":"<system-reminder>\nin a user message\n</system-reminder>"},
		{"type":"text","text":"typed by a person, who mentions <system-reminder>"}]}`
	system := `{"role":"system","content":"in a system message"}`
	for range 2 { // what is sent again is told once
		post(t, s.URL+"/v1/messages", messages(true, askWrite, didWrite, parallel, system))
	}
	assert.Equal(t, []fakeserver.ToolResult{{ID: "t1", Name: "Write", Text: "one\ntwo", IsError: true}}, s.ToolResults())
	assert.Equal(t, []string{"<system-reminder>\nin a user message\n</system-reminder>", "in a system message"}, s.Notes())
}

func TestAnthropicServerServesManyAtOnce(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t, fakeserver.Text("a"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			res, err := http.Head(s.URL)
			if assert.NoError(t, err) {
				res.Body.Close()
			}
			s.SetAside("changed")
			s.Notes()
		})
	}
	wg.Wait()
	assert.Len(t, s.Requests(), 20)
}

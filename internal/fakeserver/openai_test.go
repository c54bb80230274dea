package fakeserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

const helloOpenAI = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`

func completionOn(t *testing.T, s *fakeserver.OpenAIServer, body string) (status int, answer string) {
	t.Helper()
	return call(t, http.MethodPost, s.URL+"/chat/completions", body)
}

func TestOpenAIServerChat(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	status, got := completionOn(t, s, helloOpenAI)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"id":"chatcmpl-scripted","object":"chat.completion","created":1,"model":"m",
		"choices":[{"index":0,"message":{"role":"assistant","content":"{\"violation\":false,\"confidence\":1}"},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`, got)
}

func TestOpenAIServerScript(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t,
		fakeserver.OpenAIText("first"), fakeserver.OpenAIText("about rm").To("rm -rf"), fakeserver.OpenAIText("last"))
	says := func(prompt string) string {
		_, got := completionOn(t, s, strings.Replace(helloOpenAI, "hello", prompt, 1))
		var answer struct {
			Choices []struct{ Message struct{ Content string } }
		}
		require.NoError(t, json.Unmarshal([]byte(got), &answer))
		return answer.Choices[0].Message.Content
	}
	require.Equal(t, "about rm", says("rm -rf /"))
	require.Equal(t, "first", says("a"))
	require.Equal(t, "last", says("b"))
	require.Equal(t, "about rm", says("rm -rf /"))
	require.Equal(t, "last", says("c"))
	require.Len(t, s.Requests(), 5)
	require.NoError(t, s.Await(t.Context(), 5))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Await(ctx, 6), context.Canceled)
}

func TestOpenAIServerObeysAndRefuses(t *testing.T) {
	t.Parallel()
	with := func(extra string) string { return strings.Replace(helloOpenAI, `"model":"m"`, `"model":"m",`+extra, 1) }
	format := func(schema string) string {
		return with(`"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":` + schema + `}}`)
	}
	for name, c := range map[string]struct {
		refuses []string
		body    string
		status  int
		says    string
	}{
		"cut":             {nil, with(`"max_tokens":2`), 200, `"finish_reason":"length"`},
		"cut by new name": {nil, with(`"max_completion_tokens":2`), 200, `"finish_reason":"length"`},
		"absent model":    {nil, strings.Replace(helloOpenAI, `"m"`, `"other"`, 1), 404, "does not exist"},
		"no model":        {nil, `{"messages":[{}]}`, 400, "model parameter"},
		"no messages":     {nil, `{"model":"m"}`, 400, "messages"},
		"a stream":        {nil, with(`"stream":true`), 400, "does not stream"},
		"not JSON":        {nil, "{", 400, "right form"},
		"a parameter":     {[]string{"seed"}, with(`"seed":1`), 400, `"param":"seed"`},
		"the old name":    {[]string{"max_tokens"}, with(`"max_tokens":1`), 400, "max_completion_tokens"},
		"branches":        {[]string{"anyOf"}, format(`{"anyOf":[]}`), 400, "type: \\\"object\\\""},
		"no branches":     {[]string{"anyOf"}, format(`{"properties":{"a":{"anyOf":[]}}}`), 200, "stop"},
		"strict":          {[]string{"strict"}, format(`{}`), 400, "'strict' is not permitted"},
		"a bound":         {[]string{"maxLength"}, format(`{"maxLength":1}`), 400, "'maxLength'"},
		"nothing refused": {nil, format(`{"anyOf":[]}`), 200, "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t)
			s.SetModels("m")
			s.Refuse(c.refuses...)
			status, got := completionOn(t, s, c.body)
			require.Equal(t, c.status, status, got)
			require.Contains(t, got, c.says)
		})
	}
}

func TestOpenAIServerModelsAndKey(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	s.SetModels("a")
	status, got := call(t, http.MethodGet, s.URL+"/models", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, got, `"id":"a"`)
	status, _ = call(t, http.MethodGet, s.URL+"/other", "")
	require.Equal(t, http.StatusNotFound, status)

	s.SetKey("sk-1")
	status, got = completionOn(t, s, helloOpenAI)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, got, "Incorrect API key")
}

// Faults that end a connection, and those that do not end until somebody gives up.
func TestFaultsOfServers(t *testing.T) {
	t.Parallel()
	post := func(ctx context.Context, url string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(helloOpenAI))
		require.NoError(t, err)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var answer map[string]any
		return json.NewDecoder(resp.Body).Decode(&answer)
	}
	for name, f := range map[string]fakeserver.Fault{
		"half":  fakeserver.FaultHalf(`{"a":1}`),
		"reset": fakeserver.FaultReset(),
		"html":  fakeserver.FaultHTML(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t)
			s.SetFault(&f)
			require.Error(t, post(t.Context(), s.URL+"/chat/completions"))
			s.SetFault(nil)
			require.NoError(t, post(t.Context(), s.URL+"/chat/completions"))
		})
	}
	for name, f := range map[string]fakeserver.Fault{
		"hang": fakeserver.FaultHang(), "hang in the body": fakeserver.FaultHangInBody(`{"a":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(f))
			done := make(chan error, 1)
			go func() { done <- post(t.Context(), s.URL+"/chat/completions") }()
			require.NoError(t, s.Await(t.Context(), 1))
			s.Close()
			require.Error(t, <-done)
			s.Close()
		})
	}
}

// A judge and the agent that it watches get different answers.
func TestAnthropicServerJudge(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t, fakeserver.Text("the agent's"))
	s.SetToolAnswer("answer", fakeserver.ToolUse("answer", map[string]bool{"violation": true}).Stopped("max_tokens"))
	ask := func(tool string) string {
		_, _, got := post(t, s.URL+"/v1/messages", `{"model":"m","max_tokens":9,"tools":[{"name":"`+tool+`"},7],"messages":[`+askWrite+`]}`)
		return string(got)
	}
	require.Contains(t, ask("answer"), `"stop_reason":"max_tokens"`)
	require.Contains(t, ask("answer"), `"input":{"violation":true}`)
	require.Contains(t, ask("Write"), "the agent's")
	require.Equal(t, -1, s.Requests()[0].Step)

	s.SetModels("other")
	require.Contains(t, ask("answer"), "not_found_error")
	fault := fakeserver.FaultBusy("3")
	s.SetFault(&fault)
	status, header, _ := post(t, s.URL+"/v1/messages", "{}")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, "3", header.Get("Retry-After"))
	requests := s.Requests()
	require.Equal(t, http.StatusTooManyRequests, requests[len(requests)-1].Status)
}

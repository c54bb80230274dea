package fakeserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// chatOn sends a chat and returns the whole answer.
func chatOn(t *testing.T, s *fakeserver.OllamaServer, body string) (status int, answer string) {
	t.Helper()
	return call(t, http.MethodPost, s.URL+"/api/chat", body)
}

func call(t *testing.T, method, url, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(got)
}

const hello = `{"model":"gemma3:4b","stream":false,"messages":[{"role":"user","content":"hello"}]}`

func TestOllamaServerChat(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t)
	status, got := chatOn(t, s, hello)
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"model":"gemma3:4b","created_at":"2026-01-02T03:04:05.000000006Z","message":{"role":"assistant","content":"{\"violation\":false,\"confidence\":1}"},
		"done":true,"done_reason":"stop","total_duration":20000000,"load_duration":1000000,"prompt_eval_count":2,"prompt_eval_duration":4000000,"eval_count":9,"eval_duration":15000000}`, got)
}

func TestOllamaServerScript(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t,
		fakeserver.OllamaText("first"), fakeserver.OllamaText("about rm").To("rm -rf"), fakeserver.OllamaText("last"))
	says := func(prompt string) string {
		_, got := chatOn(t, s, strings.Replace(hello, "hello", prompt, 1))
		var answer struct{ Message struct{ Content string } }
		require.NoError(t, json.Unmarshal([]byte(got), &answer))
		return answer.Message.Content
	}
	require.Equal(t, "about rm", says("rm -rf /"))
	require.Equal(t, "first", says("a"))
	require.Equal(t, "last", says("b"))
	require.Equal(t, "about rm", says("rm -rf /"))
	require.Equal(t, "last", says("c"))
	require.Len(t, s.Chats(), 5)
	require.Contains(t, string(s.Chats()[0]), "rm -rf")
}

// Without "stream":false the real server streams, and so does this one.
func TestOllamaServerStreams(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t, fakeserver.OllamaText("yes"))
	_, got := chatOn(t, s, strings.Replace(hello, `"stream":false,`, "", 1))
	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"content":"yes"`)
	require.Contains(t, lines[0], `"done":false`)
	require.Contains(t, lines[1], `"done":true`)
}

func TestOllamaServerObeysAndRefuses(t *testing.T) {
	t.Parallel()
	with := func(extra string) string { return strings.Replace(hello, `"stream":false`, `"stream":false,`+extra, 1) }
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"cut":            {with(`"options":{"num_predict":2}`), 200, `"done_reason":"length"`},
		"unlimited":      {with(`"options":{"num_predict":0}`), 200, `"done_reason":"stop"`},
		"load":           {`{"model":"gemma3:4b","messages":[]}`, 200, `"done_reason":"load"`},
		"no model":       {`{"messages":[]}`, 400, "model is required"},
		"absent model":   {strings.Replace(hello, "gemma3:4b", "other", 1), 404, "model 'other' not found"},
		"another tag":    {strings.Replace(hello, "gemma3:4b", "gemma3", 1), 404, "model 'gemma3' not found"},
		"think":          {with(`"think":true`), 400, "does not support thinking"},
		"think not":      {with(`"think":false`), 200, `"done":true`},
		"bad format":     {with(`"format":"xml"`), 500, "invalid format"},
		"format json":    {with(`"format":"json"`), 200, `"done":true`},
		"too long":       {with(`"truncate":false,"options":{"num_ctx":1}`), 400, "exceeds the context length"},
		"too long, cut":  {with(`"options":{"num_ctx":1}`), 200, `"done":true`},
		"not JSON":       {"{", 400, "error"},
		"wrong messages": {`{"model":"gemma3:4b","messages":7}`, 400, "error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, got := chatOn(t, fakeserver.NewOllamaServer(t), c.body)
			require.Equal(t, c.status, status, got)
			require.Contains(t, got, c.says)
		})
	}
}

func TestOllamaServerOtherPaths(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t)
	s.SetModels(fakeserver.OllamaModel{Name: "seeing", Vision: true, Thinking: true})
	for request, want := range map[string]struct {
		status int
		says   string
	}{
		"GET /":                                {200, "Ollama is running"},
		"GET /api/version":                     {200, `{"version":"0.24.0"}`},
		"GET /api/tags":                        {200, `"name":"seeing:latest"`},
		`POST /api/show {"model":"seeing"}`:    {200, `["completion","vision","thinking"]`},
		`POST /api/show {"model":"gemma3:4b"}`: {404, "model 'gemma3:4b' not found"},
		`POST /api/show {`:                     {400, "error"},
		"GET /api/chat":                        {405, "405 method not allowed"},
		"GET /api/nothing":                     {404, "404 page not found"},
	} {
		parts := append(strings.SplitN(request, " ", 3), "")
		status, got := call(t, parts[0], s.URL+parts[1], parts[2])
		require.Equal(t, want.status, status, request)
		require.Contains(t, got, want.says, request)
	}
}

func TestOllamaServerAnswerForAPath(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t)
	s.Answer("/api/version", fakeserver.OllamaStatus(http.StatusTeapot, "short and stout"))
	status, got := call(t, http.MethodGet, s.URL+"/api/version", "")
	require.Equal(t, http.StatusTeapot, status)
	require.JSONEq(t, `{"error":"short and stout"}`, got)
}

func TestOllamaServerHoldsBack(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(release, fakeserver.OllamaText("at last")))
	done := make(chan string)
	go func() {
		_, got := chatOn(t, s, hello)
		done <- got
	}()
	require.NoError(t, s.Await(t.Context(), 1))
	close(release)
	require.Contains(t, <-done, "at last")
}

// A request that Await has seen has taken its turn: the next one gets the next answer.
func TestOllamaServerAnswersInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	for range 100 {
		release := make(chan struct{})
		s := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(release, fakeserver.OllamaText("first")), fakeserver.OllamaText("second"))
		done := make(chan string)
		go func() {
			_, got := chatOn(t, s, hello)
			done <- got
		}()
		require.NoError(t, s.Await(t.Context(), 1))
		_, second := chatOn(t, s, hello)
		require.Contains(t, second, "second")
		close(release)
		require.Contains(t, <-done, "first")
		s.Close()
	}
}

// Closing ends what hangs, and connections are refused from then on.
func TestOllamaServerClose(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOllamaServer(t, fakeserver.OllamaFault(fakeserver.FaultHang()))
	failed := make(chan error)
	post := func() error {
		resp, err := http.Post(s.URL+"/api/chat", "application/json", strings.NewReader(hello))
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	go func() { failed <- post() }()
	require.NoError(t, s.Await(t.Context(), 1))
	s.Close()
	s.Close()
	require.Error(t, <-failed)
	require.Error(t, post())
}

func TestOllamaServerAwaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := fakeserver.NewOllamaServer(t).Await(ctx, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "0 of 1 requests arrived")
}

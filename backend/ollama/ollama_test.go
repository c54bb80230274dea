package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/sentineltest"
)

var update = flag.Bool("update", false, "write the golden files")

const schema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number","minimum":0,"maximum":1}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number","minimum":0,"maximum":1},"reason":{"type":"string","maxLength":80}},"required":["violation","confidence","reason"],"additionalProperties":false}` +
	`]}`

const clean = `{"violation":false,"confidence":0.9}`

func question() sentinel.Request {
	return sentinel.Request{
		System:      "You judge.",
		Prompt:      "Rule: no force-push. Action: git push",
		Schema:      json.RawMessage(schema),
		MaxTokens:   300,
		Temperature: 0.1,
	}
}

func at(t *testing.T, s *fakeserver.OllamaServer, opts *ollama.Options) *ollama.Backend {
	t.Helper()
	return ollama.New(parse(t, s.URL), opts)
}

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u
}

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		return at(t, fakeserver.NewOllamaServer(t, fakeserver.OllamaVerdict(true, 0.9, "it is one")), nil)
	})
}

func TestContractThroughTheWrappers(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		server := fakeserver.NewOllamaServer(t, fakeserver.OllamaVerdict(true, 0.9, "it is one"))
		return backend.Lazy(func() (sentinel.Backend, error) {
			return backend.Limited(backend.Timed(at(t, server, nil)), 1), nil
		})
	})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	const text = " {\"violation\": true,\n \"confidence\": 0.9, \"reason\": \"<b> & \\u2028\"} \n"
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(text))
	resp, err := at(t, server, nil).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{Text: text, Backend: "ollama", Model: "gemma3:4b", PromptTokens: 13, OutputTokens: 17}, resp)
}

// The request as it is sent is a contract with servers of several versions: a
// change of it must be seen.
func TestWire(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	full := question()
	full.Model, full.Seed, full.Logprobs = "other", &seed, true
	bare := sentinel.Request{Prompt: "hello", Think: true}

	for name, c := range map[string]struct {
		req  sentinel.Request
		opts *ollama.Options
	}{
		"request":           {question(), nil},
		"request_merged":    {question(), &ollama.Options{SchemaBranches: 1}},
		"request_options":   {full, &ollama.Options{Model: "unused", KeepAlive: -1, NumCtx: 8192}},
		"request_free_text": {bare, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeserver.NewOllamaServer(t)
			server.SetModels(fakeserver.OllamaModel{Name: "gemma3:4b", Thinking: true}, fakeserver.OllamaModel{Name: "other"})
			_, err := at(t, server, c.opts).Complete(t.Context(), c.req)
			require.NoError(t, err)

			requests := server.Requests()
			require.Len(t, requests, 1, "one question is one request")
			require.Equal(t, "POST /api/chat", requests[0].Method+" "+requests[0].Path)
			require.Empty(t, requests[0].Header.Get("Authorization"))
			golden(t, "testdata/"+name+".json", requests[0].Body)
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(string(want), "\n"), string(got))
}

func TestMaxTokensNeverMeansUnlimited(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	b := at(t, server, nil)
	for _, n := range []int{0, -1, -2} {
		req := question()
		req.MaxTokens = n
		_, err := b.Complete(t.Context(), req)
		require.NoError(t, err)
	}
	for _, body := range server.Chats() {
		require.Contains(t, string(body), `"num_predict":300`)
	}
}

// Thoughts are part of what num_predict bounds: they get room of their own.
func TestThinkingHasRoom(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	for _, tt := range []struct {
		options *ollama.Options
		think   bool
		want    string
	}{
		{nil, false, `"num_predict":300`}, {nil, true, `"num_predict":2300`},
		{&ollama.Options{Thinking: 50}, false, `"num_predict":300`}, {&ollama.Options{Thinking: 50}, true, `"num_predict":350`},
	} {
		req := question()
		req.Think = tt.think
		_, _ = at(t, server, tt.options).Complete(t.Context(), req) // the model cannot think
		chats := server.Chats()
		require.Contains(t, string(chats[len(chats)-1]), tt.want)
	}
}

// Every way in which a server fails: the kind of the error, and that its text
// tells a person what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]error{
		"unavailable": sentinel.ErrUnavailable, "malformed": sentinel.ErrMalformed, "busy": sentinel.ErrBusy,
		"unsupported": errors.ErrUnsupported, "refused": sentinel.ErrRefused,
	}
	nested := `{"error":"{\"error\":{\"code\":400,\"message\":\"request (21008 tokens) exceeds the available context size (512 tokens)\",\"type\":\"exceed_context_size_error\"}}"}`
	for name, c := range map[string]struct {
		answer fakeserver.OllamaAnswer
		kinds  string
		says   []string
	}{
		"model not found":       {fakeserver.OllamaStatus(404, "model 'gemma3:4b' not found"), "unavailable", []string{"`ollama pull gemma3:4b`"}},
		"another 404":           {fakeserver.OllamaFault(fakeserver.FaultBody(404, "text/plain", "404 page not found")), "unavailable", []string{"is this an Ollama server", "404 Not Found"}},
		"500":                   {fakeserver.OllamaStatus(500, "llama runner process has terminated"), "unavailable", []string{"500", "llama runner process has terminated"}},
		"500 with nothing":      {fakeserver.OllamaStatus(500, ""), "unavailable", []string{"500 Internal Server Error"}},
		"403 with nothing":      {fakeserver.OllamaStatus(403, ""), "unavailable", []string{"403 Forbidden", "OLLAMA_ORIGINS"}},
		"401":                   {fakeserver.OllamaStatus(401, "unauthorized"), "unavailable", []string{"401 Unauthorized"}},
		"204":                   {fakeserver.OllamaStatus(204, ""), "unavailable", []string{"204 No Content"}},
		"304":                   {fakeserver.OllamaStatus(304, ""), "unavailable", []string{"304 Not Modified"}},
		"busy":                  {fakeserver.OllamaBusy(0), "unavailable busy", []string{"server busy"}},
		"429":                   {fakeserver.OllamaStatus(429, "slow down"), "unavailable busy", []string{"slow down"}},
		"error as a document":   {fakeserver.OllamaFault(fakeserver.FaultBody(400, "application/json", nested)), "unavailable", []string{"longer than the 4096 tokens of num_ctx", "21008 tokens"}},
		"HTML":                  {fakeserver.OllamaFault(fakeserver.FaultHTML()), "unavailable", []string{"is this an Ollama server", "<!DOCTYPE html>"}},
		"HTML with 502":         {fakeserver.OllamaFault(fakeserver.FaultBody(502, "text/html", "<html>\nBad Gateway</html>")), "unavailable", []string{"502 Bad Gateway"}},
		"half an answer":        {fakeserver.OllamaFault(fakeserver.FaultHalf(clean)), "unavailable", []string{"the connection broke after", "unexpected EOF"}},
		"half a JSON object":    {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"model":"m","message":{"content":"`)), "unavailable", []string{"not one JSON object"}},
		"reset":                 {fakeserver.OllamaFault(fakeserver.FaultReset()), "unavailable", []string{"broke before an answer came", "EOF"}},
		"empty 200":             {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", "")), "unavailable", []string{"empty answer"}},
		"blank 200":             {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", "\r\n \n")), "unavailable", []string{"empty answer"}},
		"error in 200":          {fakeserver.OllamaErrorIn200("an error was encountered while running the model"), "unavailable", []string{"while running the model"}},
		"error object in 200":   {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"error":{"message":"no memory"}}`)), "unavailable", []string{"no memory"}},
		"array":                 {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `[]`)), "unavailable", []string{"not one JSON object"}},
		"null":                  {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `null`)), "unavailable", []string{"not one JSON object"}},
		"two objects":           {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"done":false,"message":{"content":"a"}}{"done":true,"done_reason":"stop","message":{"content":"b"}}`)), "unavailable", []string{"not one JSON object"}},
		"streamed all the same": {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/x-ndjson", "{\"done\":false,\"message\":{\"content\":\"a\"}}\n{\"done\":true,\"done_reason\":\"stop\",\"message\":{\"content\":\"\"}}\n")), "unavailable", []string{"not one JSON object"}},
		"wrong type":            {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"done":"yes","message":{"content":"a"}}`)), "unavailable", []string{"done"}},
		"content of wrong type": {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"done":true,"done_reason":"stop","message":{"content":7}}`)), "unavailable", []string{"content"}},
		"an empty object":       {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{}`)), "malformed", []string{"done is false"}},
		"done false":            {fakeserver.OllamaDoneFalse(clean), "malformed", []string{"done is false"}},
		"cut by length":         {fakeserver.OllamaCutByLength(`{"violatio`), "malformed", []string{"cut after 3 tokens"}},
		"cut by num_predict":    {fakeserver.OllamaVerdict(true, 0.9, strings.Repeat("very bad ", 200)), "malformed", []string{"cut after 300 tokens"}},
		"ended by unload":       {fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", `{"done":true,"done_reason":"unload","message":{"content":"a"}}`)), "malformed", []string{`"unload"`}},
		"no content":            {fakeserver.OllamaText(""), "malformed", []string{"empty"}},
		"blank content":         {fakeserver.OllamaText(" \n\t"), "malformed", []string{"empty"}},
		"too large":             {fakeserver.OllamaFlood(1 << 20), "unavailable", []string{"larger than 1048576 bytes"}},
		"too large an error":    {fakeserver.OllamaFault(fakeserver.FaultBody(500, "text/plain", strings.Repeat("x", 2<<20))), "unavailable", []string{"larger than 1048576 bytes"}},
		"a redirect to nowhere": {fakeserver.OllamaFault(fakeserver.FaultRedirect(http.StatusTemporaryRedirect, "::")), "unavailable", []string{"Location"}},
		"a redirect in circles": {fakeserver.OllamaFault(fakeserver.FaultRedirect(http.StatusTemporaryRedirect, "/api/chat")), "unavailable", []string{"circle"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := at(t, fakeserver.NewOllamaServer(t, c.answer), nil).Complete(t.Context(), question())
			require.Empty(t, resp)
			for kind, target := range kinds {
				require.Equal(t, strings.Contains(" "+c.kinds+" ", " "+kind+" "), errors.Is(err, target), "is it %s: %v", kind, err)
			}
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
			var be *sentinel.BackendError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "ollama", be.Backend)
			require.Equal(t, "complete", be.Op)
		})
	}
}

// Prose is a whole answer; Request.Valid is what refuses it.
func TestProseIsPassedOn(t *testing.T) {
	t.Parallel()
	resp, err := at(t, fakeserver.NewOllamaServer(t, fakeserver.OllamaProse()), nil).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Contains(t, resp.Text, "Sure! Here is my verdict")
}

// A server's words come to a terminal and into an agent's context.
func TestWordsOfTheServerAreBoundedAndEscaped(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaStatus(500, "\x1b[2J\u202e\n"+strings.Repeat("x", 5000)))
	_, err := at(t, server, nil).Complete(t.Context(), question())
	require.ErrorContains(t, err, `\x1b[2J\u202e\n`)
	require.Less(t, len(err.Error()), 500)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	_, err := at(t, fakeserver.NewOllamaServer(t, fakeserver.OllamaBusy(30)), nil).Complete(t.Context(), question())
	var be *sentinel.BackendError
	require.ErrorAs(t, err, &be)
	require.Equal(t, 30*time.Second, be.RetryAfter)
}

func TestServerAbsent(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	server.Close()
	b := at(t, server, nil)
	_, err := b.Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "ollama serve")
	require.ErrorContains(t, err, server.URL)
	require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)
	require.ErrorIs(t, b.Warm(t.Context(), ""), sentinel.ErrUnavailable)
}

func TestWrongURL(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"localhost:11434", "//localhost:11434", "http:", "ftp://localhost", "/api"} {
		_, err := ollama.New(parse(t, raw), nil).Complete(t.Context(), question())
		require.ErrorIs(t, err, sentinel.ErrUnavailable, raw)
		require.ErrorContains(t, err, "http://localhost:11434", raw)
	}
}

// A password in the URL is used, and not told.
func TestPasswordInURL(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaStatus(404, "no"))
	u := parse(t, server.URL)
	u.User = url.UserPassword("me", "hunter2")
	_, err := ollama.New(u, nil).Complete(t.Context(), question())
	require.ErrorContains(t, err, "me:xxxxx@")
	require.NotContains(t, err.Error(), "hunter2")
	require.NotEmpty(t, server.Requests()[0].Header.Get("Authorization"))
}

func TestPathInURL(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	server.Answer("/gpu/api/chat", fakeserver.OllamaText(clean))
	resp, err := ollama.New(parse(t, server.URL+"/gpu/"), nil).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, clean, resp.Text)
}

// The prompt stays with the host that was configured.
func TestRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		thief := fakeserver.NewOllamaServer(t)
		server := httptest.NewServer(http.RedirectHandler(thief.URL+"/api/chat", status))
		t.Cleanup(server.Close)
		for name, client := range map[string]*http.Client{"own client": nil, "given client": {}} {
			b := ollama.New(parse(t, server.URL), &ollama.Options{HTTP: client})
			_, err := b.Complete(t.Context(), question())
			require.ErrorIs(t, err, sentinel.ErrUnavailable, "%s, %d", name, status)
			require.ErrorContains(t, err, strings.TrimPrefix(thief.URL, "http://"), "the text names the host")
			require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)
		}
		require.Empty(t, thief.Requests())
	}
}

func TestRedirectWithinTheHost(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(clean))
	server.Answer("/old/api/chat", fakeserver.OllamaFault(fakeserver.FaultRedirect(http.StatusTemporaryRedirect, "/api/chat")))
	resp, err := ollama.New(parse(t, server.URL+"/old"), nil).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, clean, resp.Text)
}

// A server that never answers, or stops in the middle, ends with the context.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]fakeserver.OllamaAnswer{
		"never answers":         fakeserver.OllamaFault(fakeserver.FaultHang()),
		"stops within the body": fakeserver.OllamaFault(fakeserver.FaultHangInBody(clean)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeserver.NewOllamaServer(t, answer, fakeserver.OllamaText(clean))
			b := at(t, server, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := b.Complete(ctx, question())
				done <- err
			}()
			require.NoError(t, server.Await(t.Context(), 1))
			cancel()
			err := <-done
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, sentinel.ErrUnavailable)

			resp, err := b.Complete(t.Context(), question())
			require.NoError(t, err, "the next call finds everything free")
			require.Equal(t, clean, resp.Text)
		})
	}
}

// A body that ends with the context is not a whole one.
func TestCancelledBetweenHeadersAndBody(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancelling := roundTripper(func(req *http.Request) (*http.Response, error) {
		defer cancel()
		return http.DefaultTransport.RoundTrip(req)
	})
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaFault(fakeserver.FaultHangInBody(clean)))
	resp, err := at(t, server, &ollama.Options{HTTP: &http.Client{Transport: cancelling}}).Complete(ctx, question())
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, resp)
}

// Whatever a transport says of a call whose context has ended, that is the reason.
func TestCancelledAndSaidOtherwise(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	evasive := roundTripper(func(*http.Request) (*http.Response, error) {
		cancel()
		return nil, errors.New("the line is dead")
	})
	_, err := ollama.New(nil, &ollama.Options{HTTP: &http.Client{Transport: evasive}}).Complete(ctx, question())
	require.EqualError(t, err, "ollama: complete: unavailable: the call was given up: context canceled")
	require.ErrorIs(t, err, context.Canceled)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestTimeout(t *testing.T) {
	t.Parallel()
	req := question()
	req.Timeout = time.Millisecond
	_, err := backend.Timed(at(t, fakeserver.NewOllamaServer(t, fakeserver.OllamaFault(fakeserver.FaultHang())), nil)).Complete(t.Context(), req)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, "ollama: complete: unavailable: no answer within 1ms: context deadline exceeded")
}

func TestThinking(t *testing.T) {
	t.Parallel()
	req := question()
	req.Think = true
	_, err := at(t, fakeserver.NewOllamaServer(t), nil).Complete(t.Context(), req)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, `model "gemma3:4b" cannot think`)
}

func TestPromptLongerThanTheContext(t *testing.T) {
	t.Parallel()
	req := question()
	req.Prompt = strings.Repeat("long ", 4096)
	_, err := at(t, fakeserver.NewOllamaServer(t), nil).Complete(t.Context(), req)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "longer than the 4096 tokens of num_ctx")
}

func TestImages(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	server.SetModels(fakeserver.OllamaModel{Name: "blind"}, fakeserver.OllamaModel{Name: "seeing", Vision: true})
	b := at(t, server, nil)
	req := question()
	req.Images = []sentinel.Image{{MIME: "image/png", Data: []byte("picture")}}

	req.Model = "blind"
	_, err := b.Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Empty(t, server.Chats(), "a server may drop the images and answer")

	req.Model = "seeing"
	_, err = b.Complete(t.Context(), req)
	require.NoError(t, err)
	require.Contains(t, string(server.Chats()[0]), `"images":["cGljdHVyZQ=="]`)

	req.Model = "absent"
	_, err = b.Complete(t.Context(), req)
	require.ErrorContains(t, err, "`ollama pull absent`")
}

func TestPing(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	b := at(t, server, nil)
	require.NoError(t, b.Ping(t.Context(), ""))
	require.NoError(t, b.Ping(t.Context(), "gemma3:4b"))
	require.ErrorContains(t, b.Ping(t.Context(), "absent"), "`ollama pull absent`")
	require.Empty(t, server.Chats(), "no model is asked")

	server.Answer("/api/version", fakeserver.OllamaFault(fakeserver.FaultBody(200, "application/json", "{}")))
	require.ErrorContains(t, b.Ping(t.Context(), ""), "no Ollama server")
	server.Answer("/api/version", fakeserver.OllamaFault(fakeserver.FaultHTML()))
	require.ErrorContains(t, b.Ping(t.Context(), ""), "is this an Ollama server")
}

func TestWarm(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	b := at(t, server, nil)
	require.NoError(t, b.Warm(t.Context(), ""))
	golden(t, "testdata/warm.json", server.Requests()[0].Body)
	require.ErrorContains(t, b.Warm(t.Context(), "absent"), "`ollama pull absent`")

	server.Answer("/api/chat", fakeserver.OllamaText(clean))
	require.ErrorIs(t, b.Warm(t.Context(), ""), sentinel.ErrUnavailable)
}

// A server that refuses anyOf gets one branch, and is not asked again with two, by
// another process neither.
func TestServerRefusesAnyOf(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]fakeserver.OllamaAnswer{
		"0.24": fakeserver.OllamaStatus(500, "invalid JSON schema in format"),
		"0.32": fakeserver.OllamaFault(fakeserver.FaultBody(400, "application/json", `{"error":"{\"error\":{\"code\":400,\"message\":\"Field 'json_schema': JSON schema conversion failed:\\nUnrecognized schema\",\"type\":\"invalid_request_error\"}}"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeserver.NewOllamaServer(t, refusal.To(`anyOf`), refusal, fakeserver.OllamaText(clean))
			dir := t.TempDir()
			for range 2 {
				b := at(t, server, &ollama.Options{Memory: state.NewValues(dir)})
				for range 2 {
					resp, err := b.Complete(t.Context(), question())
					require.NoError(t, err)
					require.Equal(t, clean, resp.Text)
				}
			}
			chats := server.Chats()
			require.Len(t, chats, 5)
			require.Contains(t, string(chats[0]), "anyOf")
			for _, chat := range chats[1:] {
				require.NotContains(t, string(chat), "anyOf")
			}
		})
	}
}

// Any other schema that is refused, and any other error, is asked once.
func TestNothingIsRepeated(t *testing.T) {
	t.Parallel()
	plain := question()
	plain.Schema = json.RawMessage(`{"type":"nonsense"}`)
	for name, c := range map[string]struct {
		answer fakeserver.OllamaAnswer
		req    sentinel.Request
	}{
		"another schema": {fakeserver.OllamaStatus(500, "invalid JSON schema in format"), plain},
		"another error":  {fakeserver.OllamaStatus(500, "out of memory"), question()},
		"busy":           {fakeserver.OllamaBusy(0), question()},
		"cut":            {fakeserver.OllamaCutByLength("{"), question()},
		"reset":          {fakeserver.OllamaFault(fakeserver.FaultReset()), question()},
	} {
		server := fakeserver.NewOllamaServer(t, c.answer)
		_, err := at(t, server, nil).Complete(t.Context(), c.req)
		require.Error(t, err, name)
		require.Len(t, server.Requests(), 1, name)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	b := at(t, server, nil)
	for range 2 {
		_, err := b.Complete(t.Context(), question())
		require.NoError(t, err)
		require.NoError(t, b.Close())
	}
}

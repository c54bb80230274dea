package anthropic_test

import (
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/anthropic"
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

// says is the turn of a model that answers by the tool.
func says(answer string) fakeserver.Step {
	return fakeserver.ToolUse("answer", json.RawMessage(answer))
}

func at(s *fakeserver.AnthropicServer) *anthropic.Backend {
	return anthropic.New(&anthropic.Options{BaseURL: s.URL, Key: "sk-secret", KeyName: "MY_KEY", Model: "claude-haiku-5-5"})
}

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		s := fakeserver.NewAnthropicServer(t, says(`{"violation":true,"confidence":0.9,"reason":"it is one"}`))
		s.SetModels("claude-haiku-5-5")
		return at(s)
	})
}

func TestContractThroughTheWrappers(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		return backend.Limited(backend.Timed(at(fakeserver.NewAnthropicServer(t, says(clean)))), 1)
	})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	const answer = `{"violation":true,"confidence":0.90,"reason":"<b> & \u2028 ü"}`
	s := fakeserver.NewAnthropicServer(t)
	s.SetToolAnswer("answer", says(answer))
	b := at(s)
	resp, err := b.Complete(t.Context(), question())
	require.NoError(t, err)
	require.JSONEq(t, answer, resp.Text)
	require.Contains(t, resp.Text, "0.90", "byte for byte")
	require.Equal(t, "anthropic", resp.Backend)
	require.Equal(t, "claude-haiku-5-5", resp.Model)
	require.Positive(t, resp.PromptTokens)
	require.Equal(t, 1, resp.OutputTokens)
	require.NoError(t, b.Close())
}

func TestFreeText(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t)
	s.SetAside(" a summary \n")
	resp, err := at(s).Complete(t.Context(), sentinel.Request{Prompt: "Sum it up."})
	require.NoError(t, err)
	require.Equal(t, " a summary \n", resp.Text)
}

// Everything that is read of a prompt is paid for, cached or not.
func TestCachedTokensCount(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t)
	fault := fakeserver.FaultBody(200, "application/json", `{"content":[{"type":"tool_use","name":"answer","input":`+clean+`}],"stop_reason":"tool_use",
		"usage":{"input_tokens":1,"output_tokens":2,"cache_creation_input_tokens":10,"cache_read_input_tokens":100}}`)
	s.SetFault(&fault)
	resp, err := at(s).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{Text: clean, Backend: "anthropic", Model: "claude-haiku-5-5", PromptTokens: 111, OutputTokens: 2}, resp)
}

// The request as it is sent is a contract with the service: a change must be seen.
func TestWire(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	full := question()
	full.Model, full.Seed, full.Logprobs, full.Temperature, full.MaxTokens = "other", &seed, true, 1.5, 0
	seeing := question()
	seeing.Images = []sentinel.Image{{MIME: "image/png", Data: []byte("pixels")}}
	for name, req := range map[string]sentinel.Request{
		"request":           question(),
		"request_full":      full,
		"request_images":    seeing,
		"request_free_text": {Prompt: "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewAnthropicServer(t)
			s.SetToolAnswer("answer", says(clean))
			_, err := at(s).Complete(t.Context(), req)
			require.NoError(t, err)
			requests := s.Requests()
			require.Len(t, requests, 1, "one question is one request")
			require.Equal(t, "POST /v1/messages", requests[0].Method+" "+requests[0].Path)
			require.Equal(t, "sk-secret", requests[0].Header.Get("X-Api-Key"))
			require.Equal(t, "2023-06-01", requests[0].Header.Get("Anthropic-Version"))
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile("testdata/"+name+".json", append(requests[0].Body, '\n'), 0o644))
			}
			want, err := os.ReadFile("testdata/" + name + ".json")
			require.NoError(t, err)
			require.Equal(t, strings.TrimSuffix(string(want), "\n"), string(requests[0].Body))
		})
	}
}

// picky refuses what some models do not take, in the service's words.
func picky(t *testing.T, refuses map[string]string, answer string) (url string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		_ = r.Write(&body)
		mu.Lock()
		bodies = append(bodies, body.String())
		mu.Unlock()
		for part, words := range refuses {
			if strings.Contains(body.String(), part) {
				w.WriteHeader(http.StatusBadRequest)
				json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": words}})
				return
			}
		}
		w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(bodies)
	}
}

// A field that a model refuses is sent in another form at once, and from then on.
func TestModelsThatTakeLess(t *testing.T) {
	t.Parallel()
	url, asked := picky(t, map[string]string{
		`"temperature"`: "`temperature` is deprecated for this model.",
		`"tool_choice"`: "Thinking may not be enabled when tool_choice forces tool use.",
	}, `{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"{\"violation\":false,\"confidence\":0.9}"}],"stop_reason":"end_turn"}`)
	memory := state.NewValues(t.TempDir())
	for range 2 { // processes
		b := anthropic.New(&anthropic.Options{BaseURL: url, Model: "m", Memory: memory})
		for range 2 {
			resp, err := b.Complete(t.Context(), question())
			require.NoError(t, err)
			require.Equal(t, clean, resp.Text)
		}
	}
	bodies := asked()
	require.Len(t, bodies, 6, "the second time it is known")
	last := bodies[5]
	require.Contains(t, last, `"output_config":{"format":{"type":"json_schema"`)
	require.Contains(t, last, `"max_tokens":2300`, "room to think")
	require.NotContains(t, last, "maxLength")
	require.NotContains(t, last, `"tools"`)

	url, asked = picky(t, map[string]string{`"model"`: "temperature and tool_choice and all"}, "")
	_, err := anthropic.New(&anthropic.Options{BaseURL: url, Model: "m"}).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.LessOrEqual(t, len(asked()), 3)
}

// Every way in which the service fails: the kind of the error, and that its text
// tells a person what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]error{
		"unavailable": sentinel.ErrUnavailable, "malformed": sentinel.ErrMalformed, "busy": sentinel.ErrBusy,
		"unsupported": errors.ErrUnsupported, "refused": sentinel.ErrRefused,
	}
	body := func(text string) fakeserver.Fault { return fakeserver.FaultBody(200, "application/json", text) }
	for name, c := range map[string]struct {
		fault fakeserver.Fault
		kinds string
		says  []string
	}{
		"a wrong key":     {fakeserver.FaultStatus(401, "invalid x-api-key"), "unavailable", []string{"does not accept the key", "MY_KEY", "invalid x-api-key"}},
		"no right":        {fakeserver.FaultStatus(403, "not for you"), "unavailable", []string{"MY_KEY"}},
		"no such model":   {fakeserver.FaultStatus(404, "model: x"), "unavailable", []string{"does it have the model", "model: x"}},
		"too long":        {fakeserver.FaultStatus(413, ""), "unavailable", []string{"show less"}},
		"no credit":       {fakeserver.FaultStatus(400, "Your credit balance is too low"), "unavailable", []string{"credit balance"}},
		"429":             {fakeserver.FaultBusy("7"), "unavailable busy", []string{"limits its callers"}},
		"overloaded":      {fakeserver.FaultStatus(529, "Overloaded"), "unavailable busy", []string{"529", "Overloaded"}},
		"500":             {fakeserver.FaultStatus(500, "api_error"), "unavailable", []string{"500 Internal Server Error"}},
		"502 with HTML":   {fakeserver.FaultBody(502, "text/html", "<html>\nBad Gateway</html>"), "unavailable", []string{"502 Bad Gateway"}},
		"HTML":            {fakeserver.FaultHTML(), "unavailable", []string{"is this a server with Anthropic's Messages API", "<!DOCTYPE html>"}},
		"half an answer":  {fakeserver.FaultHalf(`{"content":[],"stop_reason":"end_turn"}`), "unavailable", []string{"the connection broke after"}},
		"half an object":  {body(`{"content":[`), "unavailable", []string{"not one JSON object"}},
		"reset":           {fakeserver.FaultReset(), "unavailable", []string{"broke before an answer came", "EOF"}},
		"empty 200":       {body(""), "unavailable", []string{"empty answer"}},
		"two objects":     {body(`{}{}`), "unavailable", []string{"not one JSON object"}},
		"error in 200":    {body(`{"type":"error","error":{"message":"no"}}`), "unavailable", []string{"no"}},
		"streamed anyway": {fakeserver.FaultBody(200, "text/event-stream", "event: message_start\ndata: {}\n\n"), "unavailable", []string{"not one JSON object"}},
		"wrong type":      {body(`{"content":"text"}`), "unavailable", []string{"content"}},
		"too large":       {body(`{"x":"` + strings.Repeat("a", 1<<20) + `"}`), "unavailable", []string{"larger than"}},
		"an empty object": {body(`{}`), "malformed", []string{`""`}},
		"cut":             {body(`{"content":[{"type":"tool_use","name":"answer","input":{}}],"stop_reason":"max_tokens","usage":{"output_tokens":300}}`), "malformed", []string{"cut after 300 tokens"}},
		"a refusal":       {body(`{"content":[],"stop_reason":"refusal"}`), "malformed", []string{"refused"}},
		"a full context":  {body(`{"content":[],"stop_reason":"model_context_window_exceeded"}`), "malformed", []string{"context"}},
		"a pause":         {body(`{"content":[],"stop_reason":"pause_turn"}`), "malformed", []string{"pause_turn"}},
		"text, no tool":   {body(`{"content":[{"type":"text","text":"Sure!"}],"stop_reason":"end_turn"}`), "malformed", []string{"end_turn"}},
		"another tool":    {body(`{"content":[{"type":"tool_use","name":"bash","input":{"a":1}}],"stop_reason":"tool_use"}`), "malformed", []string{"empty"}},
		"two answers":     {body(`{"content":[{"type":"tool_use","name":"answer","input":{}},{"type":"tool_use","name":"answer","input":{}}],"stop_reason":"tool_use"}`), "malformed", []string{"2 times"}},
		"no input":        {body(`{"content":[{"type":"tool_use","name":"answer"}],"stop_reason":"tool_use"}`), "malformed", []string{"empty"}},
		"redirect":        {fakeserver.FaultRedirect(307, "http://elsewhere.invalid/"), "unavailable", []string{"elsewhere.invalid", "nothing was sent there"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewAnthropicServer(t)
			s.SetFault(&c.fault)
			resp, err := at(s).Complete(t.Context(), question())
			require.Empty(t, resp)
			for kind, target := range kinds {
				require.Equal(t, strings.Contains(" "+c.kinds+" ", " "+kind+" "), errors.Is(err, target), "is it %s: %v", kind, err)
			}
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
			require.NotContains(t, err.Error(), "sk-secret")
			var be *sentinel.BackendError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "anthropic", be.Backend)
			if name == "429" {
				require.Equal(t, 7*time.Second, be.RetryAfter)
			}
		})
	}
}

func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t)
	for _, b := range []*anthropic.Backend{
		anthropic.New(nil),
		anthropic.New(&anthropic.Options{BaseURL: s.URL}),
	} {
		_, err := b.Complete(t.Context(), question())
		require.ErrorIs(t, err, sentinel.ErrUnavailable)
		require.ErrorContains(t, err, "backends.anthropic.model")
	}
	_, err := anthropic.New(&anthropic.Options{Model: "m"}).Complete(t.Context(), question())
	require.ErrorContains(t, err, "there is no key: set ANTHROPIC_API_KEY")
	require.ErrorIs(t, anthropic.New(&anthropic.Options{Model: "m"}).Ping(t.Context(), ""), sentinel.ErrUnavailable)
	require.Empty(t, s.Requests())
}

func TestImages(t *testing.T) {
	t.Parallel()
	req := question()
	req.Images = []sentinel.Image{{MIME: "image/bmp", Data: []byte("pixels")}}
	s := fakeserver.NewAnthropicServer(t)
	fault := fakeserver.FaultStatus(400, "media_type: Input should be 'image/png'")
	s.SetFault(&fault)
	_, err := at(s).Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
}

func TestPing(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewAnthropicServer(t)
	b := at(s)
	require.NoError(t, b.Ping(t.Context(), ""))
	s.SetModels("claude-haiku-5-5")
	require.NoError(t, b.Ping(t.Context(), ""))
	require.ErrorContains(t, b.Ping(t.Context(), "a/b"), "model: a/b")
	for _, r := range s.Requests() {
		require.Equal(t, "GET", r.Method, "nothing is asked of a model")
	}
}

// Whatever a service answers, it is an answer or an error of a known kind.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"content":[{"type":"tool_use","name":"answer","input":{"violation":false}}],"stop_reason":"tool_use","usage":{"input_tokens":1}}`,
		`{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, `{"content":null,"stop_reason":"tool_use"}`,
		`{"error":{"message":"tool_choice"}}`, `{"error":"temperature"}`, `[]`, `<html>`, ``,
	} {
		f.Add(200, []byte(body))
		f.Add(400, []byte(body))
	}
	var status int
	var body []byte
	client := &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		w.WriteHeader(status)
		w.Write(body)
		resp := w.Result()
		resp.Request = req
		return resp, nil
	})}
	f.Fuzz(func(t *testing.T, s int, answer []byte) {
		if s < 200 || s > 999 {
			return
		}
		status, body = s, answer
		resp, err := anthropic.New(&anthropic.Options{BaseURL: "http://localhost", Model: "m", HTTP: client}).Complete(t.Context(), question())
		if err == nil {
			require.NotEmpty(t, strings.TrimSpace(resp.Text))
			return
		}
		require.Empty(t, resp)
		require.True(t, errors.Is(err, sentinel.ErrUnavailable) || errors.Is(err, sentinel.ErrMalformed), "%v", err)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

package openai_test

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
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
	"github.com/agentsentinel/sentinel/backend/openai"
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

func at(s *fakeserver.OpenAIServer) *openai.Backend {
	return openai.New(&openai.Options{BaseURL: s.URL, Model: "qwen3-8b"})
}

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIVerdict(true, 0.9, "it is one"))
		s.SetModels("qwen3-8b")
		return at(s)
	})
}

func TestContractThroughTheWrappers(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIVerdict(true, 0.9, "it is one"))
		return backend.Limited(backend.Timed(at(s)), 1)
	})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	const text = " {\"violation\": true,\n \"confidence\": 0.9, \"reason\": \"<b> & \\u2028\"} \n"
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIText(text))
	b := at(s)
	resp, err := b.Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{Text: text, Backend: "openai", Model: "qwen3-8b", PromptTokens: 27, OutputTokens: 17}, resp)
	require.NoError(t, b.Close())
}

// The request as it is sent is a contract with servers of many makes: a change of
// it must be seen.
func TestWire(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	full := question()
	full.Model, full.Seed, full.Logprobs = "other", &seed, true
	seeing := question()
	seeing.Images = []sentinel.Image{{MIME: "image/png", Data: []byte("pixels")}}
	thinking := question()
	thinking.Model = "gpt-5-mini"

	for name, c := range map[string]struct {
		req  sentinel.Request
		opts openai.Options
	}{
		"request":           {question(), openai.Options{}},
		"request_merged":    {question(), openai.Options{SchemaBranches: 1}},
		"request_full":      {full, openai.Options{Key: "sk-1"}},
		"request_images":    {seeing, openai.Options{}},
		"request_thinking":  {thinking, openai.Options{}},
		"request_free_text": {sentinel.Request{Prompt: "hello"}, openai.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t)
			c.opts.BaseURL, c.opts.Model = s.URL+"/", "qwen3-8b"
			_, err := openai.New(&c.opts).Complete(t.Context(), c.req)
			require.NoError(t, err)
			requests := s.Requests()
			require.Len(t, requests, 1, "one question is one request")
			require.Equal(t, "POST /v1/chat/completions", requests[0].Method+" "+requests[0].Path)
			if c.opts.Key == "" {
				require.Empty(t, requests[0].Header.Get("Authorization"))
			} else {
				require.Equal(t, "Bearer "+c.opts.Key, requests[0].Header.Get("Authorization"))
			}
			golden(t, "testdata/"+name+".json", requests[0].Body)
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSuffix(string(want), "\n"), string(got))
}

// A field that a server refuses is sent in another form at once, and from then on.
func TestServersThatTakeLess(t *testing.T) {
	t.Parallel()
	seed := int64(1)
	req := question()
	req.Seed, req.Logprobs = &seed, true
	for name, c := range map[string]struct {
		refuses  []string
		requests int // of the first question
		has, not []string
	}{
		"all":               {nil, 1, []string{`"anyOf"`, `"strict":true`, `"max_tokens":300`, `"temperature":0.1`, `"seed":1`}, nil},
		"one branch":        {[]string{"anyOf"}, 2, []string{`"strict":true`, `"required":["violation","confidence","reason"]`}, []string{`"anyOf"`, `maxLength`}},
		"not strict":        {[]string{"strict"}, 3, []string{`"json_schema"`}, []string{`"strict"`}},
		"no lengths":        {[]string{"maxLength"}, 2, []string{`"strict":true`}, []string{`maxLength`}},
		"JSON, any":         {[]string{"json_schema"}, 4, []string{`"json_object"`}, []string{`"json_schema"`}},
		"no format":         {[]string{"response_format"}, 5, nil, []string{`"response_format"`}},
		"the newer name":    {[]string{"max_tokens"}, 2, []string{`"max_completion_tokens":300`}, []string{`"max_tokens"`}},
		"no temperature":    {[]string{"temperature"}, 2, nil, []string{`"temperature"`}},
		"no seed":           {[]string{"seed"}, 2, nil, []string{`"seed"`}},
		"no probabilities":  {[]string{"logprobs"}, 2, nil, []string{`logprobs`}},
		"several at a time": {[]string{"max_tokens", "temperature", "anyOf"}, 4, []string{`"max_completion_tokens":300`}, []string{`"temperature"`, `"anyOf"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIText(clean))
			s.Refuse(c.refuses...)
			b := at(s)
			for range 2 {
				resp, err := b.Complete(t.Context(), req)
				require.NoError(t, err)
				require.Equal(t, clean, resp.Text)
			}
			requests := s.Requests()
			require.Len(t, requests, c.requests+1, "the second time it is known")
			last := string(requests[len(requests)-1].Body)
			for _, part := range c.has {
				require.Contains(t, last, part)
			}
			for _, part := range c.not {
				require.NotContains(t, last, part)
			}
		})
	}
}

// The result of the probe is known to the next process, for the same model.
func TestWhatAServerRefusesIsRemembered(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIText(clean))
	s.Refuse("max_tokens", "anyOf")
	memory := state.NewValues(t.TempDir())
	for i, want := range []int{3, 4, 5} {
		b := openai.New(&openai.Options{BaseURL: s.URL, Model: "m", Memory: memory})
		_, err := b.Complete(t.Context(), question())
		require.NoError(t, err)
		require.Len(t, s.Requests(), want, "process %d", i)
	}
	req := question()
	req.Model = "other"
	_, err := openai.New(&openai.Options{BaseURL: s.URL, Memory: memory}).Complete(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, s.Requests(), 8, "models differ in what they take")
}

// A server that refuses whatever it is asked must not be asked for ever.
func TestServerThatTakesNothing(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"max_tokens and max_completion_tokens", "temperature", "schema", "seed logprobs", "no",
		"max_tokens temperature seed logprobs schema",
	} {
		s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultStatus(400, words)))
		req := question()
		seed := int64(1)
		req.Seed, req.Logprobs = &seed, true
		_, err := at(s).Complete(t.Context(), req)
		require.ErrorIs(t, err, sentinel.ErrUnavailable)
		require.ErrorContains(t, err, "400 Bad Request")
		require.LessOrEqual(t, len(s.Requests()), 6, words)
	}
}

func TestMaxTokensIsNeverMissing(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	b := at(s)
	for _, n := range []int{0, -1} {
		req := question()
		req.MaxTokens = n
		_, err := b.Complete(t.Context(), req)
		require.NoError(t, err)
	}
	for _, r := range s.Requests() {
		require.Contains(t, string(r.Body), `"max_tokens":300`)
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
	body := func(choice string) fakeserver.OpenAIAnswer {
		return fakeserver.OpenAIFault(fakeserver.FaultBody(200, "application/json", `{"choices":[`+choice+`]}`))
	}
	fault := fakeserver.OpenAIFault
	for name, c := range map[string]struct {
		answer fakeserver.OpenAIAnswer
		kinds  string
		says   []string
	}{
		"a wrong key":         {fault(fakeserver.FaultStatus(401, "Incorrect API key provided")), "unavailable", []string{"does not accept the key", "MY_KEY", "401 Unauthorized", "Incorrect API key"}},
		"no right":            {fault(fakeserver.FaultStatus(403, "not for you")), "unavailable", []string{"MY_KEY", "403 Forbidden"}},
		"not paid":            {fault(fakeserver.FaultStatus(402, "")), "unavailable", []string{"paid"}},
		"no such model":       {fault(fakeserver.FaultStatus(404, "The model `x` does not exist")), "unavailable", []string{"does it have the model", "The model `x`"}},
		"another 404":         {fault(fakeserver.FaultBody(404, "text/plain", "404 page not found")), "unavailable", []string{"is this an OpenAI-compatible server", "404 page not found"}},
		"405":                 {fault(fakeserver.FaultStatus(405, "")), "unavailable", []string{"is this an OpenAI-compatible server"}},
		"too long":            {fault(fakeserver.FaultStatus(413, "")), "unavailable", []string{"show less"}},
		"429":                 {fault(fakeserver.FaultBusy("")), "unavailable busy", []string{"limits its callers", "slow down"}},
		"503":                 {fault(fakeserver.FaultStatus(503, "Loading model")), "unavailable busy", []string{"Loading model"}},
		"500":                 {fault(fakeserver.FaultStatus(500, "out of memory")), "unavailable", []string{"500 Internal Server Error", "out of memory"}},
		"500 with nothing":    {fault(fakeserver.FaultBody(500, "", "")), "unavailable", []string{"500 Internal Server Error"}},
		"502 with HTML":       {fault(fakeserver.FaultBody(502, "text/html", "<html>\nBad Gateway</html>")), "unavailable", []string{"502 Bad Gateway", "<html>"}},
		"an odd status":       {fault(fakeserver.FaultStatus(799, "")), "unavailable", []string{"799"}},
		"204":                 {fault(fakeserver.FaultBody(204, "", "")), "unavailable", []string{"204 No Content"}},
		"422 of FastAPI":      {fault(fakeserver.FaultBody(422, "application/json", `{"detail":[{"msg":"bad"}]}`)), "unavailable", []string{"422", "bad"}},
		"error as text":       {fault(fakeserver.FaultBody(500, "application/json", `{"error":"model crashed"}`)), "unavailable", []string{"model crashed"}},
		"error in 200":        {fault(fakeserver.FaultBody(200, "application/json", `{"error":{"message":"no memory"}}`)), "unavailable", []string{"no memory"}},
		"HTML":                {fault(fakeserver.FaultHTML()), "unavailable", []string{"is this an OpenAI-compatible server", "<!DOCTYPE html>"}},
		"half an answer":      {fault(fakeserver.FaultHalf(`{"choices":[{"message":{"content":"{}"}}]}`)), "unavailable", []string{"the connection broke after", "unexpected EOF"}},
		"half an object":      {fault(fakeserver.FaultBody(200, "application/json", `{"choices":[`)), "unavailable", []string{"not one JSON object"}},
		"reset":               {fault(fakeserver.FaultReset()), "unavailable", []string{"broke before an answer came", "EOF"}},
		"empty 200":           {fault(fakeserver.FaultBody(200, "application/json", "")), "unavailable", []string{"empty answer"}},
		"blank 200":           {fault(fakeserver.FaultBody(200, "application/json", "\r\n \n")), "unavailable", []string{"empty answer"}},
		"array":               {fault(fakeserver.FaultBody(200, "application/json", `[]`)), "unavailable", []string{"not one JSON object"}},
		"null":                {fault(fakeserver.FaultBody(200, "application/json", `null`)), "unavailable", []string{"not one JSON object"}},
		"two objects":         {fault(fakeserver.FaultBody(200, "application/json", `{"choices":[]}{"choices":[]}`)), "unavailable", []string{"not one JSON object"}},
		"streamed anyway":     {fault(fakeserver.FaultBody(200, "text/event-stream", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n")), "unavailable", []string{"not one JSON object"}},
		"wrong type":          {fault(fakeserver.FaultBody(200, "application/json", `{"choices":"one"}`)), "unavailable", []string{"choices"}},
		"too large":           {fault(fakeserver.FaultBody(200, "application/json", `{"choices":[],"x":"`+strings.Repeat("a", 1<<20)+`"}`)), "unavailable", []string{"larger than 1048576 bytes"}},
		"redirect to nowhere": {fault(fakeserver.FaultRedirect(307, "::")), "unavailable", []string{"Location"}},
		"redirect in circles": {fault(fakeserver.FaultRedirect(307, "/v1/chat/completions")), "unavailable", []string{"circle"}},
		"redirect by GET":     {fault(fakeserver.FaultRedirect(302, "/v1/models")), "unavailable", []string{"drops the question"}},
		"an empty object":     {fault(fakeserver.FaultBody(200, "application/json", `{}`)), "malformed", []string{"0 choices"}},
		"two choices":         {body(`{},{}`), "malformed", []string{"2 choices"}},
		"cut by length":       {fakeserver.OpenAIEnded(`{"violatio`, "length"), "malformed", []string{"cut after 3 tokens"}},
		"cut by max_tokens":   {fakeserver.OpenAIVerdict(true, 0.9, strings.Repeat("very bad ", 200)), "malformed", []string{"cut after 300 tokens"}},
		"filtered":            {fakeserver.OpenAIEnded("", "content_filter"), "malformed", []string{"filter"}},
		"calls a tool":        {fakeserver.OpenAIEnded(clean, "tool_calls"), "malformed", []string{`"tool_calls"`}},
		"no reason":           {body(`{"message":{"content":"{}"}}`), "malformed", []string{`""`}},
		"a refusal":           {fakeserver.OpenAIRefusal("I cannot help with that."), "malformed", []string{"refused", "I cannot help"}},
		"no content":          {body(`{"message":{"content":null},"finish_reason":"stop"}`), "malformed", []string{"empty"}},
		"blank content":       {fakeserver.OpenAIText(" \n\t"), "malformed", []string{"empty"}},
		"content as parts":    {body(`{"message":{"content":[{"text":"{}"}]},"finish_reason":"stop"}`), "unavailable", []string{"content"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t, c.answer)
			b := openai.New(&openai.Options{BaseURL: s.URL, Model: "m", Key: "sk-secret", KeyName: "MY_KEY"})
			resp, err := b.Complete(t.Context(), question())
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
			require.Equal(t, "openai", be.Backend)
			require.Equal(t, "complete", be.Op)
		})
	}
}

// Prose is a whole answer; Request.Valid is what refuses it.
func TestProseIsPassedOn(t *testing.T) {
	t.Parallel()
	resp, err := at(fakeserver.NewOpenAIServer(t, fakeserver.OpenAIProse())).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Contains(t, resp.Text, "Sure! Here is my verdict")
}

// A server's words come to a terminal and into an agent's context.
func TestWordsOfTheServerAreBoundedAndEscaped(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultStatus(500, "\x1b[2J\u202e\n"+strings.Repeat("x", 5000))))
	_, err := at(s).Complete(t.Context(), question())
	require.ErrorContains(t, err, `\x1b[2J\u202e\n`)
	require.Less(t, len(err.Error()), 500)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"30": 30 * time.Second, "": 0, "soon": 0, "-1": 0, "99999999999999999999": 0, "Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultBusy(value)))
		_, err := at(s).Complete(t.Context(), question())
		var be *sentinel.BackendError
		require.ErrorAs(t, err, &be)
		require.Equal(t, want, be.RetryAfter, value)
	}
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultBusy(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))))
	_, err := at(s).Complete(t.Context(), question())
	var be *sentinel.BackendError
	require.ErrorAs(t, err, &be)
	require.Greater(t, be.RetryAfter, 50*time.Minute)
}

func TestServerAbsent(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	s.Close()
	b := at(s)
	_, err := b.Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "nothing answers at "+s.URL)
	require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)
}

func TestWrongURL(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"localhost:8080", "//localhost:8080/v1", "http:", "ftp://localhost", "/v1", "http://a b", "http://me:hunter2@%zz/"} {
		_, err := openai.New(&openai.Options{BaseURL: raw, Model: "m"}).Complete(t.Context(), question())
		require.ErrorIs(t, err, sentinel.ErrUnavailable, raw)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// A password in the URL is used, and not told.
func TestPasswordInURL(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultStatus(404, "no")))
	base := strings.Replace(s.URL, "http://", "http://me:hunter2@", 1)
	_, err := openai.New(&openai.Options{BaseURL: base, Model: "m"}).Complete(t.Context(), question())
	require.ErrorContains(t, err, "me:xxxxx@")
	require.NotContains(t, err.Error(), "hunter2")
	require.NotEmpty(t, s.Requests()[0].Header.Get("Authorization"))
}

// What is missing is said before anything is sent.
func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	_, err := openai.New(&openai.Options{BaseURL: s.URL}).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "backends.openai.model")
	require.ErrorIs(t, openai.New(&openai.Options{BaseURL: s.URL}).Ping(t.Context(), ""), sentinel.ErrUnavailable)
	require.Empty(t, s.Requests())

	thief := &http.Client{Transport: refuseAll{t}}
	for _, base := range []string{"", "https://API.openai.com./v1"} {
		_, err = openai.New(&openai.Options{BaseURL: base, Model: "gpt-5-mini", HTTP: thief}).Complete(t.Context(), question())
		require.ErrorContains(t, err, "there is no key: set OPENAI_API_KEY")
	}
	_, err = openai.New(nil).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
}

type refuseAll struct{ t *testing.T }

func (r refuseAll) RoundTrip(req *http.Request) (*http.Response, error) {
	r.t.Errorf("%s was asked", req.URL)
	return nil, errors.New("nothing may be sent")
}

// OpenAI itself takes less than others, which is known beforehand.
func TestOpenAIItself(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIText(clean))
	s.Refuse("anyOf", "max_tokens", "maxLength")
	client := &http.Client{Transport: detour{s.URL}}
	_, err := openai.New(&openai.Options{Model: "gpt-4o-mini", Key: "sk-1", HTTP: client}).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Len(t, s.Requests(), 1)
}

// detour carries what is meant for another host to the one at base.
type detour struct{ base string }

func (d detour) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := http.NewRequestWithContext(req.Context(), req.Method, strings.TrimSuffix(d.base, "/v1")+req.URL.Path, req.Body)
	if err != nil {
		return nil, err
	}
	to.Header = req.Header
	return http.DefaultTransport.RoundTrip(to)
}

// The prompt stays with the host that was configured.
func TestRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		thief := fakeserver.NewOpenAIServer(t)
		s := httptest.NewServer(http.RedirectHandler(thief.URL+"/chat/completions", status))
		t.Cleanup(s.Close)
		for name, client := range map[string]*http.Client{"own client": nil, "given client": {}} {
			b := openai.New(&openai.Options{BaseURL: s.URL, Model: "m", Key: "sk-1", HTTP: client})
			_, err := b.Complete(t.Context(), question())
			require.ErrorIs(t, err, sentinel.ErrUnavailable, "%s, %d", name, status)
			require.ErrorContains(t, err, "nothing was sent there")
			require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)
		}
		require.Empty(t, thief.Requests())
	}
}

// A proxy that the environment names is not used unless it is asked for.
func TestEnvironmentDoesNotMatter(t *testing.T) {
	thief := fakeserver.NewOpenAIServer(t)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "OPENAI_API_BASE"} {
		t.Setenv(name, thief.URL)
	}
	// A proxy is never used for loopback; a name that does not exist shows that it is not used at all.
	_, err := openai.New(&openai.Options{BaseURL: "http://openai.invalid/v1", Model: "m"}).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.Empty(t, thief.Requests())
}

// A proxy carries what is encrypted, and nothing else.
func TestProxy(t *testing.T) {
	t.Parallel()
	var asked []string
	proxy := func(req *http.Request) (*url.URL, error) {
		asked = append(asked, req.URL.Scheme)
		return nil, errors.New("no way")
	}
	for _, base := range []string{"http://openai.invalid/v1", "https://openai.invalid/v1"} {
		_, err := openai.New(&openai.Options{BaseURL: base, Model: "m", Proxy: proxy}).Complete(t.Context(), question())
		require.ErrorIs(t, err, sentinel.ErrUnavailable)
	}
	require.Equal(t, []string{"https"}, asked)
}

// An image that is refused is unsupported; one that is taken goes over the wire.
func TestImages(t *testing.T) {
	t.Parallel()
	req := question()
	req.Images = []sentinel.Image{{MIME: "image/png", Data: []byte("pixels")}}
	s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAIFault(fakeserver.FaultStatus(400, "image input is not enabled")))
	_, err := at(s).Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
}

func TestPing(t *testing.T) {
	t.Parallel()
	s := fakeserver.NewOpenAIServer(t)
	b := openai.New(&openai.Options{BaseURL: s.URL, Model: "a", Key: "sk-1"})
	require.NoError(t, b.Ping(t.Context(), ""), "a server that lists nothing")
	s.SetModels("a", "b", "c", "d", "e", "f", "g")
	require.NoError(t, b.Ping(t.Context(), ""))
	require.NoError(t, b.Ping(t.Context(), "b"))
	err := b.Ping(t.Context(), "z")
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, `does not have model "z": it has "a, b, c, d, e" and 2 more`)
	s.SetKey("sk-2")
	require.ErrorContains(t, b.Ping(t.Context(), ""), "does not accept the key")
	gateway := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gateway.Close)
	err = openai.New(&openai.Options{BaseURL: gateway.URL, Model: "a"}).Ping(t.Context(), "")
	require.ErrorIs(t, err, errors.ErrUnsupported, "it may answer questions all the same")
	require.ErrorContains(t, err, "is this an OpenAI-compatible server")
	for _, r := range s.Requests() {
		require.Equal(t, "GET /v1/models", r.Method+" "+r.Path, "nothing is asked of a model")
	}
}

// The probability of true at the first boolean that is not in a text.
func TestProbabilityOfTrue(t *testing.T) {
	t.Parallel()
	token := func(text string, p float64, others ...map[string]any) map[string]any {
		return map[string]any{"token": text, "logprob": math.Log(p), "top_logprobs": others}
	}
	for name, c := range map[string]struct {
		tokens []map[string]any
		want   float64 // -1: not told
	}{
		"both words":         {[]map[string]any{token(`{"true\"`, 1), token(`":`, 1), token(` true`, 0.6, token(` true`, 0.6), token(` false`, 0.2))}, 0.75},
		"only its own":       {[]map[string]any{token(`{"v":`, 1), token(`false`, 0.9)}, 0},
		"a part of the word": {[]map[string]any{token(`{"v":`, 1), token(`fal`, 0.5, token(`fal`, 0.5), token(`tr`, 0.5)), token(`se`, 1)}, 0.5},
		"within a token":     {[]map[string]any{token(`{"v":true`, 0.8, token(`{"v":true`, 0.8), token(`{"v":false`, 0.2))}, 0.8},
		"no boolean":         {[]map[string]any{token(`{"v":"true"}`, 1)}, -1},
		"nonsense":           {[]map[string]any{token(`{"v":`, 1), {"token": "true", "logprob": 7}}, -1},
		"none":               {[]map[string]any{}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fakeserver.NewOpenAIServer(t, fakeserver.OpenAILogprobs(append(c.tokens, token("}", 1))))
			req := question()
			req.Logprobs = true
			resp, err := at(s).Complete(t.Context(), req)
			require.NoError(t, err)
			if c.want < 0 {
				require.Nil(t, resp.PTrue)
				return
			}
			require.NotNil(t, resp.PTrue)
			require.InDelta(t, c.want, *resp.PTrue, 1e-9)
		})
	}
}

// Whatever a server answers, it is an answer or an error of a known kind.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"choices":[{"message":{"content":"{\"violation\":false}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		`{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"length"}]}`,
		`{"choices":[{"message":{"content":"a"},"finish_reason":"stop","logprobs":{"content":[{"token":"true","logprob":-0.1,"top_logprobs":null}]}}]}`,
		`{"error":{"message":"x","param":"seed"}}`, `{"error":"x"}`, `{"error":[1]}`, `[]`, `<html>`, ``, `{"choices":[{}]}`,
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
		resp, err := openai.New(&openai.Options{BaseURL: "http://localhost/v1", Model: "m", HTTP: client}).Complete(t.Context(), question())
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

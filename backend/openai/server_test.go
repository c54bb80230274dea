package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/internal/judge"
	"github.com/agentsentinel/sentinel/internal/state"
)

// A maker is a scripted server that behaves like one of a make.
type maker struct {
	pages   map[string]string // what it says of itself, by path
	applies string            // the field of a request whose schema it obeys; "" for none
	refuses []string          // fields that it answers 400 to
	thinks  bool              // thinks for 500 tokens first, unless it is asked not to
	deaf    bool              // thinks all the same
	content string            // an answer that no schema changed; else "hello"
	status  int               // of every chat; 0 is a usual one

	mu    sync.Mutex
	chats []map[string]json.RawMessage
}

func (m *maker) start(t *testing.T, memory backend.Shared) *openai.Backend {
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return openai.New(&openai.Options{BaseURL: s.URL + "/v1", Model: "judge", Memory: memory})
}

func (m *maker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		page, ok := m.pages[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, page)
		return
	}
	var chat map[string]json.RawMessage
	json.NewDecoder(r.Body).Decode(&chat)
	m.mu.Lock()
	m.chats = append(m.chats, chat)
	m.mu.Unlock()
	field, form, _ := strings.Cut(m.applies, ":")
	sent, said := string(chat[field]), m.content
	if said == "" {
		said = "Hello!"
	}
	switch refused := slices.IndexFunc(m.refuses, func(f string) bool { return chat[f] != nil }); {
	case refused >= 0:
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":{"message":"Extra inputs are not permitted: `+m.refuses[refused]+`","param":"`+m.refuses[refused]+`"}}`)
		return
	case m.status != 0:
		w.WriteHeader(m.status)
		io.WriteString(w, `{"error":{"message":"no"}}`)
		return
	case m.applies != "" && strings.Contains(sent, "kestrel") && strings.Contains(sent, form):
		said = `{"bird": "kestrel"}`
	}
	reason, thought := "stop", ""
	quiet := string(chat["reasoning_effort"]) == `"none"` || strings.Contains(string(chat["chat_template_kwargs"]), `"enable_thinking":false`)
	if m.thinks && (m.deaf || !quiet) {
		thought = "Let me see."
		var allowed int
		if json.Unmarshal(chat["max_tokens"], &allowed); allowed < 500 {
			said, reason = "", "length"
		}
	}
	text, _ := json.Marshal(said)
	io.WriteString(w, `{"choices":[{"message":{"content":`+string(text)+`,"reasoning_content":"`+thought+`"},"finish_reason":"`+reason+`"}]}`)
}

const (
	vllm     = `{"version":"0.11.0"}`
	llamaCpp = `{"build_info":"b8681","model_path":"/models/gpt-oss-20b-Q4.gguf","total_slots":4}`
	lmStudio = `{"object":"list","data":[{"id":"judge","arch":"qwen3","compatibility_type":"mlx"},{"id":"other","arch":"llama"}]}`
	vllmList = `{"data":[{"id":"judge","root":"openai/gpt-oss-20b","owned_by":"vllm"}]}`
	noSchema = "schemas are not applied"
)

// TestServers: what a server can do is found by asking it, whatever it says that it is.
func TestServers(t *testing.T) {
	t.Parallel()
	all := []string{"response_format", "structured_outputs", "guided_json", "json_schema", "grammar"}
	for name, c := range map[string]struct {
		server *maker
		family string
		says   []string
		field  string // of a later question with its schema; "" for none
	}{
		"vLLM":                                   {&maker{pages: map[string]string{"/version": vllm, "/v1/models": vllmList}, applies: "response_format"}, "openai/gpt-oss-20b", []string{"vLLM 0.11.0", "sent as response_format"}, "response_format"},
		"vLLM that ignores the standard":         {&maker{pages: map[string]string{"/version": vllm}, applies: "structured_outputs"}, "", []string{"sent as structured_outputs"}, "structured_outputs"},
		"old vLLM":                               {&maker{pages: map[string]string{"/version": `{"version":"0.5.4"}`}, applies: "guided_json", refuses: []string{"response_format", "structured_outputs", "json_schema"}}, "", []string{"vLLM 0.5.4", "sent as guided_json"}, "guided_json"},
		"llama.cpp":                              {&maker{pages: map[string]string{"/props": llamaCpp}, applies: "response_format"}, "gpt-oss-20b-Q4.gguf", []string{"llama.cpp b8681", "sent as response_format"}, "response_format"},
		"llama.cpp, its own field":               {&maker{pages: map[string]string{"/props": llamaCpp}, applies: "json_schema"}, "gpt-oss-20b-Q4.gguf", []string{"sent as json_schema"}, "json_schema"},
		"old llama.cpp":                          {&maker{pages: map[string]string{"/props": `{"model_path":"C:\\m\\qwen3.gguf"}`}, applies: "response_format:json_object"}, "qwen3.gguf", []string{"llama.cpp,", "sent as json_object"}, "response_format"},
		"a grammar alone":                        {&maker{applies: "grammar", refuses: []string{"guided_json"}}, "", []string{"does not say what it is", "sent as grammar"}, "grammar"},
		"LM Studio":                              {&maker{pages: map[string]string{"/api/v0/models": lmStudio}, applies: "response_format"}, "qwen3", []string{"LM Studio, model qwen3", "sent as response_format"}, "response_format"},
		"LM Studio that ignores it":              {&maker{pages: map[string]string{"/api/v0/models": lmStudio}}, "qwen3", []string{"LM Studio", noSchema}, "response_format"},
		"a server that lies about its version":   {&maker{pages: map[string]string{"/version": `{"version":"99.0"}`}}, "", []string{"vLLM 99.0", noSchema}, "response_format"},
		"a server that says it is another":       {&maker{pages: map[string]string{"/props": llamaCpp}, applies: "structured_outputs"}, "gpt-oss-20b-Q4.gguf", []string{"llama.cpp", "sent as structured_outputs"}, "structured_outputs"},
		"a server that refuses every field":      {&maker{refuses: all}, "", []string{noSchema}, ""},
		"a server whose pages are HTML":          {&maker{pages: map[string]string{"/version": "<html>", "/props": "<html>", "/v1/models": `{"data":[]}`}, applies: "response_format"}, "", []string{"does not say what it is", "sent as response_format"}, "response_format"},
		"a server that thinks":                   {&maker{applies: "response_format", thinks: true}, "", []string{"thinks unasked", "sent as response_format"}, "response_format"},
		"a server that repeats another's answer": {&maker{content: `{"bird":"robin"}`}, "", []string{noSchema}, "response_format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			memory := state.NewValues(t.TempDir())
			b := c.server.start(t, memory)
			require.NoError(t, b.Probe(t.Context(), ""))
			family, err := b.Family(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, c.family, family)
			said, err := b.Abilities(t.Context(), "", "")
			require.NoError(t, err)
			for _, want := range c.says {
				require.Contains(t, said, want)
			}
			require.Equal(t, strings.Contains(said, noSchema), b.Unbound(""))

			asked := len(c.server.chats)
			require.NoError(t, b.Probe(t.Context(), ""), "it is known")
			require.Len(t, c.server.chats, asked)
			c.server.content = clean
			_, err = b.Complete(t.Context(), question())
			require.NoError(t, err)
			last := c.server.chats[len(c.server.chats)-1]
			for _, field := range all {
				require.Equal(t, field == c.field, last[field] != nil, field)
			}
		})
	}
}

// TestProbeIsKept: another process knows what was found.
func TestProbeIsKept(t *testing.T) {
	t.Parallel()
	memory := state.NewValues(t.TempDir())
	m := &maker{applies: "guided_json"}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	o := openai.Options{BaseURL: s.URL + "/v1", Model: "judge", Memory: memory}
	require.NoError(t, openai.New(&o).Probe(t.Context(), ""))
	asked := len(m.chats)
	b := openai.New(&o)
	require.NoError(t, b.Probe(t.Context(), ""))
	_, err := b.Complete(t.Context(), question())
	require.NoError(t, err)
	require.Len(t, m.chats, asked+1)
	require.Contains(t, m.chats[asked], "guided_json")
}

// TestProbeThatHasNoAnswer: what does not come from the schema is not put down to it.
func TestProbeThatHasNoAnswer(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404, 429, 500, 503} {
		b := (&maker{status: status}).start(t, nil)
		require.ErrorIs(t, b.Probe(t.Context(), ""), sentinel.ErrUnavailable, status)
		require.False(t, b.Unbound(""), status)
		said, err := b.Abilities(t.Context(), "", "")
		require.NoError(t, err)
		require.Contains(t, said, "schemas not tried")
	}
}

// TestThinkingUnasked: a model that is seen to think unasked is asked not to from then
// on, in the words that its server takes, and has room if it does so all the same.
func TestThinkingUnasked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server    *maker
		has, lack string
	}{
		"in both ways":       {&maker{}, `"reasoning_effort":"none" "chat_template_kwargs"`, ""},
		"no effort":          {&maker{refuses: []string{"reasoning_effort"}}, `"chat_template_kwargs"`, "reasoning_effort"},
		"no template":        {&maker{refuses: []string{"chat_template_kwargs"}}, `"reasoning_effort":"none"`, "chat_template_kwargs"},
		"neither":            {&maker{refuses: []string{"chat_template_kwargs", "reasoning_effort"}}, "", "reasoning_effort"},
		"it thinks all same": {&maker{deaf: true}, `"reasoning_effort":"none"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := c.server
			m.thinks, m.content = true, clean
			b := m.start(t, nil)
			_, err := b.Complete(t.Context(), question())
			require.ErrorIs(t, err, sentinel.ErrMalformed)
			require.ErrorContains(t, err, "from now on")
			for range 2 {
				resp, err := b.Complete(t.Context(), question())
				require.NoError(t, err)
				require.Equal(t, clean, resp.Text)
			}
			last, err := json.Marshal(m.chats[len(m.chats)-1])
			require.NoError(t, err)
			require.Contains(t, string(last), `"max_tokens":2300`)
			for _, part := range strings.Fields(c.has) {
				require.Contains(t, string(last), part)
			}
			if c.lack != "" {
				require.NotContains(t, string(last), c.lack)
			}
		})
	}
	asked := question()
	asked.Think = true
	m := &maker{thinks: true, content: clean}
	_, err := m.start(t, nil).Complete(t.Context(), asked)
	require.NoError(t, err)
	require.JSONEq(t, "2300", string(m.chats[0]["max_tokens"]))
}

// TestProbeIsCounted: each question of a probe counts where questions cost, and none is put
// beyond the limit. A probe that it has cut short does not start again the next day.
func TestProbeIsCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit, asked int
		applies      string
		err          error
		unbound      bool
	}{
		{12, 1, "response_format", nil, false},
		{12, 6, "grammar", nil, false},
		{12, 6, "", nil, true},
		{6, 6, "grammar", nil, false},
		{5, 5, "grammar", nil, true},
		{1, 1, "", nil, true},
		{0, 0, "response_format", sentinel.ErrRefused, false},
	} {
		name := fmt.Sprintf("%+v", c)
		m, counted := &maker{applies: c.applies}, 0
		s := httptest.NewServer(m)
		t.Cleanup(s.Close)
		settings := &openai.Settings{BaseURL: s.URL + "/v1"}
		built, err := settings.Build(&judge.Site{
			Model: "judge", Getenv: func(string) string { return "" }, Trusted: func() bool { return true }, MayAsk: func(*url.URL) error { return nil },
			Count: func(model string) error {
				require.Equal(t, "judge", model)
				if counted == c.limit {
					return sentinel.ErrRefused
				}
				counted++
				return nil
			},
		})
		require.NoError(t, err)
		b := built.(*openai.Backend)
		for range 2 {
			require.ErrorIs(t, b.Probe(t.Context(), ""), c.err, name)
		}
		require.Equal(t, []int{c.asked, c.asked}, []int{counted, len(m.chats)}, name)
		require.Equal(t, c.unbound, b.Unbound(""), name)
	}
}

// TestOpenAIIsNotProbed: a question costs there, and its schemas are known to be applied.
func TestOpenAIIsNotProbed(t *testing.T) {
	t.Parallel()
	m := &maker{}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	b := openai.New(&openai.Options{Model: "gpt-4o-mini", Key: "sk-1", HTTP: &http.Client{Transport: detour{s.URL}}})
	require.NoError(t, b.Probe(t.Context(), ""))
	said, err := b.Abilities(t.Context(), "", "")
	require.NoError(t, err)
	require.Equal(t, "OpenAI", said)
	require.Empty(t, m.chats)
}

// TestLogprobsOfNaN: the answer counts, its probability is unknown.
func TestLogprobsOfNaN(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"NaN", "-Infinity", "Infinity", "null", `"NaN"`, "7"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"choices":[{"message":{"content":"{\"NaN\":true}"},"finish_reason":"stop","logprobs":{"content":[
				{"token":"{\"NaN\":","logprob":0,"top_logprobs":[]},
				{"token":"true","logprob":`+number+`,"top_logprobs":[{"token":"true","logprob":`+number+`},{"token":"false","logprob":-4}]}]}}]}`)
		}))
		t.Cleanup(s.Close)
		req := question()
		req.Logprobs = true
		resp, err := openai.New(&openai.Options{BaseURL: s.URL, Model: "m"}).Complete(t.Context(), req)
		require.NoError(t, err, number)
		require.Equal(t, `{"NaN":true}`, resp.Text)
		require.Nil(t, resp.PTrue, number)
	}
}

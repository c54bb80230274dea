package profile_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/ollama"
	"github.com/agentsentinel/sentinel/backend/openai"
	"github.com/agentsentinel/sentinel/internal/profile"
)

var update = flag.Bool("update", false, "write the golden files")

// question is one about a rule, as the engine asks it.
func question(model string) sentinel.Request {
	return sentinel.Request{
		System: "the system prompt", Prompt: "the whole prompt", Schema: json.RawMessage(`{"type":"object"}`),
		Criterion: "Never deploy from a laptop: (command)", Material: "command: \"./deploy prod\"\n",
		Fence: "00112233aabbccdd", Model: model, MaxTokens: 300, Temperature: 0.1, Valid: valid,
	}
}

// valid takes what the engine takes of an answer.
func valid(text string) error {
	var v struct {
		Violation  *bool
		Confidence *float64
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil || v.Violation == nil || v.Confidence == nil {
		return sentinel.ErrMalformed
	}
	return nil
}

// server answers every question with the same text, and keeps the last one.
type server struct {
	*httptest.Server
	family, answer string
	asked          []byte
	shown          int
}

func newServer(t *testing.T) *server {
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text, _ := json.Marshal(s.answer)
		switch r.URL.Path {
		case "/api/show":
			s.shown++
			io.WriteString(w, `{"details":{"family":"`+s.family+`"}}`)
		case "/api/version":
			io.WriteString(w, `{"version":"0.20.7"}`)
		case "/api/chat":
			s.asked = body
			io.WriteString(w, `{"message":{"content":`+string(text)+`},"done":true,"done_reason":"stop"}`)
		case "/chat/completions":
			s.asked = body
			io.WriteString(w, `{"choices":[{"message":{"content":`+string(text)+`},"finish_reason":"stop"}]}`)
		default: // what a server tells of itself, asked for side by side
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) ollama(t *testing.T, o profile.Options) *profile.Backend {
	base, err := url.Parse(s.URL)
	require.NoError(t, err)
	if o.Profiles == nil {
		o.Profiles = profile.Embedded().For(ollama.Name)
	}
	return profile.Wrap(ollama.New(base, nil), o)
}

func (s *server) openai(o profile.Options) *profile.Backend {
	o.Profiles = profile.Embedded().For(openai.Name)
	return profile.Wrap(openai.New(&openai.Options{BaseURL: s.URL}), o)
}

// asked is a model of each profile, an answer of its form that is a violation, and one
// that is not.
var models = []struct{ name, backend, model, bad, good string }{
	{"generic", "ollama", "gemma3:4b", `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"generic", "openai", "gemma-3-4b-it", `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"thinking-chat", "ollama", "qwen3:4b", "```json\n" + `{"violation":true,"confidence":0.9,"reason":"x"}` + "\n```", `The answer: {"violation":false,"confidence":0.9}`},
	{"gpt-oss", "ollama", "gpt-oss:20b", `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"gpt-oss-safeguard", "ollama", "gpt-oss-safeguard:20b", `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"gpt-oss-safeguard", "openai", "openai/gpt-oss-safeguard-20b", `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"granite-guardian-ollama", "ollama", "ibm/granite3.3-guardian:8b", "<think>\n</think>\n<score> yes </score>", "<score>no</score>"},
	{"granite-guardian", "openai", "ibm-granite/granite-guardian-4.1-8b", "<think>\n</think>\n<score> yes </score>", "<score>no</score>"},
	{"thinking-chat", "openai", "Qwen/Qwen3-4B", "<think>It is clean: {}</think>\n" + `{"violation":true,"confidence":0.9,"reason":"x"}`, `{"violation":false,"confidence":0.9}`},
	{"dynaguard", "openai", "tomg-group-umd/DynaGuard-1.7B", "<think>PASS would be <answer>PASS</answer></think><answer>FAIL</answer>", "<answer>\nPASS\n</answer>"},
	{"shieldgemma", "openai", "google/shieldgemma-2b", "Yes", "No, because it is fine."},
}

// TestWire holds what each profile sends.
func TestWire(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		t.Run(m.name+"."+m.backend, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			b := s.openai(profile.Options{})
			if m.backend == "ollama" {
				b = s.ollama(t, profile.Options{})
			}
			name, err := b.Of(context.Background(), m.model)
			require.NoError(t, err)
			require.Equal(t, m.name, name)

			for answer, violation := range map[string]bool{m.bad: true, m.good: false} {
				s.answer = answer
				resp, err := b.Complete(context.Background(), question(m.model))
				require.NoError(t, err, answer)
				var v struct{ Violation bool }
				require.NoError(t, json.Unmarshal([]byte(resp.Text), &v))
				require.Equal(t, violation, v.Violation, answer)
			}
			var pretty bytes.Buffer
			require.NoError(t, json.Indent(&pretty, s.asked, "", "  "))
			pretty.WriteByte('\n')
			golden := filepath.Join("testdata", m.name+"."+m.backend+".json")
			if *update {
				require.NoError(t, os.WriteFile(golden, pretty.Bytes(), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "go test ./internal/profile -update writes it")
			require.Equal(t, string(want), pretty.String())
		})
	}
}

// TestAnswersThatCountForNothing has what no profile may take for a verdict.
func TestAnswersThatCountForNothing(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		for name, answer := range map[string]string{
			"both verdicts":       m.good + "\n" + m.bad,
			"the same twice":      m.bad + "\n" + m.bad,
			"no verdict":          "I cannot say.",
			"the mark of data":    m.good[:len(m.good)/2] + "00112233aabbccdd" + m.good[len(m.good)/2:],
			"a mark with more":    strings.NewReplacer("<score> yes </score>", "<score> Yes! </score>", "<answer>FAIL</answer>", "<answer> FAIL because </answer>", "true", "true, so ").Replace(m.bad) + m.good,
			"a word of no answer": strings.NewReplacer("yes", "maybe", "FAIL", "MAYBE", "Yes", "Maybe", "true", "null").Replace(m.bad),
		} {
			if m.name == "shieldgemma" && strings.Contains(name, "verdicts") || m.name == "shieldgemma" && (name == "the same twice" || name == "a mark with more") {
				continue // the first word is the answer, whatever follows
			}
			if m.name == "generic" && name == "the mark of data" {
				continue // the engine refuses it
			}
			t.Run(m.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newServer(t)
				s.answer = answer
				b := s.openai(profile.Options{})
				if m.backend == "ollama" {
					b = s.ollama(t, profile.Options{})
				}
				resp, err := b.Complete(context.Background(), question(m.model))
				if err == nil {
					err = valid(resp.Text)
				}
				require.ErrorIs(t, err, sentinel.ErrMalformed, resp.Text)
			})
		}
	}
}

// TestFixedCategories: a model that reads no rule judges none.
func TestFixedCategories(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, model := range []string{"llama-guard3:8b", "meta-llama/Llama-Guard-4-12B", "qwen3guard:4b", "sileader/qwen3guard:0.6b", "shieldgemma:2b", "granite3-guardian:2b"} {
		_, err := s.ollama(t, profile.Options{}).Complete(context.Background(), question(model))
		require.ErrorIs(t, err, sentinel.ErrRefused, model)
		require.ErrorContains(t, err, "gpt-oss-safeguard")
		_, err = s.ollama(t, profile.Options{}).Of(context.Background(), model)
		require.Error(t, err, "the doctor says so too")
	}
	_, err := s.openai(profile.Options{}).Complete(context.Background(), question("ibm-granite/granite-guardian-3.3-8b"))
	require.ErrorIs(t, err, sentinel.ErrRefused)
	require.Empty(t, s.asked, "nothing was sent")
}

// TestFamilyThatChanges: a model of another name has the profile of its family, as the
// server says; the family is asked for again when the model gives no answer.
func TestFamilyThatChanges(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.family, s.answer = "gptoss", `Here: {"violation":true,"confidence":1,"reason":"x"}`
	b := s.ollama(t, profile.Options{})
	for range 3 {
		_, err := b.Complete(context.Background(), question("team-judge"))
		require.NoError(t, err)
	}
	require.NotContains(t, string(s.asked), `"format"`)
	require.Equal(t, 1, s.shown)

	s.family, s.answer = "gemma3", "no JSON"
	_, err := b.Complete(context.Background(), question("team-judge"))
	require.ErrorIs(t, err, sentinel.ErrMalformed)
	_, _ = b.Complete(context.Background(), question("team-judge"))
	require.Equal(t, 2, s.shown)
	require.Contains(t, string(s.asked), `"format"`, "it is another model under the same name")
}

// TestNameBehindAnAlias: a server may say which model answers by a name of its operator's.
func TestNameBehindAnAlias(t *testing.T) {
	t.Parallel()
	for root, want := range map[string]string{"openai/gpt-oss-20b": "gpt-oss", "meta-llama/Llama-Guard-4-12B": "llama-guard", "google/gemma-3-4b-it": "generic"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			io.WriteString(w, `{"data":[{"id":"judge","root":"`+root+`"}]}`)
		}))
		t.Cleanup(s.Close)
		b := profile.Wrap(openai.New(&openai.Options{BaseURL: s.URL + "/v1"}), profile.Options{Profiles: profile.Embedded().For(openai.Name)})
		name, err := b.Of(t.Context(), "judge")
		require.Equal(t, want == "llama-guard", err != nil, "it is refused under whatever name")
		require.Equal(t, want, name)
	}
}

// TestPagesThatFail: what a server does not tell about a model makes no call unjudged.
// The facts that it has count, and the name alone refuses. A page that hangs is not
// waited for again.
func TestPagesThatFail(t *testing.T) {
	t.Parallel()
	const behind = `{"data":[{"id":"judge","root":"openai/gpt-oss-20b"}]}`
	fails := map[string]string{"/api/show": "hang", "/v1/models": "403"}
	for name, c := range map[string]struct {
		ollama  bool
		pages   map[string]string // by path: a body, "hang", or a status
		profile string
		says    string
	}{
		"a page hangs":                  {false, map[string]string{"/props": "hang", "/v1/models": `{"data":[]}`}, "generic", "model unknown: the server did not tell within"},
		"a page hangs, another answers": {false, map[string]string{"/props": "hang", "/v1/models": behind}, "gpt-oss", "model openai/gpt-oss-20b"},
		"the list hangs":                {false, map[string]string{"/v1/models": "hang"}, "generic", "model unknown: the server did not tell within"},
		"the list hangs, a page tells":  {false, map[string]string{"/v1/models": "hang", "/props": `{"build_info":"b1","model_path":"/m/gpt-oss-20b.gguf"}`}, "gpt-oss", "llama.cpp b1, model gpt-oss-20b.gguf"},
		"all hang":                      {false, map[string]string{"/v1/models": "hang", "/version": "hang", "/props": "hang", "/api/v0/models": "hang", "/api/version": "hang", "/get_server_info": "hang"}, "generic", "model unknown"},
		"the list is forbidden":         {false, fails, "generic", "model unknown: "},
		"the list fails":                {false, map[string]string{"/v1/models": "500"}, "generic", "500 Internal Server Error"},
		"the list is forbidden, a page tells": {false, map[string]string{"/v1/models": "403", "/props": `{"build_info":"b1","model_path":"/m/llama-guard-3-8b.gguf"}`},
			"llama-guard", ""},
		"Ollama's family hangs": {true, fails, "generic", ""},
		"Ollama's family fails": {true, map[string]string{"/api/show": "500"}, "generic", "does not say what it is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var looked atomic.Int64
			answer := `{"violation":true,"confidence":1,"reason":"x"}`
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, _ := strconv.Atoi(c.pages[r.URL.Path])
				if strings.HasSuffix(r.URL.Path, "/chat/completions") || r.URL.Path == "/api/chat" {
					text, _ := json.Marshal(answer) // here alone: the pages are asked for side by side
					io.WriteString(w, `{"choices":[{"message":{"content":`+string(text)+`},"finish_reason":"stop"}],"message":{"content":`+string(text)+`},"done":true,"done_reason":"stop"}`)
					return
				}
				looked.Add(1)
				switch page := c.pages[r.URL.Path]; {
				case page == "hang":
					io.Copy(io.Discard, r.Body) // else the end of the request is not seen
					<-r.Context().Done()
				case status != 0 || page == "":
					w.WriteHeader(cmp.Or(status, http.StatusNotFound))
				default:
					io.WriteString(w, page)
				}
			}))
			t.Cleanup(s.Close)
			base, err := url.Parse(s.URL)
			require.NoError(t, err)
			b := profile.Wrap(openai.New(&openai.Options{BaseURL: s.URL + "/v1"}), profile.Options{Profiles: profile.Embedded().For(openai.Name)})
			if c.ollama {
				b = profile.Wrap(ollama.New(base, nil), profile.Options{Profiles: profile.Embedded().For(ollama.Name)})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			resp, err := b.Complete(ctx, question("judge"))
			if c.profile == "llama-guard" {
				require.ErrorIs(t, err, sentinel.ErrRefused)
				return
			}
			require.NoError(t, err)
			require.NoError(t, valid(resp.Text))
			asked := looked.Load()
			named, err := b.Of(ctx, "judge")
			require.NoError(t, err)
			require.Equal(t, c.profile, named)
			_, err = b.Complete(ctx, question("judge"))
			require.NoError(t, err)
			require.Equal(t, asked, looked.Load(), "it is kept")
			if c.says != "" {
				says, err := b.Describe(ctx, "judge", "")
				require.NoError(t, err)
				require.Contains(t, says, c.says)
			}

			_, err = b.Complete(ctx, question("llama-guard3:8b"))
			require.ErrorIs(t, err, sentinel.ErrRefused, "the name says enough")
			for _, answer = range []string{"safe", "unsafe\nS1", "unsafe\nS2,S9", "\n\nsafe\n"} { // Llama Guard behind another name
				resp, err := b.Complete(ctx, question("judge"))
				if err == nil {
					err = valid(resp.Text)
				}
				require.ErrorIs(t, err, sentinel.ErrMalformed, answer)
			}
		})
	}
}

// TestSchemaThatIsNotApplied: a server that is seen to apply no schema is sent none, and
// one JSON object with words around it is read; the probe is made at loading, once.
func TestSchemaThatIsNotApplied(t *testing.T) {
	t.Parallel()
	for said, name := range map[string]string{"Hello!": "no-schema", `{"bird":"kestrel"}`: "generic"} {
		s := newServer(t)
		s.answer = said
		base, err := url.Parse(s.URL)
		require.NoError(t, err)
		server := ollama.New(base, &ollama.Options{Model: "gemma3:4b"})
		b := profile.Wrap(server, profile.Options{Profiles: profile.Embedded().For(ollama.Name), Model: "gemma3:4b"})
		require.NoError(t, server.Probe(t.Context(), ""))
		require.Contains(t, string(s.asked), "kestrel")
		s.asked = nil
		require.NoError(t, server.Probe(t.Context(), ""))
		require.Nil(t, s.asked, "it is known")

		got, err := b.Of(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, name, got)
		abilities, err := b.Describe(t.Context(), "", "")
		require.NoError(t, err)
		require.Contains(t, abilities, "Ollama 0.20.7", "a server that lies about its version, one that applied all schemas")
		require.Equal(t, name == "no-schema", strings.Contains(abilities, "schemas are not applied ("), abilities)
		s.answer = `Here it is: {"violation":true,"confidence":1,"reason":"x"}`
		resp, err := b.Complete(t.Context(), question(""))
		require.NoError(t, err)
		require.Equal(t, name == "no-schema", valid(resp.Text) == nil)
		require.Equal(t, name == "generic", strings.Contains(string(s.asked), `"format"`))

		s.answer = "broken" // as the judged action may have it
		_, _ = b.Complete(t.Context(), question(""))
		got, err = b.Of(t.Context(), "")
		require.NoError(t, err)
		require.Equal(t, name, got, "what was seen of schemas stays")
	}
}

func TestForced(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	b := s.ollama(t, profile.Options{Forced: "gpt-oss"})
	name, err := b.Of(context.Background(), "team-judge")
	require.NoError(t, err)
	require.Equal(t, "gpt-oss", name)
	require.Zero(t, s.shown)
	_, err = s.ollama(t, profile.Options{Forced: "gtp-oss"}).Complete(context.Background(), question("m"))
	require.ErrorContains(t, err, `no profile is called "gtp-oss"`)
	generic := s.ollama(t, profile.Options{Forced: profile.Generic})
	name, err = generic.Of(context.Background(), "gpt-oss:20b")
	require.NoError(t, err)
	require.Equal(t, profile.Generic, name)
}

// TestConfidence: the probability of the word is how sure the model is.
func TestConfidence(t *testing.T) {
	t.Parallel()
	own, err := profile.Parse("p.yaml", []byte(`{name: p, match: ["p"], answer: {form: pattern, pattern: "^(a|b)$", violation: [a], clean: [b]}}`))
	require.NoError(t, err)
	for _, tt := range []struct {
		word string
		p    float64
		want string
	}{
		{"a", 0.75, `{"violation":true,"confidence":0.75,"reason":""}`},
		{"b", 0.25, `{"violation":false,"confidence":0.75,"reason":""}`},
	} {
		next := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			return sentinel.Response{Text: tt.word, PTrue: &tt.p}, nil
		})
		resp, err := profile.Wrap(next, profile.Options{Profiles: profile.Set{own}, Model: "p"}).Complete(t.Context(), question(""))
		require.NoError(t, err)
		require.JSONEq(t, tt.want, resp.Text)
		require.Equal(t, tt.word, resp.Own)
	}
}

// TestSecondQuestion: a reason is asked for after a violation alone.
func TestSecondQuestion(t *testing.T) {
	t.Parallel()
	own, err := profile.Parse("p.yaml", []byte(`{name: p, match: ["p"], reason: second question, answer: {form: pattern, pattern: "^(a|b)$", violation: [a], clean: [b]}, messages: [{role: user, text: "{{rule}} {{action}}"}]}`))
	require.NoError(t, err)
	var answers []string
	asked := 0
	next := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		asked++
		text := answers[0]
		answers = answers[1:]
		return sentinel.Response{Text: text, OutputTokens: 1}, nil
	})
	b := profile.Wrap(next, profile.Options{Profiles: profile.Set{own}, Model: "p"})
	answers = []string{"b"}
	resp, err := b.Complete(context.Background(), question(""))
	require.NoError(t, err)
	require.Equal(t, 1, asked)
	require.JSONEq(t, `{"violation":false,"confidence":1,"reason":""}`, resp.Text)

	answers = []string{"a", "It deploys from a laptop."}
	resp, err = b.Complete(context.Background(), question(""))
	require.NoError(t, err)
	require.Equal(t, 3, asked)
	require.JSONEq(t, `{"violation":true,"confidence":1,"reason":"It deploys from a laptop."}`, resp.Text)
	require.Equal(t, 2, resp.OutputTokens)
}

// TestFaults: what is wrong with a file is said with its line.
func TestFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"match: [x]\n":                        "a profile has a name",
		"name: x\n":                           "which models it is for",
		"name: x\nmatch: [\"[\"]\n":           "is no pattern",
		"name: x\nmatch: [x]\nthnk: low\n":    "p.yaml:3",
		"name: x\nmatch: [x]\nthink: a lot\n": "p.yaml:3",
		"name: x\nmatch: [x]\nanswer: {form: pattern, pattern: \"(\", violation: [a], clean: [b]}\n": "no regular expression",
		"name: x\nmatch: [x]\nanswer: {form: pattern, pattern: \"a\", violation: [a], clean: [b]}\n": "one group",
		"name: x\nmatch: [x]\nanswer: {form: pattern, pattern: \"(a)\", violation: [a]}\n":           "the words of a violation and of a clean answer",
		"name: x\nmatch: [x]\nanswer: {pattern: \"(a)\"}\n":                                          "form: pattern",
		"name: x\nmatch: [x]\np_true: {yes: [a]}\n":                                                  "words for both",
		"name: x\nmatch: [x]\nmessages: [{role: user, text: \"{{rule}}\"}]\n":                        "has to see the rule and the action",
		"name: x\nmatch: [x]\nmessages: [{role: user, text: \"{{rule}} {{acton}}\"}]\n":              "write {{action}}",
		"name: x\nmatch: [x]\nmessages: [{role: robot, text: \"{{prompt}}\"}]\n":                     "role",
	} {
		_, err := profile.Read(fstest.MapFS{"p.yaml": {Data: []byte(text)}}, ".")
		require.ErrorContains(t, err, want, text)
	}
	none, err := profile.ReadDir(filepath.Join(t.TempDir(), "missing"))
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestSources: each of our profiles says which page it follows.
func TestSources(t *testing.T) {
	t.Parallel()
	for _, p := range profile.Embedded() {
		require.Regexp(t, `^https://(huggingface\.co|ollama\.com|docs\.ollama\.com|github\.com|cookbook\.openai\.com)/`, p.Source, p.Name)
	}
}

// TestOneBranch: a profile may want the schema of a judgement as one object.
func TestOneBranch(t *testing.T) {
	t.Parallel()
	own, err := profile.Parse("p.yaml", []byte(`{name: p, match: ["p"], schema: one branch}`))
	require.NoError(t, err)
	var asked sentinel.Request
	next := sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
		asked = req
		return sentinel.Response{Text: "{}"}, nil
	})
	req := question("p")
	req.Schema, req.Valid = json.RawMessage(`{"anyOf":[{"type":"object","properties":{"a":{"const":1}}},{"type":"object","properties":{"b":{"const":2}}}]}`), nil
	_, err = profile.Wrap(next, profile.Options{Profiles: profile.Set{own}}).Complete(t.Context(), req)
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"object","properties":{"a":{"const":1},"b":{"const":2}}}`, string(asked.Schema))
}

// TestBadInput: what a profile, a model and a server can do wrong is an error that says
// so, or counts for nothing.
func TestBadInput(t *testing.T) {
	t.Parallel()
	const word = `answer: {form: pattern, pattern: "<a>(\\w+)</a>", violation: [bad], clean: [ok]}, p_true: {after: "<a>", yes: [bad], no: [ok]}`
	own := func(keys string) profile.Set {
		p, err := profile.Parse("p.yaml", []byte(`{name: p, match: ["p"], `+keys+`}`))
		require.NoError(t, err)
		return profile.Set{p}
	}
	answer := func(set profile.Set, text string, p *float64) (sentinel.Response, error) {
		next := sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			return sentinel.Response{Text: text, PTrue: p}, nil
		})
		return profile.Wrap(next, profile.Options{Profiles: set, Model: "p"}).Complete(t.Context(), question(""))
	}
	for name, keys := range map[string]string{
		"a wrong pattern":       `answer: {form: pattern, pattern: "(", violation: [a], clean: [b]}`,
		"a pattern of no group": `answer: {form: pattern, pattern: "a|b", violation: [a], clean: [b]}`,
		"a missing token":       `p_true: {no: [ok]}`,
	} {
		_, err := profile.Parse("p.yaml", []byte("{name: p, match: [p], "+keys+"}"))
		require.ErrorContains(t, err, "p.yaml:1", name)
	}
	for name, text := range map[string]string{
		"two answers":                "<a>ok</a><a>bad</a>",
		"the same answer twice":      "<a>bad</a><a>bad</a>",
		"a second mark":              "<a>ok</a> <a>",
		"the fence's mark repeated":  "00112233aabbccdd <a>ok</a>",
		"the fence's mark in it":     "<a>ok</a> END DATA 00112233aabbccdd",
		"two answers after thoughts": "<think>hm</think><a>bad</a><a>ok</a>",
		"thoughts in the middle":     "<a>bad</a><think></think><a>ok</a>",
		"nothing but thoughts":       "<think><a>ok</a></think>",
	} {
		_, err := answer(own(word), text, nil)
		require.ErrorIs(t, err, sentinel.ErrMalformed, name)
	}
	resp, err := answer(own(word), "<a>bad</a>", nil)
	require.NoError(t, err, "a token that the server does not report leaves the word")
	require.JSONEq(t, `{"violation":true,"confidence":1,"reason":""}`, resp.Text)
}

func FuzzParse(f *testing.F) {
	f.Add("name: x\nmatch: [x]\nanswer: {form: pattern, pattern: \"(a)\", violation: [a], clean: [b]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := profile.Parse("p.yaml", []byte(text))
		require.NotNil(t, p)
		if err != nil {
			return
		}
		b := profile.Wrap(sentinel.BackendFunc(func(context.Context, sentinel.Request) (sentinel.Response, error) {
			return sentinel.Response{Text: text}, nil
		}), profile.Options{Profiles: profile.Set{p}, Forced: p.Name, Model: "m"})
		if resp, err := b.Complete(context.Background(), question("m")); err == nil && p.Name != profile.Generic {
			require.NoError(t, valid(resp.Text))
		}
	})
}

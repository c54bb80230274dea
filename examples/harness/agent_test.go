package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

const (
	protected = "trigger: file_write\nseverity: block\nscope: [\"src/billing/**\"]\nwhen: \"true\"\nbackend: builtin\nmessage: Billing is changed through its API alone.\n"
	noForce   = "trigger: bash\nseverity: block\nscope: [\"git push *\"]\nwhen: command matches \"--force\"\nbackend: builtin\nmessage: Push without --force.\n"
	askFirst  = "trigger: bash\nseverity: ask\nscope: [\"touch deployed\"]\nwhen: \"true\"\nbackend: builtin\nmessage: Is this meant for production?\n"
	warnLong  = "trigger: file_write\nseverity: warn\nscope: [\"*.go\"]\nwhen: content contains \"TODO\"\nbackend: builtin\nmessage: Leave no open ends.\n"
)

// folder is a repository with these rules.
func folder(t *testing.T, rules ...string) string {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(at, 0o755))
	for i, rule := range rules {
		require.NoError(t, os.WriteFile(filepath.Join(at, "rule-"+strconv.Itoa(i)+".yaml"), []byte(rule), 0o600))
	}
	return dir
}

// A scriptedModel answers each request with the next message, the last one for
// ever, and keeps what it was sent.
type scriptedModel struct {
	t        *testing.T
	mu       sync.Mutex
	script   []message
	requests []chatRequest
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var req chatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/chat/completions" {
		m.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	m.requests = append(m.requests, req)
	answer := m.script[0]
	if len(m.script) > 1 {
		m.script = m.script[1:]
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": answer, "finish_reason": "stop"}}})
}

// results are what the model heard about its tool calls, in order.
func (m *scriptedModel) results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var texts []string
	for _, msg := range m.requests[len(m.requests)-1].Messages {
		if msg.Role == "tool" {
			texts = append(texts, msg.Content)
		}
	}
	return texts
}

// calls is a message that calls tools: name and arguments by turns.
func calls(namesAndArgs ...string) message {
	msg := message{Role: "assistant"}
	for pair := range slices.Chunk(namesAndArgs, 2) {
		msg.ToolCalls = append(msg.ToolCalls, toolCall{
			ID: "call-" + strconv.Itoa(len(msg.ToolCalls)), Type: "function", Function: function{Name: pair[0], Arguments: pair[1]},
		})
	}
	return msg
}

// work has an agent do a task in dir with a model that follows the script.
func work(t *testing.T, dir string, ask asker, script ...message) *scriptedModel {
	t.Helper()
	model := &scriptedModel{t: t, script: append(script, message{Role: "assistant", Content: "done"})}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	tools, err := openTools(dir)
	require.NoError(t, err)
	t.Cleanup(func() { tools.Close() })
	a := &agent{
		model: &client{url: server.URL + "/v1", model: "scripted"}, tools: tools, turns: 10, log: io.Discard,
		guard: newGuard(project.Open([]string{dir}, nil), dir, ask),
	}
	answer, err := a.do(context.Background(), "work")
	require.NoError(t, err)
	require.Equal(t, "done", answer)
	return model
}

func TestABlockedCallDoesNotRunAndTheModelReadsWhy(t *testing.T) {
	t.Parallel()
	dir := folder(t, protected, noForce)
	model := work(t, dir, nil,
		calls("write_file", `{"path":"src/billing/invoice.go","content":"package billing\n"}`),
		calls("run_command", `{"command":"touch pushed && git push origin main --force"}`),
		calls("run_command", `{"command":"mkdir -p src/billing && echo x > src/billing/invoice.go"}`),
		calls("write_file", `{"path":"src/api/billing.go","content":"package api\n"}`, "read_file", `{"path":"src/api/billing.go"}`),
	)
	require.NoFileExists(t, filepath.Join(dir, "src/billing/invoice.go"))
	require.NoFileExists(t, filepath.Join(dir, "pushed"))
	require.FileExists(t, filepath.Join(dir, "src/api/billing.go"))

	results := model.results()
	require.Len(t, results, 5)
	require.Contains(t, results[0], "Billing is changed through its API alone.")
	require.Contains(t, results[1], "Push without --force.")
	require.Contains(t, results[2], "Billing is changed through its API alone.")
	require.NotContains(t, results[3], "Sentinel")
	require.Equal(t, "package api\n", results[4])

	second := model.requests[1].Messages // the request that follows the first refusal
	require.Equal(t, message{Role: "tool", Content: results[0], ToolCallID: "call-0"}, second[len(second)-1])
}

func TestAskIsForThePerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		person asker
		runs   bool
		says   string
	}{
		"yes":    {func(context.Context, string) bool { return true }, true, ""},
		"no":     {func(context.Context, string) bool { return false }, false, "The person did not allow this."},
		"nobody": {nil, false, "nobody is here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("sh"); err != nil && c.runs {
				t.Skip("no sh, by which the agent runs commands")
			}
			dir := folder(t, askFirst)
			var asked string
			person := c.person
			if person != nil {
				person = func(ctx context.Context, question string) bool {
					asked = question
					return c.person(ctx, question)
				}
			}
			model := work(t, dir, person, calls("run_command", `{"command":"touch deployed"}`))
			if c.person != nil {
				require.Contains(t, asked, "Is this meant for production?")
				require.Contains(t, asked, "touch deployed")
			}
			if c.runs {
				require.FileExists(t, filepath.Join(dir, "deployed"))
				require.Empty(t, model.results()[0])
				return
			}
			require.NoFileExists(t, filepath.Join(dir, "deployed"))
			require.Contains(t, model.results()[0], c.says)
			require.Contains(t, model.results()[0], "Is this meant for production?")
		})
	}
}

func TestAWarningGoesAlongWithTheResult(t *testing.T) {
	t.Parallel()
	dir := folder(t, warnLong)
	model := work(t, dir, nil, calls("write_file", `{"path":"a.go","content":"// TODO\n"}`))
	require.FileExists(t, filepath.Join(dir, "a.go"))
	require.Contains(t, model.results()[0], "8 bytes written")
	require.Contains(t, model.results()[0], "Sentinel: Warning: Leave no open ends.")
}

// The engine of an embedder who has rules and a judge, and no folder of either.
func TestAdviceAfterATool(t *testing.T) {
	t.Parallel()
	rules, problems := rule.Build([]rule.File{rule.Parse("changelog.yaml", []byte(
		"trigger: file_write\nseverity: info\npost: true\nscope: [\"migrations/**\"]\nprompt: The CHANGELOG names every migration.\n"))}, nil)
	require.Empty(t, problems)
	var seen sentinel.Request
	engine, err := sentinel.New(rules, &sentinel.Options{
		Mapper: trigger.New(nil),
		Backends: map[string]sentinel.Backend{"ours": sentinel.BackendFunc(func(_ context.Context, req sentinel.Request) (sentinel.Response, error) {
			seen = req
			return sentinel.Response{Text: `{"context":"Add it to the CHANGELOG."}`}, nil
		})},
		Default: "ours",
	})
	require.NoError(t, err)
	tools, err := openTools(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { tools.Close() })
	a := &agent{tools: tools, guard: newGuard(engine, tools.dir, nil), log: io.Discard}
	call := calls("write_file", `{"path":"migrations/7.sql","content":"x"}`).ToolCalls[0]
	require.Equal(t, "1 bytes written to "+filepath.FromSlash("migrations/7.sql")+"\n\nSentinel: from changelog.yaml: Add it to the CHANGELOG.", a.call(t.Context(), call))
	require.Contains(t, seen.Prompt, "1 bytes written")
}

func TestWhatRunsIsWhatWasJudged(t *testing.T) {
	t.Parallel()
	for name, call := range map[string][]string{
		"a name in capitals beside the real one": {"write_file", `{"path":"ok.txt","PATH":"src/billing/x.go","content":"x"}`},
		"a name twice, the bad one first":        {"write_file", `{"path":"src/billing/x.go","path":"ok.txt","content":"x"}`},
		"a name twice, the bad one last":         {"write_file", `{"path":"ok.txt","path":"src/billing/x.go","content":"x"}`},
		"the name in capitals alone":             {"write_file", `{"PATH":"src/billing/x.go","content":"x"}`},
		"no JSON":                                {"write_file", `path=src/billing/x.go`},
		"a list":                                 {"write_file", `["src/billing/x.go"]`},
		"a path of another type":                 {"write_file", `{"path":["src/billing/x.go"],"content":"x"}`},
		"a way out":                              {"write_file", `{"path":"../x.go","content":"x"}`},
		"no such tool":                           {"write", `{"path":"src/billing/x.go","content":"x"}`},
		"an invented tool":                       {"conjure", `{"path":"src/billing/x.go","content":"x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, protected)
			work(t, dir, nil, calls(call...))
			require.NoDirExists(t, filepath.Join(dir, "src"))
			require.NoFileExists(t, filepath.Join(dir, "..", "x.go"))
		})
	}
}

func TestAModelThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status    int
		body, say string
	}{
		"an error of the server":  {500, `{"error":{"message":"out of memory"}}`, "answers 500: out of memory"},
		"a page":                  {502, `<html>Bad Gateway`, "answers 502: <html>"},
		"prose":                   {200, `hello`, "not a chat completion"},
		"nothing":                 {200, `{}`, "holds no message"},
		"cut":                     {200, `{"choices":[{"message":{"content":"I"},"finish_reason":"length"}]}`, "was cut"},
		"a call in every message": {200, `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]}}]}`, "not done after 3 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			dir := folder(t, protected)
			tools, err := openTools(dir)
			require.NoError(t, err)
			t.Cleanup(func() { tools.Close() })
			a := &agent{model: &client{url: server.URL}, tools: tools, turns: 3, log: io.Discard, guard: newGuard(project.Open([]string{dir}, nil), dir, nil)}
			_, err = a.do(context.Background(), "work")
			require.ErrorContains(t, err, c.say)
		})
	}
}

func TestTheProgramAsItIsStarted(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--model", "m"}), "what is to be done?")
	t.Setenv("OPENAI_MODEL", "")
	require.ErrorContains(t, run(t.Context(), []string{"work"}), "no model")

	dir := folder(t, protected)
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "SENTINEL_CONFIG_DIR"} {
		t.Setenv(name, "")
	}
	model := &scriptedModel{t: t, script: []message{
		calls("write_file", `{"path":"src/billing/x.go","content":"x"}`), {Role: "assistant", Content: "done"},
	}}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	require.NoError(t, run(t.Context(), []string{"--dir", dir, "--url", server.URL + "/v1/", "--model", "m", "write", "it"}))
	require.Contains(t, model.results()[0], "Billing is changed through its API alone.")
	require.Equal(t, "write it", model.requests[0].Messages[1].Content)
	require.True(t, strings.HasPrefix(model.requests[0].Tools[0].Function.Name, "read_"))
}

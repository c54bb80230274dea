package canary

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// post sends a request to a model server and returns the answer.
func post(t *testing.T, url, body string) string {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(data)
}

// In each protocol the model makes one call, and is done when it was answered. How the
// real programs act is tested by package e2e.
func TestProtocols(t *testing.T) {
	t.Parallel()
	paths := map[string]string{"messages": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions", "generate": "/v1beta/models/m:streamGenerateContent"}
	require.Len(t, paths, len(protocols()))
	tr := &trial{Options: &Options{Agent: &agent.Agent{Canary: agent.Canary{Tool: `wri"te`}}}, id: "call_1", input: json.RawMessage(`{"path":"a\"b"}`)}
	for name, p := range protocols() {
		s := &server{protocol: p, fill: tr.fill}
		url, stop, err := s.listen()
		require.NoError(t, err)
		defer stop()
		require.Contains(t, post(t, url+paths[name], `{"model":"m"}`), "Done.", "%s: a request outside of the conversation", name)
		require.False(t, s.called.Load())
		call := post(t, url+paths[name], `{"model":"m","tools":[{}]}`)
		require.Contains(t, call, `"wri\"te"`, name)
		require.NotContains(t, call, "Done.")
		require.NotRegexp(t, `TOOL|INPUT|ARGUMENTS|MODEL`, call)
		for line := range strings.Lines(call) {
			if data, ok := strings.CutPrefix(line, "data: {"); ok {
				require.True(t, json.Valid([]byte("{"+data)), "%s: %s", name, line)
			}
		}
		require.True(t, s.called.Load())
		require.False(t, s.answered.Load())
		mark := p.answered[0]
		if !strings.Contains(mark, ":") {
			mark += ":1"
		}
		require.Contains(t, post(t, url+paths[name], `{"model":"m","tools":[{}],"messages":[{`+mark+`}]}`), "Done.", name)
		require.True(t, s.answered.Load())

		proxied, err := http.NewRequest(http.MethodConnect, url, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(proxied)
		require.NoError(t, err)
		res.Body.Close()
		require.Equal(t, http.StatusForbidden, res.StatusCode, "it is no proxy")
	}
}

// Every agent's value names a protocol that there is, and arguments that can be read.
func TestAgentsCanaries(t *testing.T) {
	t.Parallel()
	n := 0
	for _, a := range (agent.Registry{}).All() {
		if a.Canary.Speaks == "" {
			continue
		}
		n++
		require.Contains(t, protocols(), a.Canary.Speaks, a.Name)
		tr := &trial{Options: &Options{Agent: a, Dir: "/r/sub"}, file: "/r/.claude/sentinel/x.txt"}
		input, err := tr.arguments()
		require.NoError(t, err, a.Name)
		require.Regexp(t, `(/r|\.\.)/\.claude/sentinel/x\.txt`, string(input), a.Name)
		require.NotRegexp(t, `\{(PATH|REL)`, string(input))
	}
	require.GreaterOrEqual(t, n, 5)
}

// TestAgent is the program of an agent that TestRun starts.
func TestAgent(t *testing.T) {
	url, does := os.Getenv("CANARY_URL"), os.Getenv("CANARY_DOES")
	if url == "" {
		t.Skip("only for the process that another test starts")
	}
	require.Empty(t, os.Getenv("OPENAI_API_KEY"), "the user's keys are not for a trial")
	if does == "nothing" {
		return
	}
	var said struct {
		Choices []struct {
			Delta struct {
				Calls []struct {
					ID       string
					Function struct{ Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	answer := post(t, url+"/v1/chat/completions", `{"tools":[{}]}`)
	first, _, _ := strings.Cut(strings.TrimPrefix(answer, "data: "), "\n")
	require.NoError(t, json.Unmarshal([]byte(first), &said), answer)
	call := said.Choices[0].Delta.Calls[0]
	var args struct{ Path string }
	require.NoError(t, json.Unmarshal([]byte(call.Function.Arguments), &args))
	if does == "writes" {
		require.NoError(t, os.WriteFile(args.Path, []byte("canary"), 0o600))
	}
	if does == "asks" {
		home := os.Getenv("HOME")
		key, err := state.Key(home)
		require.NoError(t, err)
		dir, err := os.Getwd()
		require.NoError(t, err)
		trace := state.NewTrace(filepath.Join(home, "traces"), func() []byte { return key }, nil)
		trace.Begin(state.Session{ID: "s", Dir: dir}, state.Traced{ID: state.CallDigest(call.ID), Tool: "write"}).End(state.TraceStopped, 0)
	}
	post(t, url+"/v1/chat/completions", `{"tools":[{}],"messages":[{"role":"tool"}]}`)
}

func TestRun(t *testing.T) {
	t.Parallel()
	for does, want := range map[string]struct {
		outcome Outcome
		said    string
	}{
		"writes":  {NotStopped, "it wrote the file, and no hook was asked"},
		"asks":    {Stopped, "stopped the call"},
		"refuses": {NotStopped, "what kept it from writing is the agent's own"},
		"nothing": {NotTried, "it did not ask the model server"},
	} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			home, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			dir := filepath.Join(home, "repo")
			rules := filepath.Join(dir, ".claude", "sentinel")
			require.NoError(t, os.MkdirAll(filepath.Join(rules, "rules"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(rules, "config.yaml"), []byte("backend: builtin\n"), 0o600))
			self, err := os.Executable()
			require.NoError(t, err)
			r, err := Run(t.Context(), &Options{
				Agent: &agent.Agent{
					Name: "tried", Traces: agent.Traces{Programs: []string{self}},
					Canary: agent.Canary{
						Speaks: "chat", Args: []string{"-test.run=^TestAgent$"}, Tool: "write", Input: `{"path": "{PATH}"}`,
						Env: []string{"CANARY_URL={URL}", "CANARY_DOES=" + does, "HOME=" + home, "NO_PROXY=127.0.0.1"},
					},
				},
				Dir: dir, Environ: append(os.Environ(), "OPENAI_API_KEY=secret"),
				Project: &project.Options{StateDir: home, Now: time.Now},
			})
			require.NoError(t, err)
			require.Equal(t, want.outcome, r.Outcome, r.Said)
			require.Contains(t, r.Said, want.said)
			left, err := filepath.Glob(filepath.Join(rules, "canary-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
	r, err := Run(t.Context(), &Options{Agent: &agent.Agent{Name: "other", Title: "Other"}, Dir: t.TempDir(), Project: &project.Options{Now: time.Now}})
	require.NoError(t, err)
	require.Equal(t, NotTried, r.Outcome)
	require.Contains(t, r.Said, "By hand: start Other in ")
}

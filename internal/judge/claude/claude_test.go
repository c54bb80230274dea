package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// The variables that make this test binary a Claude Code, which says, and does,
// what a test wants: its standard output, error and exit status, and the file in
// which it leaves how it was called.
const (
	sayOut  = "FAKE_CLAUDE_STDOUT"
	sayErr  = "FAKE_CLAUDE_STDERR"
	exit    = "FAKE_CLAUDE_EXIT"
	seenIn  = "FAKE_CLAUDE_SEEN"
	hangOn  = "FAKE_CLAUDE_HANG"
	floodIt = "FAKE_CLAUDE_FLOOD"
)

func TestMain(m *testing.M) {
	if _, fake := os.LookupEnv(sayOut); !fake {
		os.Exit(m.Run())
	}
	play()
}

// call is how the fake was called.
type call struct {
	Args, Env []string
	Dir       string
	Stdin     string
	Guarded   bool // as a hook that is started from here would find
}

func play() {
	stdin, _ := io.ReadAll(os.Stdin)
	if file := os.Getenv(seenIn); file != "" {
		dir, _ := os.Getwd()
		state := filepath.Dir(filepath.Dir(dir))
		seen, _ := json.Marshal(call{os.Args[1:], os.Environ(), dir, string(stdin), recursion.Guarded(state, os.Getenv(recursion.Variable))})
		os.WriteFile(file, seen, 0o600)
	}
	if address := os.Getenv(hangOn); address != "" {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			io.Copy(io.Discard, conn)
		}
	}
	for os.Getenv(floodIt) != "" {
		if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
			os.Exit(1)
		}
	}
	fmt.Fprint(os.Stderr, os.Getenv(sayErr))
	if say := os.Getenv(sayOut); say == answered && os.Args[1] == "auth" {
		fmt.Print(`{"loggedIn":true}`)
	} else {
		fmt.Print(say)
	}
	if os.Getenv(exit) != "" {
		os.Exit(1)
	}
	os.Exit(0)
}

// fake is a backend whose program says stdout; more is NAME=value.
func fake(t *testing.T, stdout string, more ...string) *Backend {
	t.Helper()
	return New(&Options{
		Path:     os.Args[0],
		StateDir: t.TempDir(),
		Env:      append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", sayOut+"="+stdout), more...),
	})
}

const schema = `{"anyOf":[` +
	`{"type":"object","properties":{"violation":{"const":false},"confidence":{"type":"number"}},"required":["violation","confidence"],"additionalProperties":false},` +
	`{"type":"object","properties":{"violation":{"const":true},"confidence":{"type":"number"},"reason":{"type":"string"}},"required":["violation","confidence","reason"],"additionalProperties":false}` +
	`]}`

func question() sentinel.Request {
	return sentinel.Request{System: "You judge.", Prompt: "Action: git push", Schema: json.RawMessage(schema), MaxTokens: 300}
}

// answered is a result as version 2.1.329 prints it, shortened.
const answered = `{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"num_turns":2,"stop_reason":"tool_use",` +
	`"result":"{\"violation\":true,\"confidence\":0.9,\"reason\":\"x\"}","structured_output":{"violation":true,"confidence":0.90,"reason":"x"},` +
	`"usage":{"input_tokens":10,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":7},"session_id":"s"}`

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		return backend.Timed(fake(t, answered))
	})
}

func TestComplete(t *testing.T) {
	t.Parallel()
	resp, err := fake(t, answered).Complete(t.Context(), question())
	require.NoError(t, err)
	require.Equal(t, sentinel.Response{
		Text: `{"violation":true,"confidence":0.90,"reason":"x"}`, Backend: "claude", Model: "haiku", PromptTokens: 1110, OutputTokens: 7,
	}, resp)

	free := question()
	free.Schema = nil
	resp, err = fake(t, answered).Complete(t.Context(), free)
	require.NoError(t, err)
	require.Equal(t, `{"violation":true,"confidence":0.9,"reason":"x"}`, resp.Text)
}

// seen runs a question and returns how the program was called.
func seen(t *testing.T, req sentinel.Request, opts func(*Options), more ...string) call {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seen.json")
	o := &Options{Path: os.Args[0], StateDir: t.TempDir(), Env: append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", sayOut+"="+answered, seenIn+"="+file), more...)}
	if opts != nil {
		opts(o)
	}
	_, err := New(o).Complete(t.Context(), req)
	require.NoError(t, err)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var c call
	require.NoError(t, json.Unmarshal(data, &c))
	return c
}

// How the program is called is what isolates it: a change must be seen.
func TestArguments(t *testing.T) {
	t.Parallel()
	c := seen(t, question(), nil)
	require.Equal(t, []string{
		"-p", "--output-format", "json", "--model", "haiku", "--system-prompt", "You judge.",
		"--safe-mode", "--setting-sources", "user", "--settings", `{"disableAllHooks":true,"permissions":{"deny":["Read"]}}`,
		"--strict-mcp-config", "--tools", "", "--disable-slash-commands", "--no-session-persistence", "--max-turns", "1",
		"--json-schema", `{"type":"object","properties":{"violation":{"type":"boolean"},"confidence":{"type":"number"},"reason":{"type":"string"}},"required":["violation","confidence"],"additionalProperties":false}`,
	}, c.Args)
	require.Equal(t, "Action: git push", c.Stdin)
	for _, variable := range []string{
		"CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_DISABLE_THINKING=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=300", "CLAUDE_CODE_EFFORT_LEVEL=low",
	} {
		require.Contains(t, c.Env, variable)
	}
	require.True(t, slices.ContainsFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "API_TIMEOUT_MS=") }))

	other := question()
	other.Model, other.Think, other.Schema = "opus", true, nil
	c = seen(t, other, nil)
	require.Contains(t, c.Args, "opus")
	require.NotContains(t, c.Args, "--json-schema")
	require.NotContains(t, c.Env, "CLAUDE_CODE_DISABLE_THINKING=1")
}

// The question is not in the list of processes.
func TestPromptIsNoArgument(t *testing.T) {
	t.Parallel()
	req := question()
	req.Prompt = "SECRET " + strings.Repeat("x", 300<<10) // more than an argument may have
	c := seen(t, req, nil)
	require.Equal(t, req.Prompt, c.Stdin)
	require.NotContains(t, strings.Join(append(c.Args, c.Env...), " "), "SECRET")
}

// A prompt that begins with a slash would be a command.
func TestPromptIsNoCommand(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{"/help": "\n/help", " \n/help": "\n \n/help", "see /help": "see /help"} {
		req := question()
		req.Prompt = prompt
		require.Equal(t, want, seen(t, req, nil).Stdin)
	}
}

// The variables that the agent at work has set are not passed on; those for signing in are.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := seen(t, question(), nil, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s", "AI_AGENT=x", "NODE_OPTIONS=--require ./evil.js",
		"CLAUDE_CODE_SIMPLE=1", "CLAUDE_CODE_EXTRA_BODY={}", recursion.Variable+"=stale",
		"ANTHROPIC_BASE_URL=https://gateway", "CLAUDE_CONFIG_DIR=/c", "CLAUDE_CODE_USE_BEDROCK=1")
	for _, variable := range c.Env {
		name, _, _ := strings.Cut(variable, "=")
		require.NotContains(t, []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "NODE_OPTIONS", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_EXTRA_BODY"}, name)
	}
	require.Contains(t, c.Env, "ANTHROPIC_BASE_URL=https://gateway")
	require.Contains(t, c.Env, "CLAUDE_CONFIG_DIR=/c")
	require.Contains(t, c.Env, "CLAUDE_CODE_USE_BEDROCK=1")
	require.NotContains(t, c.Env, recursion.Variable+"=stale")
}

func TestFolderAndToken(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	c := seen(t, question(), func(o *Options) { o.StateDir = state })
	require.True(t, c.Guarded, "a hook would judge the judge")
	require.Equal(t, "claude", filepath.Base(c.Dir))
	entries, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	left, err := os.ReadDir(filepath.Join(state, "judging"))
	require.NoError(t, err)
	require.Empty(t, left, "the token was not taken back")

	c = seen(t, question(), func(o *Options) { o.StateDir = "" })
	require.NoDirExists(t, c.Dir, "the temporary folder was left")
	require.False(t, slices.ContainsFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, recursion.Variable+"=") }))

	own := t.TempDir()
	c = seen(t, question(), func(o *Options) { o.Dir = own })
	require.Equal(t, filepath.Base(own), filepath.Base(c.Dir))

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = New(&Options{Path: os.Args[0], StateDir: file}).Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "no empty folder")
}

// Every way in which it fails: the kind of the error, and that its text tells a
// person what to do. The results are those of version 2.1.329, shortened.
func TestFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]error{
		"unavailable": sentinel.ErrUnavailable, "malformed": sentinel.ErrMalformed, "busy": sentinel.ErrBusy,
		"unsupported": errors.ErrUnsupported, "refused": sentinel.ErrRefused,
	}
	failed := func(status, text string) string {
		return `{"type":"result","subtype":"success","is_error":true,"api_error_status":` + status + `,"num_turns":1,"stop_reason":"stop_sequence","result":"` + text + `"}`
	}
	for name, c := range map[string]struct {
		stdout string
		more   []string
		kinds  string
		says   []string
	}{
		"not signed in":    {failed("null", `Not logged in · Please run /login`), []string{exit + "=1"}, "unavailable", []string{"not signed in", "run `claude` once"}},
		"expired":          {failed("401", `OAuth token has expired · Please run /login`), nil, "unavailable", []string{"not signed in"}},
		"a login prompt":   {"Select login method:\n 1. Claude account\n", []string{exit + "=1"}, "unavailable", []string{"not signed in"}},
		"a wrong key":      {failed("401", `Invalid API key · Fix external API key`), nil, "unavailable", []string{"does not accept the key", "Invalid API key"}},
		"no such model":    {failed("404", `There's an issue with the selected model`), nil, "unavailable", []string{"does the account have this model"}},
		"429":              {failed("429", `API Error: Request rejected (429)`), nil, "unavailable busy", []string{"limits its callers", "429"}},
		"overloaded":       {failed("529", `Overloaded`), nil, "unavailable busy", []string{"Overloaded"}},
		"the plan's limit": {failed("null", `Claude usage limit reached. Your limit will reset at 3pm`), nil, "unavailable busy", []string{"reset at 3pm"}},
		"a new limit":      {failed("null", `You've hit your limit · resets 3pm`), nil, "unavailable busy", []string{"resets 3pm"}},
		"500":              {failed("500", `API Error: 500`), nil, "unavailable", []string{"API Error: 500"}},
		"a timeout":        {failed("null", `Request timed out.`), nil, "unavailable", []string{"timed out"}},
		"too long":         {failed("400", `Prompt is too long`), nil, "unavailable", []string{"too long"}},
		"cut, it says":     {failed("null", `API Error: Claude's response exceeded the 300 output token maximum.`), nil, "malformed", []string{"cut"}},
		"cut":              {strings.Replace(answered, `"tool_use"`, `"max_tokens"`, 1), nil, "malformed", []string{"cut after 7 tokens"}},
		"prose":            {`{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":2}`, nil, "malformed", []string{"form asked for"}},
		"no structure":     {`{"type":"result","subtype":"success","is_error":false,"num_turns":3,"stop_reason":"end_turn","result":"Sure!"}`, nil, "malformed", []string{"form asked for", "Sure!"}},
		"null":             {`{"type":"result","subtype":"success","is_error":false,"num_turns":3,"stop_reason":"end_turn","structured_output":null}`, nil, "malformed", []string{"empty"}},
		"a refusal":        {`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"stop_reason":"refusal","result":""}`, nil, "malformed", []string{"refused"}},
		"a command":        {`{"type":"result","subtype":"success","is_error":false,"num_turns":0,"stop_reason":null,"result":"/help isn't available"}`, nil, "malformed", []string{"took the prompt for a command"}},
		"an odd subtype":   {`{"type":"result","subtype":"error_during_execution","is_error":false,"num_turns":1,"result":""}`, nil, "unavailable", []string{"Claude Code said"}},
		"nothing":          {"", nil, "unavailable", []string{"status 0", "printed no result"}},
		"nothing but why":  {"", []string{sayErr + "=Illegal instruction", exit + "=1"}, "unavailable", []string{"status 1", "Illegal instruction"}},
		"too old":          {"", []string{sayErr + "=error: unknown option '--safe-mode'", exit + "=1"}, "unavailable", []string{"too old", "--safe-mode"}},
		"text":             {"Hello!", nil, "unavailable", []string{"Hello!", "no result"}},
		"half an object":   {answered[:100], nil, "unavailable", []string{"no result"}},
		"two objects":      {answered + answered, nil, "unavailable", []string{"no result"}},
		"another object":   {`{"type":"system"}`, nil, "unavailable", []string{"no result"}},
		"wrong type":       {`{"type":"result","num_turns":"two"}`, nil, "unavailable", []string{"no result"}},
		"a flood":          {"", []string{floodIt + "=1"}, "malformed", []string{"more than 1048576 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := fake(t, c.stdout, c.more...).Complete(t.Context(), question())
			require.Empty(t, resp)
			for kind, target := range kinds {
				require.Equal(t, strings.Contains(" "+c.kinds+" ", " "+kind+" "), errors.Is(err, target), "is it %s: %v", kind, err)
			}
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
			var be *sentinel.BackendError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "claude", be.Backend)
			require.Equal(t, "complete", be.Op)
		})
	}
}

func TestAbsent(t *testing.T) {
	t.Parallel()
	b := New(&Options{Path: "no-such-claude", StateDir: t.TempDir()})
	_, err := b.Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "no-such-claude is not installed: install Claude Code")
	require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)
}

func TestHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := fake(t, answered, hangOn+"="+l.Addr().String()).Complete(ctx, question())
		done <- err
	}()
	conn, err := l.Accept()
	require.NoError(t, err)
	cancel()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it still runs")
}

func TestWhatItCannotDo(t *testing.T) {
	t.Parallel()
	req := question()
	req.Images = []sentinel.Image{{MIME: "image/png"}}
	_, err := fake(t, answered).Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)

	req = question()
	req.System = strings.Repeat("x", maxArgument+1)
	_, err = fake(t, answered).Complete(t.Context(), req)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "longer than")
}

func TestPing(t *testing.T) {
	t.Parallel()
	require.NoError(t, fake(t, `{"loggedIn": true, "authMethod": "api_key"}`).Ping(t.Context(), ""))
	err := fake(t, `{"loggedIn": false}`, exit+"=1").Ping(t.Context(), "")
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "not signed in")
	for _, stdout := range []string{"", "{}", "hello"} {
		require.ErrorIs(t, fake(t, stdout).Ping(t.Context(), ""), sentinel.ErrUnavailable, stdout)
	}
}

// Whatever the program prints, it is an answer or an error of a known kind.
func FuzzResult(f *testing.F) {
	for _, text := range []string{answered, `{"type":"result"}`, `{"type":"result","subtype":"success","num_turns":1,"structured_output":1}`, `[]`, ``, `null`} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, bySchema bool) {
		r, err := parse(stdout)
		if err != nil {
			require.Nil(t, r)
			return
		}
		text, err := r.text(bySchema)
		if err == nil {
			require.NotEmpty(t, strings.TrimSpace(text))
			return
		}
		require.Empty(t, text)
		require.True(t, errors.Is(err, sentinel.ErrUnavailable) || errors.Is(err, sentinel.ErrMalformed), "%v", err)
	})
}

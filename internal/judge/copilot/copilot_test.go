package copilot

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
	"github.com/agentsentinel/sentinel/internal/subprocess"
	"github.com/agentsentinel/sentinel/sentineltest"
)

// The variables that make this test binary a Copilot, which says, and does, what
// a test wants: its standard output, error and exit status, and the file in which
// it leaves how it was called.
const (
	sayOut  = "FAKE_COPILOT_STDOUT"
	sayErr  = "FAKE_COPILOT_STDERR"
	exit    = "FAKE_COPILOT_EXIT"
	seenIn  = "FAKE_COPILOT_SEEN"
	hangOn  = "FAKE_COPILOT_HANG"
	floodIt = "FAKE_COPILOT_FLOOD"
)

func TestMain(m *testing.M) {
	if _, fake := os.LookupEnv(sayOut); !fake {
		os.Exit(m.Run())
	}
	play()
}

// call is how the fake was called.
type call struct {
	Args, Env       []string
	Stdin, Settings string
	Guarded         bool // as a hook that is started from here would find
}

func play() {
	stdin, _ := io.ReadAll(os.Stdin)
	if file := os.Getenv(seenIn); file != "" {
		dir, _ := os.Getwd()
		settings, _ := os.ReadFile(".github/copilot/settings.json")
		state := filepath.Dir(filepath.Dir(dir))
		seen, _ := json.Marshal(call{os.Args[1:], os.Environ(), string(stdin), string(settings), recursion.Guarded(state, os.Getenv(recursion.Variable))})
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
	fmt.Print(os.Getenv(sayOut))
	if os.Getenv(exit) != "" {
		os.Exit(1)
	}
	os.Exit(0)
}

func fake(t *testing.T, stdout string, more ...string) *Backend {
	t.Helper()
	return New(&Options{
		Path:     os.Args[0],
		StateDir: t.TempDir(),
		Env:      append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", "COPILOT_HOME="+t.TempDir(), sayOut+"="+stdout), more...),
	})
}

func question() sentinel.Request {
	return sentinel.Request{System: "You judge.", Prompt: "Action: git push", Schema: json.RawMessage(`{"type":"object"}`)}
}

// The lines of a call as version 1.0.102 prints them, shortened.
const (
	before   = `{"type":"session.mcp_servers_loaded","ephemeral":true,"data":{"servers":[]}}` + "\n" + turn
	turn     = `{"type":"assistant.turn_start","data":{"turnId":"0"}}` + "\n"
	message  = `{"type":"assistant.message","data":{"model":"gpt-5-mini","content":"{\"violation\":true,\"confidence\":0.9,\"reason\":\"x\"}","toolRequests":[]}}` + "\n"
	ended    = `{"type":"result","exitCode":0,"usage":{"premiumRequests":0}}` + "\n"
	gaveUp   = `{"type":"result","exitCode":1,"usage":{}}` + "\n"
	answered = before + message + ended
)

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
	require.Equal(t, sentinel.Response{Text: `{"violation":true,"confidence":0.9,"reason":"x"}`, Backend: "copilot", Model: "gpt-5-mini"}, resp)
}

func seen(t *testing.T, req sentinel.Request, home string, more ...string) call {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seen.json")
	env := append(append(os.Environ(), "GORACE=atexit_sleep_ms=0", "COPILOT_HOME="+home, sayOut+"="+answered, seenIn+"="+file), more...)
	_, err := New(&Options{Path: os.Args[0], StateDir: t.TempDir(), Env: env}).Complete(t.Context(), req)
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
	c := seen(t, question(), t.TempDir())
	common := []string{
		"--available-tools=none", "--no-custom-instructions", "--disable-builtin-mcps",
		"--trust-folder", "--no-ask-user", "--no-remote", "--no-remote-export", "--no-experimental",
		"--no-auto-update", "--no-color", "--log-level", "none",
	}
	require.Equal(t, slices.Concat([]string{"--output-format", "json", "--stream", "off", "--model", "gpt-5-mini"}, common, []string{"--reasoning-effort", "low"}), c.Args)
	require.JSONEq(t, `{"disableAllHooks":true}`, c.Settings, "the user's hooks would run")
	require.True(t, c.Guarded, "a hook would judge the judge")
	require.Equal(t, "You judge.\n\nAction: git push\n\nAnswer with one JSON value that obeys this JSON Schema, with nothing before or after it and no code fence:\n"+`{"type":"object"}`, c.Stdin)

	other := sentinel.Request{Prompt: "/clear", Model: "claude-haiku-4.5"}
	c = seen(t, other, t.TempDir())
	require.Equal(t, append([]string{"--output-format", "json", "--stream", "off", "--model", "claude-haiku-4.5"}, common...), c.Args)
	require.Equal(t, "Answer the question below.\n\n/clear", c.Stdin, "it would be a command")
}

// The question is not in the list of processes, however long it is.
func TestPromptIsNoArgument(t *testing.T) {
	t.Parallel()
	req := question()
	req.Prompt = "SECRET " + strings.Repeat("x", 300<<10)
	c := seen(t, req, t.TempDir())
	require.Contains(t, c.Stdin, req.Prompt)
	require.NotContains(t, strings.Join(append(c.Args, c.Env...), " "), "SECRET")
}

// The user's own servers are switched off, each by its name.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	for config, want := range map[string][]string{
		`{"mcpServers":{"tracker":{"command":"x"},"db":{"url":"y"},"--yolo":{},"":{}}}`: {"--disable-mcp-server", "db", "--disable-mcp-server", "tracker"},
		`{}`: nil, `[]`: nil, `{`: nil, `{"mcpServers":[]}`: nil,
	} {
		home := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(home, "mcp-config.json"), []byte(config), 0o600))
		c := seen(t, question(), home)
		at := slices.Index(c.Args, "low") + 1
		require.Equal(t, want, slices.Clip(append([]string(nil), c.Args[at:]...)), config)
	}
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".copilot", "mcp-config.json"), 0o700), "a folder of that name")
	require.Empty(t, mcpServers(copilotHome([]string{"HOME=" + home})))
	require.NoError(t, os.Remove(filepath.Join(home, ".copilot", "mcp-config.json")))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".copilot", "mcp-config.json"), []byte(`{"mcpServers":{"a":{}}}`), 0o600))
	require.Equal(t, []string{"a"}, mcpServers(copilotHome([]string{"HOME=" + home})))
	require.Empty(t, mcpServers(copilotHome(nil)))
}

// Copilot's log of the session holds the prompt.
func TestLogIsRemoved(t *testing.T) {
	t.Parallel()
	const session = "0573ee81-0eb5-433e-8c71-d91ace640d76"
	for id, kept := range map[string]bool{
		session: false, "..": true, "": true, ".": true, "../session-state/" + session: true, strings.ToUpper(session): true,
		"0573ee81/0eb5-433e-8c71-d91ace640d76": true, "/573ee81-0eb5-433e-8c71-d91ace640d76": true,
	} {
		home := t.TempDir()
		log := filepath.Join(home, "session-state", session, "events.jsonl")
		require.NoError(t, os.MkdirAll(filepath.Dir(log), 0o700))
		require.NoError(t, os.WriteFile(log, []byte("the prompt"), 0o600))
		end := strings.Replace(ended, `"exitCode"`, `"sessionId":"`+id+`","exitCode"`, 1)
		env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", "COPILOT_HOME="+home, sayOut+"="+before+message+end)
		_, err := New(&Options{Path: os.Args[0], StateDir: t.TempDir(), Env: env}).Complete(t.Context(), question())
		require.NoError(t, err)
		if kept {
			require.FileExists(t, log, id)
		} else {
			require.NoDirExists(t, filepath.Dir(log))
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := seen(t, question(), t.TempDir(), "COPILOT_ALLOW_ALL=true", "COPILOT_CUSTOM_INSTRUCTIONS_DIRS=/x", "COPILOT_CLI=1", "NODE_OPTIONS=-r x", "COPILOT_PROVIDER_BASE_URL=http://gateway", "GH_TOKEN=t")
	for _, variable := range c.Env {
		name, _, _ := strings.Cut(variable, "=")
		require.NotContains(t, []string{"COPILOT_ALLOW_ALL", "COPILOT_CUSTOM_INSTRUCTIONS_DIRS", "COPILOT_CLI", "NODE_OPTIONS"}, name)
	}
	require.Contains(t, c.Env, "COPILOT_PROVIDER_BASE_URL=http://gateway")
	require.Contains(t, c.Env, "GH_TOKEN=t")
	require.Contains(t, c.Env, "COPILOT_AUTO_UPDATE=false")
}

// Somebody else's settings in the neutral folder are replaced.
func TestSettingsAreOurs(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	file := filepath.Join(state, "judge", "copilot", ".github", "copilot", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(`{"disableAllHooks":false}`), 0o600))
	b := New(&Options{Path: os.Args[0], StateDir: state, Env: append(os.Environ(), sayOut+"="+answered)})
	_, err := b.Complete(t.Context(), question())
	require.NoError(t, err)
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.JSONEq(t, `{"disableAllHooks":true}`, string(got))
}

// Every way in which it fails: the kind of the error, and that its text tells a
// person what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]error{
		"unavailable": sentinel.ErrUnavailable, "malformed": sentinel.ErrMalformed, "busy": sentinel.ErrBusy,
		"unsupported": errors.ErrUnsupported, "refused": sentinel.ErrRefused,
	}
	failed := func(status, text string) string {
		return before + `{"type":"session.error","data":{"errorType":"x","message":"` + text + `","statusCode":` + status + "}}\n" + gaveUp
	}
	for name, c := range map[string]struct {
		stdout string
		more   []string
		kinds  string
		says   []string
	}{
		"not signed in":     {"", []string{sayErr + "=Error: No authentication information found.\n\nCopilot can be …", exit + "=1"}, "unavailable", []string{"not signed in", "copilot login"}},
		"401":               {failed("401", "Authentication failed with provider"), []string{exit + "=1"}, "unavailable", []string{"does not accept the account", "Authentication failed"}},
		"429":               {failed("429", "Last error: 429 slow down"), []string{exit + "=1"}, "unavailable busy", []string{"limits its callers", "slow down"}},
		"quota":             {failed("402", "You have exceeded your monthly quota"), []string{exit + "=1"}, "unavailable busy", []string{"plan is used up"}},
		"500":               {failed("500", "Failed to get response"), []string{exit + "=1"}, "unavailable", []string{"Failed to get response"}},
		"a model":           {"", []string{sayErr + "=Error: Model \"x\" is not available", exit + "=1"}, "unavailable", []string{"does the account have this model"}},
		"too old":           {"", []string{sayErr + "=error: unknown option '--trust-folder'", exit + "=1"}, "unavailable", []string{"too old"}},
		"nothing":           {"", nil, "unavailable", []string{"printed no result"}},
		"exit 1 all same":   {answered, []string{exit + "=1"}, "unavailable", []string{"status 1"}},
		"gave up":           {before + gaveUp, []string{exit + "=1"}, "unavailable", []string{"status 1"}},
		"no end":            {before + message, nil, "unavailable", []string{"printed no result"}},
		"half a line":       {before + message[:60], nil, "unavailable", []string{"no event"}},
		"text":              {"Hello!\n", nil, "unavailable", []string{"Hello!"}},
		"cut and continued": {before + turn + message + ended, nil, "malformed", []string{"2 parts"}},
		"two messages":      {before + message + message + ended, nil, "malformed", []string{"2 parts"}},
		"no message":        {before + ended, nil, "malformed", []string{"empty"}},
		"blank":             {before + `{"type":"assistant.message","data":{"content":" \n"}}` + "\n" + ended, nil, "malformed", []string{"empty"}},
		"a flood":           {"", []string{floodIt + "=1"}, "malformed", []string{"more than 1048576 bytes"}},
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
			require.Equal(t, "copilot", be.Backend)
		})
	}
}

func TestAbsent(t *testing.T) {
	t.Parallel()
	b := New(&Options{Path: "no-such-copilot"})
	_, err := b.Complete(t.Context(), question())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	require.ErrorContains(t, err, "no-such-copilot is not installed: install GitHub Copilot's command line")
	require.ErrorIs(t, b.Ping(t.Context(), ""), sentinel.ErrUnavailable)

	req := question()
	req.Images = []sentinel.Image{{MIME: "image/png"}}
	_, err = New(nil).Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
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
	require.ErrorIs(t, <-done, context.Canceled)
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it still runs")
}

// Whatever the program prints, it is an answer or an error of a known kind.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(answered), []byte(""), 0)
	f.Add([]byte(before+gaveUp), []byte("unknown option"), 1)
	f.Add([]byte(`{"type":"session.error","data":{"statusCode":401}}`), []byte("No authentication information found"), 0)
	f.Add([]byte(`{"type":"result","exitCode":null}`), []byte("model not supported"), 0)
	f.Fuzz(func(t *testing.T, stdout, stderr []byte, status int) {
		out := subprocess.Output{Stdout: stdout, Stderr: stderr, Exit: status}
		r, err := read(stdout)
		if err != nil {
			require.ErrorIs(t, broken(out, err), sentinel.ErrUnavailable)
			return
		}
		text, err := r.answer(out)
		if err == nil {
			require.NotEmpty(t, strings.TrimSpace(text))
			return
		}
		require.Empty(t, text)
		require.True(t, errors.Is(err, sentinel.ErrUnavailable) || errors.Is(err, sentinel.ErrMalformed), "%v", err)
	})
}

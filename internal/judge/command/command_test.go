package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/sentineltest"
)

var update = flag.Bool("update", false, "write the golden files")

// role is the variable that makes this test binary a judge in another language.
const role = "COMMAND_TEST_ROLE"

func TestMain(m *testing.M) {
	if name := os.Getenv(role); name != "" {
		play(name, os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

func play(name string, args []string) {
	if name == "hang" { // reads nothing and ignores the polite signal
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		hangOn(args[0])
		return
	}
	stdin, _ := io.ReadAll(os.Stdin)
	switch name {
	case "say":
		fmt.Print(args[0])
	case "echo": // answers with the question
		answer, _ := json.Marshal(map[string]string{"text": string(stdin)})
		os.Stdout.Write(answer)
	case "guarded": // answers with what a hook that is started from here would find
		fmt.Printf(`{"guarded":%t}`, recursion.Guarded(args[0], os.Getenv(recursion.Variable)))
	case "fail":
		fmt.Print(`{"violation":false,"confidence":1}`)
		fmt.Fprint(os.Stderr, args[0])
		os.Exit(3)
	case "flood":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
				os.Exit(1)
			}
		}
	case "parent": // answers, and leaves a child running that holds the output open
		child := exec.Command(os.Args[0], args...)
		child.Env = append(os.Environ(), role+"=hang")
		child.Stdout = os.Stdout
		ready, err := child.StderrPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			panic(err)
		}
		io.ReadFull(ready, make([]byte, 1))
		fmt.Print(`{"violation":false,"confidence":1}`)
	}
}

// hangOn connects to the test, so that it sees the end, and stays.
func hangOn(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	os.Stderr.Write([]byte("x"))
	io.Copy(io.Discard, conn)
}

func program(name string, args ...string) *Backend {
	return New(&Options{Argv: append([]string{os.Args[0]}, args...), Env: append(os.Environ(), "GORACE=atexit_sleep_ms=0", role+"="+name)})
}

func ask() sentinel.Request {
	return sentinel.Request{System: "You judge.", Prompt: "Action: git push", Schema: json.RawMessage(`{"type":"object"}`)}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sentineltest.RunBackend(t, func(t *testing.T) sentinel.Backend {
		b := program("say", `{"violation":true,"confidence":0.9,"reason":"it is one"}`)
		b.opts.StateDir = t.TempDir()
		return backend.Timed(b)
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	pTrue := 0.25
	for name, c := range map[string]struct {
		stdout string
		want   sentinel.Response
	}{
		"a verdict":    {" {\"violation\": true,\n \"confidence\": 0.90}\n", sentinel.Response{Text: "{\"violation\": true,\n \"confidence\": 0.90}", Model: "m"}},
		"a text":       {`{"text":"{\"violation\":false} \n"}`, sentinel.Response{Text: "{\"violation\":false} \n", Model: "m"}},
		"all of it":    {`{"text":"yes","model":"own","prompt_tokens":5,"output_tokens":6,"p_true":0.25}`, sentinel.Response{Text: "yes", Model: "own", PromptTokens: 5, OutputTokens: 6, PTrue: &pTrue}},
		"fewer than 0": {`{"text":"yes","prompt_tokens":-5}`, sentinel.Response{Text: "yes", Model: "m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := program("say", c.stdout)
			b.opts.Model = "m"
			resp, err := b.Complete(t.Context(), ask())
			require.NoError(t, err)
			c.want.Backend = "command"
			require.Equal(t, c.want, resp)
		})
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	b := program("say", `{}`)
	resp, err := b.Complete(t.Context(), ask())
	require.NoError(t, err)
	require.Equal(t, os.Args[0], resp.Model, "a name there must be")
	req := ask()
	req.Model = "mine"
	resp, err = b.Complete(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "mine", resp.Model)
}

type rule struct{ spec *sentinel.RuleSpec }

func (r rule) Spec() *sentinel.RuleSpec            { return r.spec }
func (rule) Match(*sentinel.Action) sentinel.Match { return sentinel.Match{} }

// The input of the program is a contract with programs that others wrote: a change
// of it must be seen.
func TestWire(t *testing.T) {
	t.Parallel()
	seed := int64(7)
	full := ask()
	full.Model, full.Seed, full.Temperature, full.MaxTokens, full.Think = "mine", &seed, 0.1, 100, true
	full.Rule = rule{&sentinel.RuleSpec{ID: "no-force-push"}}
	full.Action = &sentinel.Action{
		Trigger: sentinel.FileWrite, Op: sentinel.OpEdit, Agent: "claude", Tool: "Edit", Target: "src/a.ts", Path: "src/a.ts",
		Content: "new {{file_path}}\x00", Old: "old", Root: "/r", Dir: "/r/src", Args: json.RawMessage(`{"file_path":"src/a.ts"}`), DerivedFrom: "sed",
	}
	mcp := ask()
	mcp.Rule = rule{}
	mcp.Action = &sentinel.Action{Trigger: sentinel.MCP, Target: "db:query", Server: "db", MCPTool: "query", Args: json.RawMessage(`{"half":`)}
	for name, req := range map[string]sentinel.Request{"question": ask(), "question_full": full, "question_mcp": mcp} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := program("echo").Complete(t.Context(), req)
			require.NoError(t, err)
			var sent map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(resp.Text), &sent))
			require.Contains(t, sent, "timeout_ms", "the program is not told its time")
			delete(sent, "timeout_ms")
			got, err := json.MarshalIndent(sent, "", "  ")
			require.NoError(t, err)
			file := filepath.Join("testdata", name+".json")
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got)+"\n")
		})
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp, err := program("echo").Complete(ctx, ask())
	require.NoError(t, err)
	var sent struct {
		TimeoutMS int64 `json:"timeout_ms"`
	}
	require.NoError(t, json.Unmarshal([]byte(resp.Text), &sent))
	require.Positive(t, sent.TimeoutMS)
	require.LessOrEqual(t, sent.TimeoutMS, int64(60_000))
}

// Every way in which a program fails: the kind of the error, and that its text
// tells a person what to do.
func TestFaults(t *testing.T) {
	t.Parallel()
	kinds := map[string]error{"unavailable": sentinel.ErrUnavailable, "malformed": sentinel.ErrMalformed, "unsupported": errors.ErrUnsupported}
	say := func(text string) *Backend { return program("say", text) }
	for name, c := range map[string]struct {
		b     *Backend
		kinds string
		says  []string
	}{
		"no program":       {New(nil), "unavailable", []string{"backends.command.argv", "no program is named"}},
		"absent":           {New(&Options{Argv: []string{"no-such-judge"}}), "unavailable", []string{"backends.command.argv", "no-such-judge"}},
		"fails":            {program("fail", "no model\n\x1b[2J"), "unavailable", []string{"status 3", `no model\n\x1b[2J`}},
		"fails silently":   {program("fail", ""), "unavailable", []string{"status 3", "nothing on standard error"}},
		"cannot":           {say(`{"error":"the model is not loaded"}`), "unavailable", []string{"the model is not loaded"}},
		"nothing":          {say(""), "malformed", []string{"printed nothing"}},
		"blank":            {say(" \n"), "malformed", []string{"printed nothing"}},
		"prose":            {say("It is fine."), "malformed", []string{"It is fine.", "not one JSON object"}},
		"prose around":     {say("Sure! {\"violation\":false}"), "malformed", []string{"not one JSON object"}},
		"half an object":   {say(`{"violation":`), "malformed", []string{"not one JSON object"}},
		"two objects":      {say(`{"violation":true}{"violation":false}`), "malformed", []string{"not one JSON object"}},
		"an array":         {say(`[]`), "malformed", []string{"not one JSON object"}},
		"null":             {say(`null`), "malformed", []string{"not one JSON object"}},
		"an empty text":    {say(`{"text":" "}`), "malformed", []string{"empty text"}},
		"text and verdict": {say(`{"text":"a","violation":true}`), "malformed", []string{"violation"}},
		"text of a type":   {say(`{"text":{"violation":true}}`), "malformed", []string{"envelope"}},
		"an empty error":   {say(`{"error":""}`), "malformed", []string{"empty text"}},
		"p_true":           {say(`{"text":"a","p_true":2}`), "malformed", []string{"p_true is 2"}},
		"a flood":          {program("flood"), "malformed", []string{"more than 1048576 bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := c.b.Complete(t.Context(), ask())
			require.Empty(t, resp)
			for kind, target := range kinds {
				require.Equal(t, kind == c.kinds, errors.Is(err, target), "is it %s: %v", kind, err)
			}
			for _, part := range c.says {
				require.ErrorContains(t, err, part)
			}
			var be *sentinel.BackendError
			require.ErrorAs(t, err, &be)
			require.Equal(t, "command", be.Backend)
		})
	}
	req := ask()
	req.Images = []sentinel.Image{{MIME: "image/png"}}
	_, err := say(`{}`).Complete(t.Context(), req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
}

// watch is where a process that hangs is seen to be there, and to have ended.
func watch(t *testing.T) (address string, there, gone func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	var conn net.Conn
	there = func() {
		conn, err = l.Accept()
		require.NoError(t, err)
	}
	gone = func() {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err := conn.Read(make([]byte, 1))
		require.Error(t, err)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it still runs")
	}
	return l.Addr().String(), there, gone
}

func TestIgnoresSignals(t *testing.T) {
	t.Parallel()
	address, there, gone := watch(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := program("hang", address).Complete(ctx, ask())
		done <- err
	}()
	there()
	cancel()
	err := <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
	gone()
}

func TestLeavesChildren(t *testing.T) {
	t.Parallel()
	address, there, gone := watch(t)
	resp, err := program("parent", address).Complete(t.Context(), ask())
	require.NoError(t, err)
	require.JSONEq(t, `{"violation":false,"confidence":1}`, resp.Text)
	there()
	gone()
}

// A hook of Sentinel's own that the program sets off must not judge it.
func TestToken(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	b := program("guarded", state)
	resp, err := b.Complete(t.Context(), ask())
	require.NoError(t, err)
	require.JSONEq(t, `{"guarded":false}`, resp.Text)
	b.opts.StateDir = state
	resp, err = b.Complete(t.Context(), ask())
	require.NoError(t, err)
	require.JSONEq(t, `{"guarded":true}`, resp.Text)

	b.opts.StateDir = filepath.Join(state, "file")
	require.NoError(t, os.WriteFile(b.opts.StateDir, nil, 0o600))
	_, err = b.Complete(t.Context(), ask())
	require.ErrorIs(t, err, sentinel.ErrUnavailable)
}

func TestPing(t *testing.T) {
	t.Parallel()
	require.NoError(t, program("fail", "").Ping(t.Context(), ""), "it is not run")
	require.ErrorIs(t, New(nil).Ping(t.Context(), ""), sentinel.ErrUnavailable)
}

// Whatever a program prints, it is an answer or an error of a known kind.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{`{"violation":true}`, `{"text":"a","p_true":0.5}`, `{"error":"x"}`, `{"text":null}`, `[]`, ``, `{} {}`, `{"text":1e999}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		resp, err := parse(stdout)
		if err == nil {
			require.NotEmpty(t, strings.TrimSpace(resp.Text))
			return
		}
		require.Empty(t, resp)
		require.True(t, errors.Is(err, sentinel.ErrUnavailable) || errors.Is(err, sentinel.ErrMalformed), "%v", err)
	})
}

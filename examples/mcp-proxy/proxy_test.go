//lint:file-ignore SA1019 Logging is deprecated as of protocol version 2026-07-28, and has to pass until it is gone.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// rules are those of the test's repository: for the server "db", and for
// files of any server.
var rules = map[string]string{
	"no-drop": "trigger: mcp\nseverity: block\nscope: [\"db:query\"]\nwhen: args.sql contains \"DROP\"\nbackend: builtin\nmessage: Tables stay.\n",
	"ask":     "trigger: mcp\nseverity: ask\nscope: [\"db:deploy\"]\nwhen: \"true\"\nbackend: builtin\nmessage: Is this meant for production?\n",
	"warn":    "trigger: mcp\nseverity: warn\nscope: [\"db:query\"]\nwhen: args.sql contains \"SELECT *\"\nbackend: builtin\nmessage: Name the columns.\n",
	"files":   "trigger: file_write\nseverity: block\nscope: [\"src/billing/**\"]\nwhen: \"true\"\nbackend: builtin\nmessage: Billing is not written to.\n",
}

// repository is a folder with the rules.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	at := filepath.Join(dir, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(at, 0o755))
	for name, text := range rules {
		require.NoError(t, os.WriteFile(filepath.Join(at, name+".yaml"), []byte(text), 0o600))
	}
	return dir
}

// guarded is a proxy for the server "db" in a repository with the rules.
func guarded(t *testing.T) *proxy {
	t.Helper()
	dir := repository(t)
	return &proxy{engine: project.Open([]string{dir}, nil), name: "db", dir: dir, log: slog.New(slog.DiscardHandler)}
}

// ran counts the calls that reached the server's tools.
type ran struct{ query, deploy, write atomic.Int32 }

type queryArgs struct {
	SQL string `json:"sql"`
}

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// newServer is a server with everything that a client can ask for.
func newServer(r *ran) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "scripted", Version: "1"}, &mcp.ServerOptions{PageSize: 1, Instructions: "Be gentle."})
	mcp.AddTool(s, &mcp.Tool{Name: "query", Description: "Asks."}, func(_ context.Context, _ *mcp.CallToolRequest, args queryArgs) (*mcp.CallToolResult, any, error) {
		r.query.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "rows of " + args.SQL}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "deploy"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		r.deploy.Add(1)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "deployed"}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "write_file"}, func(context.Context, *mcp.CallToolRequest, writeArgs) (*mcp.CallToolResult, any, error) {
		r.write.Add(1)
		return &mcp.CallToolResult{}, nil, nil
	})
	s.AddResource(&mcp.Resource{URI: "mem://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "mem://a", Text: "of a"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}}, nil
	})
	return s
}

// connect puts a client, the proxy and the server in a row. Everything ends with
// the test.
func connect(t *testing.T, p *proxy, server *mcp.Server, client *mcp.Client, version string) *mcp.ClientSession {
	t.Helper()
	clientEnd, proxyDown := mcp.NewInMemoryTransports()
	proxyUp, serverEnd := mcp.NewInMemoryTransports()
	ctx := context.Background()
	ss, err := server.Connect(ctx, serverEnd, nil)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx, proxyDown, proxyUp) }()
	cs, err := client.Connect(ctx, clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() {
		cs.Close()
		require.NoError(t, <-ended)
		ss.Close()
	})
	return cs
}

func newClient(opts *mcp.ClientOptions) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts)
}

// texts are the texts of a result.
func texts(t *testing.T, res *mcp.CallToolResult) []string {
	t.Helper()
	var all []string
	for _, c := range res.Content {
		text, ok := c.(*mcp.TextContent)
		require.True(t, ok)
		all = append(all, text.Text)
	}
	return all
}

// eachVersion runs a test with the last protocol that begins with initialize and
// the first that has no such thing.
func eachVersion(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			test(t, version)
		})
	}
}

func TestCallsAreGuarded(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		var r ran
		cs := connect(t, guarded(t), newServer(&r), newClient(nil), version)
		for _, c := range []struct {
			name, tool string
			args       any
			want       []string
			isError    bool
		}{
			{"harmless", "query", queryArgs{"SELECT 1"}, []string{"rows of SELECT 1"}, false},
			{"blocked", "query", queryArgs{"DROP TABLE users"}, []string{"Sentinel blocked this call; it did not run. Tables stay. [no-drop] (from .claude/sentinel/rules/no-drop.yaml)"}, true},
			{"a warning", "query", queryArgs{"SELECT * FROM users"}, []string{"rows of SELECT * FROM users", "Sentinel: Warning: Name the columns. [warn] (from .claude/sentinel/rules/warn.yaml)"}, false},
			{"what a tool does to a file", "write_file", writeArgs{"src/billing/x.go", "x"}, []string{"Sentinel blocked this call; it did not run. Billing is not written to. [files] (from .claude/sentinel/rules/files.yaml)"}, true},
			{"an error of the server", "query", map[string]int{"sql": 1}, nil, true},
		} {
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
			require.NoError(t, err, c.name)
			require.Equal(t, c.isError, res.IsError, c.name)
			if c.want != nil {
				require.Equal(t, c.want, texts(t, res), c.name)
			}
		}
		require.EqualValues(t, 2, r.query.Load())
		require.Zero(t, r.write.Load())
	})
}

func TestAskIsForThePerson(t *testing.T) {
	t.Parallel()
	answer := func(action string) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: action}, nil
		}
	}
	for name, c := range map[string]struct {
		person func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		runs   bool
		says   string
	}{
		"accept":  {answer("accept"), true, "deployed"},
		"decline": {answer("decline"), false, "The person did not allow this."},
		"cancel":  {answer("cancel"), false, "The person did not allow this."},
		"nobody":  {nil, false, "the client cannot ask for it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachVersion(t, func(t *testing.T, version string) {
				var r ran
				var asked atomic.Value
				var times atomic.Int32
				opts := &mcp.ClientOptions{}
				if c.person != nil {
					opts.ElicitationHandler = func(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						asked.Store(req.Params.Message)
						times.Add(1)
						return c.person(ctx, req)
					}
				}
				cs := connect(t, guarded(t), newServer(&r), newClient(opts), version)
				for round := range int32(2) { // an approval is for one call
					res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "deploy", Arguments: map[string]any{}})
					require.NoError(t, err)
					require.Equal(t, !c.runs, res.IsError)
					require.Contains(t, texts(t, res)[0], c.says)
					if c.person != nil {
						require.Equal(t, round+1, times.Load())
						require.Contains(t, asked.Load(), "Is this meant for production?")
						require.Contains(t, asked.Load(), "call MCP tool db:deploy")
					}
					if c.runs {
						require.Equal(t, round+1, r.deploy.Load())
					} else {
						require.Zero(t, r.deploy.Load())
					}
				}
			})
		})
	}
}

func TestEverythingElsePasses(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		var r ran
		changed := make(chan struct{}, 8)
		logged := make(chan string, 8)
		progress := make(chan float64, 8)
		server := newServer(&r)
		started, stopped := make(chan struct{}), make(chan error, 1)
		mcp.AddTool(server, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			close(started)
			<-ctx.Done()
			stopped <- ctx.Err()
			return nil, nil, ctx.Err()
		})
		mcp.AddTool(server, &mcp.Tool{Name: "talk"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			err := errors.Join(
				req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 0.5}),
				req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "said"}),
			)
			return &mcp.CallToolResult{}, nil, err
		})
		cs := connect(t, guarded(t), server, newClient(&mcp.ClientOptions{
			ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			LoggingMessageHandler:       func(_ context.Context, req *mcp.LoggingMessageRequest) { logged <- fmt.Sprint(req.Params.Data) },
			ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress <- req.Params.Progress },
		}), version)
		ctx := t.Context()

		var names []string
		for tool, err := range cs.Tools(ctx, nil) { // one on a page
			require.NoError(t, err)
			names = append(names, tool.Name)
		}
		require.Equal(t, []string{"deploy", "hang", "query", "talk", "write_file"}, names)
		require.Equal(t, "Be gentle.", cs.InitializeResult().Instructions)
		read, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mem://a"})
		require.NoError(t, err)
		require.Equal(t, "of a", read.Contents[0].Text)
		prompt, err := cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet"})
		require.NoError(t, err)
		require.Equal(t, "hello", prompt.Messages[0].Content.(*mcp.TextContent).Text)
		_, err = cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: "mem://none"})
		require.Error(t, err)

		talk := &mcp.CallToolParams{Name: "talk", Arguments: map[string]any{}}
		talk.SetProgressToken("t")
		if version < "2026" {
			require.NoError(t, cs.Ping(ctx, nil))
			require.NoError(t, cs.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}))
		} else {
			talk.Meta[mcp.MetaKeyLogLevel] = "debug"
		}
		_, err = cs.CallTool(ctx, talk)
		require.NoError(t, err)
		require.InDelta(t, 0.5, <-progress, 0.001)
		require.Equal(t, "said", <-logged)

		server.RemoveTools("talk")
		<-changed

		ctx, cancel := context.WithCancel(ctx)
		go func() { <-started; cancel() }()
		_, err = cs.CallTool(ctx, &mcp.CallToolParams{Name: "hang", Arguments: map[string]any{}})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, <-stopped, context.Canceled)
	})
}

// A server's own questions pass too, also for a call that a person had to approve.
func TestAServersOwnQuestionsPass(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		server := newServer(&ran{})
		mcp.AddTool(server, &mcp.Tool{Name: "deploy"}, func(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			if answer, ok := req.Params.InputResponses["where"].(*mcp.ElicitResult); ok {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint("deployed to ", answer.Content["where"], " by ", req.Params.RequestState)}}}, nil, nil
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"where": &mcp.ElicitParams{
				Message: "Where to?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"where":{"type":"string"}}}`),
			}}, RequestState: "the server"}, nil, nil
		})
		var asked []string
		cs := connect(t, guarded(t), server, newClient(&mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				first, _, _ := strings.Cut(req.Params.Message, "\n")
				asked = append(asked, first)
				if strings.HasPrefix(first, "Sentinel") {
					return &mcp.ElicitResult{Action: "accept"}, nil
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"where": "mars"}}, nil
			},
		}), version)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "deploy", Arguments: map[string]any{}})
		require.NoError(t, err)
		require.Equal(t, []string{"deployed to mars by the server"}, texts(t, res))
		require.Equal(t, []string{`Sentinel asks whether "deploy" may run.`, "Where to?"}, asked)
	})
}

func TestOverHTTP(t *testing.T) {
	t.Parallel()
	eachVersion(t, func(t *testing.T, version string) {
		var r ran
		server := newServer(&r)
		web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: version >= "2026"}))
		t.Cleanup(web.Close)
		p := guarded(t)
		up, negotiated := overHTTP(web.URL, "")
		p.parallel, p.negotiated = true, negotiated
		clientEnd, down := mcp.NewInMemoryTransports()
		ended := make(chan error, 1)
		go func() { ended <- p.run(context.Background(), down, up) }()
		cs, err := newClient(nil).Connect(t.Context(), clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: queryArgs{"SELECT 1"}})
		require.NoError(t, err)
		require.Equal(t, []string{"rows of SELECT 1"}, texts(t, res))
		res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "query", Arguments: queryArgs{"DROP TABLE a"}})
		require.NoError(t, err)
		require.True(t, res.IsError)
		require.EqualValues(t, 1, r.query.Load())
		cs.Close()
		require.NoError(t, <-ended)
	})
}

func TestTheServerGoes(t *testing.T) {
	t.Parallel()
	p := guarded(t)
	clientEnd, down := mcp.NewInMemoryTransports()
	up, serverEnd := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- p.run(context.Background(), down, up) }()
	server, err := serverEnd.Connect(t.Context())
	require.NoError(t, err)
	client, err := clientEnd.Connect(t.Context())
	require.NoError(t, err)
	require.NoError(t, server.Close())
	require.ErrorContains(t, <-ended, "the server has ended the session")
	_, err = client.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)
	client.Close()

	require.ErrorContains(t, (&proxy{}).run(t.Context(), nil, nil), "--name")
}

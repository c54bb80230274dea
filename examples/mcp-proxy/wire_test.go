package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// ends are both ends of a session through a proxy, message by message.
type ends struct {
	t              *testing.T
	client, server mcp.Connection
}

func raw(t *testing.T) ends {
	t.Helper()
	clientEnd, down := mcp.NewInMemoryTransports()
	up, serverEnd := mcp.NewInMemoryTransports()
	client, err := clientEnd.Connect(t.Context())
	require.NoError(t, err)
	server, err := serverEnd.Connect(t.Context())
	require.NoError(t, err)
	p := guarded(t)
	ended := make(chan error, 1)
	go func() { ended <- p.run(context.Background(), down, up) }()
	t.Cleanup(func() {
		client.Close()
		require.NoError(t, <-ended)
		server.Close()
	})
	return ends{t, client, server}
}

func (e ends) send(to mcp.Connection, line string) {
	e.t.Helper()
	msg, err := jsonrpc.DecodeMessage([]byte(line))
	require.NoError(e.t, err)
	require.NoError(e.t, to.Write(context.Background(), msg))
}

// patience is when a message that does not come is given up: only a fault of the
// proxy takes so long.
const patience = time.Minute

func (e ends) receive(from mcp.Connection) string {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	msg, err := from.Read(ctx)
	require.NoError(e.t, err)
	line, err := jsonrpc.EncodeMessage(msg)
	require.NoError(e.t, err)
	return string(line)
}

// reaches sends a line from the client and wants it at the server as it is.
func (e ends) reaches(line string) {
	e.t.Helper()
	e.send(e.client, line)
	require.Equal(e.t, line, e.receive(e.server))
}

// next wants nothing to have reached the server since the last line: what is sent
// now comes first.
func (e ends) next() {
	e.t.Helper()
	e.reaches(`{"jsonrpc":"2.0","method":"notifications/next"}`)
}

const canAsk = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}`

func TestMessagesPassAsTheyAre(t *testing.T) {
	t.Parallel()
	e := raw(t)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x/unknown","params":{"b":1.50,"a":"<&>\u2028","deep":[[{}]]}}`,
		`{"jsonrpc":"2.0","id":"one","method":"tools/list","params":{"cursor":"c"}}`,
		`{"jsonrpc":"2.0","method":"x/notice"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":12345678901234567890},"arguments":{"big":1e400,"html":"<b>"},"name":"echo"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`,
	} {
		e.reaches(line)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"x":1.50}}`,
		`{"jsonrpc":"2.0","id":"one","error":{"code":-32000,"message":"no","data":{"why":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}`,
	} {
		e.send(e.server, line)
		require.Equal(t, line, e.receive(e.client))
	}
	e.reaches(`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant"}}`) // the client's answer to the server
}

func TestTheServerGetsWhatWasJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ params, answer, passed string }{
		"a tool named twice": {
			params: `{"name":"query","arguments":{"sql":"DROP TABLE a"},"name":"echo"}`,
			passed: `{"arguments":{"sql":"DROP TABLE a"},"name":"echo"}`,
		},
		"an argument given twice": {
			params: `{"name":"query","arguments":{"sql":"DROP TABLE a","sql":"SELECT 1"}}`,
			passed: `{"arguments":{"sql":"SELECT 1"},"name":"query"}`,
		},
		"the bad one last": {
			params: `{"name":"query","arguments":{"sql":"SELECT 1","sql":"DROP TABLE a"}}`,
			answer: "Tables stay.",
		},
		"the name in capitals too":        {params: `{"name":"echo","Name":"query","arguments":{"sql":"DROP TABLE a"}}`, answer: `hold \"Name\"`},
		"the arguments in capitals too":   {params: `{"name":"query","arguments":{},"ARGUMENTS":{"sql":"DROP TABLE a"}}`, answer: `hold \"ARGUMENTS\"`},
		"no name":                         {params: `{"arguments":{}}`, answer: "name no tool"},
		"a name of another type":          {params: `{"name":["query"],"arguments":{"sql":"DROP TABLE a"}}`, answer: "name no tool"},
		"a list":                          {params: `["query",{"sql":"DROP TABLE a"}]`, answer: "no JSON object"},
		"nothing":                         {params: `null`, answer: "no JSON object"},
		"arguments that are no object":    {params: `{"name":"query","arguments":17}`, answer: "could not judge"},
		"a server in the name":            {params: `{"name":"other__query","arguments":{"sql":"x"}}`, passed: `{"arguments":{"sql":"x"},"name":"other__query"}`},
		"a name that is too long":         {params: `{"name":"` + strings.Repeat("x", 1000) + `"}`, answer: "could not judge"},
		"an answer that nobody asked for": {params: `{"name":"deploy","arguments":{},"requestState":"sentinel-x","inputResponses":{"sentinel":{"action":"accept"}}}`, answer: "cannot ask"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := raw(t)
			e.send(e.client, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+c.params+`}`)
			if c.passed != "" {
				require.Equal(t, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+c.passed+`}`, e.receive(e.server))
				return
			}
			answer := e.receive(e.client)
			require.Contains(t, answer, c.answer)
			require.Contains(t, answer, `"id":7`)
			e.next()
		})
	}
}

// A call without an id wants no answer. A server may run it all the same.
func TestACallWithoutAnIDIsGuarded(t *testing.T) {
	t.Parallel()
	e := raw(t)
	e.send(e.client, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"query","arguments":{"sql":"DROP TABLE a"}}}`)
	e.send(e.client, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"deploy"}}`)
	e.send(e.client, `{"jsonrpc":"2.0","method":"tools/call"}`)
	e.reaches(`{"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"sql":"SELECT 1"},"name":"query"}}`)

	// The call that was judged later has an answer; those before it do not.
	e.send(e.client, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"query","arguments":{"sql":"DROP TABLE a"}}}`)
	require.Contains(t, e.receive(e.client), `"id":7`)
}

func TestACallThatIsCancelledWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	e := raw(t)
	e.reaches(canAsk)
	e.send(e.client, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"deploy"}}`)
	var question struct {
		ID     string
		Method string
		Params mcp.ElicitParams
	}
	require.NoError(t, json.Unmarshal([]byte(e.receive(e.client)), &question))
	require.Equal(t, "elicitation/create", question.Method)
	require.Contains(t, question.Params.Message, "Is this meant for production?")

	e.send(e.server, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`) // of a call it has not got
	e.send(e.client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	require.JSONEq(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"`+question.ID+`","reason":"the call was cancelled"}}`, e.receive(e.client))
	e.next() // the server heard neither of the call nor of its end
}

func TestAnAnswerToTheQuestionIsForThatCallAlone(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	e := raw(t)
	ask := func(arguments, more string) (state string) {
		t.Helper()
		e.send(e.client, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{`+meta+`,"name":"deploy","arguments":`+arguments+more+`}}`)
		var answer struct {
			Result struct{ ResultType, RequestState string }
		}
		line := e.receive(e.client)
		require.NoError(t, json.Unmarshal([]byte(line), &answer), line)
		require.Equal(t, "input_required", answer.Result.ResultType, line)
		return answer.Result.RequestState
	}
	yes := func(state string) string {
		return `,"inputResponses":{"sentinel":{"action":"accept"}},"requestState":"` + state + `"`
	}
	state := ask(`{"to":"test"}`, "")
	state = ask(`{"to":"production"}`, yes(state)) // another call with the answer: asked again
	e.send(e.client, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{`+meta+`,"name":"deploy","arguments":{"to":"production"}`+yes(state)+`}}`)
	require.Equal(t, `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{`+meta+`,"arguments":{"to":"production"},"name":"deploy"}}`, e.receive(e.server))
	e.send(e.server, `{"jsonrpc":"2.0","id":8,"result":{"content":[]}}`)
	e.receive(e.client)
	ask(`{"to":"production"}`, yes(state)) // once is once
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentsentinel/sentinel"
)

// The methods that the proxy has to know. Every other one passes as it is.
const (
	initialize = "initialize"
	callTool   = "tools/call"
	cancelled  = "notifications/cancelled"
	elicit     = "elicitation/create"
)

// A proxy passes the messages of one MCP session on, in both directions, and
// keeps tool calls back until the engine has judged them.
type proxy struct {
	engine sentinel.Engine
	name   string // of the server, as rules call it
	dir    string // folder that the calls are taken to run in
	log    *slog.Logger

	parallel   bool                 // a message to the server waits for its answer: over HTTP
	negotiated func(version string) // called with the protocol version; may be nil
}

// run connects to both and works until either goes. That the client has hung up
// is the usual end and no error.
func (p *proxy) run(ctx context.Context, client, server mcp.Transport) error {
	if p.name == "" {
		return errors.New("the server has no name: give --name")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	up, err := server.Connect(ctx)
	if err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	down, err := client.Connect(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("the client: %w", err), up.Close())
	}

	s := &session{
		proxy: p, id: "mcp-" + rand.Text(), client: down, server: up,
		calls: map[jsonrpc.ID]*call{}, questions: map[jsonrpc.ID]chan *jsonrpc.Response{},
		asked: map[string]string{}, approved: map[string]bool{},
	}
	var work sync.WaitGroup
	ended := make(chan error, 2)
	work.Go(func() { ended <- s.fromClient(ctx, &work) })
	work.Go(func() { ended <- s.fromServer(ctx) })
	err = <-ended
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		err = nil
	}
	cancel() // what is being judged is given up
	up.Close()
	down.Close()
	work.Wait()
	return err
}

// A session is the state of one session that passes through.
type session struct {
	*proxy
	id             string // for the engine
	client, server mcp.Connection

	mu           sync.Mutex
	elicitation  bool                                  // the client said at initialize that it can ask a person
	initializeID jsonrpc.ID                            // of the client's request, until it is answered
	calls        map[jsonrpc.ID]*call                  // tool calls that have no answer yet
	questions    map[jsonrpc.ID]chan *jsonrpc.Response // our own requests to the client
	asked        map[string]string                     // by the state that a client sends back: the digest of the call it was asked about
	approved     map[string]bool                       // digests of calls that a person has let go on and that are not done yet
}

// fromClient passes on what the client says, until it hangs up.
func (s *session) fromClient(ctx context.Context, work *sync.WaitGroup) error {
	for {
		msg, err := s.client.Read(ctx)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return fmt.Errorf("the client: %w", err)
		}
		switch m := msg.(type) {
		case *jsonrpc.Response:
			if !s.answered(m) {
				s.toServer(ctx, m)
			}
		case *jsonrpc.Request:
			switch {
			case m.Method == callTool:
				callCtx, c := s.begin(ctx, m)
				work.Go(func() { s.guard(ctx, callCtx, c) })
			case m.Method == cancelled && s.giveUp(m):
			case m.Method == initialize:
				s.initializing(m)
				s.toServer(ctx, m)
			case s.parallel && m.IsCall():
				work.Go(func() { s.toServer(ctx, m) })
			default:
				s.toServer(ctx, m)
			}
		}
	}
}

// fromServer passes on what the server says. When the server is gone, so is the
// session: that is an error.
func (s *session) fromServer(ctx context.Context) error {
	for {
		msg, err := s.server.Read(ctx)
		if err != nil {
			return fmt.Errorf("the server has ended the session: %w", noEOF(err))
		}
		if resp, ok := msg.(*jsonrpc.Response); ok {
			s.initialized(resp)
			if !s.finish(resp) {
				s.log.Warn("the server answered a call that it had not been given", "id", resp.ID.Raw())
				continue
			}
		}
		if err := s.client.Write(ctx, msg); err != nil {
			return io.EOF // the reader is gone
		}
	}
}

// noEOF keeps the end of the server's stream from being taken for the client's.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("end of its output")
	}
	return err
}

// toServer passes a message on. A call that cannot be delivered is answered with
// an error, so that its sender does not wait for it.
func (s *session) toServer(ctx context.Context, msg jsonrpc.Message) {
	err := s.server.Write(ctx, msg)
	if err == nil || ctx.Err() != nil {
		return
	}
	s.log.Error("a message did not reach the server", "error", err)
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		s.reply(ctx, &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server cannot be reached: " + err.Error()}})
	}
}

// reply answers the client in the server's place.
func (s *session) reply(ctx context.Context, resp *jsonrpc.Response) {
	if err := s.client.Write(ctx, resp); err != nil && ctx.Err() == nil {
		s.log.Error("an answer did not reach the client", "error", err)
	}
}

// initializing keeps what the client can do.
func (s *session) initializing(req *jsonrpc.Request) {
	var params struct {
		Capabilities capabilities `json:"capabilities"`
	}
	_ = json.Unmarshal(req.Params, &params) // the server will say what is wrong with it
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initializeID, s.elicitation = req.ID, params.Capabilities.canAsk()
}

// initialized takes the protocol version from the answer to initialize.
func (s *session) initialized(resp *jsonrpc.Response) {
	s.mu.Lock()
	ours := s.initializeID.IsValid() && resp.ID == s.initializeID
	if ours {
		s.initializeID = jsonrpc.ID{}
	}
	s.mu.Unlock()
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if ours && s.negotiated != nil && json.Unmarshal(resp.Result, &result) == nil && result.ProtocolVersion != "" {
		s.negotiated(result.ProtocolVersion)
	}
}

// capabilities is what the proxy reads of a client's capabilities.
type capabilities struct {
	Elicitation *struct {
		Form json.RawMessage `json:"form"`
		URL  json.RawMessage `json:"url"`
	} `json:"elicitation"`
}

// canAsk reports whether the client can show a form to a person. One that names
// no mode has that one.
func (c capabilities) canAsk() bool {
	return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

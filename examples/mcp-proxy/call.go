package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentsentinel/sentinel"
)

// A call is one tool call on its way to the server and back.
type call struct {
	req    *jsonrpc.Request
	cancel context.CancelFunc
	sent   chan struct{} // closed when the server has it

	params map[string]json.RawMessage
	tool   string
	digest string // of what is to be done: tool and arguments
	rounds bool   // its protocol version asks for input by the result of a call
	asks   bool   // its sender can ask a person in that way

	// Under session.mu:
	passed bool     // it went on to the server
	advice []string // for the model to read with the result
}

// begin registers a tool call before anything else of the client's is read, so
// that a cancellation finds it. The context is that of the call.
func (s *session) begin(ctx context.Context, req *jsonrpc.Request) (context.Context, *call) {
	c := &call{req: req, sent: make(chan struct{})}
	ctx, c.cancel = context.WithCancel(ctx)
	if req.IsCall() {
		s.mu.Lock()
		s.calls[req.ID] = c
		s.mu.Unlock()
	}
	return ctx, c
}

// drop forgets a call.
func (s *session) drop(c *call) {
	s.mu.Lock()
	if s.calls[c.req.ID] == c {
		delete(s.calls, c.req.ID)
	}
	s.mu.Unlock()
	c.cancel()
}

// guard has a call judged, and passes it on or answers it. ctx is that of the
// call, the session's is for the answer.
func (s *session) guard(session, ctx context.Context, c *call) {
	answer, err := s.judge(ctx, c)
	if ctx.Err() != nil { // cancelled: no answer is wanted
		s.drop(c)
		return
	}
	if err == nil && answer == nil {
		s.pass(ctx, c)
		return
	}
	s.drop(c)
	resp := &jsonrpc.Response{ID: c.req.ID, Result: answer}
	if err != nil {
		resp = &jsonrpc.Response{ID: c.req.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}}
	}
	if !c.req.IsCall() { // the answer would not be read
		s.log.Warn("a tool call without an id does not go on", "tool", c.tool)
		return
	}
	s.reply(session, resp)
}

// pass hands a call to the server, unless it was cancelled in the meantime.
func (s *session) pass(ctx context.Context, c *call) {
	s.mu.Lock()
	c.passed = ctx.Err() == nil
	s.mu.Unlock()
	if c.passed {
		s.toServer(ctx, c.req)
	}
	close(c.sent)
	if !c.passed || !c.req.IsCall() {
		s.drop(c)
	}
}

// giveUp ends a tool call that the client cancels. It reports whether the server
// need not hear of it, because the call never got there.
func (s *session) giveUp(req *jsonrpc.Request) bool {
	var params mcp.CancelledParams
	if json.Unmarshal(req.Params, &params) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	if err != nil {
		return false
	}
	s.mu.Lock()
	c := s.calls[id]
	passed := c != nil && c.passed
	if c != nil && !passed {
		c.cancel()
	}
	s.mu.Unlock()
	if passed {
		if !s.parallel {
			<-c.sent // the cancellation must not overtake the call
		}
		s.drop(c)
	}
	return c != nil && !passed
}

// finish adds what a model should read to the result of a call. It reports
// whether the answer may go to the client: not while the call is still judged.
func (s *session) finish(resp *jsonrpc.Response) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[resp.ID]
	if c == nil || !c.passed {
		return c == nil
	}
	delete(s.calls, resp.ID)
	if !needsInput(resp.Result) { // else the same call comes again, and its approval still holds
		delete(s.approved, c.digest)
	}
	c.cancel()
	resp.Result = withTexts(resp.Result, c.advice)
	return true
}

// read takes the parameters of a call apart and puts them together again, so that
// the server gets what is judged and nothing else: of a name that is there twice in
// an object it could have taken the other one.
func (c *call) read() error {
	var params map[string]any
	d := json.NewDecoder(bytes.NewReader(c.req.Params))
	d.UseNumber()
	if err := d.Decode(&params); err != nil || params == nil {
		return errors.New("the parameters of tools/call are no JSON object")
	}
	for name := range params {
		for _, known := range []string{"name", "arguments"} {
			if name != known && strings.EqualFold(name, known) {
				return fmt.Errorf("the parameters of tools/call hold %q: write %q", name, known)
			}
		}
	}
	c.tool, _ = params["name"].(string)
	if c.tool == "" {
		return errors.New("the parameters of tools/call name no tool")
	}
	c.params = make(map[string]json.RawMessage, len(params))
	for name, value := range params {
		c.params[name] = marshal(value)
	}
	sum := sha256.Sum256([]byte(c.tool + "\x00" + string(c.params["arguments"])))
	c.digest = string(sum[:])
	c.readMeta()
	c.req.Params = marshal(c.params)
	return nil
}

// readMeta reads what a client of the protocol without initialize says of itself
// in each request.
func (c *call) readMeta() {
	var meta map[string]json.RawMessage
	var caps capabilities
	if json.Unmarshal(c.params["_meta"], &meta) != nil || meta[mcp.MetaKeyProtocolVersion] == nil {
		return
	}
	c.rounds = true
	c.asks = json.Unmarshal(meta[mcp.MetaKeyClientCapabilities], &caps) == nil && caps.canAsk()
}

// judge puts a call before the engine. With an answer it does not go on; err says
// that it is not a tool call at all.
func (s *session) judge(ctx context.Context, c *call) (answer json.RawMessage, err error) {
	if err := c.read(); err != nil {
		return nil, err
	}
	declined := s.takeAnswer(c)
	ev := sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "mcp-proxy", Session: s.id, Dir: s.dir,
		Tool: sentinel.ToolCall{ID: fmt.Sprint(c.req.ID.Raw()), Name: "mcp__" + s.name + "__" + c.tool, Args: c.params["arguments"]},
	}
	d, err := s.engine.Evaluate(ctx, ev)
	s.record(ev, d)
	if err != nil {
		return c.refusal("Sentinel could not judge this call, so it did not run: " + err.Error()), nil
	}
	switch d.Verdict {
	case sentinel.VerdictAllow, sentinel.VerdictWarn:
	case sentinel.VerdictAsk:
		if declined {
			answer = c.refusal("The person did not allow this. It did not run. " + d.Reason())
		} else {
			answer = s.ask(ctx, c, d)
		}
	default: // block, and whatever is not known to be harmless
		answer = c.refusal("Sentinel blocked this call; it did not run. " + d.Reason())
	}
	s.mu.Lock()
	c.advice = d.Context()
	s.mu.Unlock()
	return answer, nil
}

// record writes the decision on a call to the project's log, where the engine has one. A
// failure of it does not change the decision.
func (s *session) record(ev sentinel.Event, d sentinel.Decision) {
	if r, ok := s.engine.(interface {
		Record(sentinel.Event, sentinel.Decision) error
	}); ok {
		if err := r.Record(ev, d); err != nil {
			s.log.Warn("the log", "error", err)
		}
	}
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentsentinel/sentinel"
)

// ask has a person decide about a call. nil lets it go on; else it is the answer:
// a refusal, or the question where the protocol asks by the result.
func (s *session) ask(ctx context.Context, c *call, d sentinel.Decision) (answer json.RawMessage) {
	s.mu.Lock()
	approved, byRequest := s.approved[c.digest], s.elicitation
	s.mu.Unlock()
	switch {
	case approved:
		return nil
	case c.asks:
		return s.askInRounds(c, question(c, d))
	case c.rounds || !byRequest || !c.req.IsCall():
		return c.refusal("This needs a person's approval, and the client cannot ask for it. It did not run. " + d.Reason())
	case !s.askByRequest(ctx, question(c, d)):
		return c.refusal("The person did not allow this. It did not run. " + d.Reason())
	}
	return nil
}

// question is the form that a person sees. To accept it is to approve.
func question(c *call, d sentinel.Decision) *mcp.ElicitParams {
	var does strings.Builder
	for i := range d.Actions {
		fmt.Fprintf(&does, "\n  %q", d.Actions[i].Summary()) // quoted: it holds what the model wrote
	}
	return &mcp.ElicitParams{
		Mode:            "form",
		Message:         fmt.Sprintf("Sentinel asks whether %q may run.%s\n%s\nAccept lets it run once.", c.tool, does.String(), d.Reason()),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`),
	}
}

// askByRequest sends the client a request of the proxy's own and waits for the
// person. It gives the question up when the call is cancelled.
func (s *session) askByRequest(ctx context.Context, form *mcp.ElicitParams) (accepted bool) {
	name := "sentinel-" + rand.Text() // no server's request has that id
	id, err := jsonrpc.MakeID(name)
	if err != nil {
		return false
	}
	came := make(chan *jsonrpc.Response, 1)
	s.mu.Lock()
	s.questions[id] = came
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.questions, id)
		s.mu.Unlock()
	}()
	if err := s.client.Write(ctx, &jsonrpc.Request{ID: id, Method: elicit, Params: marshal(form)}); err != nil {
		return false
	}
	select {
	case resp := <-came:
		return resp.Error == nil && accepts(resp.Result)
	case <-ctx.Done():
		params := marshal(mcp.CancelledParams{RequestID: name, Reason: "the call was cancelled"})
		_ = s.client.Write(context.WithoutCancel(ctx), &jsonrpc.Request{Method: cancelled, Params: params}) // it may be gone
		return false
	}
}

// answered takes an answer to a question of ours.
func (s *session) answered(resp *jsonrpc.Response) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	came, ours := s.questions[resp.ID]
	if ours {
		delete(s.questions, resp.ID)
		came <- resp
	}
	return ours
}

// questionsMax bounds the questions that wait for an answer in a later call. A
// client that lets more of them lie is asked again.
const questionsMax = 256

// ourInput is the name of the question among the inputs that a result asks for.
const ourInput = "sentinel"

// askInRounds is the result that asks a client of protocol 2026-07-28: it
// sends the call again, with the person's answer and the state.
func (s *session) askInRounds(c *call, form *mcp.ElicitParams) json.RawMessage {
	state := "sentinel-" + rand.Text()
	s.mu.Lock()
	if len(s.asked) >= questionsMax {
		clear(s.asked)
	}
	s.asked[state] = c.digest
	s.mu.Unlock()
	return marshal(map[string]any{
		"resultType":    "input_required",
		"inputRequests": map[string]any{ourInput: map[string]any{"method": elicit, "params": form}},
		"requestState":  state,
	})
}

// takeAnswer takes the answer to a question of ours out of a call, and keeps the
// approval if it is one, of this very call. It reports whether the person said no.
func (s *session) takeAnswer(c *call) (declined bool) {
	var state string
	if json.Unmarshal(c.params["requestState"], &state) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	digest, ours := s.asked[state]
	if !ours {
		return false
	}
	delete(s.asked, state)
	delete(c.params, "requestState")
	var inputs map[string]json.RawMessage
	_ = json.Unmarshal(c.params["inputResponses"], &inputs) // a value that is not an object holds no approval
	answer := inputs[ourInput]
	delete(c.params, "inputResponses")
	c.req.Params = marshal(c.params)
	if digest != c.digest {
		return false // another call's answer: this one is asked about again
	}
	if accepts(answer) {
		s.approved[c.digest] = true
		return false
	}
	return true
}

// accepts reports whether the answer to a form is yes.
func accepts(answer json.RawMessage) bool {
	var result struct {
		Action string `json:"action"`
	}
	return json.Unmarshal(answer, &result) == nil && result.Action == "accept"
}

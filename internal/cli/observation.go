package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/secret"
)

// An observation is an event and its decision on the way to another process of
// the same build. Contents, arguments, prompts and answers stay behind; secrets
// in what goes along are masked.
type observation struct {
	At       time.Time         `json:"at"`
	ID       string            `json:"id,omitempty"`
	Phase    sentinel.Phase    `json:"phase"`
	Agent    string            `json:"agent"`
	Session  string            `json:"session"`
	Tool     string            `json:"tool"`
	CallID   string            `json:"call_id"`
	Verdict  sentinel.Verdict  `json:"verdict"`
	Unknown  bool              `json:"unknown,omitempty"`
	Took     time.Duration     `json:"took"`
	Err      *observedError    `json:"err,omitempty"`
	Actions  []observedAction  `json:"actions,omitempty"`
	Findings []observedFinding `json:"findings,omitempty"`
}

type observedAction struct {
	Trigger     sentinel.Trigger `json:"trigger"`
	Target      string           `json:"target"`
	DerivedFrom string           `json:"derived_from,omitempty"`
}

type observedFinding struct {
	Rule       string            `json:"rule"`
	Severity   sentinel.Severity `json:"severity"`
	Post       bool              `json:"post,omitempty"`
	Shadow     bool              `json:"shadow,omitempty"`
	Model      string            `json:"model,omitempty"`
	Action     int               `json:"action"` // in Actions; -1 is none
	Outcome    sentinel.Outcome  `json:"outcome"`
	Verdict    sentinel.Verdict  `json:"verdict"`
	Confidence float64           `json:"confidence"`
	Reason     string            `json:"reason,omitempty"`
	Took       time.Duration     `json:"took"`
	Muted      bool              `json:"muted,omitempty"`
	Tainted    bool              `json:"tainted,omitempty"`
	Disputed   bool              `json:"disputed,omitempty"`
	Waived     bool              `json:"waived,omitempty"`
	Deferred   bool              `json:"deferred,omitempty"`
	Err        *observedError    `json:"err,omitempty"`
	Response   observedResponse  `json:"response"`
	Attempts   []observedAttempt `json:"attempts,omitempty"`
}

type observedResponse struct {
	Backend      string        `json:"backend,omitempty"`
	Model        string        `json:"model,omitempty"`
	Violation    bool          `json:"violation,omitempty"` // all that is left of the answer
	Cached       bool          `json:"cached,omitempty"`
	PromptTokens int           `json:"prompt_tokens,omitempty"`
	OutputTokens int           `json:"output_tokens,omitempty"`
	Waited       time.Duration `json:"waited,omitempty"`
	Took         time.Duration `json:"took,omitempty"`
}

type observedAttempt struct {
	Backend  string           `json:"backend"`
	Model    string           `json:"model,omitempty"` // that was asked for, where it is known
	Response observedResponse `json:"response"`
	Err      *observedError   `json:"err,omitempty"`
}

// newObservation describes a decision by these of its findings.
func newObservation(at time.Time, ev sentinel.Event, d sentinel.Decision, findings []*sentinel.Finding) observation {
	n := observer{secrets: secret.NewMasker(d.Texts(ev)...), places: map[*sentinel.Action]int{}}
	o := observation{
		At: at, ID: d.ID, Phase: ev.Phase, Agent: n.text(ev.Agent), Session: n.text(ev.Session), Tool: n.text(ev.Tool.Name), CallID: n.text(ev.Tool.ID),
		Verdict: d.Verdict, Unknown: d.Unknown, Took: d.Took, Err: n.err(d.Err),
	}
	for _, f := range findings {
		o.Findings = append(o.Findings, n.finding(f))
	}
	o.Actions = n.actions
	return o
}

// An observer describes what stands in a decision.
type observer struct {
	secrets *secret.Masker
	actions []observedAction
	places  map[*sentinel.Action]int // in actions
}

// maxObservedText bounds one text, in bytes.
const maxObservedText = 4000

// text masks before it cuts: a part of a secret may not look like one.
func (n *observer) text(s string) string {
	if s = n.secrets.Mask(s); len(s) > maxObservedText {
		s = s[:maxObservedText]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (n *observer) action(a *sentinel.Action) int {
	if a == nil {
		return -1
	}
	i, ok := n.places[a]
	if !ok {
		i = len(n.actions)
		n.places[a] = i
		n.actions = append(n.actions, observedAction{a.Trigger, n.text(a.Target), n.text(a.DerivedFrom)})
	}
	return i
}

func (n *observer) finding(f *sentinel.Finding) observedFinding {
	o := observedFinding{
		Rule: n.text(f.Rule.ID), Severity: f.Rule.Severity, Post: f.Rule.Post, Shadow: f.Rule.Shadow, Model: n.text(f.Rule.Model),
		Action: n.action(f.Action), Outcome: f.Outcome, Verdict: f.Verdict, Confidence: finite(f.Confidence), Reason: n.text(f.Reason), Took: f.Took,
		Muted: f.Muted, Tainted: f.Tainted, Disputed: f.Disputed, Waived: f.Waived, Deferred: f.Deferred,
		Err: n.err(f.Err), Response: n.response(&f.Response),
	}
	for i := range f.Attempts {
		a := &f.Attempts[i]
		o.Attempts = append(o.Attempts, observedAttempt{n.text(a.Backend), n.text(a.Request.Model), n.response(&a.Response), n.err(a.Err)})
	}
	return o
}

// finite replaces what JSON cannot express.
func finite(x float64) float64 {
	if x != x || x-x != 0 {
		return 0
	}
	return x
}

func (n *observer) response(r *sentinel.Response) observedResponse {
	var said struct{ Violation bool }
	if strings.Contains(r.Text, "true") && json.Unmarshal([]byte(r.Text), &said) != nil {
		said.Violation = false
	}
	return observedResponse{
		Backend: n.text(r.Backend), Model: n.text(r.Model), Violation: said.Violation, Cached: r.Cached,
		PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens, Waited: r.Waited, Took: r.Took,
	}
}

// An observedError is an error that keeps its text, and which of the known ones
// it is.
type observedError struct {
	Text string `json:"text"`
	Is   []int  `json:"is,omitempty"` // places in knownErrors
}

func knownErrors() []error {
	return []error{
		context.DeadlineExceeded, context.Canceled, errors.ErrUnsupported,
		sentinel.ErrEvent, sentinel.ErrUnknownTool, sentinel.ErrUnavailable, sentinel.ErrMalformed, sentinel.ErrRefused,
		sentinel.ErrOverBudget, sentinel.ErrBusy, sentinel.ErrPreempted,
	}
}

func (n *observer) err(err error) *observedError {
	if err == nil {
		return nil
	}
	o := &observedError{Text: n.text(err.Error())}
	for i, known := range knownErrors() {
		if errors.Is(err, known) {
			o.Is = append(o.Is, i)
		}
	}
	return o
}

// Error returns the text of what it describes.
func (o *observedError) Error() string { return o.Text }

// Unwrap returns what is known of it.
func (o *observedError) Unwrap() []error {
	var all []error
	known := knownErrors()
	for _, i := range o.Is {
		if 0 <= i && i < len(known) {
			all = append(all, known[i])
		}
	}
	return all
}

// asError keeps a nil pointer from becoming an error.
func (o *observedError) asError() error {
	if o == nil {
		return nil
	}
	return o
}

// decode returns what was described.
func (o *observation) decode() (sentinel.Event, sentinel.Decision) {
	ev := sentinel.Event{Phase: o.Phase, Agent: o.Agent, Session: o.Session, Tool: sentinel.ToolCall{ID: o.CallID, Name: o.Tool}}
	d := sentinel.Decision{ID: o.ID, Verdict: o.Verdict, Unknown: o.Unknown, Took: o.Took, Err: o.Err.asError()}
	for _, a := range o.Actions {
		d.Actions = append(d.Actions, sentinel.Action{Trigger: a.Trigger, Agent: o.Agent, Tool: o.Tool, Target: a.Target, DerivedFrom: a.DerivedFrom})
	}
	for i := range o.Findings {
		d.Findings = append(d.Findings, o.Findings[i].decode(d.Actions))
	}
	return ev, d
}

func (o *observedFinding) decode(actions []sentinel.Action) sentinel.Finding {
	f := sentinel.Finding{
		Rule:    &sentinel.RuleSpec{ID: o.Rule, Severity: o.Severity, Post: o.Post, Shadow: o.Shadow, Model: o.Model},
		Match:   sentinel.Match{OK: true},
		Outcome: o.Outcome, Verdict: o.Verdict, Confidence: o.Confidence, Reason: o.Reason, Took: o.Took,
		Muted: o.Muted, Tainted: o.Tainted, Disputed: o.Disputed, Waived: o.Waived, Deferred: o.Deferred,
		Err: o.Err.asError(), Response: o.Response.decode(),
	}
	if 0 <= o.Action && o.Action < len(actions) {
		f.Action = &actions[o.Action]
		f.Rule.Trigger = f.Action.Trigger
	}
	for i := range o.Attempts {
		a := &o.Attempts[i]
		f.Attempts = append(f.Attempts, sentinel.Attempt{
			Backend: a.Backend, Request: sentinel.Request{Model: a.Model}, Response: a.Response.decode(), Err: a.Err.asError(),
		})
	}
	return f
}

func (o *observedResponse) decode() sentinel.Response {
	r := sentinel.Response{
		Backend: o.Backend, Model: o.Model, Cached: o.Cached,
		PromptTokens: o.PromptTokens, OutputTokens: o.OutputTokens, Waited: o.Waited, Took: o.Took,
	}
	if o.Violation {
		r.Text = `{"violation":true}`
	}
	return r
}

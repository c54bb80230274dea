// Package record keeps the results of calls: the lines of the log, the prompts where they
// are kept, notes for the user, and what other processes are handed.
//
// A [Call] is made once for a call. It is a decision without contents, arguments
// and prompts, whose secrets are masked; in JSON it is the decision's own form.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Bounds of a record.
const (
	maxText     = 4000    // bytes of one text
	maxSearched = 1 << 20 // bytes of one content, or of arguments, that are searched for secrets: more would cost the agent seconds
)

// A Call is what may be kept of one call of an agent.
type Call struct {
	At       time.Time
	Event    sentinel.Event    // phase, agent, session, and the tool's name and call id
	Decision sentinel.Decision // findings of rules that were about the call; see the package comment
	Cut      *Cut              // what [Call.Detail] left out; nil if nothing

	wholes map[*sentinel.Action]whole // targets as they were, by the action in Decision
}

// A whole is a target before it was masked and cut.
type whole struct {
	length int // characters
	cut    bool
}

// Cut says how much more there was.
type Cut struct {
	Findings int   `json:"findings,omitempty"` // further ones that stopped the call
	Actions  int   `json:"actions"`            // things that the whole call does
	Lengths  []int `json:"lengths"`            // of each finding's target, in characters; 0 of one that is whole
}

// Of describes a decision. It changes neither ev nor d.
func Of(at time.Time, ev sentinel.Event, d sentinel.Decision) *Call {
	m := newMasker(ev, &d)
	c := &Call{At: at, Event: sentinel.Event{
		Phase: ev.Phase, Agent: m.text(ev.Agent), Session: m.text(ev.Session),
		Tool: sentinel.ToolCall{ID: m.text(ev.Tool.ID), Name: m.text(ev.Tool.Name)},
	}}
	c.Decision = sentinel.Decision{
		ID: d.ID, Verdict: d.Verdict, Unknown: d.Unknown, Took: d.Took, Relayed: d.Relayed, Err: m.err(d.Err),
	}
	places := make(map[*sentinel.Action]int, len(d.Actions))
	for i := range d.Actions {
		places[&d.Actions[i]] = i
		c.Decision.Actions = append(c.Decision.Actions, m.action(&d.Actions[i]))
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if _, known := places[f.Action]; !known && f.Action != nil && f.Applies() { // as another folder sees it
			places[f.Action] = len(c.Decision.Actions)
			c.Decision.Actions = append(c.Decision.Actions, m.action(f.Action))
		}
	}
	c.wholes = map[*sentinel.Action]whole{}
	for a, i := range places {
		c.wholes[&c.Decision.Actions[i]] = whole{utf8.RuneCountInString(a.Target), len(a.Target) > maxText}
	}
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Applies() && f.Rule != nil {
			masked := m.finding(f)
			if f.Action != nil {
				masked.Action = &c.Decision.Actions[places[f.Action]]
			}
			c.Decision.Findings = append(c.Decision.Findings, masked)
		}
	}
	return c
}

// A masker takes the secrets of one call out of texts.
type masker struct {
	secrets *secret.Masker
	unread  map[*sentinel.Action]bool // too large to be searched for secrets
}

func newMasker(ev sentinel.Event, d *sentinel.Decision) *masker {
	m := &masker{unread: map[*sentinel.Action]bool{}}
	var texts []string
	add := func(more ...string) (large bool) {
		for _, text := range more {
			if len(text) > maxSearched {
				large, text = true, ""
			}
			texts = append(texts, text)
		}
		return large
	}
	eventTooLarge := add(string(ev.Tool.Args))
	for a := range telemetry.Actions(*d) {
		m.unread[a] = add(a.Target, a.Content, a.Old, string(a.Args)) || eventTooLarge
	}
	m.secrets = secret.NewMasker(texts...)
	return m
}

// text masks before it cuts: a part of a secret may not look like one.
func (m *masker) text(s string) string {
	if s == "" {
		return ""
	}
	if s = m.secrets.Mask(s); len(s) > maxText {
		s = s[:maxText]
		for !utf8.ValidString(s) && len(s) > maxText-utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (m *masker) action(a *sentinel.Action) sentinel.Action {
	target := a.Target
	if len(target) > maxSearched {
		target = target[:maxSearched]
	}
	return sentinel.Action{
		Trigger: a.Trigger, Op: a.Op, Agent: m.text(a.Agent), Tool: m.text(a.Tool), Target: m.text(target), DerivedFrom: m.text(a.DerivedFrom), Certain: a.Certain,
	}
}

// unsaid replaces what a judge said of a content that was not searched for secrets:
// it may quote one.
const unsaid = "the content is too large to say more"

func (m *masker) finding(f *sentinel.Finding) sentinel.Finding {
	r := f.Rule
	out := sentinel.Finding{
		Rule: &sentinel.RuleSpec{
			ID: m.text(r.ID), Trigger: r.Trigger, Severity: r.Severity, Post: r.Post, Stop: r.Stop, Turns: r.Turns, Obliges: r.Obliges, Shadow: r.Shadow,
			Backend: r.Backend, Model: m.text(r.Model), Threshold: r.Threshold,
		},
		Match:   sentinel.Match{OK: f.Match.OK},
		Outcome: f.Outcome, Verdict: f.Verdict, Confidence: f.Confidence, Reason: m.text(f.Reason), Took: f.Took,
		Muted: f.Muted, Tainted: f.Tainted, Disputed: f.Disputed, Waived: f.Waived, Deferred: f.Deferred, Seen: f.Seen, Asked: m.text(f.Asked),
		Err: m.err(f.Err), Response: m.response(&f.Response),
	}
	for i := range f.Attempts {
		a := &f.Attempts[i]
		out.Attempts = append(out.Attempts, sentinel.Attempt{
			Backend: m.text(a.Backend), Request: sentinel.Request{Model: m.text(a.Request.Model)}, Response: m.response(&a.Response), Err: m.err(a.Err),
		})
	}
	if m.unread[f.Action] {
		leaveUnsaid(&out)
	}
	return out
}

// leaveUnsaid takes out what a judge wrote: its reason, and errors that quote an
// answer.
func leaveUnsaid(f *sentinel.Finding) {
	quotes := func(err error) bool { return errors.Is(err, sentinel.ErrMalformed) }
	judged := f.Outcome == sentinel.OutcomePass && len(f.Attempts) > 0
	if f.Reason != "" && (judged || f.Outcome == sentinel.OutcomeViolation || quotes(f.Err)) {
		f.Reason = unsaid
	}
	if quotes(f.Err) {
		f.Err = maskedError{unsaid, f.Err}
	}
	for i := range f.Attempts {
		if a := &f.Attempts[i]; quotes(a.Err) {
			a.Err = maskedError{unsaid, a.Err}
		}
	}
}

// response keeps of the answer only whether it said violation.
func (m *masker) response(r *sentinel.Response) sentinel.Response {
	out := sentinel.Response{
		Backend: m.text(r.Backend), Model: m.text(r.Model), Cached: r.Cached, PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens,
		Waited: r.Waited, Took: r.Took, PTrue: r.PTrue,
	}
	var said struct{ Violation bool }
	if strings.Contains(r.Text, "true") && json.Unmarshal([]byte(r.Text), &said) == nil && said.Violation {
		out.Text = `{"violation":true}`
	}
	return out
}

// A maskedError says what another error says, without secrets, and is what that is.
type maskedError struct {
	text string
	error
}

func (e maskedError) Error() string { return e.text }

func (e maskedError) Unwrap() error { return e.error }

func (m *masker) err(err error) error {
	if err == nil {
		return nil
	}
	return maskedError{m.text(err.Error()), err}
}

// Lines are the lines of the log about the call, one for each finding and one for
// the decision; after the tool has run, and of shadow rules judged by themselves,
// only those of findings. threshold is as in [telemetry.Records].
func (c *Call) Lines(threshold float64) []telemetry.Record {
	return telemetry.Records(c.At, c.Event, c.Decision, nil, threshold)
}

// Quiet reports whether nothing came of the call that is recorded.
func (c *Call) Quiet() bool { return c == nil || c.Decision.Quiet() }

// Bounds of what is kept of a stopped call, so that many have room.
const (
	maxStops      = 3
	maxStopTarget = 500 // characters
	maxStopName   = 60
)

// Detail is the call in JSON as it is kept for the user who may approve it: what
// stops it, in at most limit bytes. nil if even little of it does not fit.
func (c *Call) Detail(limit int) json.RawMessage {
	for _, chars := range []int{maxStopTarget, maxStopTarget / 4, maxStopTarget / 16} {
		data, err := json.Marshal(c.stops(chars))
		if err == nil && len(data) <= limit {
			return data
		}
	}
	return nil
}

// stops is the part of the call that stops it, with at most chars characters of
// each target.
func (c *Call) stops(chars int) *Call {
	out := &Call{At: c.At, Event: c.Event, Cut: &Cut{Actions: len(c.Decision.Actions)}}
	out.Event.Agent, out.Event.Session = beginning(out.Event.Agent, maxStopName), beginning(out.Event.Session, maxStopName)
	out.Event.Tool = sentinel.ToolCall{Name: beginning(out.Event.Tool.Name, maxStopName)}
	out.Decision = sentinel.Decision{ID: c.Decision.ID, Verdict: c.Decision.Verdict}
	for i := range c.Decision.Findings {
		f := &c.Decision.Findings[i]
		switch {
		case f.Verdict < sentinel.VerdictAsk:
			continue
		case len(out.Decision.Findings) == maxStops:
			out.Cut.Findings++
			continue
		}
		a := sentinel.Action{Trigger: f.Action.Trigger, Target: beginning(f.Action.Target, chars)}
		length := 0
		if target := c.wholes[f.Action]; target.cut || a.Target != f.Action.Target {
			length = target.length
		}
		out.Cut.Lengths = append(out.Cut.Lengths, length)
		out.Decision.Findings = append(out.Decision.Findings, sentinel.Finding{
			Rule:   &sentinel.RuleSpec{ID: beginning(f.Rule.ID, maxStopName), Severity: f.Rule.Severity},
			Action: &a, Match: sentinel.Match{OK: true}, Outcome: f.Outcome, Verdict: f.Verdict, Reason: text.Cut(f.Reason, chars/2),
		})
	}
	return out
}

// beginning is the first characters of a text.
func beginning(text string, limit int) string {
	for i := range text {
		if limit--; limit < 0 {
			return text[:i]
		}
	}
	return text
}

// Stops is the part of a decision that stops the call, word for word: what another
// hook of the same call answers. It has only what the agent reads of the call: that
// hook knows the actions, whose texts may hold secrets.
func Stops(d sentinel.Decision) sentinel.Decision {
	out := sentinel.Decision{ID: d.ID, Verdict: d.Verdict, Code: d.Code, Program: d.Program}
	for _, f := range d.Findings {
		if f.Verdict < sentinel.VerdictAsk {
			continue
		}
		out.Findings = append(out.Findings, sentinel.Finding{
			Rule: f.Rule, Action: &sentinel.Action{Trigger: f.Action.Trigger, Op: f.Action.Op}, Match: sentinel.Match{OK: true}, Outcome: f.Outcome, Verdict: f.Verdict,
			Reason: f.Reason, Subject: f.Subject, Message: f.Message, From: f.From, Tainted: f.Tainted, Disputed: f.Disputed,
		})
	}
	return out
}

// Shown is a decision as it is printed: without contents, arguments and what was
// parsed of them.
func Shown(d sentinel.Decision) sentinel.Decision {
	out := d
	out.Actions = make([]sentinel.Action, len(d.Actions))
	places := make(map[*sentinel.Action]*sentinel.Action, len(d.Actions))
	for i := range d.Actions {
		out.Actions[i] = shown(&d.Actions[i])
		places[&d.Actions[i]] = &out.Actions[i]
	}
	out.Findings = slices.Clone(d.Findings)
	for i := range out.Findings {
		f := &out.Findings[i]
		if f.Action != nil && places[f.Action] == nil {
			a := shown(f.Action)
			places[f.Action] = &a
		}
		f.Action, f.Match.Command = places[f.Action], nil
	}
	return out
}

func shown(a *sentinel.Action) sentinel.Action {
	return sentinel.Action{Trigger: a.Trigger, Op: a.Op, Target: a.Target, DerivedFrom: a.DerivedFrom, Agent: a.Agent, Tool: a.Tool, Path: a.Path, Certain: a.Certain}
}

// callJSON is a call in JSON.
type callJSON struct {
	At       time.Time         `json:"at"`
	Phase    sentinel.Phase    `json:"phase"`
	Agent    string            `json:"agent"`
	Session  string            `json:"session"`
	Tool     string            `json:"tool"`
	CallID   string            `json:"call_id"`
	Decision sentinel.Decision `json:"decision"`
	Cut      *Cut              `json:"cut,omitempty"`
}

// MarshalJSON writes the call; its decision is in the form of [sentinel.Decision].
func (c *Call) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{c.At, c.Event.Phase, c.Event.Agent, c.Event.Session, c.Event.Tool.Name, c.Event.Tool.ID, c.Decision, c.Cut})
}

// UnmarshalJSON reads what MarshalJSON writes. A decision in a newer form is
// [sentinel.ErrJSONVersion].
func (c *Call) UnmarshalJSON(data []byte) error {
	var in callJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	*c = Call{At: in.At, Decision: in.Decision, Cut: in.Cut, Event: sentinel.Event{
		Phase: in.Phase, Agent: in.Agent, Session: in.Session, Tool: sentinel.ToolCall{Name: in.Tool, ID: in.CallID},
	}}
	return nil
}

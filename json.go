package sentinel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agentsentinel/sentinel/shell"
)

//go:generate go test -run=^TestDecisionSchema$ . -update

// decisionJSON is the one form in which decisions are printed, kept and handed to
// other processes. Its keys are fixed: people script them. docs/decision.md has
// them all.
type decisionJSON struct {
	Decision  Verdict       `json:"decision"`
	ElapsedMS float64       `json:"elapsed_ms"`
	Unknown   bool          `json:"unknown_tool,omitempty"`
	Actions   []actionJSON  `json:"actions"`
	Findings  []findingJSON `json:"findings"`
	Context   []string      `json:"context"` // Decision.Context; not read
	Notice    string        `json:"notice,omitempty"`
	Watch     []string      `json:"watch,omitempty"`
	Code      string        `json:"code,omitempty"`
	Program   string        `json:"program,omitempty"`
	Instead   string        `json:"instead,omitempty"`
	Input     string        `json:"input,omitempty"` // a text, so that no byte of it changes
	Relayed   bool          `json:"relayed,omitempty"`
	errorJSON
	ID      string `json:"id,omitempty"`
	Version int    `json:"version"`
}

// errorJSON is an error: its text, and which of the known kinds it is.
type errorJSON struct {
	Error string   `json:"error,omitempty"`
	Kinds []string `json:"error_kinds,omitempty"`
}

type actionJSON struct {
	Trigger     Trigger     `json:"trigger"`
	Operation   string      `json:"operation,omitempty"`
	Target      string      `json:"target"`
	DerivedFrom string      `json:"derived_from"`
	Agent       string      `json:"agent,omitempty"`
	Tool        string      `json:"tool,omitempty"`
	Path        string      `json:"path,omitempty"`
	Forms       []string    `json:"forms,omitempty"`
	Root        string      `json:"root,omitempty"`
	Dir         string      `json:"dir,omitempty"`
	Content     string      `json:"content,omitempty"`
	Old         string      `json:"old,omitempty"`
	Server      string      `json:"server,omitempty"`
	MCPTool     string      `json:"mcp_tool,omitempty"`
	Args        string      `json:"args,omitempty"` // a text, so that no byte of it changes
	Certain     bool        `json:"certain,omitempty"`
	Command     *shell.Line `json:"command,omitempty"`
	Carrier     string      `json:"carrier,omitempty"`
	Requests    []string    `json:"requests,omitempty"`
}

type findingJSON struct {
	RuleID     string  `json:"rule_id"`
	Trigger    Trigger `json:"trigger"` // of the action
	Target     string  `json:"target"`  // of the action
	Severity   string  `json:"severity"`
	Outcome    Outcome `json:"outcome"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason"`
	responseJSON
	ElapsedMS float64 `json:"elapsed_ms"`
	Error     string  `json:"error"`
	Mode      string  `json:"mode,omitempty"` // shadow

	Verdict  Verdict       `json:"verdict"`
	Action   *int          `json:"action,omitempty"` // place in actions
	Rule     *ruleJSON     `json:"rule,omitempty"`
	Match    matchJSON     `json:"match,omitzero"`
	Subject  string        `json:"subject,omitempty"`
	Message  string        `json:"message,omitempty"`
	Advice   string        `json:"advice,omitempty"`
	From     string        `json:"from,omitempty"`
	Muted    bool          `json:"muted,omitempty"`
	Tainted  bool          `json:"tainted,omitempty"`
	Disputed bool          `json:"disputed,omitempty"`
	Waived   bool          `json:"waived,omitempty"`
	Deferred bool          `json:"deferred,omitempty"`
	Seen     float64       `json:"seen,omitempty"` // absent: all of it
	Asked    string        `json:"asked_for,omitempty"`
	Kinds    []string      `json:"error_kinds,omitempty"`
	Attempts []attemptJSON `json:"attempts,omitempty"`
}

// ruleJSON is what else is known of the rule. Its templates are in its file.
type ruleJSON struct {
	Source    string   `json:"source,omitempty"`
	Trigger   Trigger  `json:"trigger,omitempty"`
	Post      bool     `json:"post,omitempty"`
	Stop      bool     `json:"stop,omitempty"`
	Turns     bool     `json:"turns,omitempty"`
	Obliges   bool     `json:"obliges,omitempty"`
	Undo      string   `json:"undo,omitempty"`
	Exact     bool     `json:"exact,omitempty"`
	Doubts    bool     `json:"doubts,omitempty"`
	Intent    bool     `json:"intent,omitempty"`
	Requests  bool     `json:"requests,omitempty"`
	Backend   string   `json:"backend,omitempty"`
	Model     string   `json:"model,omitempty"`
	Fallback  []string `json:"fallback,omitempty"`
	TimeoutMS float64  `json:"timeout_ms,omitempty"`
	Threshold float64  `json:"threshold,omitempty"`
}

type matchJSON struct {
	OK      bool         `json:"ok,omitempty"`
	Why     string       `json:"why,omitempty"`
	Pattern string       `json:"pattern,omitempty"`
	Form    string       `json:"form,omitempty"`
	Command *int         `json:"command,omitempty"` // place in the action's commands
	Spans   []shell.Span `json:"spans,omitempty"`
	Within  []string     `json:"within,omitempty"`
}

type responseJSON struct {
	Backend      string   `json:"backend"`
	Model        string   `json:"model"`
	Cached       bool     `json:"cached"`
	PromptTokens int      `json:"prompt_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Answer       string   `json:"answer,omitempty"`
	Own          string   `json:"own_answer,omitempty"`
	WaitedMS     float64  `json:"waited_ms,omitempty"`
	ModelMS      float64  `json:"model_ms,omitempty"`
	PTrue        *float64 `json:"p_true,omitempty"`
}

type attemptJSON struct {
	Asked string `json:"asked"` // the backend's name
	responseJSON
	errorJSON
	Request *requestJSON `json:"request,omitempty"`
}

// requestJSON is what a kept request says to the model. Settings that are the same
// for all requests are left out.
type requestJSON struct {
	System string `json:"system,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	Model  string `json:"model,omitempty"`
}

// MarshalJSON writes the form of docs/decision.md: durations to the microsecond; errors
// by text and kind; of rules no templates, of kept requests the texts and the model.
func (d Decision) MarshalJSON() ([]byte, error) {
	out := decisionJSON{
		Version: JSONVersion, ID: d.ID, Decision: d.Verdict, ElapsedMS: milliseconds(d.Took), Unknown: d.Unknown,
		Actions: make([]actionJSON, 0, len(d.Actions)), Findings: make([]findingJSON, 0, len(d.Findings)),
		Context: d.Context(), Notice: d.Notice, Watch: d.Watch, Code: d.Code, Program: d.Program, Instead: d.Instead, Input: string(d.Input), Relayed: d.Relayed, errorJSON: errorForm(d.Err),
	}
	if out.Context == nil {
		out.Context = []string{}
	}
	places := make(map[*Action]int, len(d.Actions))
	add := func(a *Action) {
		places[a] = len(out.Actions)
		out.Actions = append(out.Actions, actionForm(a))
	}
	for i := range d.Actions {
		add(&d.Actions[i])
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		if _, known := places[f.Action]; !known && f.Action != nil { // as another folder sees it
			add(f.Action)
		}
		out.Findings = append(out.Findings, findingForm(f, places))
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads this version's form and older ones. A newer one is
// [ErrJSONVersion]; unknown words and missing actions are errors too.
func (d *Decision) UnmarshalJSON(data []byte) error {
	var version struct{ Version int }
	if err := json.Unmarshal(data, &version); err != nil {
		return err
	}
	if version.Version > JSONVersion {
		return fmt.Errorf("sentinel: %w: version %d, and this program reads %d", ErrJSONVersion, version.Version, JSONVersion)
	}
	var in decisionJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("sentinel: a decision in JSON: %w", err)
	}
	out := Decision{
		ID: in.ID, Verdict: in.Decision, Unknown: in.Unknown, Took: duration(in.ElapsedMS),
		Notice: in.Notice, Watch: in.Watch, Code: in.Code, Program: in.Program, Instead: in.Instead, Input: raw(in.Input), Relayed: in.Relayed, Err: in.errorJSON.err(),
	}
	if len(in.Actions) > 0 {
		out.Actions = make([]Action, len(in.Actions))
	}
	for i := range in.Actions {
		if err := in.Actions[i].read(&out.Actions[i]); err != nil {
			return err
		}
	}
	for i := range in.Findings {
		f, err := in.Findings[i].finding(out.Actions)
		if err != nil {
			return fmt.Errorf("sentinel: a decision in JSON: finding %d: %w", i, err)
		}
		out.Findings = append(out.Findings, f)
	}
	*d = out
	return nil
}

func actionForm(a *Action) actionJSON {
	return actionJSON{
		Trigger: a.Trigger, Operation: a.Op.String(), Target: a.Target, DerivedFrom: a.DerivedFrom, Agent: a.Agent, Tool: a.Tool,
		Path: a.Path, Forms: a.Forms, Root: a.Root, Dir: a.Dir, Content: a.Content, Old: a.Old,
		Server: a.Server, MCPTool: a.MCPTool, Args: string(a.Args), Certain: a.Certain, Command: a.Command, Carrier: a.Carrier, Requests: a.Requests,
	}
}

func (in *actionJSON) read(a *Action) error {
	*a = Action{
		Trigger: in.Trigger, Target: in.Target, DerivedFrom: in.DerivedFrom, Agent: in.Agent, Tool: in.Tool,
		Path: in.Path, Forms: in.Forms, Root: in.Root, Dir: in.Dir, Content: in.Content, Old: in.Old,
		Server: in.Server, MCPTool: in.MCPTool, Args: raw(in.Args), Certain: in.Certain, Command: in.Command, Carrier: in.Carrier, Requests: in.Requests,
	}
	return a.Op.UnmarshalText([]byte(in.Operation))
}

func findingForm(f *Finding, places map[*Action]int) findingJSON {
	r := f.Rule
	if r == nil {
		r = &RuleSpec{}
	}
	failed := errorForm(f.Err)
	out := findingJSON{
		RuleID: r.ID, Severity: r.Severity.String(), Mode: mode(r), Outcome: f.Outcome, Verdict: f.Verdict,
		Confidence: finite(f.Confidence), Reason: f.Reason, responseJSON: responseForm(&f.Response), ElapsedMS: milliseconds(f.Took),
		Error: failed.Error, Kinds: failed.Kinds, Subject: f.Subject, Message: f.Message, Advice: f.Advice, From: f.From,
		Muted: f.Muted, Tainted: f.Tainted, Disputed: f.Disputed, Waived: f.Waived, Deferred: f.Deferred,
		Seen: finite(f.Seen), Asked: f.Asked,
		Rule: &ruleJSON{
			Source: r.Source, Trigger: r.Trigger, Post: r.Post, Stop: r.Stop, Turns: r.Turns, Obliges: r.Obliges, Undo: r.Undo, Exact: r.Exact, Doubts: r.Doubts, Intent: r.Intent, Requests: r.Requests, Backend: r.Backend, Model: r.Model, Fallback: r.Fallback,
			TimeoutMS: milliseconds(r.Timeout), Threshold: finite(r.Threshold),
		},
		Match: matchJSON{OK: f.Match.OK, Why: f.Match.Why, Pattern: f.Match.Pattern, Form: f.Match.Form, Spans: f.Match.Spans, Within: f.Match.Within},
	}
	if at, ok := places[f.Action]; ok && f.Action != nil {
		out.Action, out.Trigger, out.Target = &at, f.Action.Trigger, f.Action.Target
		if line := f.Action.Command; line != nil && f.Match.Command != nil {
			for i := range line.Commands {
				if &line.Commands[i] == f.Match.Command {
					out.Match.Command = &i
				}
			}
		}
	}
	for i := range f.Attempts {
		at := &f.Attempts[i]
		out.Attempts = append(out.Attempts, attemptJSON{at.Backend, responseForm(&at.Response), errorForm(at.Err), requestForm(&at.Request)})
	}
	return out
}

func (in *findingJSON) finding(actions []Action) (Finding, error) {
	f := Finding{
		Rule: &RuleSpec{ID: in.RuleID, Trigger: in.Trigger, Shadow: in.Mode == modeShadow}, Outcome: in.Outcome, Verdict: in.Verdict,
		Match:      Match{OK: in.Match.OK, Why: in.Match.Why, Pattern: in.Match.Pattern, Form: in.Match.Form, Spans: in.Match.Spans, Within: in.Match.Within},
		Confidence: in.Confidence, Reason: in.Reason, Subject: in.Subject, Message: in.Message, Advice: in.Advice, From: in.From, Response: in.response(), Took: duration(in.ElapsedMS),
		Muted: in.Muted, Tainted: in.Tainted, Disputed: in.Disputed, Waived: in.Waived, Deferred: in.Deferred, Seen: in.Seen, Asked: in.Asked,
		Err: errorJSON{in.Error, in.Kinds}.err(),
	}
	if err := f.Rule.Severity.UnmarshalText([]byte(in.Severity)); err != nil {
		return f, err
	}
	if r := in.Rule; r != nil {
		f.Rule.Source, f.Rule.Trigger, f.Rule.Post, f.Rule.Stop, f.Rule.Undo, f.Rule.Backend, f.Rule.Model = r.Source, r.Trigger, r.Post, r.Stop, r.Undo, r.Backend, r.Model
		f.Rule.Turns, f.Rule.Obliges, f.Rule.Exact, f.Rule.Doubts, f.Rule.Intent, f.Rule.Requests = r.Turns, r.Obliges, r.Exact, r.Doubts, r.Intent, r.Requests
		f.Rule.Fallback, f.Rule.Timeout, f.Rule.Threshold = r.Fallback, duration(r.TimeoutMS), r.Threshold
	}
	if in.Action != nil {
		if *in.Action < 0 || *in.Action >= len(actions) {
			return f, fmt.Errorf("there is no action %d", *in.Action)
		}
		f.Action = &actions[*in.Action]
		if at, line := in.Match.Command, f.Action.Command; at != nil {
			if line == nil || *at < 0 || *at >= len(line.Commands) {
				return f, fmt.Errorf("there is no command %d in its action", *at)
			}
			f.Match.Command = &line.Commands[*at]
		}
	}
	for i := range in.Attempts {
		at := &in.Attempts[i]
		f.Attempts = append(f.Attempts, Attempt{Backend: at.Asked, Request: at.Request.request(), Response: at.response(), Err: at.err()})
	}
	return f, nil
}

func responseForm(r *Response) responseJSON {
	out := responseJSON{
		Backend: r.Backend, Model: r.Model, Cached: r.Cached, PromptTokens: r.PromptTokens, OutputTokens: r.OutputTokens,
		Answer: r.Text, Own: r.Own, WaitedMS: milliseconds(r.Waited), ModelMS: milliseconds(r.Took),
	}
	if p := r.PTrue; p != nil && finite(*p) == *p {
		out.PTrue = p
	}
	return out
}

func (in *responseJSON) response() Response {
	return Response{
		Text: in.Answer, Backend: in.Backend, Model: in.Model, Cached: in.Cached, PromptTokens: in.PromptTokens, OutputTokens: in.OutputTokens,
		Waited: duration(in.WaitedMS), Took: duration(in.ModelMS), PTrue: in.PTrue, Own: in.Own,
	}
}

func requestForm(r *Request) *requestJSON {
	if r.System == "" && r.Prompt == "" && r.Model == "" {
		return nil
	}
	return &requestJSON{r.System, r.Prompt, r.Model}
}

func (in *requestJSON) request() Request {
	if in == nil {
		return Request{}
	}
	return Request{System: in.System, Prompt: in.Prompt, Model: in.Model}
}

const modeShadow = "shadow"

// mode is "" for a rule that counts.
func mode(r *RuleSpec) string {
	if r.Shadow {
		return modeShadow
	}
	return ""
}

// An errorKind is an error that callers compare with, under a name of its own.
type errorKind struct {
	name string
	err  error
}

func errorKinds() []errorKind {
	return []errorKind{
		{"deadline", context.DeadlineExceeded}, {"canceled", context.Canceled}, {"unsupported", errors.ErrUnsupported},
		{"event", ErrEvent}, {"unknown_tool", ErrUnknownTool}, {"unavailable", ErrUnavailable}, {"malformed", ErrMalformed}, {"too_long", ErrTooLong}, {"unseen", ErrUnseen},
		{"refused", ErrRefused}, {"over_budget", ErrOverBudget}, {"busy", ErrBusy}, {"preempted", ErrPreempted},
	}
}

func errorForm(err error) (out errorJSON) {
	if err == nil {
		return out
	}
	out.Error = err.Error()
	for _, k := range errorKinds() {
		if errors.Is(err, k.err) {
			out.Kinds = append(out.Kinds, k.name)
		}
	}
	return out
}

// err is the error that was written: it has its text and is of its kinds.
func (in errorJSON) err() error {
	if in.Error == "" && len(in.Kinds) == 0 {
		return nil
	}
	return &readError{in}
}

type readError struct{ errorJSON }

func (e *readError) Error() string { return e.errorJSON.Error }

func (e *readError) Unwrap() []error {
	var all []error
	for _, k := range errorKinds() {
		if slices.Contains(e.Kinds, k.name) {
			all = append(all, k.err)
		}
	}
	return all
}

// milliseconds with three decimals: what is below a microsecond is noise.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// duration is the inverse of milliseconds.
func duration(ms float64) time.Duration {
	return time.Duration(math.Round(finite(ms)*1000)) * time.Microsecond
}

// finite replaces what JSON cannot express.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

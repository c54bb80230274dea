package sentinel

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Reason returns what the agent reads when it is stopped or a person is asked:
// one line for each finding that led to the verdict, with the rule's id. It is
// "" for any other verdict. A rule that could not be judged is told apart from
// one that was violated, so that the agent neither believes that policy said no
// nor tries again for ever.
func (d Decision) Reason() string {
	switch d.Verdict {
	case VerdictUndecided:
		return fmt.Sprintf("this call could not be judged: %v", d.Err)
	case VerdictAsk, VerdictBlock:
	default:
		return ""
	}
	var lines []string
	for i := range d.Findings {
		if d.Findings[i].Verdict == d.Verdict {
			lines = append(lines, d.Findings[i].line())
		}
	}
	if len(lines) == 0 && d.Err != nil {
		lines = append(lines, d.Err.Error())
	}
	return strings.Join(lines, "\n")
}

// Context returns what is added to the agent's context: the texts of warnings
// and of info rules, without those that were given before in this session, and
// last the notice.
func (d Decision) Context() []string {
	var texts []string
	for i := range d.Findings {
		if f := &d.Findings[i]; !f.Muted {
			if text := f.context(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	if d.Notice != "" {
		texts = append(texts, d.Notice)
	}
	return texts
}

// context is what a finding adds to the agent's context, muted or not.
func (f *Finding) context() string {
	switch {
	case f.Rule.Shadow:
		return ""
	case f.Verdict == VerdictWarn:
		return "Warning: " + f.line()
	}
	return f.Advice
}

// line says what a finding means to the agent.
func (f *Finding) line() string {
	switch {
	case f.Tainted && f.Outcome != OutcomeViolation:
		return fmt.Sprintf("rule %s: a judge's answer was dictated by the text it judged; a person must look. [%s]", f.Rule.ID, f.Rule.ID)
	case f.Outcome == OutcomeUnavailable:
		return fmt.Sprintf("rule %s %s. This is not a violation: the judge was unavailable and the project is strict (fail_open: false). Do not retry unchanged; tell the user. [%s]",
			f.Rule.ID, f.Reason, f.Rule.ID)
	case f.Disputed:
		return fmt.Sprintf("%s A second judge disagrees, so a person must decide. [%s]", f.Text(), f.Rule.ID)
	}
	return fmt.Sprintf("%s [%s]", f.Text(), f.Rule.ID)
}

// Text is the rule's message with the judge's words, or either.
func (f *Finding) Text() string {
	if f.Message != "" && f.Message != f.Reason {
		return fmt.Sprintf("%s (%s)", f.Message, f.Reason)
	}
	return f.Reason
}

// decisionJSON is the object that `sentinel check --json` prints. Its keys are
// fixed: people script them.
type decisionJSON struct {
	Decision  string        `json:"decision"`
	ElapsedMS float64       `json:"elapsed_ms"`
	Actions   []actionJSON  `json:"actions"`
	Findings  []findingJSON `json:"findings"`
	Context   []string      `json:"context"`
	Error     string        `json:"error,omitempty"`
}

type actionJSON struct {
	Trigger     Trigger `json:"trigger"`
	Operation   string  `json:"operation,omitempty"`
	Target      string  `json:"target"`
	DerivedFrom string  `json:"derived_from"`
}

type findingJSON struct {
	RuleID       string  `json:"rule_id"`
	Trigger      Trigger `json:"trigger"`
	Target       string  `json:"target"`
	Severity     string  `json:"severity"`
	Outcome      string  `json:"outcome"`
	Confidence   float64 `json:"confidence"`
	Reason       string  `json:"reason"`
	Backend      string  `json:"backend"`
	Model        string  `json:"model"`
	ElapsedMS    float64 `json:"elapsed_ms"`
	Cached       bool    `json:"cached"`
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Error        string  `json:"error"`
	Mode         string  `json:"mode,omitempty"` // shadow
}

// MarshalJSON writes the decision as `sentinel check --json` prints it.
func (d Decision) MarshalJSON() ([]byte, error) {
	out := decisionJSON{
		Decision:  d.Verdict.String(),
		ElapsedMS: milliseconds(d.Took),
		Actions:   make([]actionJSON, 0, len(d.Actions)),
		Findings:  make([]findingJSON, 0, len(d.Findings)),
		Context:   d.Context(),
		Error:     errorText(d.Err),
	}
	if out.Context == nil {
		out.Context = []string{}
	}
	for i := range d.Actions {
		a := &d.Actions[i]
		out.Actions = append(out.Actions, actionJSON{Trigger: a.Trigger, Operation: a.Op.String(), Target: a.Target, DerivedFrom: a.DerivedFrom})
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		out.Findings = append(out.Findings, findingJSON{
			RuleID: f.Rule.ID, Trigger: f.Action.Trigger, Target: f.Action.Target,
			Severity: f.Rule.Severity.String(), Outcome: f.Outcome.String(),
			Confidence: f.Confidence, Reason: f.Reason,
			Backend: f.Response.Backend, Model: f.Response.Model,
			ElapsedMS: milliseconds(f.Took), Cached: f.Response.Cached,
			PromptTokens: f.Response.PromptTokens, OutputTokens: f.Response.OutputTokens,
			Error: errorText(f.Err),
			Mode:  mode(f.Rule),
		})
	}
	return json.Marshal(out)
}

// mode is "" for a rule that counts.
func mode(r *RuleSpec) string {
	if r.Shadow {
		return "shadow"
	}
	return ""
}

// milliseconds with three decimals: what is below a microsecond is noise.
func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package telemetry

import (
	"encoding/json"
	"fmt"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
)

// maxTraceText bounds each text of a trace, in characters. Prompts show a cut of
// the judged text, so few are longer.
const maxTraceText = 32_000

// A Trace has the questions to judges about one finding, and their answers. Secrets
// are masked as in records. Control characters are kept as they were sent.
type Trace struct {
	ID       string    `json:"id"` // as Record.ID
	Time     time.Time `json:"ts"`
	RuleID   string    `json:"rule_id"`
	Attempts []Asked   `json:"attempts"` // in order
}

// Asked has one question to one judge.
type Asked struct {
	Backend      string  `json:"backend"`
	Model        string  `json:"model,omitempty"`
	System       string  `json:"system,omitempty"`
	Prompt       string  `json:"prompt"`
	Answer       string  `json:"answer"` // "" when there was none
	Error        string  `json:"error,omitempty"`
	Cached       bool    `json:"cached,omitempty"`
	WaitedMS     float64 `json:"waited_ms,omitempty"` // for a slot and the GPU
	TookMS       float64 `json:"took_ms,omitempty"`   // by the model itself
	PromptTokens int     `json:"prompt_tokens,omitempty"`
	OutputTokens int     `json:"output_tokens,omitempty"`
}

// Traces returns one trace for each finding of a call whose attempts kept their
// requests ([sentinel.Docket].KeepRequests, or Options.Explain). It is pure.
func Traces(now time.Time, ev sentinel.Event, d sentinel.Decision) []Trace {
	c := call{time: now.UTC().Truncate(time.Second), event: ev}
	var traces []Trace
	n := -1
	for i := range d.Findings {
		f := &d.Findings[i]
		if !f.Applies() {
			continue // Records does not count it either
		}
		n++
		t := Trace{ID: findingID(d.ID, n), Time: c.time}
		for k := range f.Attempts {
			at := &f.Attempts[k]
			if at.Request.Prompt == "" {
				continue
			}
			if c.masker == nil {
				c.know(ev, d)
			}
			t.Attempts = append(t.Attempts, c.trace(at))
		}
		if len(t.Attempts) > 0 {
			t.RuleID = c.text(f.Rule.ID, maxName)
			traces = append(traces, t)
		}
	}
	return traces
}

func (c *call) trace(at *sentinel.Attempt) Asked {
	a := Asked{
		Backend: c.text(firstOf(at.Response.Backend, at.Backend), maxName),
		Model:   c.text(firstOf(at.Response.Model, at.Request.Model), maxName),
		System:  c.text(at.Request.System, maxTraceText),
		Prompt:  c.text(at.Request.Prompt, maxTraceText),
		Answer:  c.text(at.Response.Text, maxTraceText),
		Cached:  at.Response.Cached, WaitedMS: milliseconds(at.Response.Waited), TookMS: milliseconds(at.Response.Took),
		PromptTokens: at.Response.PromptTokens, OutputTokens: at.Response.OutputTokens,
	}
	if at.Err != nil {
		a.Error = c.text(at.Err.Error(), maxReason)
	}
	return a
}

// WriteTraces appends traces as [Log.Write] does records: one line each.
func (l *Log) WriteTraces(traces []Trace) error {
	lines := make([][]byte, len(traces))
	for i, t := range traces {
		data, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("telemetry: the trace of rule %q cannot be written: %w", t.RuleID, err)
		}
		lines[i] = append(data, '\n')
	}
	return l.write(lines)
}

// SameCall reports whether two ids of records name the same call, or findings of it.
func SameCall(a, b string) bool { return a != "" && CallOf(a) == CallOf(b) }

// CallOf is the part of a record's id that names the call: an `s` behind it says
// that the finding was judged after the answer.
func CallOf(id string) string {
	for i := range len(id) {
		if id[i] == '.' {
			id = id[:i]
			break
		}
	}
	if len(id) == idLength+1 && id[idLength] == 's' {
		return id[:idLength]
	}
	return id
}

// idLength is how long the name of a decision is that package project gives it.
const idLength = 10

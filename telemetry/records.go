package telemetry

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Limits of the values in a line, in characters.
const (
	maxTarget = 1000
	maxReason = 500
	maxName   = 200 // ids and names, which come from the agent or a rule file
)

// defaultThreshold is the confidence_threshold of the original Python Sentinel.
const defaultThreshold = 0.7

// Records returns the lines for one hook call: one for each finding, in their
// order, and one for the decision. err is the error that came with d; nil means
// d.Err. It returns nil when no rule matched and nothing went wrong.
//
// threshold is the confidence from which a violation counts where a rule sets
// none; 0 means 0.7, and below 0 every violation counts. now is when the decision was made. Records is pure.
func Records(now time.Time, ev sentinel.Event, d sentinel.Decision, err error, threshold float64) []Record {
	c := call{time: now.UTC().Truncate(time.Second), event: ev, threshold: threshold}
	switch {
	case c.threshold < 0:
		c.threshold = 0
	case c.threshold == 0:
		c.threshold = defaultThreshold
	}
	var findings []*sentinel.Finding
	for i := range d.Findings {
		if f := &d.Findings[i]; f.Applies() {
			findings = append(findings, f)
		}
	}
	if err == nil {
		err = d.Err
	}
	if len(findings) == 0 && err == nil && d.Verdict != sentinel.VerdictUndecided {
		return nil
	}
	c.know(ev, d)
	records := make([]Record, 0, len(findings)+1)
	for i, f := range findings {
		if f.Deferred && f.Outcome == sentinel.OutcomeSkipped && len(f.Attempts) == 0 {
			continue // the process that judges it writes its line
		}
		r := c.evaluation(f)
		r.ID = findingID(d.ID, i)
		records = append(records, r)
	}
	r := c.decision(d, findings, err)
	r.ID = d.ID
	return append(records, r)
}

// findingID names the finding at place i of a decision, "" where that has no name.
func findingID(decision string, i int) string {
	if decision == "" {
		return ""
	}
	return decision + "." + strconv.Itoa(i+1)
}

// A call is what the records of one hook call have in common.
type call struct {
	time      time.Time
	event     sentinel.Event
	threshold float64
	masker    *secret.Masker
	targets   map[*sentinel.Action]string // masked: one command may have many findings
}

// know collects the secrets in all texts of the call.
func (c *call) know(ev sentinel.Event, d sentinel.Decision) {
	c.masker = secret.NewMasker(Texts(ev, d)...)
	c.targets = map[*sentinel.Action]string{}
}

// common returns a record with the fields that every line of the call has.
func (c *call) common(a *sentinel.Action) Record {
	r := Record{
		Time:    c.time,
		Session: c.text(c.event.Session, maxName),
		Agent:   c.text(c.event.Agent, maxName),
		Tool:    c.text(c.event.Tool.Name, maxName),
		CallID:  c.text(c.event.Tool.ID, maxName),
	}
	if a != nil {
		r.Trigger = string(a.Trigger)
		r.Target = c.target(a)
		r.DerivedFrom = c.text(a.DerivedFrom, maxName)
	}
	return r
}

func (c *call) evaluation(f *sentinel.Finding) Record {
	r := c.common(f.Action)
	r.Level, r.Outcome = LevelUnavailable, f.Outcome.String()
	switch f.Outcome {
	case sentinel.OutcomePass, sentinel.OutcomeViolation:
		r.Level = LevelEval
	case sentinel.OutcomeSkipped:
		r.Level = LevelSkipped
	}
	r.Threshold = c.threshold
	if rule := f.Rule; rule != nil {
		r.RuleID = c.text(rule.ID, maxName)
		r.Severity = rule.Severity.String()
		if rule.Threshold > 0 {
			r.Threshold = rule.Threshold
		}
		if rule.Shadow {
			r.Mode = ModeShadow
			if f.Outcome == sentinel.OutcomeViolation && rule.Severity > sentinel.SeverityInfo {
				r.Would = rule.Severity.String()
			}
		}
	}
	if f.Waived || f.Asked != "" {
		r.Mode = waivedMode(f)
	}
	r.AskedFor = c.text(f.Asked, maxReason)
	r.Violation = f.Outcome == sentinel.OutcomeViolation
	r.Confidence = finite(f.Confidence)
	r.Threshold = finite(r.Threshold)
	r.NearMiss = f.Outcome == sentinel.OutcomePass && f.Confidence < r.Threshold && saidViolation(f.Response.Text)
	r.Reason = c.text(f.Reason, maxReason)
	r.ElapsedMS = milliseconds(f.Took)
	r.Cached = f.Response.Cached
	r.Muted, r.Tainted = f.Muted, f.Tainted
	r.Seen = finite(f.Seen)
	if f.Err != nil {
		r.Error = c.text(f.Err.Error(), maxReason)
	}
	c.asked(&r, f)
	return r
}

// waivedMode is the way in which the user took a rule out of the verdict.
func waivedMode(f *sentinel.Finding) string {
	switch {
	case f.Outcome == sentinel.OutcomeSkipped:
		return ModePaused
	case !f.Waived:
		return ModeAskedFor
	}
	return ModeAllowed
}

// asked fills in the judge and the cost: every attempt that the cache did not
// answer spent tokens, even if its answer was useless.
func (c *call) asked(r *Record, f *sentinel.Finding) {
	backend, model := f.Response.Backend, f.Response.Model
	if n := len(f.Attempts); n > 0 {
		last := f.Attempts[n-1]
		backend = firstOf(backend, last.Response.Backend, last.Backend)
		model = firstOf(model, last.Response.Model, last.Request.Model)
		for _, a := range f.Attempts {
			r.WaitedMS += milliseconds(a.Response.Waited)
			if !a.Response.Cached {
				r.PromptTokens += a.Response.PromptTokens
				r.OutputTokens += a.Response.OutputTokens
			}
		}
		if model == "" && n == 1 && f.Rule != nil { // a rule's model goes to its own backend, which is asked first
			model = f.Rule.Model
		}
	} else if !f.Response.Cached {
		r.PromptTokens, r.OutputTokens = f.Response.PromptTokens, f.Response.OutputTokens
	}
	r.Backend, r.Model = c.text(backend, maxName), c.text(model, maxName)
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// saidViolation reports whether a judge's answer says violation, whatever the
// threshold made of it.
func saidViolation(answer string) bool {
	var v struct{ Violation bool }
	return strings.Contains(answer, "true") && json.Unmarshal([]byte(answer), &v) == nil && v.Violation
}

// decision returns the line for the whole call. It names the action whose finding
// weighs most.
func (c *call) decision(d sentinel.Decision, findings []*sentinel.Finding, err error) Record {
	decisive := weightiest(findings)
	var action *sentinel.Action
	switch {
	case decisive != nil:
		action = decisive.Action
	case len(d.Actions) > 0:
		action = &d.Actions[0]
	}
	r := c.common(action)
	r.Level = LevelDecision
	r.Verdict = d.Verdict.String()
	r.ElapsedMS = milliseconds(d.Took)
	r.Matched = len(findings)
	for _, f := range findings {
		if f.Waived && r.Mode != ModeAllowed || f.Asked != "" && r.Mode == "" && d.Verdict < sentinel.VerdictAsk {
			r.Mode = waivedMode(f)
		}
		switch f.Outcome {
		case sentinel.OutcomePass, sentinel.OutcomeViolation:
			r.Judged++
		case sentinel.OutcomeUnavailable, sentinel.OutcomeUnknown:
			r.Unavailable++
		}
	}
	if decisive != nil && decisive.Outcome != sentinel.OutcomePass {
		r.Reason = c.text(decisive.Reason, maxReason)
	}
	if err != nil {
		r.Error = c.text(err.Error(), maxReason)
	}
	return r
}

// weightiest returns the finding that decided the verdict, the first of several
// with the same weight; nil if there are no findings.
func weightiest(findings []*sentinel.Finding) *sentinel.Finding {
	var best *sentinel.Finding
	bestWeight := -1
	for _, f := range findings {
		if w := weight(f); w > bestWeight {
			best, bestWeight = f, w
		}
	}
	return best
}

// weight orders findings by their verdict, then their outcome, then the severity
// of the rule. A shadow rule weighs nothing.
func weight(f *sentinel.Finding) int {
	if f.Rule == nil || f.Rule.Shadow {
		return 0
	}
	outcome := 0
	switch f.Outcome {
	case sentinel.OutcomeViolation:
		outcome = 3
	case sentinel.OutcomeUnavailable, sentinel.OutcomeUnknown:
		outcome = 2
	case sentinel.OutcomeSkipped:
		outcome = 1
	}
	return int(f.Verdict)*100 + outcome*10 + int(f.Rule.Severity)
}

func (c *call) target(a *sentinel.Action) string {
	t, ok := c.targets[a]
	if !ok {
		t = c.text(a.Target, maxTarget)
		c.targets[a] = t
	}
	return t
}

// text masks the secrets in s, then cuts it: cutting first could leave a part of
// a secret that no longer looks like one.
func (c *call) text(s string, limit int) string {
	if s == "" {
		return ""
	}
	return cut(c.masker.Mask(s), limit)
}

// cut shortens s to at most limit characters, the last being "…" then. It makes
// s valid UTF-8, which JSON has to be.
func cut(s string, limit int) string { return strings.ToValidUTF8(text.Cut(s, limit), "\uFFFD") }

func milliseconds(d time.Duration) float64 {
	return float64(max(d, 0).Microseconds()) / 1000
}

// finite replaces values that JSON cannot express.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

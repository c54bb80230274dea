package rubric

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// Facts is what the conditions of caps and of the gate can ask for, by the names
// in the tags: security.high, required.false, facts.true, verdict.fail. All are
// counts. Caps know no verdicts, the gate no required probes.
type Facts struct {
	Security Findings `expr:"security"`
	Required Outcomes `expr:"required"` // of the dimension's required probes
	Facts    Outcomes `expr:"facts"`    // of all probes
	Verdict  Verdicts `expr:"verdict"`  // of all dimensions
}

// Findings counts security findings that hold, of each severity or worse: a bound
// on high findings holds for critical ones too.
type Findings struct {
	Low      int `expr:"low"`
	Medium   int `expr:"medium"`
	High     int `expr:"high"`
	Critical int `expr:"critical"`
	Any      int `expr:"any"`
}

// Outcomes counts the facts of whole probes, not the places they found.
type Outcomes struct {
	True    int `expr:"true"` // of probes that expect something: any other one decides nothing
	False   int `expr:"false"`
	Unknown int `expr:"unknown"` // neither: not available, not supported, error. A fact that does not apply is not counted
}

// Verdicts counts dimensions. Those that do not apply are not counted.
type Verdicts struct {
	Pass    int `expr:"pass"`
	Partial int `expr:"partial"`
	Fail    int `expr:"fail"`
	None    int `expr:"none"` // without a verdict
}

// FactsOf counts what bears on a dimension. With d nil all evidence counts, as
// the gate wants it, and Required stays empty.
//
// Only facts count: not what a document claims, nor what a model saw. Evidence
// that a waiver covers counts neither as False nor as a finding. Verdict is left
// to the caller.
func (r *Rubric) FactsOf(d *Dimension, evidence []audit.Evidence) Facts {
	var f Facts
	expects := map[string]bool{}
	for i := range r.Probes {
		expects[r.Probes[i].ID] = r.Probes[i].Expect != nil
	}
	for i := range evidence {
		e := &evidence[i]
		if e.Kind != audit.KindFact || d != nil && !slices.Contains(e.Criteria, d.ID) {
			continue
		}
		if e.Security() {
			f.Security.add(e.Severity)
		}
		if e.Part || e.Waived != "" || e.Outcome == audit.True && !expects[e.Probe] {
			continue
		}
		f.Facts.add(e.Outcome)
		if d != nil && slices.Contains(d.Required, e.Probe) {
			f.Required.add(e.Outcome)
		}
	}
	return f
}

// integrityPrefix begins the ids of the court's own probes, which look for prompt
// injection.
const integrityPrefix = "integrity."

// Qualify gives findings the categories of their probes, and marks as observed what the rubric's probes do not find as a fact (see
// [Probe.Kind]), and what the court's own find. A security finding of theirs is a possible one.
func (r *Rubric) Qualify(evidence []audit.Evidence) {
	observed, category := map[string]bool{}, map[string]audit.Category{}
	for i := range r.Probes {
		p := &r.Probes[i]
		observed[p.ID], category[p.ID] = p.Kind() == audit.KindObserved, p.Category
	}
	for i := range evidence {
		e := &evidence[i]
		if e.Outcome == audit.False && (e.Severity != "" || category[e.Probe] != audit.CategorySecurity) {
			e.Category = category[e.Probe]
		}
		if e.Kind == audit.KindFact && (observed[e.Probe] || strings.HasPrefix(e.Probe, integrityPrefix)) {
			e.Kind, e.Confirmed = audit.KindObserved, false
		}
	}
}

func (f *Findings) add(s audit.Severity) {
	f.Any++
	for i, n := range []*int{&f.Low, &f.Medium, &f.High, &f.Critical} {
		if s.Rank() > i {
			*n++
		}
	}
}

func (c *Outcomes) add(o audit.Outcome) {
	switch o {
	case audit.True:
		c.True++
	case audit.False:
		c.False++
	case audit.NotApplicable:
	default:
		c.Unknown++
	}
}

package justice

import (
	"fmt"
	"math"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// overall is the sum of the results: the mean of the scores by the weight of the
// criteria. Criteria without a verdict, waived ones and those that do not apply are left
// out.
func overall(rb *rubric.Rubric, results []audit.Result, notApplicable map[string]string) audit.Overall {
	o := audit.Overall{Verdict: audit.NoVerdict}
	for i := range rb.Dimensions {
		if _, not := notApplicable[rb.Dimensions[i].ID]; !not {
			o.Total++
		}
	}
	var sum, weights float64
	for i := range results {
		if r := &results[i]; counts(r) {
			o.Counted++
			sum += r.Weight * rb.Metadata.Scale.From(float64(r.Score), rb.Dimensions[i].Scale)
			weights += r.Weight
		}
	}
	if o.Counted == 0 || weights == 0 {
		return o
	}
	o.Score = math.Round(100*sum/weights) / 100 // as it is shown, so that 3.996 is not a PARTIAL of "4"
	o.Verdict = verdict(rb, rb.Metadata.Scale, o.Score)
	return o
}

// counts reports whether a result goes into the total.
func counts(r *audit.Result) bool { return r.Verdict.Scored() && r.Waived == "" }

// gate compares the results with what the rubric demands. A demand on scores has no result
// without scores. With scores, a criterion without a verdict does not meet the demand.
func gate(rb *rubric.Rubric, r Ruling, factsOnly bool) audit.Gate {
	g := gateKeeper{rb: rb, ruling: r, factsOnly: factsOnly, gate: audit.Gate{Reasons: []string{}}}
	if demands := rb.Synthesis.Gate; demands.Overall == 0 && len(demands.Each)+len(demands.FailOn) == 0 {
		g.skip("the rubric demands nothing: write `synthesis.gate`")
	}
	g.total()
	g.each()
	g.conditions()
	g.gate.Passed = g.gate.State() == "passed"
	return g.gate
}

// gateKeeper goes through the demands.
type gateKeeper struct {
	rb        *rubric.Rubric
	ruling    Ruling
	factsOnly bool
	gate      audit.Gate
}

func (g *gateKeeper) fail(format string, args ...any) {
	g.gate.Reasons = append(g.gate.Reasons, fmt.Sprintf(format, args...))
}

func (g *gateKeeper) skip(format string, args ...any) {
	g.gate.NotExamined = append(g.gate.NotExamined, fmt.Sprintf(format, args...))
}

// unscored notes a demand on scores where there is none.
func (g *gateKeeper) unscored(format string, args ...any) {
	if g.factsOnly {
		g.gate.NotAsked = append(g.gate.NotAsked, fmt.Sprintf(format, args...))
		return
	}
	g.skip(format+": there is no score", args...)
}

func (g *gateKeeper) total() {
	demanded, o := g.rb.Synthesis.Gate.Overall, g.ruling.Overall
	if demanded == 0 {
		return
	}
	if o.Counted == 0 {
		g.unscored("a total of at least %s", audit.Decimals(demanded))
		return
	}
	if o.Score < demanded {
		g.fail("the total is %s, and at least %s is demanded", audit.Decimals(o.Score), audit.Decimals(demanded))
	}
	if n := factsOf(g.rb, g.ruling).Verdict.None; n > 0 {
		g.skip("the total is without %s no verdict", text.Plural(n, "criterion that has", "criteria that have"))
	}
}

func (g *gateKeeper) each() {
	for i := range g.rb.Dimensions {
		d := &g.rb.Dimensions[i]
		demanded, asked := g.rb.Synthesis.Gate.Each[d.ID]
		if !asked {
			continue
		}
		switch result := resultOf(g.ruling.Results, d.ID); {
		case result.Waived != "" || result.Verdict == audit.NotConsidered:
		case g.ruling.Overall.Counted == 0:
			g.unscored("%s of at least %s", d.Name, audit.Decimals(demanded))
		case !result.Verdict.Scored():
			g.fail("%s has no verdict, and at least %s is demanded", d.Name, audit.Decimals(demanded))
		case float64(result.Score) < demanded:
			g.fail("%s is %d, and at least %s is demanded", d.Name, result.Score, audit.Decimals(demanded))
		}
	}
}

// conditions checks fail_on. One that is not met may be so because a probe could not
// look, or because there was nothing to look at: then it is not examined.
func (g *gateKeeper) conditions() {
	facts := factsOf(g.rb, g.ruling)
	for _, condition := range g.rb.Synthesis.Gate.FailOn {
		switch blind, seen := g.blind(condition); {
		case g.factsOnly && rubric.Asks(condition, "verdict"):
			g.unscored("%s", condition)
		case len(rubric.Gate{FailOn: []string{condition}}.Failing(facts)) > 0:
			g.fail("%s holds, and must not", condition)
		case len(blind) > 0:
			g.skip("%s: %s could not be examined", condition, list(blind))
		case !seen && !rubric.Asks(condition, "verdict"):
			g.skip("%s: no probe that it asks for found anything to look at", condition)
		}
	}
}

// blind names the probes that could not look, and whose facts a condition asks for; seen
// says that another one of them has found a fact.
func (g *gateKeeper) blind(condition string) (probes []string, seen bool) {
	security, facts := rubric.Asks(condition, "security"), rubric.Asks(condition, "facts")
	for i := range g.ruling.Evidence {
		e := &g.ruling.Evidence[i]
		if p := g.rb.Probe(e.Probe); e.Part || e.Kind != audit.KindFact || p == nil || p.Expect == nil || !facts && (!security || p.Category != audit.CategorySecurity) {
			continue
		}
		switch {
		case e.Waived != "" || e.Outcome.Fact():
			seen = true
		case e.Outcome != audit.NotApplicable:
			probes = append(probes, e.Probe)
		}
	}
	return probes, seen
}

func resultOf(results []audit.Result, criterion string) *audit.Result {
	for i := range results {
		if results[i].Criterion == criterion {
			return &results[i]
		}
	}
	return &audit.Result{}
}

// factsOf counts what the gate's conditions ask for.
func factsOf(rb *rubric.Rubric, r Ruling) rubric.Facts {
	f := rb.FactsOf(nil, r.Evidence)
	for i := range r.Results {
		if r.Results[i].Waived != "" {
			continue
		}
		switch r.Results[i].Verdict {
		case audit.Pass:
			f.Verdict.Pass++
		case audit.Partial:
			f.Verdict.Partial++
		case audit.Fail:
			f.Verdict.Fail++
		case audit.NoVerdict:
			f.Verdict.None++
		}
	}
	return f
}

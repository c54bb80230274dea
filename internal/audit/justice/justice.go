// Package justice is the Chief Justice: it makes verdicts of facts and opinions
// by rules that are code, in an order that is fixed. It asks no model, and no
// word of an argument is ever read.
//
// On each criterion, in this order:
//
//  1. Valid opinions are collected. Several samples of a judge count as their
//     median.
//  2. The weighted mean is taken.
//  3. The rule of evidence: what an opinion counts as, by what it cites. Facts
//     contradict, and an opinion that cites nothing counts for less.
//  4. The rubric's caps apply: first on required facts, then on confirmed security
//     findings.
//  5. The score is rounded, and the thresholds give the verdict. Where judges are
//     further apart than the rubric allows, and the evidence does not bring them
//     together, PASS becomes PARTIAL. With too few opinions there is no verdict.
//
// Each rule that fires is a [audit.Step] of the result's trace. The order of the
// evidence and of the opinions means nothing, a fact that comes to hold never
// lowers a score (unless a cap of the rubric asks for that), and no opinion lifts
// a cap.
package justice

import (
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Options of [Rule]. nil means an empty one.
type Options struct {
	Now time.Time // decides which waivers have run out; zero means that none has
	// NotApplicable says of criteria that do not apply why they do not, by id.
	NotApplicable map[string]string
	// FactsOnly says that no judge was to be asked: there are no results, and the
	// gate sees the facts alone.
	FactsOnly bool
}

// Ruling is what the Chief Justice says.
type Ruling struct {
	Results   []audit.Result // one for each criterion of the rubric, in its order; none with facts alone
	Overall   audit.Overall
	Gate      audit.Gate
	Narrative string           // one paragraph: which rules fired, and on what
	Evidence  []audit.Evidence // as it was given, with what waivers cover marked
	Waivers   []audit.Waiver   // all of the rubric's, each with its effect
}

// Rule rules on every criterion of the rubric. evidence has its ids; neither it
// nor opinions are changed, and their order means nothing.
func Rule(rb *rubric.Rubric, evidence []audit.Evidence, opinions []audit.Opinion, o *Options) Ruling {
	if o == nil {
		o = &Options{}
	}
	r := Ruling{Results: []audit.Result{}}
	var waived map[string]string
	r.Evidence, r.Waivers, waived = waive(rb, evidence, o.Now)
	if !o.FactsOnly {
		for i := range rb.Dimensions {
			d := &rb.Dimensions[i]
			result := rule(rb, d, r.Evidence, opinions, o)
			result.Waived = waived[d.ID]
			r.Results = append(r.Results, result)
		}
	}
	r.Overall = overall(rb, r.Results, o.NotApplicable)
	r.Gate = gate(rb, r, o.FactsOnly)
	r.Narrative = narrative(rb, r, o.FactsOnly)
	return r
}

// rule rules on one criterion.
func rule(rb *rubric.Rubric, d *rubric.Dimension, evidence []audit.Evidence, opinions []audit.Opinion, o *Options) audit.Result {
	c := newCriterion(rb, d, evidence, opinions)
	if why, not := o.NotApplicable[d.ID]; not {
		c.notConsidered(why)
		return c.result
	}
	c.collect()
	if len(c.voices) < max(rb.Synthesis.MinOpinions, 1) {
		c.noVerdict(max(rb.Synthesis.MinOpinions, 1))
	} else {
		c.weigh()
		c.weighEvidence()
		c.cap()
		c.round()
		c.decide()
		c.reconsider()
	}
	c.result.Dissent = c.dissent()
	c.result.Remediation = c.remediation()
	c.result.Summary = c.summary()
	return c.result
}

package justice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Names of the rules in a trace. A cap has the name that the rubric gives it.
const (
	ruleNotApplicable = "not_applicable"
	ruleMedian        = "median_of_samples"
	ruleNoVerdict     = "no_verdict"
	ruleMean          = "weighted_mean"
	ruleEvidence      = "rule_of_evidence"
	ruleRounding      = "rounding"
	ruleThresholds    = "thresholds"
	ruleVariance      = "variance_re_evaluation"
)

// hearing is one criterion on its way to a verdict. The methods are its rules,
// each called once.
type hearing struct {
	rb     *rubric.Rubric
	d      *rubric.Dimension
	facts  *facts
	bounds rubric.Facts // what the conditions of caps ask for
	voices []*voice
	score  float64
	result audit.Result

	variance float64 // the spread, on this scale, above which judges disagree
	dissents bool    // judges are further apart than the rubric allows
	reviewed string  // whether the rule of evidence settles that
}

func newHearing(rb *rubric.Rubric, d *rubric.Dimension, evidence []audit.Evidence, opinions []audit.Opinion) *hearing {
	h := &hearing{rb: rb, d: d, facts: newFacts(rb, d, evidence), bounds: rubric.FactsOf(d, evidence)}
	h.result = audit.Result{
		Criterion: d.ID, Name: d.Name, Weight: d.Weight, Verdict: audit.NoVerdict,
		Opinions: []audit.Opinion{}, Evidence: h.facts.ids, Trace: []audit.Step{}, Remediation: []audit.Advice{},
	}
	h.variance = precise(rb.Synthesis.VarianceOver * d.Scale.Span() / rb.Metadata.Scale.Span())
	for _, op := range opinions {
		if op.Criterion == d.ID {
			h.result.Opinions = append(h.result.Opinions, op)
		}
	}
	slices.SortFunc(h.result.Opinions, compareOpinions)
	return h
}

// step writes a rule into the trace and moves the score.
func (h *hearing) step(rule string, after float64, why string, args ...any) {
	h.trace(rule, h.score, after, why, args...)
	h.score = after
}

// trace writes a rule into the trace that is about other numbers than the score.
func (h *hearing) trace(rule string, before, after float64, why string, args ...any) {
	h.result.Trace = append(h.result.Trace, audit.Step{Rule: rule, Before: before, After: after, Why: fmt.Sprintf(why, args...)})
}

// notConsidered ends a criterion that does not apply.
func (h *hearing) notConsidered(why string) {
	h.result.Verdict = audit.NotConsidered
	h.result.Opinions = []audit.Opinion{}
	h.result.Summary = "Does not apply: " + why + "."
	h.trace(ruleNotApplicable, 0, 0, "%s", why)
}

// collect makes a voice of the valid opinions of each judge.
func (h *hearing) collect() {
	var valid []*audit.Opinion
	for _, j := range audit.Judges() {
		var samples []*audit.Opinion
		for i := range h.result.Opinions {
			if op := &h.result.Opinions[i]; op.Judge == j && op.Valid(h.d.Scale) {
				samples = append(samples, op)
			}
		}
		if len(samples) == 0 {
			continue
		}
		valid = append(valid, samples...)
		v := newVoice(samples, h.facts)
		v.weight = h.rb.Weight(h.d, j)
		h.voices = append(h.voices, v)
		if low, high := v.scores[0], v.scores[len(v.scores)-1]; low != high {
			h.trace(ruleMedian, average(v.scores), float64(v.given), "%s gave %d opinions from %d to %d", j.Title(), len(v.scores), low, high)
		}
	}
	h.result.Agreement = agreement(valid, h.d.Scale)
	if len(h.voices) > 0 {
		low, high := h.given()
		h.result.Spread = high - low
		h.dissents = float64(h.result.Spread) > h.variance
	}
}

func average(scores []int) float64 {
	sum := 0
	for _, s := range scores {
		sum += s
	}
	return precise(float64(sum) / float64(len(scores)))
}

// given is the lowest and the highest score that was given.
func (h *hearing) given() (low, high int) {
	low, high = h.voices[0].given, h.voices[0].given
	for _, v := range h.voices[1:] {
		low, high = min(low, v.given), max(high, v.given)
	}
	return low, high
}

// noVerdict ends a criterion on which too few judges have an opinion.
func (h *hearing) noVerdict(needed int) {
	h.result.Raw = 0
	if len(h.voices) > 0 {
		h.result.Raw = mean(h.voices, byWeight)
	}
	h.trace(ruleNoVerdict, h.result.Raw, 0, "there are opinions of %d of %d judges, and %d are needed", len(h.voices), len(audit.Judges()), needed)
}

// weigh takes the mean by the weights of the rubric.
func (h *hearing) weigh() {
	h.score = mean(h.voices, alike)
	h.step(ruleMean, mean(h.voices, byWeight), "%s", each(h.voices, func(v *voice) string {
		return fmt.Sprintf("%s %d × %s", v.judge.Title(), v.given, audit.Decimals(v.weight))
	}))
	h.result.Raw = h.score
}

// cap bounds the score by the rubric's caps whose conditions hold: first those
// about required facts, then those about security, then the others. Of several
// with one name the lowest counts: a critical finding is a high one too.
func (h *hearing) cap() {
	caps := slices.Clone(h.d.Caps)
	slices.SortStableFunc(caps, func(a, b rubric.Cap) int { return cmp.Or(turn(a)-turn(b), cmp.Compare(a.Max, b.Max)) })
	applied := map[string]bool{}
	for _, c := range caps {
		if !applied[c.Rule] && c.Holds(h.bounds) {
			applied[c.Rule] = true
			h.step(c.Rule, min(h.score, float64(c.Max)), "%s: at most %d%s", c.When, c.Max, h.because(c))
		}
	}
}

// The names that a rubric gives the caps it has unless it says otherwise.
const (
	ruleFacts    = "fact_supremacy"
	ruleSecurity = "security_override"
)

func turn(c rubric.Cap) int {
	switch c.Rule {
	case ruleFacts:
		return 0
	case ruleSecurity:
		return 1
	}
	return 2
}

// because names the evidence behind a cap.
func (h *hearing) because(c rubric.Cap) string {
	var ids []string
	switch c.Rule {
	case ruleFacts:
		ids = slices.DeleteFunc(h.facts.failing(), func(id string) bool { return !slices.Contains(h.d.Required, h.facts.evidence[id].Probe) })
	case ruleSecurity:
		for _, id := range h.facts.ids {
			if h.facts.evidence[id].Security() {
				ids = append(ids, id)
			}
		}
	}
	ids = natural(ids)
	if len(ids) == 0 {
		return ""
	}
	return ", for " + named(ids, h.facts.where)
}

// round makes a whole number of the score, half up, on the scale of the criterion.
func (h *hearing) round() {
	h.result.Score = h.d.Scale.Round(h.score)
	if rounded := float64(h.result.Score); rounded != h.score {
		h.step(ruleRounding, rounded, "half up")
	}
}

// decide gives the verdict.
func (h *hearing) decide() {
	h.result.Verdict = verdict(h.rb, h.d.Scale, h.score)
	pass, partial := thresholds(h.rb, h.d.Scale)
	h.step(ruleThresholds, h.score, "%s: PASS from %s, PARTIAL from %s", h.result.Verdict, audit.Decimals(pass), audit.Decimals(partial))
}

// thresholds are the rubric's, at the same share of another scale.
func thresholds(rb *rubric.Rubric, s audit.Scale) (pass, partial float64) {
	return precise(s.From(rb.Synthesis.Pass, rb.Metadata.Scale)), precise(s.From(rb.Synthesis.Partial, rb.Metadata.Scale))
}

// verdict is what a score on a scale means by the rubric's thresholds.
func verdict(rb *rubric.Rubric, s audit.Scale, score float64) audit.Verdict {
	switch pass, partial := thresholds(rb, s); {
	case score >= pass:
		return audit.Pass
	case score >= partial:
		return audit.Partial
	}
	return audit.Fail
}

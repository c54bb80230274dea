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

// criterion is one criterion of the rubric on its way to a verdict. The methods are its rules,
// each called once.
type criterion struct {
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

func newCriterion(rb *rubric.Rubric, d *rubric.Dimension, evidence []audit.Evidence, opinions []audit.Opinion) *criterion {
	cr := &criterion{rb: rb, d: d, facts: newFacts(rb, d, evidence), bounds: rb.FactsOf(d, evidence)}
	cr.result = audit.Result{
		Criterion: d.ID, Name: d.Name, Weight: d.Weight, Verdict: audit.NoVerdict,
		Opinions: []audit.Opinion{}, Evidence: cr.facts.ids, Trace: []audit.Step{}, Remediation: []audit.Advice{},
	}
	cr.variance = precise(rb.Synthesis.VarianceOver * d.Scale.Span() / rb.Metadata.Scale.Span())
	for _, op := range opinions {
		if op.Criterion == d.ID {
			cr.result.Opinions = append(cr.result.Opinions, op)
		}
	}
	slices.SortFunc(cr.result.Opinions, compareOpinions)
	return cr
}

// step writes a rule into the trace and moves the score.
func (cr *criterion) step(rule string, after float64, why string, args ...any) {
	cr.trace(rule, cr.score, after, why, args...)
	cr.score = after
}

// trace writes a rule into the trace that is about other numbers than the score.
func (cr *criterion) trace(rule string, before, after float64, why string, args ...any) {
	cr.result.Trace = append(cr.result.Trace, audit.Step{Rule: rule, Before: before, After: after, Why: fmt.Sprintf(why, args...)})
}

// notConsidered ends a criterion that does not apply.
func (cr *criterion) notConsidered(why string) {
	cr.result.Verdict = audit.NotConsidered
	cr.result.Opinions = []audit.Opinion{}
	cr.result.Summary = "Does not apply: " + why + "."
	cr.trace(ruleNotApplicable, 0, 0, "%s", why)
}

// collect makes a voice of the valid opinions of each judge.
func (cr *criterion) collect() {
	var valid []*audit.Opinion
	for _, j := range audit.Judges() {
		var samples []*audit.Opinion
		for i := range cr.result.Opinions {
			if op := &cr.result.Opinions[i]; op.Judge == j && op.Valid(cr.d.Scale) {
				samples = append(samples, op)
			}
		}
		if len(samples) == 0 {
			continue
		}
		valid = append(valid, samples...)
		v := newVoice(samples, cr.facts)
		v.weight = cr.rb.Weight(cr.d, j)
		cr.voices = append(cr.voices, v)
		if low, high := v.scores[0], v.scores[len(v.scores)-1]; low != high {
			cr.trace(ruleMedian, average(v.scores), float64(v.given), "%s gave %d opinions from %d to %d", j.Title(), len(v.scores), low, high)
		}
	}
	cr.result.Agreement = agreement(valid, cr.d.Scale)
	if len(cr.voices) > 0 {
		low, high := cr.given()
		cr.result.Spread = high - low
		cr.dissents = float64(cr.result.Spread) > cr.variance
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
func (cr *criterion) given() (low, high int) {
	low, high = cr.voices[0].given, cr.voices[0].given
	for _, v := range cr.voices[1:] {
		low, high = min(low, v.given), max(high, v.given)
	}
	return low, high
}

// noVerdict ends a criterion on which too few judges have an opinion.
func (cr *criterion) noVerdict(needed int) {
	cr.result.Raw = 0
	if len(cr.voices) > 0 {
		cr.result.Raw = mean(cr.voices, byWeight)
	}
	cr.trace(ruleNoVerdict, cr.result.Raw, 0, "there are opinions of %d of %d judges, and %d are needed", len(cr.voices), len(audit.Judges()), needed)
}

// weigh takes the mean by the weights of the rubric.
func (cr *criterion) weigh() {
	cr.score = mean(cr.voices, alike)
	cr.step(ruleMean, mean(cr.voices, byWeight), "%s", each(cr.voices, func(v *voice) string {
		return fmt.Sprintf("%s %d × %s", v.judge.Title(), v.given, audit.Decimals(v.weight))
	}))
	cr.result.Raw = cr.score
}

// cap bounds the score by the rubric's caps whose conditions hold: first those
// about required facts, then those about security, then the others. Of several
// with one name the lowest counts: a critical finding is a high one too.
func (cr *criterion) cap() {
	caps := slices.Clone(cr.d.Caps)
	slices.SortStableFunc(caps, func(a, b rubric.Cap) int { return cmp.Or(turn(a)-turn(b), cmp.Compare(a.Max, b.Max)) })
	applied := map[string]bool{}
	for _, c := range caps {
		if !applied[c.Rule] && c.Holds(cr.bounds) {
			applied[c.Rule] = true
			cr.step(c.Rule, min(cr.score, float64(c.Max)), "%s: at most %d%s", c.When, c.Max, cr.because(c))
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
func (cr *criterion) because(c rubric.Cap) string {
	var ids []string
	switch c.Rule {
	case ruleFacts:
		ids = slices.DeleteFunc(cr.facts.failing(), func(id string) bool { return !slices.Contains(cr.d.Required, cr.facts.evidence[id].Probe) })
	case ruleSecurity:
		for _, id := range cr.facts.ids {
			if cr.facts.evidence[id].Security() {
				ids = append(ids, id)
			}
		}
	}
	ids = natural(ids)
	if len(ids) == 0 {
		return ""
	}
	return ", for " + named(ids, cr.facts.where)
}

// round makes a whole number of the score, half up, on the scale of the criterion.
func (cr *criterion) round() {
	cr.result.Score = cr.d.Scale.Round(cr.score)
	if rounded := float64(cr.result.Score); rounded != cr.score {
		cr.step(ruleRounding, rounded, "half up")
	}
}

// decide gives the verdict.
func (cr *criterion) decide() {
	cr.result.Verdict = verdict(cr.rb, cr.d.Scale, cr.score)
	pass, partial := thresholds(cr.rb, cr.d.Scale)
	cr.step(ruleThresholds, cr.score, "%s: PASS from %s, PARTIAL from %s", cr.result.Verdict, audit.Decimals(pass), audit.Decimals(partial))
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

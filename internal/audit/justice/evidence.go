package justice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// The middle of a scale speaks neither for nor against. An opinion without support
// counts as a quarter of the scale nearer to it (one, from 1 to 5), and praise that
// facts contradict as the middle.
const (
	half    = 0.5
	quarter = 0.25
)

// reEvaluate is the rubric's on_dissent that lets dissent make PARTIAL of PASS.
const reEvaluate = "reevaluate"

// weighEvidence is the rule of evidence: what each opinion counts as, by what it
// cites. It is the one place where a fact moves an opinion.
func (cr *criterion) weighEvidence() {
	var moved []string
	for _, v := range cr.voices {
		v.counts, v.why = cr.facts.bears(v, cr.d.Scale)
		cr.result.Votes = append(cr.result.Votes, audit.Vote{Judge: v.judge, Score: v.given, Weight: v.weight, Counts: v.counts, Why: v.why})
		if v.counts != float64(v.given) {
			moved = append(moved, v.moved())
		}
	}
	if len(moved) > 0 {
		cr.step(ruleEvidence, mean(cr.voices, byWeight), "%s", strings.Join(moved, "; "))
	}
}

// moved says what an opinion counts as, and why.
func (v *voice) moved() string {
	return fmt.Sprintf("the %d of the %s counts as %s: %s", v.given, v.judge.Title(), audit.Decimals(v.counts), v.why)
}

// bears returns what an opinion counts as.
//
//   - A score above the middle (4 and 5) is supported by something that it cites and
//     that holds, one below it (1 and 2) by something that it cites and that is not a
//     fact that holds.
//   - An opinion with support counts as given, one without as a quarter of the scale
//     nearer to the middle, and never beyond it.
//   - A score above the middle without support counts as the middle where a fact of the
//     criterion is false. Facts that hold contradict no criticism: they are the least that is asked.
func (f *facts) bears(v *voice, s audit.Scale) (counts float64, why string) {
	middle, step := s.At(half), quarter*s.Span()
	given, lacks := float64(v.given), "it cites no evidence of this criterion"
	support := slices.DeleteFunc(slices.Clone(v.cited), func(id string) bool { return !f.supports(id, given > middle) })
	if given == middle {
		return given, "the middle of the scale needs no support"
	}
	if len(support) > 0 {
		return given, "supported by " + named(support, f.where)
	}
	if given < middle {
		if len(v.cited) > 0 {
			lacks = "all that it cites holds"
		}
		return min(given+step, middle), lacks
	}
	if len(v.cited) > 0 {
		lacks = "nothing that it cites holds"
	}
	if failing := f.failing(); len(failing) > 0 {
		return middle, lacks + ", against " + named(failing, f.where)
	}
	return max(given-step, middle), lacks
}

// supports reports whether evidence supports a high opinion, or a low one. A claim
// supports no praise; only a fact that holds, and was expected to, supports no criticism.
func (f *facts) supports(id string, high bool) bool {
	e := f.evidence[id]
	if high {
		return e.Outcome == audit.True && e.Kind != audit.KindClaim
	}
	return f.outcome[e.Probe] != audit.True
}

// reconsider tells whether judges who are too far apart are brought together by the
// rule of evidence: whether one still counts further below the highest score that
// was given than the rubric allows. Then PASS becomes PARTIAL.
//
// It is measured from what was given: a refuted praise must not make a PASS safer.
func (cr *criterion) reconsider() {
	if !cr.dissents || cr.rb.Synthesis.OnDissent != reEvaluate {
		return
	}
	_, high := cr.given()
	lowest := slices.MinFunc(cr.voices, func(a, b *voice) int { return cmp.Compare(a.counts, b.counts) })
	cr.reviewed = fmt.Sprintf("the %s counts as %s against a %d", lowest.judge.Title(), audit.Decimals(lowest.counts), high)
	switch {
	case float64(high)-lowest.counts <= cr.variance:
		cr.reviewed += ", so the dissent is settled"
	case cr.result.Verdict == audit.Pass:
		cr.result.Verdict = audit.Partial
		cr.reviewed += ", so the dissent persists and PASS becomes PARTIAL"
	default:
		cr.reviewed += ", so the dissent persists"
	}
	cr.step(ruleVariance, cr.score, "spread %d is over %s: %s", cr.result.Spread, audit.Decimals(cr.variance), cr.reviewed)
}

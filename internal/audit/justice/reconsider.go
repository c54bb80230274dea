package justice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// reEvaluate is the rubric's on_dissent that has evidence looked at again.
const reEvaluate = "reevaluate"

// reconsider looks at the cited evidence again where judges are too far apart.
//
// An opinion of 4 or 5 is contradicted by cited facts that are False, one of 1 or
// 2 by cited facts that are True, unless as many speak for it. It then counts as
// half as far from the middle of the scale, and where nothing it cites speaks for
// it, as the middle. Opinions are moved, not left out: a mean of those that are
// left could fall because a fact has come to hold.
func (h *hearing) reconsider() {
	if !h.dissents || h.rb.Synthesis.OnDissent != reEvaluate {
		return
	}
	var findings []string
	for _, v := range h.voices {
		if against, alone := h.contradicted(v); len(against) > 0 {
			counts := (v.counts + overruled) / 2
			if alone {
				counts = overruled
			}
			findings = append(findings, fmt.Sprintf("the %d of the %s is contradicted by %s and counts as %s",
				v.given, v.judge.Title(), named(against, h.facts.where), number(counts)))
			v.counts = counts
			h.overruledBy(v, "contradicted by "+list(against))
		}
	}
	h.reviewed = "nothing that the judges cite contradicts them"
	if len(findings) > 0 {
		h.reviewed = strings.Join(findings, "; ")
	}
	h.step(ruleVariance, mean(h.voices, bySay), "spread %d is over %s: %s", h.result.Spread, number(h.rb.Synthesis.VarianceOver), h.reviewed)
	h.settle()
}

// contradicted returns the cited evidence that speaks against a voice, if it
// outweighs what speaks for it, and whether it stands alone.
func (h *hearing) contradicted(v *voice) (against []string, alone bool) {
	holds, fails := h.facts.cited(v.cited)
	switch {
	case v.given >= 4 && len(fails) > len(holds):
		return fails, len(holds) == 0
	case v.given <= 2 && len(holds) > len(fails):
		return holds, len(fails) == 0
	}
	return nil, false
}

// settle says whether the dissent persists: whether after that look a judge
// stands further below the highest score that was given than the rubric allows.
// Only facts that contradict the low opinion settle it. Measured from what a
// refuted high opinion counts as, a refuted praise would make a PASS safer.
//
// Where it persists and more of the criterion's facts are False than True, the
// score goes one down, to the lowest opinion at most. It never goes up: facts
// that exist do not refute a prosecutor.
func (h *hearing) settle() {
	_, high := h.given()
	lowest := slices.MinFunc(h.voices, func(a, b *voice) int { return cmp.Compare(a.counts, b.counts) })
	h.persists = float64(high)-lowest.counts > h.rb.Synthesis.VarianceOver
	if !h.persists {
		return
	}
	h.unsettled = fmt.Sprintf("the facts cited do not settle the %d of the %s against a %d", lowest.given, lowest.judge.Title(), high)
	if holds, fails := h.facts.count(); fails > holds {
		h.stepped = true
		h.step(ruleStep, h.stepDown(h.score), "the dissent persists, and %d of %d facts are false", fails, holds+fails)
	}
}

// stepDown is a score one lower, but not below the lowest opinion.
func (h *hearing) stepDown(score float64) float64 {
	lowest := score
	for _, v := range h.voices {
		lowest = min(lowest, v.counts)
	}
	return max(score-1, lowest)
}

// overrule takes away the weight of high opinions that no fact supports: a score
// of 4 or 5 is overruled for hallucination when none of the evidence it cites is
// a fact, or was seen by a model, and holds, and besides
//   - it cites evidence that does not exist, or
//   - a required fact of the criterion is False, or
//   - the criterion's facts are all False.
//
// It then counts as the middle of the scale.
func (h *hearing) overrule() {
	holds, fails := h.facts.count()
	var reasons []string
	for _, v := range h.voices {
		if v.given < 4 || h.facts.supports(v.cited) {
			continue
		}
		var why string
		switch {
		case v.invented > 0:
			why = "it cites evidence that does not exist"
		case len(h.facts.required) > 0:
			why = "a required fact is false"
		case holds == 0 && fails > 0:
			why = "none of the facts holds"
		default:
			continue
		}
		v.counts = min(v.counts, overruled)
		h.overruledBy(v, "hallucination")
		reasons = append(reasons, fmt.Sprintf("no fact supports the %d of the %s, and %s", v.given, v.judge.Title(), why))
	}
	if len(reasons) == 0 {
		return
	}
	after := mean(h.voices, bySay)
	if h.stepped {
		after = h.stepDown(after)
	}
	h.step(ruleHallucination, after, "overruled: %s", strings.Join(reasons, "; "))
}

func (h *hearing) overruledBy(v *voice, reason string) {
	h.result.Overruled = append(h.result.Overruled, audit.Overruled{Judge: v.judge, Reason: reason})
}

package ruletest

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Metrics are how right a model was, and at what cost. Rates are NaN where
// nothing was there to measure.
type Metrics struct {
	Asked, Failed  int // answers, and those that were not in the form
	TruePositives  int
	FalsePositives int
	TrueNegatives  int
	FalseNegatives int
	Precision      float64 // of what was called a violation, the share that is one
	Recall         float64 // of what is a violation, the share that was called one
	Flips          int     // cases whose answer was not the same in all repeats

	Median, P95  time.Duration // of the model's own time
	PromptTokens int
	OutputTokens int
	Cost         float64 // by the pricing; 0 where none is known

	Threshold   float64 // that was used
	Best        float64 // the threshold that would have been best
	BestF1      float64 // what it would have come to: the harmonic mean of precision and recall; NaN without a case that is a violation
	Reliability []Bin
}

// A Bin is how often answers of about one stated confidence were right.
type Bin struct {
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Answers int     `json:"answers"`
	Stated  float64 `json:"stated"` // mean confidence
	Right   float64 `json:"right"`  // share that was right
}

// bins is how many the reliability is shown in.
const bins = 10

// Measure says how right answers are, when violations count from a confidence. pricing
// may be nil.
func Measure(answers []Answer, threshold float64, pricing func(string) (in, out float64)) Metrics {
	m := Metrics{Threshold: threshold}
	var took []time.Duration
	for i := range answers {
		a := &answers[i]
		m.Asked++
		m.PromptTokens += a.PromptTokens
		m.OutputTokens += a.OutputTokens
		if pricing != nil {
			in, out := pricing(a.Model)
			m.Cost += (in*float64(a.PromptTokens) + out*float64(a.OutputTokens)) / 1e6
		}
		if a.Err != nil {
			m.Failed++
			continue
		}
		took = append(took, a.Took)
	}
	m.TruePositives, m.FalsePositives, m.TrueNegatives, m.FalseNegatives = confusion(answers, threshold)
	m.Precision = share(m.TruePositives, m.FalsePositives)
	m.Recall = share(m.TruePositives, m.FalseNegatives)
	m.Flips = flips(answers, threshold)
	slices.Sort(took)
	m.Median, m.P95 = quantile(took, 0.5), quantile(took, 0.95)
	m.Best, m.BestF1 = best(answers, threshold)
	m.Reliability = Reliability(answers)
	return m
}

func confusion(answers []Answer, threshold float64) (tp, fp, tn, fn int) {
	for i := range answers {
		a := &answers[i]
		switch {
		case a.Err != nil:
		case a.Case.Expect == violation && a.right(threshold):
			tp++
		case a.Case.Expect == violation:
			fn++
		case a.right(threshold):
			tn++
		default:
			fp++
		}
	}
	return tp, fp, tn, fn
}

func share(part, rest int) float64 {
	if part+rest == 0 {
		return math.NaN()
	}
	return float64(part) / float64(part+rest)
}

// flips counts the cases on which the model did not agree with itself.
func flips(answers []Answer, threshold float64) int {
	said := map[*Case]map[bool]bool{}
	for i := range answers {
		a := &answers[i]
		if a.Err != nil {
			continue
		}
		if said[a.Case] == nil {
			said[a.Case] = map[bool]bool{}
		}
		said[a.Case][a.right(threshold)] = true
	}
	n := 0
	for _, s := range said {
		if len(s) > 1 {
			n++
		}
	}
	return n
}

// quantile of sorted values, by the nearest rank.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(math.Ceil(q*float64(len(sorted))))-1, len(sorted)-1)]
}

// best finds the threshold with the highest F1; of equals the one nearest to
// what is used. Only at the confidences that were stated does anything change.
func best(answers []Answer, used float64) (threshold, f1 float64) {
	candidates := []float64{used}
	for i := range answers {
		if a := &answers[i]; a.Err == nil && a.Violation {
			candidates = append(candidates, a.Confidence)
		}
	}
	slices.SortFunc(candidates, func(a, b float64) int { return cmp.Compare(math.Abs(a-used), math.Abs(b-used)) })
	threshold, f1 = used, -1
	for _, c := range candidates {
		tp, fp, _, fn := confusion(answers, c)
		if tp+fn == 0 {
			return used, math.NaN()
		}
		score := 0.0
		if tp > 0 {
			score = 2 * float64(tp) / float64(2*tp+fp+fn)
		}
		if score > f1 {
			threshold, f1 = c, score
		}
	}
	return threshold, f1
}

// Reliability compares stated confidences with how often they were right. Here a
// violation counts whatever its confidence: it is what the model said.
func Reliability(answers []Answer) []Bin {
	list := make([]Bin, bins)
	for i := range list {
		list[i].From, list[i].To = float64(i)/bins, float64(i+1)/bins
	}
	for i := range answers {
		a := &answers[i]
		if a.Err != nil || a.AskedFor != "" {
			continue
		}
		b := &list[min(int(a.Confidence*bins), bins-1)]
		b.Answers++
		b.Stated += a.Confidence
		if a.right(0) {
			b.Right++
		}
	}
	for i := range list {
		if n := float64(list[i].Answers); n > 0 {
			list[i].Stated /= n
			list[i].Right /= n
		}
	}
	return list
}

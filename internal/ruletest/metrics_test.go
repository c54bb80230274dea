package ruletest

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/rule"
)

func cases(expect ...string) []Case {
	list := make([]Case, len(expect))
	for i, e := range expect {
		list[i] = Case{Case: rule.Case{Bash: "x", Expect: e}, Index: i}
	}
	return list
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	cs := cases(violation, violation, pass, pass)
	at := func(c int, yes bool, confidence float64, took time.Duration) Answer {
		return Answer{Case: &cs[c], Violation: yes, Confidence: confidence, Took: took, PromptTokens: 100, OutputTokens: 10, Model: "m"}
	}
	answers := []Answer{
		at(0, true, 0.9, 10*time.Millisecond),
		at(0, false, 0.9, 20*time.Millisecond), // flips
		at(1, true, 0.6, 30*time.Millisecond),  // below the threshold
		at(2, true, 0.7, 40*time.Millisecond),  // wrong
		at(3, false, 1, 50*time.Millisecond),
		{Case: &cs[3], Err: errors.New("gone"), PromptTokens: 5},
	}
	m := Measure(answers, 0.7, func(model string) (in, out float64) { return 2, 20 })
	require.Equal(t, []int{1, 1, 1, 2}, []int{m.TruePositives, m.FalsePositives, m.TrueNegatives, m.FalseNegatives})
	require.InDelta(t, 0.5, m.Precision, 1e-9)
	require.InDelta(t, 1.0/3, m.Recall, 1e-9)
	require.Equal(t, 1, m.Flips)
	require.Equal(t, 6, m.Asked)
	require.Equal(t, 1, m.Failed)
	require.Equal(t, 30*time.Millisecond, m.Median)
	require.Equal(t, 50*time.Millisecond, m.P95)
	require.Equal(t, 505, m.PromptTokens)
	require.InDelta(t, (2*505+20*50)/1e6, m.Cost, 1e-12)
	require.Equal(t, 0.6, m.Best, "one more is caught at no cost")
	require.InDelta(t, 2.0*2/(2*2+1+1), m.BestF1, 1e-9)
	require.Equal(t, 3, m.Reliability[9].Answers)
	require.InDelta(t, 2.0/3, m.Reliability[9].Right, 1e-9)
	require.InDelta(t, (0.9+0.9+1)/3, m.Reliability[9].Stated, 1e-9)
	require.Equal(t, 1, m.Reliability[6].Answers)
}

func TestMeasureNothing(t *testing.T) {
	t.Parallel()
	m := Measure(nil, 0.7, nil)
	require.True(t, math.IsNaN(m.Precision))
	require.True(t, math.IsNaN(m.Recall))
	require.Zero(t, m.Median)
	require.Equal(t, 0.7, m.Best)
}

// TestBest is worked out by hand. Four cases are violations and three are not;
// the table says what each threshold makes of the answers.
func TestBest(t *testing.T) {
	t.Parallel()
	cs := cases(violation, violation, violation, violation, pass, pass, pass)
	answers := make([]Answer, len(cs))
	for i, confidence := range []float64{0.95, 0.8, 0.6, 0.4, 0.7, 0.5, 0.9} {
		answers[i] = Answer{Case: &cs[i], Violation: i != 6, Confidence: confidence}
	}
	for _, row := range []struct {
		threshold  float64
		tp, fp, fn int
	}{
		{0.95, 1, 0, 3}, // F1 2/5
		{0.8, 2, 0, 2},  // 4/6
		{0.7, 2, 1, 2},  // 4/7
		{0.6, 3, 1, 1},  // 6/8
		{0.5, 3, 2, 1},  // 6/9
		{0.4, 4, 2, 0},  // 8/10, the best
	} {
		tp, fp, tn, fn := confusion(answers, row.threshold)
		require.Equal(t, []int{row.tp, row.fp, 3 - row.fp, row.fn}, []int{tp, fp, tn, fn}, "%v", row.threshold)
	}
	threshold, f1 := best(answers, 0.7)
	require.Equal(t, 0.4, threshold)
	require.InDelta(t, 0.8, f1, 1e-9)

	_, f1 = best(answers[4:], 0.7)
	require.True(t, math.IsNaN(f1), "where no case is a violation there is nothing to find")
	threshold, _ = best(answers[:2], 0.75)
	require.Equal(t, 0.75, threshold, "of equals the one that is used")

	bins := Reliability(answers)
	require.Equal(t, 2, bins[9].Answers) // 0.95, right, and 0.9 for a pass, right
	require.InDelta(t, 1, bins[9].Right, 1e-9)
	require.InDelta(t, 0.925, bins[9].Stated, 1e-9)
	require.Equal(t, 1, bins[7].Answers)
	require.Zero(t, bins[7].Right)
	require.Equal(t, 1, bins[4].Answers, "a violation counts below the threshold too")
	require.InDelta(t, 1, bins[4].Right, 1e-9)
}

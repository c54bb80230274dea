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
	m := measure(answers, 0.7, func(model string) (in, out float64) { return 2, 20 })
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
	m := measure(nil, 0.7, nil)
	require.True(t, math.IsNaN(m.Precision))
	require.True(t, math.IsNaN(m.Recall))
	require.Zero(t, m.Median)
	require.Equal(t, 0.7, m.Best)
}

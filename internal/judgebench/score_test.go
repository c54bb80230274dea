package judgebench

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func ptr(x float64) *float64 { return &x }

func records(rows ...Record) []Record { return rows }

var ours = &Judge{Spec: Spec{Backend: "ours"}, Threshold: 0.7}

// TestScore is worked out by hand.
func TestScore(t *testing.T) {
	t.Parallel()
	s := ScoreOf("s", ours, records(
		Record{Label: violation, Said: violation, Confidence: 0.9, PTrue: ptr(0.9), TookMS: 10, PromptTokens: 100, OutputTokens: 10, Model: "m"},
		Record{Label: violation, Said: violation, Confidence: 0.6, PTrue: ptr(0.5), TookMS: 20, Kept: true}, // below the threshold
		Record{Label: violation, Said: pass, Confidence: 0.9, TookMS: 30},
		Record{Label: pass, Said: violation, Confidence: 0.8, PTrue: ptr(0.45), TookMS: 40},
		Record{Label: pass, Said: pass, Confidence: 0.9, PTrue: ptr(0.1), TookMS: 50},
		Record{Label: pass, Said: unusable, Why: "prose"},
		Record{Label: pass, Said: unavailable, Why: "gone"},
		Record{Label: violation, Said: noQuestion},
	), func(string) (in, out float64) { return 1, 10 })
	require.Equal(t, []int{8, 7, 1, 1, 1, 1, 1}, []int{s.Cases, s.Asked, s.NoQuestion, s.Unusable, s.Unavailable, s.Below, s.Kept})
	require.Equal(t, []int{1, 1, 1, 2}, []int{s.TruePositives, s.FalsePositives, s.TrueNegatives, s.FalseNegatives})
	require.InDelta(t, 0.5, *s.Precision.Value, 1e-9)
	require.InDelta(t, 1.0/3, *s.Recall.Value, 1e-9)
	require.InDelta(t, 0.4, *s.F1.Value, 1e-9)
	require.InDelta(t, 200e-6, s.Cost, 1e-12)
	require.Equal(t, []float64{30, 50}, []float64{s.MedianMS, s.P95MS})

	require.Equal(t, "p_true", s.Probability, "the model's own, where it is known")
	require.Equal(t, []int{4, 2, 1}, []int{s.Calibrated, s.Doubtful, s.Ties})
	require.InDelta(t, (0.01+0.25+0.2025+0.01)/4, *s.Brier, 1e-9)
	// Sure by 0.9 twice and right, by 0.5 and right, by 0.45 and wrong.
	require.InDelta(t, (2*0.1+0.5+0.45)/4, *s.ECE, 1e-9)
}

// TestScoreOfNothing holds that what cannot be measured has no figure.
func TestScoreOfNothing(t *testing.T) {
	t.Parallel()
	s := ScoreOf("s", ours, records(Record{Label: pass, Said: unusable}), nil)
	require.Nil(t, s.Precision.Value)
	require.Nil(t, s.F1.Value)
	require.Nil(t, s.ECE)
	require.Empty(t, s.Probability)
	require.Equal(t, "-", s.Precision.String())
	require.Len(t, s.Cells(), len(Columns))
	s = ScoreOf("s", &Judge{Spec: Spec{Backend: "builtin"}}, records(Record{Label: pass, Said: pass, Confidence: 1}), nil)
	require.Empty(t, s.Probability, "an expression is not more or less sure")
}

// TestIntervals compares with values from the literature: Wilson's interval of 8 in 10, and
// of none in 20.
func TestIntervals(t *testing.T) {
	t.Parallel()
	s := wilson(8, 10)
	require.InDelta(t, 0.4902, *s.Low, 1e-4)
	require.InDelta(t, 0.9433, *s.High, 1e-4)
	s = wilson(0, 20)
	require.Zero(t, *s.Low)
	require.InDelta(t, 0.1611, *s.High, 1e-4)
	s = bootstrapF1(80, 5, 15, 100) // by resampling in another program: 0.836 to 0.933
	require.InDelta(t, 0.836, *s.Low, 0.01)
	require.InDelta(t, 0.933, *s.High, 0.01)
	for _, c := range []struct {
		b, c int
		p    float64
	}{{0, 0, 1}, {3, 3, 1}, {0, 5, 0.0625}, {1, 9, 0.021484375}, {9, 1, 0.021484375}, {0, 1000, 0}} {
		require.InDelta(t, c.p, mcNemar(c.b, c.c), 1e-9, c)
	}
}

// TestFiguresHold are properties of the figures of any answers.
func TestFiguresHold(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	said := []string{violation, pass, unusable, unavailable, noQuestion}
	for range 200 {
		all := make([]Record, random.IntN(60))
		for i := range all {
			all[i] = Record{Label: labelled(random.IntN(2) == 0), Said: said[random.IntN(len(said))], Confidence: random.Float64()}
			if random.IntN(2) == 0 {
				all[i].PTrue = ptr(random.Float64())
			}
		}
		s := ScoreOf("s", ours, all, nil)
		require.Equal(t, s.Cases, s.Asked+s.NoQuestion)
		require.Equal(t, s.Asked, s.TruePositives+s.FalsePositives+s.TrueNegatives+s.FalseNegatives+s.Unusable+s.Unavailable)
		for _, share := range []Share{s.Precision, s.Recall, s.F1} {
			if share.Value != nil {
				require.LessOrEqual(t, 0.0, *share.Low)
				require.LessOrEqual(t, *share.Low, *share.Value)
				require.LessOrEqual(t, *share.Value, *share.High)
				require.LessOrEqual(t, *share.High, 1.0)
			}
		}
		if s.Precision.Value != nil && s.Recall.Value != nil && *s.Precision.Value+*s.Recall.Value > 0 {
			require.InDelta(t, 2**s.Precision.Value**s.Recall.Value/(*s.Precision.Value+*s.Recall.Value), *s.F1.Value, 1e-9)
		}
		if s.ECE != nil {
			require.False(t, math.IsNaN(*s.ECE) || *s.ECE < 0 || *s.ECE > 1)
			require.False(t, *s.Brier < 0 || *s.Brier > 1)
		}
		require.Equal(t, s, ScoreOf("s", ours, all, nil), "the bootstrap has a fixed seed")
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		again := ScoreOf("s", ours, all, nil)
		require.Equal(t, s.F1, again.F1, "the order has no part in it")
	}
	narrow, wide := wilson(80, 100), wilson(8, 10)
	require.Less(t, *narrow.High-*narrow.Low, *wide.High-*wide.Low)
}

// TestPerfectAndWorst holds the ends of the scales.
func TestPerfectAndWorst(t *testing.T) {
	t.Parallel()
	perfect := ScoreOf("s", ours, records(Record{Label: violation, Said: violation, Confidence: 1}, Record{Label: pass, Said: pass, Confidence: 1}), nil)
	require.Equal(t, []float64{1, 1, 1, 0, 0}, []float64{*perfect.Precision.Value, *perfect.Recall.Value, *perfect.F1.Value, *perfect.ECE, *perfect.Brier})
	worst := ScoreOf("s", ours, records(Record{Label: pass, Said: violation, Confidence: 1}, Record{Label: violation, Said: pass, Confidence: 1}), nil)
	require.Equal(t, []float64{0, 0, 0, 1, 1}, []float64{*worst.Precision.Value, *worst.Recall.Value, *worst.F1.Value, *worst.ECE, *worst.Brier})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	row := func(judge, id, label, said string) Record {
		return Record{Judge: judge, Source: "s", Case: id, Label: label, Said: said, Confidence: 0.9, Rule: "r", Action: id}
	}
	before := records(row("a", "1", violation, pass), row("a", "2", violation, violation), row("a", "3", pass, pass), row("a", "4", pass, unavailable),
		row("a", "5", pass, violation), row("a", "gone", pass, pass))
	now := records(row("a", "1", violation, violation), row("a", "2", violation, unusable), row("a", "3", pass, pass), row("a", "4", pass, pass),
		row("a", "5", pass, unusable), row("a", "new", pass, pass))
	c := Compare(before, now, 0.7)
	require.Len(t, c, 1)
	require.Equal(t, []int{4, 1, 1, 1, 1}, []int{c[0].Pairs, c[0].Better, c[0].Worse, c[0].BothRight, c[0].BothWrong})
	require.InDelta(t, 1, c[0].P, 1e-9)
	require.Equal(t, []Change{{"r", "1", violation, pass, violation}, {"r", "2", violation, violation, unusable}, {"r", "5", pass, violation, unusable}}, c[0].Changed)

	for i := range now {
		now[i].Judge = "b"
	}
	c = Compare(before, now, 0.7)
	require.Len(t, c, 1, "two runs of one judge each")
	require.Contains(t, c[0].String(), "s, b against a: 4 cases, 1 better, 1 worse")
	require.Empty(t, Compare(append(before, row("c", "1", pass, pass)), now, 0.7), "nobody says with which of two")
}

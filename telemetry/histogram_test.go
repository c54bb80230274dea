package telemetry_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/telemetry"
)

// The quantiles are as near to the true ones as is promised, whatever the values are.
func TestHistogramQuantiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for name, draw := range map[string]func() float64{
		"even":      func() float64 { return random.Float64() * 1000 },
		"long tail": func() float64 { return math.Exp(random.NormFloat64()*3 + 3) },
		"constant":  func() float64 { return 47.2 },
		"tiny":      func() float64 { return random.Float64() / 100 },
	} {
		t.Run(name, func(t *testing.T) {
			var h telemetry.Histogram
			var values []float64
			var sum float64
			for range 5000 {
				v := max(min(draw(), 1e7), 0.001)
				values, sum = append(values, v), sum+v
				h.Add(v)
			}
			slices.Sort(values)
			for _, q := range []float64{0.001, 0.5, 0.9, 0.95, 0.999, 1} {
				want := values[int(math.Ceil(q*5000))-1]
				require.InEpsilon(t, want, h.Quantile(q), telemetry.HistogramError, "quantile %v", q)
			}
			require.EqualValues(t, 5000, h.Count())
			require.InEpsilon(t, sum/5000, h.Mean(), 1e-9)
			require.Equal(t, values[4999], h.Max())
		})
	}
}

func TestHistogramLimits(t *testing.T) {
	t.Parallel()
	var h telemetry.Histogram
	require.Zero(t, h.Quantile(0.5))
	require.Zero(t, h.Mean())
	for _, v := range []float64{0, -3, math.NaN(), math.Inf(1), 1e300, 1e-300} {
		h.Add(v)
	}
	require.EqualValues(t, 6, h.Count())
	require.Zero(t, h.Quantile(0))
	require.LessOrEqual(t, h.Quantile(0.5), 0.001)
}

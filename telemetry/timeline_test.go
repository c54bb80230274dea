package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const day = 24 * 3600

func TestOverTime(t *testing.T) {
	t.Parallel()
	every := func(step, n int) (lines []string) {
		for i := range n {
			lines = append(lines, evaluation(i*step, "a", "x", false))
		}
		return lines
	}
	for name, c := range map[string]struct {
		lines   []string
		width   time.Duration
		buckets int
		outside int64
	}{
		"minutes":                    {every(30, 60), time.Minute, 30, 0},
		"an hour and more":           {every(60, 90), 5 * time.Minute, 18, 0},
		"days":                       {every(day/4, 60), 12 * time.Hour, 30, 0},
		"years":                      {every(day, 1200), 28 * 24 * time.Hour, 44, 0},
		"one line":                   {every(1, 1), time.Minute, 1, 0},
		"a clock that was wrong":     {append(every(30, 200), evaluation(-20000*day, "a", "x", false), evaluation(9000*day, "a", "x", false)), 5 * time.Minute, 20, 2},
		"a pause is no wrong clock":  {append(every(30, 20), evaluation(40*day, "a", "x", false)), 24 * time.Hour, 41, 0},
		"more minutes than are held": {every(60, 9000), 3 * time.Hour, 51, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			buckets, width, outside := aggregate(t, nil, c.lines...).Over(60)
			require.Equal(t, c.width, width)
			require.Equal(t, c.outside, outside)
			require.Len(t, buckets, c.buckets)
			all := outside
			for i, b := range buckets {
				all += b.Evaluations
				if i > 0 {
					require.Equal(t, width, b.Start.Sub(buckets[i-1].Start))
				}
			}
			require.EqualValues(t, len(c.lines), all)
		})
	}
}

// Weeks begin on a Monday.
func TestWeeks(t *testing.T) {
	t.Parallel()
	s := aggregate(t, nil, evaluation(0, "a", "x", false), evaluation(200*day, "a", "x", false))
	buckets, width, _ := s.Over(40)
	require.Equal(t, 7*24*time.Hour, width)
	require.Equal(t, time.Monday, buckets[0].Start.Weekday())
	r, ok := s.Rule("a")
	require.True(t, ok)
	require.LessOrEqual(t, len(r.Over(10)), 10)
	_, ok = s.Rule("b")
	require.False(t, ok)
}

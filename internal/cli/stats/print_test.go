package stats

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/text"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 3, 30, 14, 0, 0, 0, zone)
	for s, want := range map[string]time.Time{
		"":                     {},
		"90m":                  now.Add(-90 * time.Minute),
		"1h30m":                now.Add(-90 * time.Minute),
		"7d":                   now.AddDate(0, 0, -7),
		"1.5d":                 now.Add(-36 * time.Hour),
		"2w":                   now.AddDate(0, 0, -14),
		"0s":                   now,
		"2026-03-01":           time.Date(2026, 3, 1, 0, 0, 0, 0, zone),
		"2026-03-01T08:00":     time.Date(2026, 3, 1, 8, 0, 0, 0, zone),
		"2026-03-01T08:00:00Z": time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC),
	} {
		got, err := moment(s, now)
		require.NoError(t, err, s)
		require.True(t, want.Equal(got), "%s: %v", s, got)
	}
	for _, s := range []string{"yesterday", "-2h", "-1d", "d", "7", "1e300d", "NaNd", "Infw", "2026-13-01", " "} {
		_, err := moment(s, now)
		require.ErrorContains(t, err, "is no time; write how far back", s)
	}
}

func TestSpark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []int64
		want   string
	}{
		{nil, ""}, {[]int64{0, 0}, "  "}, {[]int64{1}, "█"}, {[]int64{1, 2, 4, 8, 0}, "▁▂▄█ "}, {[]int64{-1, 1 << 40, 1}, " █▁"},
	} {
		require.Equal(t, c.want, spark(c.values))
	}
	require.Equal(t, []int64{3, 7, 5}, narrow([]int64{1, 2, 3, 4, 5}, 3))
	require.Equal(t, []int64{1, 2}, narrow([]int64{1, 2}, 3))
	require.Empty(t, narrow(nil, 3))
}

func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 12345678: "12,345,678"} {
		require.Equal(t, want, text.Thousands(n))
	}
	for ms, want := range map[float64]string{0: "0 ms", 0.01: "<0.1 ms", 0.25: "0.2 ms", 47.2: "47 ms", 1234: "1.2 s", 61000: "61 s"} {
		require.Equal(t, want, millis(ms))
	}
	require.Equal(t, "žl…", text.Cut("žluťoučký", 3))
	require.Equal(t, 1, utf8.RuneCountInString(text.Cut("ab", 1)))
	for d, want := range map[time.Duration]string{
		time.Minute: "a minute", 15 * time.Minute: "15 minutes", time.Hour: "an hour", 12 * time.Hour: "12 hours", 24 * time.Hour: "a day", 7 * 24 * time.Hour: "a week",
		28 * 24 * time.Hour: "4 weeks", 364 * 24 * time.Hour: "a year",
	} {
		require.Equal(t, want, span(d))
	}
}

package telemetry

import (
	"maps"
	"slices"
	"time"
)

// A Bucket is a stretch of time and what fell into it.
type Bucket struct {
	Start time.Time // UTC
	Tally
}

// A timeline counts over time in bounded memory: when there are too many
// buckets, it goes on with wider ones. Only buckets that hold something are kept,
// so that one line with a wrong time does not make all of them wide.
type timeline struct {
	width   int // of widths
	limit   int
	buckets map[int64]*Tally
}

// widths are those that buckets may have. Each is a multiple of the one before.
var widths = [...]time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour, 364 * 24 * time.Hour, 40 * 364 * 24 * time.Hour,
}

// weekStart is a Monday, from which buckets are counted: 1970-01-05, in seconds.
const weekStart = 4 * 24 * 3600

func newTimeline(limit int) timeline {
	return timeline{limit: limit, buckets: map[int64]*Tally{}}
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func seconds(width int) int64 { return int64(widths[width] / time.Second) }

// at returns the bucket of a time.
func (t *timeline) at(unix int64) *Tally {
	key := floorDiv(unix-weekStart, seconds(t.width))
	for t.buckets[key] == nil {
		if len(t.buckets) < t.limit || t.width == len(widths)-1 {
			t.buckets[key] = &Tally{}
			break
		}
		t.widen()
		key = floorDiv(unix-weekStart, seconds(t.width))
	}
	return t.buckets[key]
}

// widen continues with buckets of the next width.
func (t *timeline) widen() {
	by := seconds(t.width+1) / seconds(t.width)
	wider := timeline{width: t.width + 1, limit: t.limit, buckets: map[int64]*Tally{}}
	for key, b := range t.buckets {
		key = floorDiv(key, by)
		if to := wider.buckets[key]; to != nil {
			to.add(b)
		} else {
			wider.buckets[key] = b
		}
	}
	*t = wider
}

// outliers is the share of all lines that may be left out of the timeline, if that
// makes it far shorter.
const outliers = 0.01

// dense returns at most limit buckets that follow one another without a gap, and
// how many lines lie outside of them.
func (t *timeline) dense(limit int) (buckets []Bucket, width time.Duration, outside int64) {
	keys := slices.Sorted(maps.Keys(t.buckets))
	if len(keys) == 0 {
		return nil, 0, 0
	}
	keys, outside = t.trim(keys)
	w := t.width
	lo, hi := keys[0], keys[len(keys)-1]
	span := func(w int) (from, to int64) {
		by := seconds(w) / seconds(t.width)
		return floorDiv(lo, by), floorDiv(hi, by)
	}
	from, to := span(w)
	for to-from >= int64(limit) && w < len(widths)-1 {
		w++
		from, to = span(w)
	}
	buckets = make([]Bucket, to-from+1)
	for i := range buckets {
		buckets[i].Start = time.Unix((from+int64(i))*seconds(w)+weekStart, 0).UTC()
	}
	by := seconds(w) / seconds(t.width)
	for _, key := range keys {
		buckets[floorDiv(key, by)-from].Tally.add(t.buckets[key])
	}
	return buckets, widths[w], outside
}

// trim drops buckets at either end that lie far away from the rest and hold
// little: clocks jump.
func (t *timeline) trim(keys []int64) (kept []int64, dropped int64) {
	var all int64
	for _, b := range t.buckets {
		all += b.lines()
	}
	for len(keys) > 1 {
		n := len(keys)
		whole := keys[n-1] - keys[0]
		first, last := t.buckets[keys[0]].lines(), t.buckets[keys[n-1]].lines()
		switch {
		case float64(dropped+first) <= outliers*float64(all) && 3*(keys[n-1]-keys[1]) < whole:
			dropped += first
			keys = keys[1:]
		case float64(dropped+last) <= outliers*float64(all) && 3*(keys[n-2]-keys[0]) < whole:
			dropped += last
			keys = keys[:n-1]
		default:
			return keys, dropped
		}
	}
	return keys, dropped
}

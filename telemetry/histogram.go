package telemetry

import "math"

// A Histogram holds durations in milliseconds in constant memory. Its quantiles
// are within [HistogramError] of a value that was added, its count, sum and
// limits are exact. The zero value is empty. It is not safe for concurrent use.
type Histogram struct {
	n        int64
	sum      float64
	min, max float64
	counts   *[cells]uint32
}

// HistogramError is the largest relative error of a [Histogram]'s quantiles, of
// values from a microsecond to half a day.
const HistogramError = 1.0 / 64

// Every power of two is divided into 32 cells of equal width, as the leading
// bits of a floating-point number divide it.
const (
	cellBits = 5
	lowest   = -10 // 2^-10 ms, about a microsecond
	highest  = 26  // 2^26 ms, about 18 hours
	cells    = (highest - lowest) << cellBits
)

// Add counts a value. A negative value or NaN counts as 0.
func (h *Histogram) Add(ms float64) {
	if !(ms > 0) {
		ms = 0
	}
	if h.counts == nil {
		h.counts = new([cells]uint32)
		h.min, h.max = ms, ms
	}
	h.n++
	h.sum += ms
	h.min, h.max = min(h.min, ms), max(h.max, ms)
	h.counts[cellOf(ms)]++
}

func cellOf(ms float64) int {
	const shift = 52 - cellBits
	i := int(math.Float64bits(ms)>>shift) - (1023+lowest)<<cellBits
	return min(max(i, 0), cells-1)
}

// middleOf is the value that represents a cell.
func middleOf(cell int) float64 {
	const shift = 52 - cellBits
	base := uint64(cell + (1023+lowest)<<cellBits)
	return (math.Float64frombits(base<<shift) + math.Float64frombits((base+1)<<shift)) / 2
}

// Count is the number of values.
func (h *Histogram) Count() int64 { return h.n }

// Mean is the mean value in milliseconds, 0 of none.
func (h *Histogram) Mean() float64 {
	if h.n == 0 {
		return 0
	}
	return h.sum / float64(h.n)
}

// Max is the largest value in milliseconds, 0 of none.
func (h *Histogram) Max() float64 { return h.max }

// Quantile returns the value in milliseconds that a share q of all values does
// not exceed, 0 of none.
func (h *Histogram) Quantile(q float64) float64 {
	if h.n == 0 {
		return 0
	}
	rank := int64(math.Ceil(q * float64(h.n)))
	var seen int64
	for i, c := range h.counts {
		if seen += int64(c); seen < rank || c == 0 {
			continue
		}
		if i == 0 {
			return h.min // all that is shorter is in this cell too
		}
		return min(max(middleOf(i), h.min), h.max)
	}
	return h.max
}

// Confidences counts confidences by the hundredth. The zero value is empty.
type Confidences struct {
	n      int64
	sum    float64
	counts [101]uint32
}

func (c *Confidences) add(v float64) {
	if !(v > 0) {
		v = 0
	}
	v = min(v, 1)
	c.n++
	c.sum += v
	c.counts[int(math.Round(v*100))]++
}

// Mean is the mean confidence, 0 of none.
func (c *Confidences) Mean() float64 {
	if c.n == 0 {
		return 0
	}
	return c.sum / float64(c.n)
}

// Quantile returns the confidence that a share q does not exceed, to the
// hundredth; 0 of none.
func (c *Confidences) Quantile(q float64) float64 {
	rank := int64(math.Ceil(q * float64(c.n)))
	var seen int64
	for i, n := range c.counts {
		if seen += int64(n); seen >= rank && n > 0 {
			return float64(i) / 100
		}
	}
	return 0
}

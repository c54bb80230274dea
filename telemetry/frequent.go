package telemetry

import (
	"cmp"
	"maps"
	"slices"
)

// A frequent finds the most frequent texts in bounded memory. When it has twice
// as many as its limit, it subtracts the median count from all and drops those
// that have none left. No count is too low by more than missed.
type frequent struct {
	limit  int
	counts map[string]int64
	missed int64
}

func newFrequent(limit int) frequent { return frequent{limit: limit, counts: map[string]int64{}} }

func (f *frequent) add(text string) {
	if _, known := f.counts[text]; !known && len(f.counts) >= 2*f.limit {
		all := slices.Sorted(maps.Values(f.counts))
		cut := all[len(all)/2]
		f.missed += cut
		maps.DeleteFunc(f.counts, func(_ string, n int64) bool { return n <= cut })
		for text := range f.counts {
			f.counts[text] -= cut
		}
	}
	f.counts[text]++
}

// A Count is a text and how often it came.
type Count struct {
	Text string `json:"target"`
	N    int64  `json:"count"`
	// Missed is how many more it may have been: counting in bounded memory drops
	// some where there are very many different texts. 0 means that N is exact.
	Missed int64 `json:"missed_at_most"`
}

// top returns the n most frequent texts.
func (f *frequent) top(n int) []Count {
	all := make([]Count, 0, len(f.counts))
	for text, c := range f.counts {
		all = append(all, Count{text, c, f.missed})
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Text, b.Text)) })
	return all[:min(n, len(all))]
}

// A sample keeps values by the hash of their keys in bounded memory. When there
// are too many, every second key is dropped for ever; the hash alone says which
// ones. So the value of a key that is kept is complete.
type sample[V any] struct {
	limit  int
	halved int // a key is kept if this many of its low bits are 0
	values map[uint64]V
}

func newSample[V any](limit int) sample[V] { return sample[V]{limit: limit, values: map[uint64]V{}} }

// holds reports whether a key belongs to the sample.
func (s *sample[V]) holds(key uint64) bool { return key&(1<<s.halved-1) == 0 }

func (s *sample[V]) set(key uint64, v V) {
	s.values[key] = v
	for len(s.values) > s.limit {
		s.halved++
		maps.DeleteFunc(s.values, func(key uint64, _ V) bool { return !s.holds(key) })
	}
}

// scale is the factor from a number in the sample to the number of all.
func (s *sample[V]) scale() int64 { return 1 << s.halved }

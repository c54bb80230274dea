package telemetry

import (
	"cmp"
	"slices"
)

// A frequent finds the texts that come most often, in bounded memory. When it
// holds twice as many as it should, it takes the median count off every one and
// drops those that have none left. What a count may lack for that is in missed,
// which no count of a text lacks more of.
type frequent struct {
	limit  int
	counts map[string]*int64
	total  int64
	missed int64

	lastText []byte // many lines in a row are about one target
	last     *int64
}

func newFrequent(limit int) frequent {
	return frequent{limit: limit, counts: map[string]*int64{}}
}

func (f *frequent) add(text []byte) {
	f.total++
	if f.last != nil && string(f.lastText) == string(text) {
		*f.last++
		return
	}
	n := f.counts[string(text)]
	if n == nil {
		f.room()
		n = new(int64)
		f.counts[string(text)] = n
	}
	*n++
	f.last, f.lastText = n, append(f.lastText[:0], text...)
}

// room drops what comes least often, if there is too much.
func (f *frequent) room() {
	if len(f.counts) < 2*f.limit {
		return
	}
	all := make([]int64, 0, len(f.counts))
	for _, n := range f.counts {
		all = append(all, *n)
	}
	slices.Sort(all)
	cut := all[len(all)/2]
	f.missed += cut
	f.last = nil
	for text, n := range f.counts {
		if *n -= cut; *n <= 0 {
			delete(f.counts, text)
		}
	}
}

func (f *frequent) merge(o *frequent) {
	f.total += o.total
	f.missed += o.missed
	f.last = nil
	for text, c := range o.counts {
		n := f.counts[text]
		if n == nil {
			f.room()
			n = new(int64)
			f.counts[text] = n
		}
		*n += *c
	}
}

// A Count is a text and how often it came.
type Count struct {
	Text string
	N    int64
	// Missed is how many more it may have been: counting in bounded memory drops
	// some where there are very many different texts. 0 means that N is exact.
	Missed int64
}

// top returns the n texts that come most often.
func (f *frequent) top(n int) []Count {
	all := make([]Count, 0, len(f.counts))
	for text, c := range f.counts {
		all = append(all, Count{text, *c, f.missed})
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Text, b.Text)) })
	return all[:min(n, len(all))]
}

// A sample holds values by the hash of their keys in bounded memory. When there
// are too many, every second key is dropped, for good: which ones depends on the
// hash alone. So what is held of a key is complete, and several samples that are
// merged hold what one would.
type sample[V any] struct {
	limit  int
	halved int // a key is held if so many of its low bits are 0
	values map[uint64]V
}

func newSample[V any](limit int) sample[V] { return sample[V]{limit: limit, values: map[uint64]V{}} }

// holds reports whether a key belongs to the sample.
func (s *sample[V]) holds(key uint64) bool { return key&(1<<s.halved-1) == 0 }

func (s *sample[V]) set(key uint64, v V) {
	s.values[key] = v
	for len(s.values) > s.limit {
		s.halve(s.halved + 1)
	}
}

func (s *sample[V]) halve(halved int) {
	if halved <= s.halved {
		return
	}
	s.halved = halved
	for key := range s.values {
		if !s.holds(key) {
			delete(s.values, key)
		}
	}
}

// merge takes in another sample; both says what becomes of a key that is in both.
func (s *sample[V]) merge(o *sample[V], both func(a, b V) V) {
	s.halve(o.halved)
	for key, v := range o.values {
		if !s.holds(key) {
			continue
		}
		if old, ok := s.values[key]; ok {
			v = both(old, v)
		}
		s.set(key, v)
	}
}

// scale is what a number that was counted in the sample is multiplied with.
func (s *sample[V]) scale() int64 { return 1 << s.halved }

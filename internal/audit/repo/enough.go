package repo

import "sync"

// enough knows when the places of a probe are enough, so that those of thousands of
// files are not kept for the few that are told. Only the first MaxPlaces in the order
// of the files are; the figures count all. The zero value is ready; it is safe for
// concurrent use.
type enough struct {
	mu   sync.Mutex
	kept int // places of the files up to last
	last int // the highest number of a file whose places are kept
	full bool
}

// trim takes the places from what was found in the i-th file, where the files before
// it have enough of them. Files come in about the order of their numbers.
func (e *enough) trim(i int, f *found) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(f.places) == 0 {
		return
	}
	if e.full && i > e.last {
		f.places, f.more = nil, true
		return
	}
	e.kept += len(f.places)
	e.last = max(e.last, i)
	e.full = e.full || e.kept > MaxPlaces
}

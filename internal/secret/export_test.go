package secret

import "slices"

// Kinds returns the names of all kinds that [Find] reports, sorted. The slice
// is the caller's.
func Kinds() []string {
	var names []string
	for _, d := range detectors() {
		names = append(names, d.kinds...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

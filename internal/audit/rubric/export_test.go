package rubric

import "slices"

var (
	DefaultSynthesis = defaultSynthesis
	ProbeTypes       = probeTypes
)

// ProbeKeys returns the keys that a type of probes needs, and further ones.
func ProbeKeys(probeType string) (needed, further []string) {
	d := definitionOf(probeType)
	return d.needed, d.further
}

// Observed reports whether a figure of a type is a reading, not a fact.
func Observed(probeType, name string) bool {
	d := definitionOf(probeType)
	return d.observed || slices.ContainsFunc(d.figures, func(f figure) bool { return f.name == name && f.observed })
}

package rubric

var (
	DefaultSynthesis = defaultSynthesis
	ProbeTypes       = probeTypes
	ProbeKeys        = probeKeys
)

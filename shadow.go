package sentinel

import "slices"

// A ShadowMode says when those shadow rules are judged that a model is asked for.
// A shadow rule has no part in the verdict whenever it is judged; but a model takes
// its time, and an agent waits for the answer.
//
// Shadow rules that ask no model (the builtin judge, a text that is only rendered,
// a `when` that is false) are judged with the others in any mode but [ShadowOnly]:
// they cost no time that could be seen.
type ShadowMode uint8

// The modes.
const (
	ShadowInline ShadowMode = iota // with the other rules
	ShadowLater                    // not here: the finding is skipped, with Finding.Deferred
	ShadowOnly                     // only what ShadowLater leaves out is judged; its findings have Finding.Deferred
)

// Deferred reports whether a finding of the decision is left to be judged after
// the answer.
func (d Decision) Deferred() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Deferred })
}

// deferrable reports whether a rule is a shadow rule that a model is asked for.
func (e *engine) deferrable(spec *RuleSpec) bool {
	switch {
	case !spec.Shadow || spec.Err != nil || e.NoModel:
		return false
	case spec.Post:
		return true
	case spec.Severity == SeverityInfo:
		return false
	}
	asked, fallback := spec.Backend, spec.Fallback
	if asked == "" {
		asked = e.Default
	}
	if fallback == nil {
		fallback = e.Fallback
	}
	return asked != Builtin || slices.ContainsFunc(fallback, func(name string) bool { return name != Builtin })
}

// putOff is the finding of a job that is judged after the answer.
func (j *job) putOff() Finding {
	f := j.skip("is judged after the answer")
	f.Deferred = true
	return f
}

// enforcedFirst is the order in which jobs are begun: a shadow rule never keeps
// one that counts waiting.
func enforcedFirst(jobs []job) []int {
	order := make([]int, 0, len(jobs))
	for _, shadow := range [...]bool{false, true} {
		for i := range jobs {
			if jobs[i].spec.Shadow == shadow {
				order = append(order, i)
			}
		}
	}
	return order
}

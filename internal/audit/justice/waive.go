package justice

import (
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Waived is evidence with what the rubric's waivers cover marked, as [Rule] sees
// it. Judges are to be shown it in that form: what its owner has accepted is not a fault.
// evidence is not changed; now is as in [Options].
func Waived(rb *rubric.Rubric, evidence []audit.Evidence, now time.Time) []audit.Evidence {
	marked, _, _ := waive(rb, evidence, now)
	return marked
}

// waive marks the evidence that waivers cover, in a copy, and returns the reasons
// of waived dimensions by id. A waiver that has run out is reported, and does nothing.
func waive(rb *rubric.Rubric, evidence []audit.Evidence, now time.Time) (marked []audit.Evidence, told []audit.Waiver, dimensions map[string]string) {
	marked = append([]audit.Evidence{}, evidence...)
	dimensions = map[string]string{}
	for _, w := range rb.Waivers {
		t := audit.Waiver{Dimension: w.Dimension, Probe: w.Probe, Path: w.Path, Reason: w.Reason, Until: w.Until, Expired: !now.IsZero() && w.Expired(now)}
		if !t.Expired {
			if w.Dimension != "" && w.Probe == "" && rb.Dimension(w.Dimension) != nil {
				dimensions[w.Dimension] = w.Reason
				t.Covers++
			}
			for i := range marked {
				if e := &marked[i]; e.Outcome == audit.False && w.Covers(e) {
					e.Waived = w.Reason
					t.Covers++
				}
			}
		}
		told = append(told, t)
	}
	waiveWholes(marked)
	return marked, told, dimensions
}

// waiveWholes waives what a probe found as a whole where each of the places that
// violate it is waived. Evidence with more places than are kept is not waived.
func waiveWholes(evidence []audit.Evidence) {
	reason := map[string]string{}
	open := map[string]bool{}
	for i := range evidence {
		switch e := &evidence[i]; {
		case e.Outcome != audit.False:
		case !e.Part:
			open[e.Probe] = open[e.Probe] || e.Truncated
		case e.Waived == "":
			open[e.Probe] = true
		default:
			reason[e.Probe] = e.Waived
		}
	}
	for i := range evidence {
		e := &evidence[i]
		if !e.Part && e.Outcome == audit.False && e.Waived == "" && !open[e.Probe] {
			e.Waived = reason[e.Probe]
		}
	}
}

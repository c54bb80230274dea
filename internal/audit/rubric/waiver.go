package rubric

import (
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// Expired reports whether the waiver's last day is over, by UTC.
func (w Waiver) Expired(now time.Time) bool {
	day, err := time.Parse(time.DateOnly, w.Until)
	return w.Until != "" && (err != nil || !now.Before(day.AddDate(0, 0, 1)))
}

// Covers reports whether the waiver is about this evidence: its probe, and its
// path where the waiver names one. A waiver of a dimension covers no evidence.
func (w Waiver) Covers(e *audit.Evidence) bool {
	if w.Probe == "" || w.Probe != e.Probe {
		return false
	}
	if w.Path == "" {
		return true
	}
	patterns, err := CompilePatterns([]string{w.Path})
	if err != nil {
		return false
	}
	_, ok := patterns.Match(e.Location.Path)
	return ok
}

package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// snippet makes hostile text of several lines visible, without empty lines
// around it.
func snippet(s string) string { return strings.Trim(text.Clean(s), "\n") }

// place is a location as people read it.
func place(l audit.Location) string { return text.Name(l.String()) }

// short is a commit as people write it.
func short(commit string) string {
	const digits = 12
	return text.Name(commit[:min(digits, len(commit))])
}

// at is where evidence was found, and the commit that it was found at.
func at(l audit.Location) string {
	switch where := place(l); {
	case l.Commit == "":
		return where
	case where == "":
		return "commit " + short(l.Commit)
	default:
		return where + " at " + short(l.Commit)
	}
}

// Where is a place as reports write it: path and lines, or the commit alone.
func Where(l audit.Location) string {
	if l.Path == "" {
		return at(l)
	}
	return place(l)
}

// score writes a score out of the highest of its scale.
func score(n int, s audit.Scale) string { return fmt.Sprintf("%d/%d", n, s.High()) }

// scored is a score next to its verdict; "" without one.
func scored(v audit.Verdict, n int, s audit.Scale) string {
	if !v.Scored() {
		return ""
	}
	return score(n, s)
}

// verdictName is a verdict in words.
func verdictName(v audit.Verdict) string {
	switch v {
	case audit.NoVerdict:
		return "no verdict"
	case audit.NotConsidered:
		return "not applicable"
	case "":
		return "not judged"
	}
	return text.OneLine(string(v))
}

// outcomeName is an outcome in words.
func outcomeName(o audit.Outcome) string { return strings.ReplaceAll(o.String(), "_", " ") }

func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// took rounds a duration to what a reader cares for.
func took(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

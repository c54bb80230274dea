package auditcli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/text"
)

// printFacts lists the evidence: each probe with its outcome, and below it the
// places that violate it. Where nothing was expected the outcome is "noted": what
// was found decides nothing. Probes that could not look for the same reason share a
// line.
func printFacts(w io.Writer, r *audit.Record) error {
	var b strings.Builder
	probes := map[string]audit.Probe{}
	for _, p := range r.Probes {
		probes[p.ID] = p
	}
	for i := 0; i < len(r.Evidence); i++ {
		e := &r.Evidence[i]
		if e.Part {
			if e.Outcome == audit.False {
				fmt.Fprintf(&b, "%15s %s%s\n", "", cmp.Or(report.Where(e.Location), text.OneLine(e.Summary)), finding(e))
			}
			continue
		}
		name, outcome := text.OneLine(e.Probe), e.Outcome.String()
		if n := alike(r.Evidence[i:]); n > 1 {
			name = fmt.Sprintf("%d probes, %s to %s", n, name, text.OneLine(r.Evidence[i+n-1].Probe))
			i += n - 1
		}
		if p := probes[e.Probe]; p.Looked != "" && e.Outcome.Fact() {
			name += " (" + text.OneLine(p.Looked)
			if p.Expected == "" && e.Outcome == audit.True {
				outcome = "noted"
			}
			if p.Expected != "" {
				name += "; expected " + text.OneLine(p.Expected)
			}
			name += ")"
		}
		fmt.Fprintf(&b, "%-15s %s: %s\n", outcome, name, text.OneLine(e.Summary))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// alike counts the evidence of probes that could not look, for the reason of the
// first.
func alike(evidence []audit.Evidence) int {
	first, n := &evidence[0], 1
	for !first.Outcome.Fact() && n < len(evidence) {
		e := &evidence[n]
		if e.Part || e.Outcome != first.Outcome || e.Summary != first.Summary {
			break
		}
		n++
	}
	return n
}

// finding describes a place in a few words.
func finding(e *audit.Evidence) string {
	switch {
	case e.Waived != "":
		return " (waived: " + text.OneLine(e.Waived) + ")"
	case e.Finding() == audit.CategorySecurity && e.Severity != "":
		return " (" + string(e.Severity) + ")"
	case e.Finding() != "":
		return " (" + text.OneLine(strings.TrimSpace(string(e.Finding())+" "+string(e.Severity))) + ")"
	}
	return ""
}

package auditcli

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentsentinel/sentinel/audit"
)

// printFacts lists the evidence: each probe with its outcome, and below it the
// places, where what was expected does not hold.
func printFacts(w io.Writer, r *audit.Record) error {
	var b strings.Builder
	for i := range r.Evidence {
		e := &r.Evidence[i]
		switch {
		case !e.Part:
			fmt.Fprintf(&b, "%-15s %s: %s\n", e.Outcome, oneLine(e.Probe), oneLine(e.Summary))
		case e.Outcome == audit.False:
			fmt.Fprintf(&b, "%15s %s%s\n", "", oneLine(e.Location.String()), finding(e))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// finding is what a place is, in a few words.
func finding(e *audit.Evidence) string {
	switch {
	case e.Waived != "":
		return " (waived: " + oneLine(e.Waived) + ")"
	case e.Severity != "":
		return " (" + string(e.Severity) + ")"
	}
	return ""
}

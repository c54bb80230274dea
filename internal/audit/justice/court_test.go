package justice_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

var update = flag.Bool("update", false, "write testdata anew")

var parsed = sync.OnceValues(func() (*rubric.Rubric, error) {
	text, err := os.ReadFile(filepath.Join("testdata", "court.yaml"))
	if err != nil {
		return nil, err
	}
	rb, _, err := rubric.Parse("court.yaml", text)
	return rb, err
})

// court is the rubric of these tests, for the caller to change. Its waivers have
// run out by today.
func court(t testing.TB) *rubric.Rubric {
	t.Helper()
	rb, err := parsed()
	require.NoError(t, err)
	own := *rb
	own.Probes, own.Waivers, own.Dimensions = slices.Clone(rb.Probes), slices.Clone(rb.Waivers), slices.Clone(rb.Dimensions)
	for i := range own.Dimensions {
		own.Dimensions[i].Caps = slices.Clone(rb.Dimensions[i].Caps)
	}
	return &own
}

var (
	today    = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	lastYear = today.AddDate(-1, 0, 0)
)

// whole is what a probe found as a whole.
func whole(rb *rubric.Rubric, probe string, outcome audit.Outcome) audit.Evidence {
	return audit.Evidence{
		Source: audit.SourceRepo, Probe: probe, Criteria: rb.Criteria(probe), Kind: audit.KindFact, Outcome: outcome,
		Summary: probe + " is " + outcome.String(), Confidence: 1,
	}
}

// part is one place that a probe found.
func part(rb *rubric.Rubric, probe, path string, line int) audit.Evidence {
	e := whole(rb, probe, audit.False)
	e.Part, e.Location = true, audit.Location{Path: path, First: line, Last: line}
	return e
}

// finding is a place that is a confirmed security finding.
func finding(rb *rubric.Rubric, path string, line int) audit.Evidence {
	e := part(rb, "shell", path, line)
	e.Severity, e.Confirmed = audit.SeverityHigh, true
	e.Remediation = audit.Remediation{Effort: "low", Text: fmt.Sprintf("Replace the call at %s:%d.", path, line)}
	return e
}

func numbered(evidence ...audit.Evidence) []audit.Evidence {
	audit.Number(evidence)
	return evidence
}

// op is an opinion of a judge with what it cites.
func op(j audit.Judge, criterion string, score int, cited ...string) audit.Opinion {
	return audit.Opinion{
		Judge: j, Criterion: criterion, Score: score, Cited: append([]string{}, cited...),
		Argument: fmt.Sprintf("Change main.go of %s first. Then more.", criterion),
	}
}

// three are the opinions of the bench on a criterion, without citations that
// would be looked at.
func three(criterion string, prosecutor, defense, techLead int, cited ...string) []audit.Opinion {
	return []audit.Opinion{
		op(audit.Prosecutor, criterion, prosecutor, cited...),
		op(audit.Defense, criterion, defense, cited...),
		op(audit.TechLead, criterion, techLead, cited...),
	}
}

// on rules and returns the result of one criterion.
func on(t testing.TB, rb *rubric.Rubric, criterion string, evidence []audit.Evidence, opinions []audit.Opinion) audit.Result {
	t.Helper()
	r := justice.Rule(rb, evidence, opinions, &justice.Options{Now: today})
	require.Len(t, r.Results, len(rb.Dimensions))
	at := slices.IndexFunc(r.Results, func(r audit.Result) bool { return r.Criterion == criterion })
	return r.Results[at]
}

// step returns the step of a rule, or nil.
func step(r audit.Result, rule string) *audit.Step {
	at := slices.IndexFunc(r.Trace, func(s audit.Step) bool { return s.Rule == rule })
	if at < 0 {
		return nil
	}
	return &r.Trace[at]
}

package justice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
)

// The texts for people are tested here as well: run with -update and look at the change.
func TestGoldenRuling(t *testing.T) {
	t.Parallel()
	rb := court(t)
	rb.Waivers[1].Until = ""
	evidence := numbered(
		whole(rb, "shell", audit.False), finding(rb, "cmd/run\nme.go", 12), finding(rb, "main.go", 40),
		whole(rb, "tests", audit.True), whole(rb, "ci", audit.False), whole(rb, "size", audit.True), whole(rb, "graph", audit.False),
	)
	invented := op(audit.Defense, "tools", 5, "repo#5")
	invented.Invalid = []string{"repo#77", "docs#1"}
	opinions := []audit.Opinion{
		op(audit.Prosecutor, "tools", 1, "repo#0", "repo#1", "repo#2"), invented, op(audit.TechLead, "tools", 4),
		op(audit.Prosecutor, "practice", 2, "repo#4", "repo#5"), op(audit.Defense, "practice", 5, "repo#3", "repo#5"), op(audit.TechLead, "practice", 5, "repo#3"),
		op(audit.Prosecutor, "flow", 1), {Judge: audit.Defense, Criterion: "flow", Err: "backend: complete: unavailable"}, op(audit.TechLead, "flow", 1, "repo#6"),
	}
	r := justice.Rule(rb, evidence, opinions, &justice.Options{Now: today})

	var b strings.Builder
	fmt.Fprintf(&b, "NARRATIVE\n%s\n\nTOTAL %v\nGATE %q %q\n", r.Narrative, r.Overall, r.Gate.Reasons, r.Gate.NotExamined)
	for _, result := range r.Results {
		fmt.Fprintf(&b, "\n%s: %s\n", strings.ToUpper(result.Criterion), result.Summary)
		fmt.Fprintf(&b, "dissent: %s\n", result.Dissent)
		for _, v := range result.Votes {
			fmt.Fprintf(&b, "%s: %d counts as %.6g: %s\n", v.Judge, v.Score, v.Counts, v.Why)
		}
		for _, s := range result.Trace {
			fmt.Fprintf(&b, "%-24s %8.6g -> %-8.6g %s\n", s.Rule, s.Before, s.After, s.Why)
		}
		for _, a := range result.Remediation {
			fmt.Fprintf(&b, "advice (%s) %q: %s\n", a.From, a.Location.String(), a.Text)
		}
	}
	file := filepath.Join("testdata", "ruling.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run: go test ./audit/justice -update")
	require.Equal(t, string(want), b.String())
}

func TestFirstSentence(t *testing.T) {
	t.Parallel()
	rb := court(t)
	for argument, want := range map[string]string{
		"Split main.go in two. Then test it.":           "Split main.go in two.",
		"  Use a queue,\n\te.g. a channel! It is easy.": "Use a queue, e.g. a channel!",
		"Version 1.2 of x.y/z? No":                      "Version 1.2 of x.y/z?",
		"1. Split it. 2. Test it.":                      "Split it.",
		"- (a) Split main.go.":                          "(a) Split main.go.",
		"2.":                                            "2.",
		"No end":                                        "No end",
		"ends.":                                         "ends.",
		strings.Repeat("é", 400) + ".":                  strings.Repeat("é", 299) + "…",
		" ":                                             "",
		"":                                              "",
	} {
		opinions := three("practice", 1, 1, 1)
		opinions[0].Argument, opinions[2].Argument = argument, ""
		r := on(t, rb, "practice", nil, opinions)
		if want == "" {
			require.Equal(t, []audit.Advice{{From: "rubric", Text: "What is asked for: Tests run on every change."}}, r.Remediation)
			continue
		}
		require.Equal(t, audit.Advice{From: "Prosecutor", Text: "Prosecutor recommended: " + want}, r.Remediation[0], argument)
	}
}

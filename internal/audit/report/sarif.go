package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/sarif"
	"github.com/agentsentinel/sentinel/internal/text"
)

// SARIF writes the evidence against the audited side in the format that code hosts show
// at the lines of a change: one result for each place in the repository. Hosts refuse a
// file with a result that has none: that is a notification, as is what failed or could
// not be examined. Critical and high security findings are errors, medium ones warnings,
// all others notes; so is what is not about security, but for a warning where it is
// medium or worse. Rules have the category as a tag, so that hosts distinguish security
// from style. A waived finding is suppressed. Verdicts, models and cost are properties of
// the run. The error is w's.
func SARIF(w io.Writer, r *audit.Record) error {
	return writeSARIF(w, r, func(string) bool { return true })
}

// writeSARIF writes the findings whose fingerprint is wanted.
func writeSARIF(w io.Writer, r *audit.Record, wanted func(print string) bool) error {
	v := newView(r)
	var found []violation
	prints := newPrints()
	for _, e := range violations(r) {
		if print := prints.of(e); wanted(print) {
			found = append(found, violation{e, print})
		}
	}
	run := sarif.Run{
		Tool: sarif.Tool{Driver: sarif.Driver{Name: "sentinel-audit", Version: text.OneLine(r.Program)}},
		Invocations: []sarif.Invocation{{
			Successful: len(r.Failures) == 0, Notifications: notifications(v, found),
		}},
		Results: []sarif.Result{}, Properties: runProperties(v),
	}
	known := map[string]bool{}
	for _, f := range found {
		e := f.evidence
		if !placed(e) {
			continue
		}
		if !known[e.Probe] {
			known[e.Probe] = true
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule(e, v.Sought(e)))
		}
		run.Results = append(run.Results, sarifResult(e, f.print))
	}
	var text bytes.Buffer
	if err := (sarif.Log{Runs: []sarif.Run{run}}).Write(&text); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(visible(text.Bytes()))
	return err
}

// violation is evidence against the audited side, with its fingerprint.
type violation struct {
	evidence *audit.Evidence
	print    string
}

// message is hostile text in a message, where square brackets make links.
func message(s string) sarif.Message {
	return sarif.Text(strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(text.OneLine(s)))
}

func level(e *audit.Evidence) string {
	switch bad := e.Severity.Rank(); {
	case bad >= audit.SeverityHigh.Rank() && e.Finding() == audit.CategorySecurity:
		return sarif.LevelError
	case bad >= audit.SeverityMedium.Rank():
		return sarif.LevelWarning
	}
	return sarif.LevelNote
}

// placed reports whether evidence has a place in the repository, as each result
// must.
func placed(e *audit.Evidence) bool { return e.Location.Path != "" && e.Source == audit.SourceRepo }

// sarifRule is a probe as a rule. Its default level is that of its findings: all
// of a probe have the probe's severity.
func sarifRule(e *audit.Evidence, p audit.Probe) sarif.Rule {
	short := message("Looked for: " + cmp.Or(p.Looked, e.Probe) + ".")
	full, help := message("Looked for: "+cmp.Or(p.Looked, e.Probe)+". Expected: "+cmp.Or(p.Expected, "nothing")+"."), message(cmp.Or(advice(e), "Nothing is advised."))
	rule := sarif.Rule{ID: text.OneLine(e.Probe), Short: &short, FullDescription: &full, Help: &help, Default: &sarif.Configuration{Level: level(e)}}
	rule.Properties = map[string]any{}
	if len(e.Criteria) > 0 {
		rule.Properties["criteria"] = e.Criteria
	}
	if category := e.Finding(); category != "" {
		rule.Properties["tags"] = []audit.Category{category}
	}
	if grade, known := securitySeverity()[e.Severity]; known && e.Finding() == audit.CategorySecurity {
		rule.Properties["security-severity"] = grade
	}
	return rule
}

// advice is a probe's advice for any of its places; e is about one of them.
func advice(e *audit.Evidence) string {
	pairs := []string{e.Location.Path + ":" + strconv.Itoa(e.Location.First), "the place"}
	if strings.ContainsAny(e.Location.Path, "/.") { // another one may be a word of the advice
		pairs = append(pairs, e.Location.Path, "the file")
	}
	return strings.NewReplacer(pairs...).Replace(e.Remediation.Text)
}

// securitySeverity is the number, from 0 to 10, by which code hosts grade a rule of
// security: in the middle of what they call low, medium, high and critical.
func securitySeverity() map[audit.Severity]string {
	return map[audit.Severity]string{audit.SeverityLow: "2.0", audit.SeverityMedium: "5.5", audit.SeverityHigh: "8.0", audit.SeverityCritical: "9.5"}
}

func sarifResult(e *audit.Evidence, print string) sarif.Result {
	result := sarif.Result{
		RuleID: text.OneLine(e.Probe), Level: level(e), Message: message(findingText(e)),
		Locations:    []sarif.Location{sarif.At(e.Location.Path, e.Location.First, e.Location.Last)},
		Fingerprints: map[string]string{"finding/v1": print},
		Properties:   map[string]any{"id": e.ID, "kind": e.Kind, "confidence": e.Confidence},
	}
	if category := e.Finding(); category != "" {
		result.Properties["category"] = category
	}
	if e.Severity != "" {
		result.Properties["severity"] = e.Severity
		result.Properties["confirmed"] = e.Confirmed
	}
	if e.Waived != "" {
		result.Suppressions = []sarif.Suppression{{Kind: "external", Justification: text.OneLine(e.Waived)}}
	}
	return result
}

// findingText is what was found, and what to do.
func findingText(e *audit.Evidence) string {
	said := cmp.Or(summaryOf(e), e.Probe)
	if e.Remediation.Text != "" {
		said = strings.TrimRight(said, ".") + ". " + e.Remediation.Text
	}
	return said
}

func notifications(v *view, found []violation) []sarif.Notification {
	var all []sarif.Notification
	add := func(level, format string, args ...any) {
		all = append(all, sarif.Notification{Level: level, Message: message(fmt.Sprintf(format, args...))})
	}
	for _, f := range v.Failures {
		add(sarif.LevelError, "%s: %s", f.Stage, f.Err)
	}
	for _, s := range v.Silent {
		add(sarif.LevelWarning, "no opinion of the %s (%s), %s: %s", s.Judge.Title(), s.Backend, text.Plural(s.Count, "time", "times"), s.Reason)
	}
	for _, f := range found {
		e := f.evidence
		switch where := at(e.Location); {
		case placed(e) || e.Waived != "":
		case where != "":
			add(level(e), "%s: %s (%s)", e.Probe, findingText(e), where)
		default:
			add(level(e), "%s: %s", e.Probe, findingText(e))
		}
	}
	for _, e := range v.Unexamined {
		add(sarif.LevelNote, "%s: %s: %s", e.Probe, outcomeName(e.Outcome), e.Summary)
	}
	for i := range v.Evidence {
		if e := &v.Evidence[i]; e.Truncated && !e.Part {
			add(sarif.LevelNote, "%s: more was found than is reported", e.Probe)
		}
	}
	return all
}

func runProperties(v *view) map[string]any {
	type verdict struct {
		Criterion string        `json:"criterion"`
		Verdict   audit.Verdict `json:"verdict"`
		Score     *int          `json:"score,omitempty"`
	}
	verdicts := make([]verdict, len(v.Results))
	for i, r := range v.Results {
		verdicts[i] = verdict{Criterion: r.Criterion, Verdict: r.Verdict}
		if r.Verdict.Scored() {
			verdicts[i].Score = &v.Results[i].Score
		}
	}
	return map[string]any{
		"subject": v.Subject, "rubric": v.Rubric, "started": v.Started, "seats": v.Seats, "seed": v.Seed, "samples": v.Samples, "usage": v.Usage,
		"overall": v.Overall, "gate": v.Gate, "verdicts": verdicts,
	}
}

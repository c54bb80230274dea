package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Comparison is what changed from one audit to another.
type Comparison struct {
	Before   Side        `json:"before"`
	After    Side        `json:"after"`
	Warnings []string    `json:"warnings"` // why the two are not alike in all but what is audited
	Criteria []Changed   `json:"criteria"` // those that changed, in the order of the later rubric
	New      []Finding   `json:"new_findings"`
	Gone     []Finding   `json:"gone_findings"`
	Kept     int         `json:"kept_findings"` // how many are in both
	Unlooked []Unchecked `json:"unchecked_findings"`
}

// Side is one of the two audits.
type Side struct {
	Subject string          `json:"subject"`
	Commit  string          `json:"commit,omitempty"`
	Started string          `json:"started"` // UTC
	Rubric  audit.RubricRef `json:"rubric"`
	Overall audit.Overall   `json:"overall"`
	Gate    bool            `json:"gate_passed"`
}

// Changed is a criterion whose verdict or score is another one.
type Changed struct {
	Criterion string        `json:"criterion"`
	Name      string        `json:"name"`
	Before    audit.Verdict `json:"verdict_before"` // "" when the criterion is new
	After     audit.Verdict `json:"verdict_after"`  // "" when it is gone
	From      int           `json:"score_before"`   // 0 without a verdict
	To        int           `json:"score_after"`
}

// Finding is evidence against the audited side that is in one audit alone.
type Finding struct {
	Fingerprint string         `json:"fingerprint"` // of probe, path and text: lines and ids may move
	Probe       string         `json:"probe"`
	Location    audit.Location `json:"location"`
	Summary     string         `json:"summary"`
	Severity    audit.Severity `json:"severity,omitempty"`
	Waived      string         `json:"waived,omitempty"`
}

// Unchecked is a finding of the earlier audit whose probe could not look in the
// later one: it is not known to be gone.
type Unchecked struct {
	Finding
	Outcome audit.Outcome `json:"outcome"` // of the probe in the later audit; unknown when the rubric has it no more
}

// Compare says what changed from a, the earlier audit, to b. Findings are the
// same when probe, path and text are, in whatever line. A finding of a probe that
// could not look in b is not called gone.
func Compare(a, b *audit.Record) *Comparison {
	c := &Comparison{Before: side(a), After: side(b), Warnings: warnings(a, b), Criteria: changed(a.Results, b.Results)}
	before, after := findings(a), findings(b)
	c.New = without(after, before)
	c.Kept = len(after) - len(c.New)
	for _, f := range without(before, after) {
		if outcome, looked := lookedAgain(b, f); looked {
			c.Gone = append(c.Gone, f)
		} else {
			c.Unlooked = append(c.Unlooked, Unchecked{f, outcome})
		}
	}
	return c
}

func side(r *audit.Record) Side {
	return Side{Subject: r.Subject.Name, Commit: r.Subject.Commit, Started: utc(r.Started), Rubric: r.Rubric, Overall: r.Overall, Gate: r.Gate.Passed}
}

// warnings names what else differs: other words for the same facts change scores
// too.
func warnings(a, b *audit.Record) []string {
	var all []string
	warn := func(differs bool, format string, args ...any) {
		if differs {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	warn(a.Subject.Name != b.Subject.Name || a.Subject.URL != b.Subject.URL, "two different subjects: %s and %s", subjectText(a), subjectText(b))
	warn(a.Rubric.Digest != b.Rubric.Digest, "the rubric changed: %s and %s", rubricText(a.Rubric), rubricText(b.Rubric))
	for _, judge := range audit.Judges() {
		x, y := seatOf(a, judge), seatOf(b, judge)
		warn(x != y, "another model for the %s: %s and %s", judge.Title(), seatText(x), seatText(y))
	}
	warn(a.Samples != b.Samples, "%d and %d samples", a.Samples, b.Samples)
	warn(a.Seed != b.Seed, "another seed: %d and %d", a.Seed, b.Seed)
	warn(a.Program != b.Program, "another version of sentinel-audit: %s and %s", cmp.Or(a.Program, "unknown"), cmp.Or(b.Program, "unknown"))
	warn(len(a.Failures) > 0, "stages of the earlier audit failed: %s", failedStages(a))
	warn(len(b.Failures) > 0, "stages of the later audit failed: %s", failedStages(b))
	return all
}

func subjectText(r *audit.Record) string {
	return cmp.Or(r.Subject.URL, r.Subject.Local, r.Subject.Name, "none")
}

func rubricText(r audit.RubricRef) string {
	return fmt.Sprintf("%s %s (%s)", r.Name, r.Version, short(r.Digest))
}

func seatOf(r *audit.Record, judge audit.Judge) audit.Seat {
	for _, s := range r.Seats {
		if s.Judge == judge {
			return s
		}
	}
	return audit.Seat{}
}

func seatText(s audit.Seat) string {
	if s == (audit.Seat{}) {
		return "nobody"
	}
	return strings.TrimSpace(s.Backend + " " + s.Model)
}

func failedStages(r *audit.Record) string {
	stages := make([]string, len(r.Failures))
	for i, f := range r.Failures {
		stages[i] = f.Stage
	}
	return strings.Join(stages, ", ")
}

func changed(a, b []audit.Result) []Changed {
	var all []Changed
	find := func(results []audit.Result, id string) *audit.Result {
		i := slices.IndexFunc(results, func(r audit.Result) bool { return r.Criterion == id })
		if i < 0 {
			return &audit.Result{}
		}
		return &results[i]
	}
	for i := range b {
		old := find(a, b[i].Criterion)
		if old.Verdict != b[i].Verdict || old.Score != b[i].Score {
			all = append(all, Changed{b[i].Criterion, b[i].Name, old.Verdict, b[i].Verdict, old.Score, b[i].Score})
		}
	}
	for i := range a {
		if find(b, a[i].Criterion).Criterion == "" {
			all = append(all, Changed{Criterion: a[i].Criterion, Name: a[i].Name, Before: a[i].Verdict, From: a[i].Score})
		}
	}
	return all
}

func findings(r *audit.Record) []Finding {
	prints := newPrints()
	found := violations(r)
	all := make([]Finding, len(found))
	for i, e := range found {
		all[i] = Finding{prints.of(e), e.Probe, e.Location, summaryOf(e), e.Severity, e.Waived}
	}
	return all
}

// without returns the findings that are not among others.
func without(findings, others []Finding) []Finding {
	known := make(map[string]bool, len(others))
	for _, f := range others {
		known[f.Fingerprint] = true
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return known[f.Fingerprint] })
}

// lookedAgain reports whether the finding's probe looked in a later audit: then
// what it did not find is gone.
func lookedAgain(r *audit.Record, f Finding) (outcome audit.Outcome, looked bool) {
	for i := range r.Evidence {
		if e := &r.Evidence[i]; e.Probe == f.Probe && !e.Part {
			return e.Outcome, e.Outcome.Fact()
		}
	}
	// A probe that is not of the rubric gives evidence of what it finds alone.
	return audit.Unknown, strings.HasPrefix(f.Probe, "integrity.")
}

// Same reports whether nothing changed: no criterion, and no finding.
func (c *Comparison) Same() bool { return len(c.Criteria)+len(c.New)+len(c.Gone)+len(c.Unlooked) == 0 }

// JSON writes the comparison as one indented object. Characters that a terminal
// would obey are \u escapes. The error is w's.
func (c *Comparison) JSON(w io.Writer) error {
	whole := *c
	whole.Warnings = orEmpty(c.Warnings)
	whole.Criteria = orEmpty(c.Criteria)
	whole.New, whole.Gone, whole.Unlooked = orEmpty(c.New), orEmpty(c.Gone), orEmpty(c.Unlooked)
	return writeJSON(w, whole)
}

// Text writes the comparison for a terminal. The error is w's.
func (c *Comparison) Text(w io.Writer, t Terminal) error {
	p := &printer{Terminal: t}
	p.line("head", fmt.Sprintf("%s at %s (%s)", c.Before.Subject, cmp.Or(short(c.Before.Commit), "no commit"), c.Before.Started))
	p.line("head", fmt.Sprintf("%s at %s (%s)", c.After.Subject, cmp.Or(short(c.After.Commit), "no commit"), c.After.Started))
	for _, warning := range c.Warnings {
		p.wrapped("partial", "Warning: "+warning)
	}
	p.out.WriteString("\n")
	p.wrapped("", fmt.Sprintf("Overall: %s -> %s", overallText(c.Before.Overall), overallText(c.After.Overall)))
	for _, ch := range c.Criteria {
		p.wrapped(changeTone(ch), fmt.Sprintf("%s: %s -> %s", cmp.Or(ch.Name, ch.Criterion), verdictAt(ch.Before, ch.From, "new"), verdictAt(ch.After, ch.To, "gone")))
	}
	p.findings("New findings", "+", "fail", c.New)
	p.findings("Gone findings", "-", "pass", c.Gone)
	unchecked := make([]Finding, len(c.Unlooked))
	for i, u := range c.Unlooked {
		unchecked[i] = u.Finding
	}
	p.findings("Not looked for again", "?", "partial", unchecked)
	p.out.WriteString("\n")
	if c.Same() {
		p.wrapped("", "Nothing changed.")
	}
	p.wrapped("", text.Plural(c.Kept, "finding is", "findings are")+" in both.")
	_, err := w.Write(p.out.Bytes())
	return err
}

func (p *printer) findings(title, mark, tone string, list []Finding) {
	if len(list) == 0 {
		return
	}
	p.out.WriteString("\n")
	p.line("head", fmt.Sprintf("%s: %d", title, len(list)))
	for _, f := range list {
		text := mark + " " + text.OneLine(f.Probe)
		if f.Severity != "" {
			text += " [" + string(f.Severity) + "]"
		}
		if f.Waived != "" {
			text += " [waived: " + f.Waived + "]"
		}
		if where := place(f.Location); where != "" {
			text += " " + where
		}
		p.wrapped(tone, text+": "+f.Summary)
	}
}

func overallText(o audit.Overall) string {
	if o.Counted == 0 {
		return "no verdict"
	}
	return fmt.Sprintf("%s %s of 5", verdictName(o.Verdict), number(o.Score))
}

// verdictAt is a verdict with its score; none is what to call a criterion that
// one of the audits does not have.
func verdictAt(v audit.Verdict, n int, none string) string {
	if v == "" {
		return none
	}
	return strings.TrimSpace(verdictName(v) + " " + scored(n))
}

func changeTone(c Changed) string {
	switch {
	case c.From == 0 || c.To == 0:
		return ""
	case c.To > c.From:
		return "pass"
	case c.To < c.From:
		return "fail"
	}
	return "partial"
}

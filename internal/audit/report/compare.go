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
	Facts    []Turned    `json:"facts"`    // probes of both with another outcome, in the order of the later audit
	New      []Finding   `json:"new_findings"`
	Gone     []Finding   `json:"gone_findings"`
	Altered  []Altered   `json:"altered_findings"`
	Kept     int         `json:"kept_findings"` // how many are in both
	Unlooked []Unchecked `json:"unchecked_findings"`

	// GateWorse says why the gate got worse: demands that are not met any more, and what
	// was added to a gate that was not passed before either.
	GateWorse []string `json:"gate_worse"`
	// GateLost are demands that can no longer be examined.
	GateLost []string `json:"gate_lost"`
}

// Side is one of the two audits.
type Side struct {
	Subject string          `json:"subject"`
	Commit  string          `json:"commit,omitempty"`
	Started string          `json:"started"` // UTC
	Rubric  audit.RubricRef `json:"rubric"`
	Overall audit.Overall   `json:"overall"`
	Scale   audit.Scale     `json:"scale,omitempty"` // of the total; nil: from 1 to 5
	Gate    bool            `json:"gate_passed"`
	State   string          `json:"gate"` // see audit.Gate.State
}

// Changed is a criterion whose verdict or score is another one.
type Changed struct {
	Criterion string        `json:"criterion"`
	Name      string        `json:"name"`
	Before    audit.Verdict `json:"verdict_before"` // "" when the criterion is new
	After     audit.Verdict `json:"verdict_after"`  // "" when it is gone
	From      int           `json:"score_before"`   // 0 without a verdict
	To        int           `json:"score_after"`
	ScaleFrom audit.Scale   `json:"scale_before,omitempty"` // nil: from 1 to 5
	ScaleTo   audit.Scale   `json:"scale_after,omitempty"`
}

// Finding is evidence against the audited side that is in one audit alone.
type Finding struct {
	Fingerprint string         `json:"fingerprint"` // of probe, path and text: lines and ids may move
	Probe       string         `json:"probe"`
	Location    audit.Location `json:"location"`
	Summary     string         `json:"summary"`
	Category    audit.Category `json:"category,omitempty"`
	Severity    audit.Severity `json:"severity,omitempty"`
	Waived      string         `json:"waived,omitempty"`

	security bool // it is a security finding of code, which gates count
}

// Turned is a probe with another outcome.
type Turned struct {
	Probe  string        `json:"probe"`
	Kind   audit.Kind    `json:"kind"`
	Before audit.Outcome `json:"outcome_before"`
	After  audit.Outcome `json:"outcome_after"`
	Now    string        `json:"summary"` // of the later audit
	Waived string        `json:"waived,omitempty"`
}

// Altered is a finding of both audits that got another severity, or was waived in one.
type Altered struct {
	Finding
	SeverityBefore audit.Severity `json:"severity_before,omitempty"`
	WaivedBefore   string         `json:"waived_before,omitempty"`
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
	c := &Comparison{Before: side(a), After: side(b), Warnings: warnings(a, b), Criteria: changed(a, b)}
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
	c.Facts, c.Altered = turned(a, b), altered(before, after)
	c.GateWorse, c.GateLost = c.gate(a, b)
	return c
}

func turned(a, b *audit.Record) []Turned {
	type whole struct { // the court's own probes look at repository and documents
		source audit.Source
		probe  string
	}
	before := map[whole]*audit.Evidence{}
	for i := range a.Evidence {
		if e := &a.Evidence[i]; !e.Part {
			before[whole{e.Source, e.Probe}] = e
		}
	}
	var all []Turned
	for i := range b.Evidence {
		e := &b.Evidence[i]
		if old := before[whole{e.Source, e.Probe}]; !e.Part && old != nil && old.Outcome != e.Outcome {
			all = append(all, Turned{e.Probe, e.Kind, old.Outcome, e.Outcome, summaryOf(e), e.Waived})
		}
	}
	return all
}

func altered(before, after []Finding) []Altered {
	old := map[string]Finding{}
	for _, f := range before {
		old[f.Fingerprint] = f
	}
	var all []Altered
	for _, f := range after {
		if o, both := old[f.Fingerprint]; both && (o.Severity != f.Severity || (o.Waived == "") != (f.Waived == "")) {
			all = append(all, Altered{f, o.Severity, o.Waived})
		}
	}
	return all
}

// gate says why the gate got worse, and which demands can no longer be examined. A gate
// that was not passed before gets worse by each security finding and each fact that no
// longer holds: what it demands may be counted more than once.
func (c *Comparison) gate(a, b *audit.Record) (worse, lost []string) {
	worse = beyond(b.Gate.Reasons, a.Gate.Reasons)
	if len(b.Gate.Reasons) > 0 {
		for _, f := range c.New {
			if f.security {
				worse = append(worse, fmt.Sprintf("a new security finding, and the gate is not passed: %s %s", f.Probe, place(f.Location)))
			}
		}
		for _, f := range c.Altered {
			if f.security && f.WaivedBefore != "" {
				worse = append(worse, fmt.Sprintf("a security finding is no longer waived, and the gate is not passed: %s %s", f.Probe, place(f.Location)))
			}
		}
		for _, f := range c.Facts {
			if f.Kind == audit.KindFact && f.After == audit.False && f.Waived == "" {
				worse = append(worse, "a fact holds no longer, and the gate is not passed: "+f.Probe)
			}
		}
	}
	return worse, beyond(b.Gate.NotExamined, a.Gate.NotExamined)
}

// beyond returns the texts that are not among others.
func beyond(texts, others []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return slices.Contains(others, s) })
}

func side(r *audit.Record) Side {
	return Side{Subject: r.Subject.Name, Commit: r.Subject.Commit, Started: utc(r.Started), Rubric: r.Rubric, Overall: r.Overall, Scale: r.Rules.Scale, Gate: r.Gate.Passed, State: r.Gate.State()}
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

func changed(before, after *audit.Record) []Changed {
	a, b := before.Results, after.Results
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
		c := Changed{b[i].Criterion, b[i].Name, old.Verdict, b[i].Verdict, old.Score, b[i].Score, scaleOf(before, old.Criterion), scaleOf(after, b[i].Criterion)}
		if c.Before != c.After || c.From != c.To || c.Before.Scored() && c.ScaleTo.From(float64(c.From), c.ScaleFrom) != float64(c.To) {
			all = append(all, c)
		}
	}
	for i := range a {
		if find(b, a[i].Criterion).Criterion == "" {
			all = append(all, Changed{Criterion: a[i].Criterion, Name: a[i].Name, Before: a[i].Verdict, From: a[i].Score, ScaleFrom: scaleOf(before, a[i].Criterion)})
		}
	}
	return all
}

func findings(r *audit.Record) []Finding {
	prints := newPrints()
	found := violations(r)
	all := make([]Finding, len(found))
	for i, e := range found {
		all[i] = Finding{prints.of(e), e.Probe, e.Location, summaryOf(e), e.Finding(), e.Severity, e.Waived, e.Security()}
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

// Same reports whether nothing changed: no criterion, no fact, no finding, and the gate as it was.
func (c *Comparison) Same() bool {
	return len(c.Criteria)+len(c.Facts)+len(c.New)+len(c.Gone)+len(c.Altered)+len(c.Unlooked) == 0 && c.Before.State == c.After.State
}

// JSON writes the comparison as one indented object. Characters that a terminal
// would obey are \u escapes. The error is w's.
func (c *Comparison) JSON(w io.Writer) error {
	whole := *c
	whole.Warnings = orEmpty(c.Warnings)
	whole.Criteria = orEmpty(c.Criteria)
	whole.Facts, whole.New, whole.Gone = orEmpty(c.Facts), orEmpty(c.New), orEmpty(c.Gone)
	whole.Altered, whole.Unlooked = orEmpty(c.Altered), orEmpty(c.Unlooked)
	whole.GateWorse, whole.GateLost = orEmpty(c.GateWorse), orEmpty(c.GateLost)
	return writeJSON(w, whole)
}

// SARIF is [SARIF] of the later audit with its new findings alone. The error is w's.
func (c *Comparison) SARIF(w io.Writer, after *audit.Record) error {
	return writeSARIF(w, after, func(print string) bool {
		return slices.ContainsFunc(c.New, func(f Finding) bool { return f.Fingerprint == print })
	})
}

// Text writes the comparison for a terminal. The error is w's.
func (c *Comparison) Text(w io.Writer, t Terminal) error {
	p := &printer{Terminal: t}
	p.heading(fmt.Sprintf("%s at %s (%s)", c.Before.Subject, cmp.Or(short(c.Before.Commit), "no commit"), c.Before.Started))
	p.heading(fmt.Sprintf("%s at %s (%s)", c.After.Subject, cmp.Or(short(c.After.Commit), "no commit"), c.After.Started))
	for _, warning := range c.Warnings {
		p.wrapped("partial", "Warning: "+warning)
	}
	p.out.WriteString("\n")
	p.gate(c)
	if c.Before.Overall.Counted+c.After.Overall.Counted > 0 {
		p.wrapped("", fmt.Sprintf("Overall: %s -> %s", overallText(c.Before), overallText(c.After)))
	}
	for _, ch := range c.Criteria {
		p.wrapped(changeTone(ch), fmt.Sprintf("%s: %s -> %s", cmp.Or(ch.Name, ch.Criterion), verdictAt(ch.Before, ch.From, ch.ScaleFrom, "new"), verdictAt(ch.After, ch.To, ch.ScaleTo, "gone")))
	}
	p.turned(c.Facts)
	p.findings("New findings", "+", "fail", c.New)
	p.findings("Gone findings", "-", "pass", c.Gone)
	p.findings("Findings with another severity or waiver", "~", "partial", now(c.Altered))
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

func (p *printer) gate(c *Comparison) {
	state := c.After.State + ", as before"
	if c.Before.State != c.After.State {
		state = c.Before.State + " -> " + c.After.State
	}
	p.wrapped("", "Gate: "+state)
	for _, why := range c.GateWorse {
		p.wrapped("fail", "The gate got worse: "+why)
	}
	for _, why := range c.GateLost {
		p.wrapped("partial", "The gate can no longer examine: "+why)
	}
}

func (p *printer) turned(facts []Turned) {
	if len(facts) == 0 {
		return
	}
	p.out.WriteString("\n")
	p.heading(fmt.Sprintf("Facts that changed: %d", len(facts)))
	for _, f := range facts {
		p.wrapped("partial", fmt.Sprintf("~ %s: %s -> %s: %s", text.OneLine(f.Probe), outcomeName(f.Before), outcomeName(f.After), f.Now))
	}
}

// now is altered findings as they are in the later audit.
func now(altered []Altered) []Finding {
	all := make([]Finding, len(altered))
	for i, f := range altered {
		all[i] = f.Finding
	}
	return all
}

func (p *printer) findings(title, mark, tone string, list []Finding) {
	if len(list) == 0 {
		return
	}
	p.out.WriteString("\n")
	p.heading(fmt.Sprintf("%s: %d", title, len(list)))
	for _, f := range list {
		text := mark + " " + text.OneLine(f.Probe)
		if f.Category != "" && f.Category != audit.CategorySecurity {
			text += " [" + string(f.Category) + "]"
		}
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

func overallText(s Side) string {
	o := s.Overall
	if o.Counted == 0 {
		return "no verdict"
	}
	return fmt.Sprintf("%s %s of %d", verdictName(o.Verdict), audit.Decimals(o.Score), s.Scale.High())
}

// verdictAt is a verdict with its score; none is what to call a criterion that
// one of the audits does not have.
func verdictAt(v audit.Verdict, n int, s audit.Scale, none string) string {
	if v == "" {
		return none
	}
	return strings.TrimSpace(verdictName(v) + " " + scored(v, n, s))
}

func changeTone(c Changed) string {
	switch from, to := c.ScaleTo.From(float64(c.From), c.ScaleFrom), float64(c.To); {
	case !c.Before.Scored() || !c.After.Scored():
		return ""
	case to > from:
		return "pass"
	case to < from:
		return "fail"
	}
	return "partial"
}

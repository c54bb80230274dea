package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Markdown writes the report for people: summary, every criterion, what to do,
// findings, and what could not be examined. It is CommonMark with tables. The
// error is w's.
func Markdown(w io.Writer, r *audit.Record) error {
	m := &markdown{view: newView(r)}
	m.head()
	m.summary()
	m.about()
	m.breakdown()
	m.plan()
	m.security()
	m.waivers()
	m.attempts()
	m.unexamined()
	m.evidence()
	_, err := w.Write(m.out.Bytes())
	return err
}

type markdown struct {
	*view
	out bytes.Buffer
}

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(&m.out, format, args...) }

// row writes one row of a table; its cells are Markdown already.
func (m *markdown) row(cells ...string) { m.printf("| %s |\n", strings.Join(cells, " | ")) }

// table begins a table.
func (m *markdown) table(heads ...string) {
	m.row(heads...)
	m.printf("|%s\n", strings.Repeat(" --- |", len(heads)))
}

func (m *markdown) head() {
	m.printf("# Audit of %s\n\n%s\n\n", inline(cmp.Or(m.Subject.Name, "nothing")), inline(byline(m.Record)))
}

// about is what is needed to repeat the audit.
func (m *markdown) about() {
	m.printf("### This audit\n\n")
	m.table("What", "Value")
	for _, f := range aboutAudit(m.Record) {
		values := make([]string, len(f.Values))
		for i, v := range f.Values {
			values[i] = v.markdown()
		}
		m.row(f.Name, strings.Join(values, "; "))
	}
	m.printf("\n")
}

func (m *markdown) summary() {
	m.printf("## Executive Summary\n\n**%s**", inline(headline(m.Record)))
	if counts := countsText(m.Record); counts != "" {
		m.printf(" %s.", inline(counts))
	}
	m.printf("\n\n")
	if hasGate(m.Record) {
		m.printf("Gate: %s\n\n", inline(gateText(m.Gate)))
	}
	for _, line := range notices(m.view) {
		m.printf("- %s\n", inline(line))
	}
	m.printf("\n")
	m.first()
	if len(m.Results) > 0 {
		m.verdicts()
	}
	if m.Overall.Counted == 0 {
		m.facts()
	}
	if m.Narrative != "" {
		m.printf("### Synthesis narrative\n\n%s\n\n", inline(m.Narrative))
	}
	if len(m.Silent) > 0 {
		m.printf("### Missing opinions\n\n")
		for _, s := range m.Silent {
			m.printf("- %s (%s), %s: %s\n", inline(s.Judge.Title()), code(s.Backend), text.Plural(s.Count, "opinion", "opinions"), inline(s.Reason))
		}
		m.printf("\n")
	}
}

// first is what to do first.
func (m *markdown) first() {
	if len(m.First) == 0 {
		return
	}
	m.printf("### What to do first\n\n")
	for i, item := range m.First {
		m.printf("%d. ", i+1)
		if where := placeOnce(item.Advice); where != "" {
			m.printf("%s: ", code(where))
		}
		m.printf("%s", prose(adviceText(item.Advice)))
		if about := itemText(item); about != "" {
			m.printf(" *(%s)*", inline(about))
		}
		m.printf("\n")
	}
	m.printf("\nEverything there is to do stands under *Remediation Plan*.\n\n")
}

// facts is the state of the facts by criterion, for a reader who has no scores.
func (m *markdown) facts() {
	if len(m.Criteria) == 0 {
		return
	}
	m.printf("### Facts\n\n")
	m.table("Criterion", "Hold", "Do not hold", "Not examined", "Observed")
	for i := range m.Criteria {
		c := &m.Criteria[i]
		t := c.Facts()
		m.row(inline(c.Name), strconv.Itoa(t.Hold), strconv.Itoa(t.Fail), strconv.Itoa(t.Unknown), strconv.Itoa(t.Observed))
	}
	m.printf("\n")
}

func (m *markdown) verdicts() {
	m.printf("### Verdicts\n\n")
	m.table("Criterion", "Verdict", "Score", "Weight", "Spread", "Agreement")
	for _, c := range m.Criteria {
		m.row(inline(c.Name), inline(verdictName(c.Verdict)), c.Mark(), number(c.Weight), c.SpreadText(), c.AgreementText())
	}
	m.printf("\n")
}

func (m *markdown) breakdown() {
	m.printf("## Criterion Breakdown\n\n")
	if len(m.Criteria) == 0 {
		m.printf("There is no criterion with evidence.\n\n")
	}
	for i := range m.Criteria {
		m.criterion(i+1, &m.Criteria[i])
	}
}

func (m *markdown) criterion(n int, c *criterion) {
	m.printf("### %d. %s: %s\n\n", n, inline(cmp.Or(c.Name, c.Criterion)), inline(strings.TrimSpace(verdictName(c.Verdict)+" "+scored(c.Verdict, c.Score, c.Scale))))
	m.printf("Criterion %s.", code(c.Criterion))
	if c.Summary != "" {
		m.printf(" %s", inline(c.Summary))
	}
	m.printf("\n\n")
	if c.Waived != "" {
		m.printf("Waived: %s\n\n", inline(c.Waived))
	}
	m.opinions(c)
	if c.Dissent != "" {
		m.printf("**Dissent.** %s\n\n", inline(c.Dissent))
	}
	m.votes(c)
	m.trace(c)
	m.found(c)
}

func (m *markdown) opinions(c *criterion) {
	for i := range c.Opinions {
		o := &c.Opinions[i]
		m.printf("- **%s** %s (%s)", inline(o.Judge.Title()), c.OpinionScore(*o), opinionBy(m.Record, o, code))
		if !c.Valid(*o) {
			m.printf(": no opinion. %s\n", inline(c.Silence(*o)))
			continue
		}
		m.printf(": %s", inline(o.Argument))
		m.citations(o)
		m.printf("\n")
	}
	if len(c.Opinions) > 0 {
		m.printf("\n")
	}
}

func (m *markdown) citations(o *audit.Opinion) {
	m.printf(" *Cited: %s.*", cmp.Or(codes(o.Cited), "nothing"))
	if len(o.Invalid) > 0 {
		m.printf(" *Removed, because no such evidence belongs to the criterion: %s.*", codes(o.Invalid))
	}
}

func codes(ids []string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = code(id)
	}
	return strings.Join(all, ", ")
}

// votes is what each opinion counts as in the mean.
func (m *markdown) votes(c *criterion) {
	if len(c.Votes) == 0 {
		return
	}
	m.printf("What the opinions count as:\n\n")
	m.table("Judge", "Gave", "Counts as", "Weight", "Why")
	for _, v := range c.Votes {
		m.row(inline(v.Judge.Title()), c.Of(v.Score), number(v.Counts), number(v.Weight), inline(v.Why))
	}
	m.printf("\n")
}

func (m *markdown) trace(c *criterion) {
	if len(c.Trace) == 0 {
		return
	}
	m.printf("Rules that fired:\n\n")
	m.table("Rule", "Before", "After", "Why")
	for _, s := range c.Trace {
		m.row(code(s.Rule), number(s.Before), number(s.After), inline(s.Why))
	}
	m.printf("\n")
}

func (m *markdown) found(c *criterion) {
	if len(c.Found) == 0 {
		m.printf("No evidence belongs to it.\n\n")
		return
	}
	m.printf("Evidence:\n\n")
	m.table("Id", "Looked for", "Expected", "Outcome", "Found", "Where", "Kind")
	for _, e := range c.Found {
		expected := m.probe(e).Expected
		if expected == "" || e.Part {
			expected = "–"
		}
		m.row(code(e.ID), m.sought(e), inline(expected), outcomeName(e.Outcome), inline(evidenceText(e)), code(at(e.Location)), inline(kindName(e.Kind)))
	}
	m.printf("\n")
}

// sought is the probe, and of a whole one what it looked for.
func (m *markdown) sought(e *audit.Evidence) string {
	if p := m.probe(e); p.Looked != "" && !e.Part {
		return inline(p.Looked) + " (" + code(e.Probe) + ")"
	}
	return code(e.Probe)
}

func (m *markdown) plan() {
	m.printf("## Remediation Plan\n\n")
	if len(m.view.Plan) == 0 {
		m.printf("Nothing is advised.\n\n")
	}
	for _, file := range m.view.Plan {
		if file.Path == "" {
			m.printf("### The whole\n\n")
		} else {
			m.printf("### %s\n\n", code(file.Path))
		}
		for _, item := range file.Items {
			m.printf("- %s%s", linesOf(item.Location), prose(adviceText(item.Advice)))
			if about := itemText(item); about != "" {
				m.printf(" *(%s)*", inline(about))
			}
			m.printf("\n")
		}
		m.printf("\n")
	}
}

func (m *markdown) security() {
	m.printf("## Security Findings\n\n")
	if len(m.view.Security) == 0 {
		m.printf("None.\n\n")
		return
	}
	m.table("Severity", "State", "Id", "Looked for", "Where", "Found")
	for _, e := range m.view.Security {
		m.row(inline(string(e.Severity)), inline(findingState(e)), code(e.ID), cmp.Or(inline(m.probe(e).Looked), code(e.Probe)), code(at(e.Location)), inline(summaryOf(e)))
	}
	m.printf("\n")
}

func (m *markdown) waivers() {
	if len(m.Waivers) == 0 {
		return
	}
	m.printf("## Waivers\n\n")
	m.table("What", "Reason", "State")
	for _, w := range m.Waivers {
		m.row(code(waived(w)), inline(w.Reason), inline(waiverState(w)))
	}
	m.printf("\n")
}

func (m *markdown) attempts() {
	m.printf("## Attempts to Influence the Court\n\n")
	if len(m.view.Attempts) == 0 {
		m.printf("None was found.\n\n")
		return
	}
	m.printf("What stands there was withheld from the judges. It is quoted under its id below, for people to see: it is no instruction to anybody.\n\n")
	m.table("Id", "Probe", "Where", "What")
	for _, e := range m.view.Attempts {
		m.row(code(e.ID), code(e.Probe), code(at(e.Location)), inline(summaryOf(e)))
	}
	m.printf("\n")
}

func (m *markdown) unexamined() {
	m.printf("## Not Examined\n\n")
	if len(m.Failures)+len(m.Unexamined)+len(m.Elsewhere) == 0 {
		m.printf("Everything that was looked for could be examined.\n\n")
		return
	}
	m.printf("None of this counts against the audited side.\n\n")
	for _, f := range m.Failures {
		m.printf("- The stage %s failed: %s\n", code(f.Stage), inline(f.Err))
	}
	if len(m.Failures) > 0 {
		m.printf("\n")
	}
	if all := m.Missing(); len(all) > 0 {
		m.table("Outcome", "Id", "Looked for", "Where", "Why")
		for _, e := range all {
			m.row(outcomeName(e.Outcome), code(e.ID), m.sought(e), code(at(e.Location)), inline(summaryOf(e)))
		}
		m.printf("\n")
	}
}

// evidence quotes what was found.
func (m *markdown) evidence() {
	m.printf("## Evidence\n\n")
	quoted := false
	for i := range m.Record.Evidence {
		e := &m.Record.Evidence[i]
		if e.Snippet == "" {
			continue
		}
		quoted = true
		m.printf("%s, %s, %s", code(e.ID), inline(quoteOf(e)), code(cmp.Or(at(e.Location), e.Probe)))
		m.printf(":\n\n%s\n", codeBlock(e.Snippet))
	}
	if !quoted {
		m.printf("No evidence has a quotation.\n")
	}
}

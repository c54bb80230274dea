package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/text"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// page is a view with what the templates of HTML and Markdown say of it.
type page struct {
	*view
	name        func(string) string // writes a hostile name
	Style       template.CSS
	Policy      string
	AllEvidence []*audit.Evidence
	anchors     map[string]string
}

// HTML writes the report as one page for people: light and dark by the reader's
// own choice, and fit for paper. It has no script; its policy lets nothing run
// and nothing be loaded. The error is w's.
func HTML(w io.Writer, r *audit.Record) error {
	p := newPage(r, text.OneLine)
	p.Style, p.Policy = template.CSS(pageCSS), policy()
	return parsedPage().Execute(w, p)
}

func newPage(r *audit.Record, name func(string) string) *page {
	p := &page{view: newView(r), name: name, anchors: map[string]string{}}
	for i := range r.Evidence {
		p.AllEvidence = append(p.AllEvidence, &r.Evidence[i])
		p.anchors[r.Evidence[i].ID] = fmt.Sprintf("e%d", i)
	}
	return p
}

func policy() string {
	return "default-src 'none'; style-src '" + digest.CSP(pageCSS) + "'; base-uri 'none'; form-action 'none'"
}

// parsedPage is parsed when a page is written first; the template is ours, and
// tests write it.
var parsedPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(phrases()).Funcs(template.FuncMap{
		"line": text.OneLine, "name": text.Name, "snippet": snippet,
		"judge":    func(j audit.Judge) string { return text.OneLine(j.Title()) },
		"advice":   func(a audit.Advice) []phrase { return spans(adviceText(a)) },
		"gateTone": gateTone, "tone": tone, "outcomeTone": outcomeTone, "severityTone": severityTone,
	}).Parse(pageHTML))
})

// phrases are the functions of both templates; what they return may be hostile.
func phrases() template.FuncMap {
	return template.FuncMap{
		"at": at, "placeOnce": placeOnce, "number": audit.Decimals, "verdict": verdictName, "outcome": outcomeName, "kind": kindName,
		"what": evidenceText, "summary": summaryOf, "state": findingState, "waived": waived, "waiverState": waiverState, "quoteOf": quoteOf,
		"lines": linesOf, "about": itemText,
	}
}

// By says who spoke for a judge.
func (p *page) By(o audit.Opinion) string { return opinionBy(p.Record, &o, p.name) }

// evidenceLink leads to a piece of evidence on the page; Anchor is "" without evidence of
// that id.
type evidenceLink struct{ ID, Anchor string }

// Link leads to the evidence of an id.
func (p *page) Link(id string) evidenceLink { return evidenceLink{id, p.anchors[id]} }

// row is a piece of evidence in a table.
type row struct {
	*audit.Evidence
	Link   evidenceLink
	Sought audit.Probe // of a whole probe
}

// Rows are pieces of evidence with their links.
func (p *page) Rows(found []*audit.Evidence) []row {
	rows := make([]row, len(found))
	for i, e := range found {
		rows[i] = row{Evidence: e, Link: p.Link(e.ID)}
		if !e.Part {
			rows[i].Sought = p.Sought(e)
		}
	}
	return rows
}

// Looked is what the probe of evidence looked for, or its id.
func (p *page) Looked(e *audit.Evidence) string {
	return text.OneLine(cmp.Or(p.Sought(e).Looked, e.Probe))
}

// Byline says what was audited, with which rubric, and when.
func (p *page) Byline() string { return text.OneLine(byline(p.Record)) }

// Headline is the outcome in one sentence.
func (p *page) Headline() string { return text.OneLine(headline(p.Record)) }

// Counts counts the verdicts.
func (p *page) Counts() string { return countsText(p.Record) }

// Judged reports whether anything was held against the gate.
func (p *page) Judged() bool { return hasGate(p.Record) }

// GateText is the gate in one sentence.
func (p *page) GateText() string { return gateText(p.Gate) }

// Notices is what to know in addition to the verdict.
func (p *page) Notices() []string { return notices(p.view) }

// About is what everybody has to know to repeat the audit.
func (p *page) About() []fact { return aboutAudit(p.Record) }

// Gaps reports whether anything was not examined.
func (p *page) Gaps() bool { return len(p.Failures)+len(p.Missing()) > 0 }

// The tones of colour: pass, partial and fail; "" means no verdict. Colour never says what
// words do not.

func tone(v audit.Verdict) string {
	switch v {
	case audit.Pass:
		return "pass"
	case audit.Partial:
		return "partial"
	case audit.Fail:
		return "fail"
	}
	return ""
}

// OpinionTone is pass above the middle of the scale, and fail below it.
func (c criterion) OpinionTone(o audit.Opinion) string {
	switch middle := c.Scale.At(0.5); {
	case !c.Valid(o):
		return ""
	case float64(o.Score) > middle:
		return "pass"
	case float64(o.Score) < middle:
		return "fail"
	}
	return "partial"
}

func outcomeTone(e *audit.Evidence) string {
	switch {
	case e.Waived != "", e.Outcome == audit.NotApplicable:
		return ""
	case e.Outcome == audit.False:
		return "fail"
	case e.Outcome == audit.True:
		return "pass"
	}
	return "partial"
}

func severityTone(s audit.Severity) string {
	if s.Rank() >= audit.SeverityHigh.Rank() {
		return "fail"
	}
	return "partial"
}

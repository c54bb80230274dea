package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Limits of evidence.
const (
	maxSnippet = 400 // bytes
	maxParts   = 50  // places of one probe
)

// evidenceOf makes evidence of a probe; the caller adds place and outcome.
func evidenceOf(p *rubric.Probe, rb *rubric.Rubric) func(summary string) audit.Evidence {
	criteria := rb.Criteria(p.ID)
	return func(summary string) audit.Evidence {
		return audit.Evidence{Source: audit.SourceDocs, Probe: p.ID, Criteria: criteria, Kind: audit.KindFact,
			Outcome: audit.True, Summary: summary, Confidence: 1}
	}
}

// judge compares the figures of the whole with the rubric's expectation.
func judge(e *audit.Evidence, p *rubric.Probe) {
	holds, why, missing := p.Expect.Check(e.Values)
	switch {
	case len(missing) > 0:
		e.Outcome = audit.NotAvailable
		e.Summary += "; there is no figure " + strings.Join(missing, ", ")
	case !holds:
		e.Outcome = audit.False
		e.Summary += "; " + why
	}
}

// readableOnly are the documents that could be read. Without evidence, gap says why.
func readableOnly(docs []*Document, p *rubric.Probe, rb *rubric.Rubric) (readable []*Document, gap *audit.Evidence) {
	e := evidenceOf(p, rb)("there is no document")
	e.Outcome = audit.NotApplicable
	for _, d := range docs {
		if d.Unreadable == nil {
			readable = append(readable, d)
			continue
		}
		if e.Outcome != audit.Error {
			e.Outcome = d.Unreadable.Outcome
			e.Summary = "nothing can be said: " + text.OneLine(d.Unreadable.Error())
			e.Location.Path = d.Name
		}
	}
	if len(readable) == 0 {
		return nil, &e
	}
	return readable, nil
}

// noteUnread says in the evidence of the whole that some documents are not, or
// not wholly, in it.
func noteUnread(e *audit.Evidence, docs []*Document) bool {
	n := 0
	for _, d := range docs {
		if d.Unreadable != nil || d.Cut {
			n++
		}
	}
	if n > 0 {
		e.Truncated = true
		e.Summary += fmt.Sprintf("; %d of %d documents could not be read to the end", n, len(docs))
	}
	return n > 0
}

// withParts adds the places to the evidence of the whole, as many as there may
// be.
func withParts(whole audit.Evidence, places []audit.Evidence) []audit.Evidence {
	if len(places) > maxParts {
		whole.Truncated = true
		places = places[:maxParts]
	}
	all := append(make([]audit.Evidence, 0, 1+len(places)), whole)
	for _, e := range places {
		e.Part = true
		all = append(all, e)
	}
	return all
}

// finish adds the remediation of a rubric's probe. Of a probe with a severity, it
// turns the violating places into security findings; without places, the whole.
func finish(all []audit.Evidence, p *rubric.Probe) []audit.Evidence {
	for i := range all {
		e := &all[i]
		e.Remediation = p.Remediation.At(cmp.Or(text.OneLine(e.Location.Path), "the document"), e.Location.First)
		if p.Severity != "" && e.Outcome == audit.False && (e.Part || len(all) == 1) {
			e.Severity, e.Confirmed = p.Severity, true
		}
	}
	return all
}

// place returns the place of a block.
func place(d *Document, b *Block) audit.Location {
	return audit.Location{Path: d.Name, Page: b.Page, First: b.First, Last: b.Last}
}

// quote sets the snippet. Judges do not see prompt injection.
func quote(e *audit.Evidence, text string) {
	e.Snippet = excerpt(text)
	e.Withheld = e.Withheld || injection.Has(text) || injection.Has(e.Location.Path)
}

// excerpt returns the beginning of a text, at most 400 bytes.
func excerpt(quoted string) string { return text.ClipBytes(quoted, maxSnippet) }

package document

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/text"
)

// These probes are in no rubric. Judges do not see their evidence.
const (
	probeInjection = "integrity.prompt_injection"
	probeHidden    = "integrity.hidden_text"
)

// integrityEvidence lists prompt injection in documents, visible or hidden, and
// other hidden text.
func integrityEvidence(docs []*Document) []audit.Evidence {
	var injections, hidden []audit.Evidence
	pages := 0
	for _, d := range docs {
		pages += len(d.Pages)
		for i := range d.Blocks {
			if e, ok := attempt(place(d, &d.Blocks[i]), d.Blocks[i].Text, ""); ok {
				injections = append(injections, e)
			}
		}
		for i := range d.Pages {
			for _, h := range d.Pages[i].Hidden {
				at := audit.Location{Path: d.Name, Page: d.Pages[i].Number, First: h.Line, Last: h.Line}
				if e, ok := attempt(at, h.Text, "; a person does not see it: "+h.Why); ok {
					injections = append(injections, e)
					continue
				}
				e := ofIntegrity(probeHidden, audit.True, "text that a person does not see: "+h.Why)
				e.Location, e.Snippet = at, excerpt(h.Text)
				hidden = append(hidden, e)
			}
		}
	}
	if pages == 0 { // nothing was read
		return nil
	}
	whole := ofIntegrity(probeInjection, audit.True, "no text was found in the documents that speaks to its reader")
	whole.Values = audit.Values{"count": len(injections)}
	if len(injections) > 0 {
		whole.Outcome, whole.Summary = audit.False, text.Plural(len(injections), "text in the documents speaks to its reader", "texts in the documents speak to their reader")
	}
	all := withParts(whole, injections)
	if len(hidden) == 0 {
		return all
	}
	whole = ofIntegrity(probeHidden, audit.True, text.Plural(len(hidden), "text in the documents is", "texts in the documents are")+" not seen by a person")
	whole.Values = audit.Values{"count": len(hidden)}
	return append(all, withParts(whole, hidden)...)
}

// attempt returns the evidence of prompt injection in a text, if there is any.
func attempt(at audit.Location, text, where string) (e audit.Evidence, ok bool) {
	found := injection.Attempts(text)
	if len(found) == 0 {
		return e, false
	}
	kinds := make([]string, len(found))
	for i, a := range found {
		kinds[i] = a.Kind
	}
	slices.Sort(kinds)
	e = ofIntegrity(probeInjection, audit.False, "text in a document: "+strings.Join(slices.Compact(kinds), ", ")+where)
	e.Location, e.Snippet = at, excerpt(text[found[0].Start:])
	return e, true
}

// ofIntegrity returns evidence that judges do not see.
func ofIntegrity(probe string, outcome audit.Outcome, summary string) audit.Evidence {
	return audit.Evidence{Source: audit.SourceDocs, Probe: probe, Kind: audit.KindFact, Outcome: outcome,
		Summary: summary, Withheld: true, Confidence: 1}
}

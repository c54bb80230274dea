package document

import (
	"context"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Investigate returns the evidence of every doc_terms probe of the rubric, about
// the documents themselves, and of prompt injection and hidden text in them. That
// of paths needs the repository: see [Paths]. When ctx ends, the remaining probes
// are errors.
func Investigate(ctx context.Context, docs []*Document, rb *rubric.Rubric) []audit.Evidence {
	var all []audit.Evidence
	for i := range rb.Probes {
		p := &rb.Probes[i]
		switch {
		case p.Type != rubric.TypeDocTerms:
		case ctx.Err() != nil:
			e := evidenceOf(p, rb)("it was not looked for: " + ctx.Err().Error())
			e.Outcome = audit.Error
			all = append(all, finish([]audit.Evidence{e}, p)...)
		default:
			all = append(all, termEvidence(docs, p, rb)...)
		}
	}
	for _, d := range docs {
		all = append(all, about(d, rb)...)
	}
	return append(all, integrityEvidence(docs)...)
}

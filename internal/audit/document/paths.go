package document

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Paths compares the paths that documents name with those of the repository, for
// every doc_paths probe. tree has the paths of all files at the audited commit,
// from its root and with slashes; nil means that no repository is audited.
//
// Paths are compared exactly, case included; a name without a folder may be in any
// folder. Quotations, proposals, examples and absent paths are listed, but only
// claims count against a document. When ctx ends, the remaining probes are errors.
func Paths(ctx context.Context, docs []*Document, rb *rubric.Rubric, tree []string) []audit.Evidence {
	var all []audit.Evidence
	var named []namedPath
	known := newTree(tree)
	for i := range rb.Probes {
		p := &rb.Probes[i]
		if p.Type != rubric.TypeDocPaths {
			continue
		}
		readable, gap := readableOnly(docs, p, rb)
		if tree == nil {
			e := evidenceOf(p, rb)("there is no repository to compare paths with")
			e.Outcome = audit.NotAvailable
			gap = &e
		}
		if gap != nil {
			all = append(all, finish([]audit.Evidence{*gap}, p)...)
			continue
		}
		if named == nil {
			named = namedPaths(ctx, readable, known)
		}
		if err := ctx.Err(); err != nil {
			e := evidenceOf(p, rb)("paths were not compared to the end: " + err.Error())
			e.Outcome = audit.Error
			all = append(all, finish([]audit.Evidence{e}, p)...)
			continue
		}
		all = append(all, pathEvidence(docs, named, known, p, rb)...)
	}
	return all
}

// namedPath is one path with its stance in the documents.
type namedPath struct {
	mention      // the one that counts: the first claim, or else the first
	times   int  // it is named
	inRepo  bool // it is there
}

// against reports whether the path is one that is claimed and not there.
func (n *namedPath) against() bool { return !n.inRepo && n.stance == stanceClaim }

// namedPaths are the paths of all documents, each once, in the order of their
// documents and places. When ctx ends, they are not all.
func namedPaths(ctx context.Context, docs []*Document, t *tree) []namedPath {
	all := []namedPath{}
	for _, d := range docs {
		byPath := map[string]int{}
		section := under{stance: stanceClaim}
		for i := range d.Blocks {
			b := &d.Blocks[i]
			if b.Kind == Heading {
				section = section.heading(b)
			}
			for _, m := range mentions(ctx, d, b, t, section.stance) {
				at, known := byPath[m.path]
				if !known {
					at = len(all)
					byPath[m.path] = at
					all = append(all, namedPath{mention: m, inRepo: t.has(&m)})
				}
				all[at].times++
				if m.stance == stanceClaim && all[at].stance != stanceClaim {
					all[at].mention = m
				}
			}
		}
	}
	return all
}

// pathEvidence is the evidence of one doc_paths probe.
func pathEvidence(docs []*Document, named []namedPath, t *tree, p *rubric.Probe, rb *rubric.Rubric) []audit.Evidence {
	of := evidenceOf(p, rb)
	inRepo, against := 0, 0
	for i := range named {
		if named[i].inRepo {
			inRepo++
		}
		if named[i].against() {
			against++
		}
	}
	whole := of(fmt.Sprintf("%d paths are named: %d are in the repository, %d are claimed and are not, %d others are proposals, examples, quotations or said to be absent",
		len(named), inRepo, against, len(named)-inRepo-against))
	whole.Values = audit.Values{"named": len(named), "in_repo": inRepo, "not_in_repo": against, "not_claimed": len(named) - inRepo - against}
	judge(&whole, p)
	noteUnread(&whole, docs)
	var places []audit.Evidence
	for _, n := range shown(named) {
		places = append(places, n.evidence(of, t))
	}
	whole.Truncated = whole.Truncated || len(places) < len(named)
	return finish(withParts(whole, places), p)
}

// shown chooses the paths that are listed: those that count against the document
// before the others, in the order of their places.
func shown(named []namedPath) []*namedPath {
	order := make([]int, len(named))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(&named[a]), rank(&named[b])) })
	order = order[:min(len(order), maxParts)]
	slices.Sort(order)
	list := make([]*namedPath, len(order))
	for i, at := range order {
		list[i] = &named[at]
	}
	return list
}

func rank(n *namedPath) int {
	switch {
	case n.against():
		return 0
	case !n.inRepo:
		return 1
	}
	return 2
}

// evidence returns the evidence of one path.
func (n *namedPath) evidence(of func(string) audit.Evidence, t *tree) audit.Evidence {
	withheld := injection.Has(n.path)
	name := clean(n.path)
	if withheld {
		name = "a path that speaks to its reader"
	}
	var e audit.Evidence
	switch {
	case n.inRepo:
		e = of(fmt.Sprintf("%s (%s) is in the repository", name, n.stance))
	case n.against():
		e = of(fmt.Sprintf("%s is claimed, and is not in the repository", name))
		e.Outcome = audit.False
	default:
		e = of(fmt.Sprintf("%s (%s) is not in the repository, and does not count", name, n.stance))
		e.Outcome = audit.NotApplicable
	}
	if !n.inRepo {
		if like := t.like(n.path); like != "" && !injection.Has(like) {
			e.Summary += "; there is " + clean(like)
		}
	}
	e.Location = place(n.doc, n.block)
	e.Values = audit.Values{"stance": string(n.stance), "in_repo": n.inRepo, "times": n.times}
	if !withheld {
		e.Values["path"] = n.path
	}
	e.Withheld = withheld
	quote(&e, n.sentence)
	return e
}

package document

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/injection"
	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/text"
)

// Paths compares the paths that documents name with those of the repository, for
// every doc_paths probe. tree has the paths of all files at the audited commit,
// from its root and with slashes; nil means that no repository is audited.
//
// Paths are compared exactly, case included; a name without a folder may be in any
// folder. Whether the document says that a path exists is for its reader to judge: each
// comes with the words around it. When ctx ends, the remaining probes are errors.
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

// namedPath is one path at the first place that names it.
type namedPath struct {
	mention
	times int // it is named
}

// namedPaths are the paths of all documents, each once, in the order of their
// documents and places. When ctx ends, they are not all.
func namedPaths(ctx context.Context, docs []*Document, t *tree) []namedPath {
	all := []namedPath{}
	for _, d := range docs {
		byPath := map[string]int{}
		for i := range d.Blocks {
			for _, m := range mentions(ctx, d, &d.Blocks[i], t) {
				at, known := byPath[m.path]
				if !known {
					at = len(all)
					byPath[m.path] = at
					all = append(all, namedPath{mention: m})
				}
				all[at].times++
			}
		}
	}
	return all
}

// pathEvidence is the evidence of one doc_paths probe.
func pathEvidence(docs []*Document, named []namedPath, t *tree, p *rubric.Probe, rb *rubric.Rubric) []audit.Evidence {
	of := evidenceOf(p, rb)
	slices.SortStableFunc(named, func(a, b namedPath) int { // missing ones are listed first
		switch {
		case a.inRepo == b.inRepo:
			return 0
		case b.inRepo:
			return -1
		}
		return 1
	})
	inRepo := 0
	for i := range named {
		if named[i].inRepo {
			inRepo++
		}
	}
	whole := of(fmt.Sprintf("%s named: %d in the repository, %d not", text.Plural(len(named), "path is", "paths are"), inRepo, len(named)-inRepo))
	whole.Values = audit.Values{"named": len(named), "in_repo": inRepo, "not_in_repo": len(named) - inRepo}
	judge(&whole, p)
	noteUnread(&whole, docs)
	var places []audit.Evidence
	for i := range named {
		places = append(places, named[i].evidence(of, t))
	}
	return finish(withParts(whole, places), p)
}

// evidence returns the evidence of one path.
func (n *namedPath) evidence(of func(string) audit.Evidence, t *tree) audit.Evidence {
	name, withheld := text.OneLine(n.path), injection.Has(n.path)
	if withheld {
		name = "a path that speaks to its reader"
	}
	e := of(name + " is in the repository")
	if !n.inRepo {
		e = of(name + " is not in the repository")
		e.Outcome = audit.False
		if like := t.like(n.path); like != "" && !injection.Has(like) {
			e.Summary += "; there is " + text.OneLine(like)
		}
	}
	e.Location = place(n.doc, n.block)
	e.Values = audit.Values{"in_repo": n.inRepo, "times": n.times}
	if !withheld {
		e.Values["path"] = n.path
	}
	e.Withheld = withheld
	quote(&e, passage(n.block.Text, n.path))
	return e
}

// passage returns the words of a text around the place at which it names a path.
func passage(text, path string) string {
	const before = 150 // bytes
	at := strings.Index(text, path)
	if at <= before {
		return text
	}
	from := at - before
	if space := strings.IndexByte(text[from:at], ' '); space >= 0 {
		return text[from+space+1:]
	}
	return text[at:]
}

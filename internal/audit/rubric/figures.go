package rubric

import (
	"slices"

	"github.com/agentsentinel/sentinel/internal/audit"
)

// A definition is what holds for all probes of a type.
type definition struct {
	typ             string
	artifact        string   // that it looks at: repo, doc, diagram
	needed, further []string // its keys: those it needs, and others that mean something to it
	figures         []figure
	// observed says that what it finds is a reading: of sentences, of names, of
	// another program's word. Other types find exact facts: the history, syntax, files,
	// declared dependencies, lines as they stand. See [Probe.Kind].
	observed bool
}

// A figure is a value that a probe gives, and that its Expect may bound.
type figure struct {
	name     string
	flag     bool // true or false, not a number
	observed bool // a reading, though other figures of the probe are exact
}

func exact(names ...string) []figure {
	var figures []figure
	for _, name := range names {
		figures = append(figures, figure{name: name})
	}
	return figures
}

// idleDays changes from day to day, so that only a probe that asks for it has it.
const idleDays = "idle_days"

// definitions is the table of the types of probes, in the order of manuals.
func definitions() []definition {
	return []definition{
		{typ: TypeFile, artifact: "repo", needed: []string{"any"}, further: []string{"files"}, figures: exact("count", "files")},
		{typ: TypeText, artifact: "repo", needed: []string{"regex"}, further: []string{"file", "files"}, figures: exact("count", "files")},
		{typ: TypeAST, artifact: "repo", further: []string{"lang", "query", "call", "class_base", "imports", "outside", "files"},
			figures: exact("count", "files", "density_per_kloc")},
		{typ: TypeGraph, artifact: "repo", needed: []string{"lang"}, further: []string{"edge_call", "node_call", "cond_call", "graph_class", "files"},
			figures: slices.Concat([]figure{{name: "has_state_graph", flag: true}, {name: "has_add_edge", flag: true}, {name: "has_fan_out", flag: true},
				{name: "has_evidence_aggregator", flag: true, observed: true}, {name: "has_parallel_judges", flag: true, observed: true}},
				exact("edge_count", "node_count", "unknown_edges", "fan_out", "fan_in"))},
		{typ: TypeGit, artifact: "repo", further: []string{"metrics"}, figures: slices.Concat(
			exact("commit_count", "span_days", "authors", "merge_ratio", idleDays),
			[]figure{{name: "largest_add_share", observed: true}, {name: "message_quality", observed: true}, {name: "cadence", observed: true}})},
		{typ: TypeManifest, artifact: "repo", further: []string{"kinds", "files"},
			figures: append([]figure{{name: "count"}, {name: "lockfile", flag: true}}, exact("dependencies", "pinned_share")...)},
		{typ: TypeWorkflow, artifact: "repo", needed: []string{"check"}, further: []string{"files"}, figures: exact("count", "files")},
		{typ: TypeSecret, artifact: "repo", further: []string{"scope", "files"}, figures: []figure{{name: "count"}, {name: "possible", observed: true}, {name: "files"}}},
		{typ: TypeRatio, artifact: "repo", needed: []string{"num", "den"}, further: []string{"files"}, figures: exact("value")},
		{typ: TypeOverlap, artifact: "repo", needed: []string{"of"}, further: []string{"files"}, figures: exact("max_pairwise", "texts")},
		{typ: TypeOneOf, artifact: "repo", needed: []string{"probes"}, figures: exact("count")},
		{typ: TypeDocTerms, artifact: "doc", needed: []string{"terms"}, further: []string{"substantive"}, figures: exact("mentioned"), observed: true},
		{typ: TypeDocPaths, artifact: "doc", figures: exact("named", "in_repo", "not_in_repo"), observed: true},
		{typ: TypeDiagram, artifact: "diagram", needed: []string{"question", "answers"}, figures: exact("pages"), observed: true},
	}
}

// definitionOf returns the definition of a type; the zero value for an unknown one.
func definitionOf(probeType string) definition {
	for _, d := range definitions() {
		if d.typ == probeType {
			return d
		}
	}
	return definition{}
}

// Figures returns the names of the figures that a probe of a type gives in its
// evidence's values, and that its Expect may bound; nil for an unknown type. A
// diagram gives one more for each of its answers: see [Probe.Figures].
func Figures(probeType string) []string {
	var names []string
	for _, f := range definitionOf(probeType).figures {
		names = append(names, f.name)
	}
	return names
}

// Flag reports whether a figure is true or false, not a number.
func Flag(name string) bool {
	return slices.ContainsFunc(definitions(), func(d definition) bool {
		return slices.ContainsFunc(d.figures, func(f figure) bool { return f.name == name && f.flag })
	})
}

// Figures returns the names of the figures that the probe gives.
func (p *Probe) Figures() []string {
	return slices.Concat(Figures(p.Type), p.Answers)
}

// The values of basis.
const (
	basisExact    = "exact"
	basisObserved = "observed"
)

// Kind says what the probe's own findings are: [audit.KindFact], which caps, gates
// and contradicts opinions, or [audit.KindObserved], which judges weigh. They are
// observed where the type of the probe, one of the figures that it bounds, or the
// probe itself says so.
func (p *Probe) Kind() audit.Kind {
	if p.Basis == basisObserved || p.reading() != "" {
		return audit.KindObserved
	}
	return audit.KindFact
}

// reading says why the probe cannot be exact, or "".
func (p *Probe) reading() string {
	d := definitionOf(p.Type)
	if d.observed {
		return "what a probe of type " + p.Type + " finds"
	}
	if p.Of.Strings != (Strings{}) {
		return "which texts `names` chooses"
	}
	for _, f := range d.figures {
		if _, bound := p.Expect[f.name]; bound && f.observed {
			return "the figure `" + f.name + "`"
		}
	}
	return ""
}

// free says why what the probe finds binds no score, or "".
func (p *Probe) free() string {
	switch {
	case p.Expect == nil:
		return "it has no `expect`, which could be violated"
	case p.reading() != "":
		return p.reading() + " is a reading, and exact facts alone cap a score"
	case p.Kind() != audit.KindFact:
		return "it says `basis: observed`, and exact facts alone cap a score"
	}
	return ""
}

package rubric

import "slices"

// Figures returns the names of the figures that a probe of a type gives in its
// evidence's values, and that its Expect may bound; nil for an unknown type. A
// diagram gives one more for each of its answers: see [Probe.Figures].
func Figures(probeType string) []string {
	switch probeType {
	case TypeFile, TypeText, TypeSARIF:
		return []string{"count", "files"}
	case TypeSecret:
		return []string{"count", "possible", "files"}
	case TypeAST:
		return []string{"count", "files", "density_per_kloc"}
	case TypeRatio:
		return []string{"value"}
	case TypeGit:
		return []string{"commit_count", "span_days", "authors", "merge_ratio", "largest_add_share", "message_quality", "cadence"}
	case TypeManifest:
		return []string{"count", "lockfile", "dependencies", "pinned_share"}
	case TypeGraph:
		return []string{"has_state_graph", "has_add_edge", "has_fan_out", "has_evidence_aggregator", "has_parallel_judges",
			"edge_count", "node_count", "unknown_edges", "fan_out", "fan_in"}
	case TypeOverlap:
		return []string{"max_pairwise", "texts"}
	case TypeDocTerms:
		return []string{"mentioned", "explained"}
	case TypeDocPaths:
		return []string{"named", "in_repo", "not_in_repo"}
	case TypeDiagram:
		return []string{"pages"}
	}
	return nil
}

// Flag reports whether a figure is true or false, not a number.
func Flag(figure string) bool {
	switch figure {
	case "lockfile", "has_state_graph", "has_add_edge", "has_fan_out", "has_evidence_aggregator", "has_parallel_judges":
		return true
	}
	return false
}

// Figures returns the names of the figures that the probe gives.
func (p *Probe) Figures() []string {
	if p.Type == TypeDiagram {
		return slices.Concat(Figures(p.Type), p.Answers)
	}
	return Figures(p.Type)
}

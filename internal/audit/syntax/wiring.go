package syntax

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// Wiring is how nodes are wired, by the calls of a graph library.
type Wiring struct {
	HasStateGraph         bool     `json:"has_state_graph"`         // the graph's class is built
	HasAddEdge            bool     `json:"has_add_edge"`            // an edge is added
	HasFanOut             bool     `json:"has_fan_out"`             // one node starts two or more side by side
	HasEvidenceAggregator bool     `json:"has_evidence_aggregator"` // a node joins all branches of a fan-out
	HasParallelJudges     bool     `json:"has_parallel_judges"`     // two or more nodes side by side judge joined data, or have a judge's role; docs/audit/syntax.md
	NodeNames             []string `json:"node_names"`              // sorted, each once
	EdgeCount             int      `json:"edge_count"`
	UnknownEdges          int      `json:"unknown_edges"` // calls with a source or target that cannot be known from the text
	FanOut                int      `json:"fan_out"`       // most nodes that one node starts side by side
	FanIn                 int      `json:"fan_in"`        // most nodes that lead to one node, the end left out
	Details               string   `json:"details"`       // the same in a sentence, with the nodes' names

	Edges   []Edge   `json:"edges"`
	Nodes   []Node   `json:"nodes"`
	Skipped []string `json:"skipped,omitempty"` // files that were not examined, with the reason
	Broken  []string `json:"broken,omitempty"`  // files with syntax errors, in which something may be missed
}

// Edge leads from one node to another. START and END are the graph's own nodes.
type Edge struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Conditional bool   `json:"conditional,omitempty"` // a router decides
	Path        string `json:"path"`
	First       int    `json:"first"` // lines of the call
	Last        int    `json:"last"`

	together int // of a conditional edge: edges of the same number start side by side; 0 is a choice
}

// Node is a node that is added by a call.
type Node struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

// Figures returns the figures of a probe of type graph, by name.
func (w *Wiring) Figures() map[string]any {
	return map[string]any{
		"has_state_graph": w.HasStateGraph, "has_add_edge": w.HasAddEdge, "has_fan_out": w.HasFanOut,
		"has_evidence_aggregator": w.HasEvidenceAggregator, "has_parallel_judges": w.HasParallelJudges,
		"edge_count": w.EdgeCount, "node_count": len(w.NodeNames), "unknown_edges": w.UnknownEdges,
		"fan_out": w.FanOut, "fan_in": w.FanIn,
	}
}

// Wire reads the wiring from calls in the Python files. The probe names them (edge_call,
// node_call, cond_call); the defaults are add_edge, add_node and
// add_conditional_edges. With a graph_class, only
// files that name this class are examined: the edges of other libraries do not
// count.
//
// Constants, lists, dicts and loops over them are followed. Edges that are only
// known at run time are counted in UnknownEdges and not guessed.
//
// A file that cannot be examined is listed in Skipped; err is that of the context,
// or of a language without a grammar, or ErrTooHard if no file could be examined.
func Wire(ctx context.Context, p *rubric.Probe, files []File) (w Wiring, err error) {
	if p.Lang != "" && p.Lang != Python {
		return w, fmt.Errorf("%w: wiring is read in Python alone, not in %q", ErrLanguage, p.Lang)
	}
	var graphs []*graph
	examined := 0
	for _, f := range files {
		if f.Lang != Python {
			continue
		}
		found, err := wireFile(ctx, p, f, &w)
		switch {
		case ctx.Err() != nil:
			return Wiring{}, ctx.Err()
		case err != nil:
			w.Skipped = append(w.Skipped, f.Path+": "+err.Error())
			continue
		}
		examined++
		graphs = append(graphs, found...)
	}
	if examined == 0 && len(w.Skipped) > 0 {
		return w, fmt.Errorf("%w: %s", ErrTooHard, strings.Join(w.Skipped, "; "))
	}
	w.summarize(graphs)
	return w, nil
}

// wireFile reads the graphs of one file.
func wireFile(ctx context.Context, probe *rubric.Probe, f File, w *Wiring) (graphs []*graph, err error) {
	defer caught(&err)
	p, err := read(ctx, &f)
	if err != nil {
		return nil, err
	}
	r := newGraphBuilder(probe, p, f.Path)
	if probe.Graph != "" && !r.namesClass() {
		return nil, nil
	}
	r.traverse(p.root, nil, nil, r.read)
	r.commands()
	if r.hard {
		return nil, fmt.Errorf("%w: its wiring is too large", ErrTooHard)
	}
	if p.broken {
		w.Broken = append(w.Broken, f.Path)
	}
	w.HasStateGraph = w.HasStateGraph || r.built > 0
	w.UnknownEdges += r.unknown
	return r.all(), nil
}

package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A fanOut is a node that starts several side by side.
type fanOut struct {
	from    string
	targets []string // started side by side, sorted
	joins   []string // nodes that all branches reach by more than one of their nodes
}

// maxJoins is how many joins of one fan-out are distinguished.
const maxJoins = 20

// summarize fills in the figures from the graphs.
//
// A fan-out is a node that starts two or more nodes side by side: by plain edges,
// or by a router that sends to several at once. A router that chooses one node does
// not fan out. An aggregator is a node that every branch of a fan-out reaches, from
// at least two nodes.
//
// Parallel judges are two or more nodes that one fan-out starts side by side.
// Either this fan-out begins at or behind the aggregator of an earlier one, so that
// all work on the joined data. Or at least two have a judge's role in their name
// (judge, prosecutor, defense, tech lead, critic, reviewer, grader, evaluator,
// assessor, juror). A name without the wiring does not count.
func (w *Wiring) summarize(graphs []*graph) {
	var outs []fanOut
	var judges []string
	for _, g := range graphs {
		w.Edges = append(w.Edges, g.edges...)
		w.Nodes = append(w.Nodes, g.nodes...)
		g.next = map[string][]string{}
		for _, e := range g.edges {
			g.next[e.From] = append(g.next[e.From], e.To)
		}
		found := g.fanOuts()
		outs = append(outs, found...)
		judges = append(judges, g.judges(found)...)
		for _, sources := range g.sources() {
			w.FanIn = max(w.FanIn, len(sources))
		}
	}
	var joins []string
	for _, o := range outs {
		w.FanOut = max(w.FanOut, len(o.targets))
		joins = append(joins, o.joins...)
	}
	if w.FanOut == 0 && len(w.Edges) > 0 {
		w.FanOut = 1
	}
	w.EdgeCount, w.HasAddEdge = len(w.Edges), len(w.Edges) > 0 || w.UnknownEdges > 0
	w.HasFanOut, w.HasEvidenceAggregator, w.HasParallelJudges = len(outs) > 0, len(joins) > 0, len(judges) > 0
	names := map[string]bool{}
	for _, n := range w.Nodes {
		names[n.Name] = true
	}
	w.NodeNames = slices.Sorted(maps.Keys(names))
	w.Details = w.details(outs, joins, judges)
}

// details describes the graphs in a sentence.
func (w *Wiring) details(outs []fanOut, joins, judges []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d nodes, %d edges", len(w.NodeNames), w.EdgeCount)
	if w.UnknownEdges > 0 {
		fmt.Fprintf(&b, ", %d calls with a source or target that is only known at run time", w.UnknownEdges)
	}
	for _, o := range outs {
		fmt.Fprintf(&b, "; %s fans out to %s", o.from, strings.Join(o.targets, ", "))
	}
	for i, j := range slices.Compact(joins) {
		fmt.Fprintf(&b, "%s%s", map[bool]string{true: "; joined at ", false: ", "}[i == 0], j)
	}
	if len(judges) > 0 {
		fmt.Fprintf(&b, "; parallel judges: %s", strings.Join(slices.Compact(judges), ", "))
	}
	return b.String()
}

// sources lists the nodes that lead to each node, without the end.
func (g *graph) sources() map[string]map[string]bool {
	into := map[string]map[string]bool{}
	for _, e := range g.edges {
		if e.To == "END" {
			continue
		}
		if into[e.To] == nil {
			into[e.To] = map[string]bool{}
		}
		into[e.To][e.From] = true
	}
	return into
}

// fanOuts lists the fan-outs, in the order of their nodes' first edges.
func (g *graph) fanOuts() []fanOut {
	var outs []fanOut
	seen := map[string]bool{}
	for _, e := range g.edges {
		if seen[e.From] {
			continue
		}
		seen[e.From] = true
		if targets := g.sideBySide(e.From); len(targets) > 1 {
			outs = append(outs, fanOut{from: e.From, targets: targets, joins: g.joins(e.From, targets)})
		}
	}
	return outs
}

// sideBySide lists the most nodes that a node starts at once: those of its plain
// edges, and of its router's largest answer.
func (g *graph) sideBySide(from string) []string {
	plain := map[string]bool{}
	sets := map[int]map[string]bool{}
	for _, e := range g.edges {
		switch {
		case e.From != from || e.To == "END":
		case !e.Conditional:
			plain[e.To] = true
		default:
			if sets[e.together] == nil {
				sets[e.together] = map[string]bool{}
			}
			sets[e.together][e.To] = true
		}
	}
	largest := map[string]bool{}
	for _, group := range slices.Sorted(maps.Keys(sets)) {
		if group > 0 && len(sets[group]) > len(largest) {
			largest = sets[group]
		}
	}
	maps.Copy(plain, largest)
	return slices.Sorted(maps.Keys(plain))
}

// joins lists the nodes at which all branches of a fan-out meet.
func (g *graph) joins(from string, targets []string) []string {
	reached := map[string]int{}             // how many branches reach the node
	entered := map[string]map[string]bool{} // from which nodes of the branches
	for _, t := range targets {
		branch := g.reach(t, from)
		for n := range branch {
			reached[n]++
		}
		for _, e := range g.edges {
			if branch[e.From] && e.To != from && e.To != "END" {
				if entered[e.To] == nil {
					entered[e.To] = map[string]bool{}
				}
				entered[e.To][e.From] = true
			}
		}
	}
	var joins []string
	for _, n := range slices.Sorted(maps.Keys(entered)) {
		if reached[n] == len(targets) && len(entered[n]) > 1 && !slices.Contains(targets, n) {
			joins = append(joins, n)
		}
	}
	if len(joins) > maxJoins {
		return joins
	}
	// A node behind a join does not count as a second one.
	return slices.DeleteFunc(joins, func(n string) bool {
		return slices.ContainsFunc(joins, func(m string) bool { return m != n && !g.meets(targets, n, from, m) })
	})
}

// meets reports whether a branch reaches n without passing m.
func (g *graph) meets(targets []string, n, from, m string) bool {
	for _, t := range targets {
		if g.reach(t, from, m)[n] {
			return true
		}
	}
	return false
}

// reach is the set of nodes that can be reached from start, itself too, without
// passing the others.
func (g *graph) reach(start string, without ...string) map[string]bool {
	set := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, to := range g.next[queue[0]] {
			if !set[to] && !slices.Contains(without, to) {
				set[to] = true
				queue = append(queue, to)
			}
		}
	}
	return set
}

// judges lists the nodes that are parallel judges; see summarize.
func (g *graph) judges(outs []fanOut) []string {
	var judges []string
	for _, o := range outs {
		named := 0
		for _, t := range o.targets {
			if judging(t) || judging(g.bodies[t].text) {
				named++
			}
		}
		if named > 1 || g.behindJoin(o, outs) {
			judges = append(judges, o.targets...)
		}
	}
	return judges
}

// behindJoin reports whether a fan-out begins at, or behind, the join of another
// one that does not lie behind it in turn.
func (g *graph) behindJoin(o fanOut, outs []fanOut) bool {
	for _, earlier := range outs {
		if earlier.from == o.from || g.reach(o.from)[earlier.from] {
			continue
		}
		for _, j := range earlier.joins {
			if j == o.from || g.reach(j)[o.from] {
				return true
			}
		}
	}
	return false
}

// judging reports whether a name says that its bearer judges.
func judging(name string) bool {
	name = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", ""), "-", "")
	for _, role := range []string{"judge", "prosecut", "defense", "defence", "defender", "techlead", "critic", "reviewer", "grader", "evaluator", "assessor", "juror"} {
		if strings.Contains(name, role) {
			return true
		}
	}
	return false
}

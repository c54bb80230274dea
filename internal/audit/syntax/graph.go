package syntax

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
)

// maxEdges bounds a graph: its figures take time by the square of its edges.
const maxEdges = 1000

// graph is the wiring of one object of a file.
type graph struct {
	edges   []Edge
	nodes   []Node
	bodies  map[string]value    // the functions behind the nodes
	groups  int                 // number of sets of edges that start side by side
	next    map[string][]string // the targets of a node's edges
	named   map[string]bool
	between map[Edge]bool
}

// graphBuilder reads the graphs of one file.
type graphBuilder struct {
	evaluation
	path             string
	edge, node, cond string // names of the calls
	class            string
	graphs           map[*code]*graph // by the call that builds the graph; nil: built elsewhere
	order            []*graph
	built            int
	unknown          int
}

func newGraphBuilder(p *rubric.Probe, prog *program, path string) *graphBuilder {
	return &graphBuilder{evaluation: evaluation{program: prog}, path: path, graphs: map[*code]*graph{},
		edge: cmp.Or(p.EdgeCall, "add_edge"), node: cmp.Or(p.NodeCall, "add_node"), cond: cmp.Or(p.CondCall, "add_conditional_edges"), class: p.Graph}
}

// namesClass reports whether the file names the graph's class in code.
func (r *graphBuilder) namesClass() bool {
	found := false
	walk(r.program.root, nil, func(c *code, _ *scope) {
		switch c.kind {
		case name, attr:
			found = found || c.name == r.class
		case imp:
			for _, i := range c.imports {
				found = found || i.member == r.class
			}
		}
	})
	return found
}

// builds reports whether the call builds the graph's class: StateGraph(S).
func (r *graphBuilder) builds(c *code, s *scope) bool {
	if c.kind != call {
		return false
	}
	callee := c.kid(0)
	names := []string{fullName(callee)}
	for _, m := range s.meanings(callee) {
		names = append(names, m.full)
	}
	for _, full := range names {
		for part := range strings.SplitSeq(full, ".") {
			switch {
			case r.class == "" && strings.Contains(part, "StateGraph"), r.class != "" && part == r.class:
				return true
			}
		}
	}
	return false
}

// graphOf returns the graph that a call in a chain belongs to: the object that
// the chain begins with, or was assigned.
func (r *graphBuilder) graphOf(c *code, s *scope, hops int) *graph {
	for c != nil && hops < maxAliases {
		switch c.kind {
		case call:
			if r.builds(c, s) {
				return r.graph(c)
			}
			c = c.kid(0)
		case attr:
			c = c.kid(0)
		case name:
			for _, b := range s.lookup(c.name) {
				if b.code != nil && b.code.kind == assign {
					return r.graphOf(b.code.kid(1), b.scope, hops+1)
				}
			}
			return r.graph(nil)
		default:
			return r.graph(nil)
		}
	}
	return r.graph(nil)
}

func (r *graphBuilder) graph(key *code) *graph {
	g := r.graphs[key]
	if g == nil {
		g = &graph{bodies: map[string]value{}, named: map[string]bool{}, between: map[Edge]bool{}}
		r.graphs[key] = g
		r.order = append(r.order, g)
	}
	return g
}

// all returns the graphs of the file. If it builds only one, calls on a parameter or
// a field belong to it.
func (r *graphBuilder) all() []*graph {
	elsewhere := r.graphs[nil]
	if elsewhere == nil || len(r.graphs) != 2 {
		return r.order
	}
	for key, g := range r.graphs {
		if key != nil {
			g.merge(elsewhere)
			return []*graph{g}
		}
	}
	return r.order
}

func (g *graph) merge(h *graph) {
	g.nodes = append(g.nodes, h.nodes...)
	for _, e := range h.edges {
		if e.together > 0 {
			e.together += g.groups
		}
		g.edges = append(g.edges, e)
	}
	g.groups += h.groups
}

// read reads one piece of the program.
func (r *graphBuilder) read(c *code, s *scope, vars *locals) bool {
	if c.kind != call {
		return true
	}
	if r.builds(c, s) {
		r.built++
		r.graph(c)
	}
	callee := c.kid(0)
	if callee.kind != attr && callee.kind != name {
		return true
	}
	switch callee.name {
	case r.edge:
		r.addEdge(c, s, vars)
	case r.node:
		r.addNode(c, s, vars)
	case r.cond:
		r.addRouter(c, s, vars, 1, r.targets(c.argument(0, "source", "from"), s, vars))
	case "set_entry_point":
		r.connect(c, s, []string{"START"}, r.targets(c.argument(0, "key"), s, vars))
	case "set_finish_point":
		r.connect(c, s, r.targets(c.argument(0, "key"), s, vars), []string{"END"})
	case "set_conditional_entry_point":
		r.addRouter(c, s, vars, 0, []string{"START"})
	}
	return true
}

// targets lists the nodes that an argument names; nil if they cannot be known.
func (r *graphBuilder) targets(c *code, s *scope, vars *locals) []string {
	names, all := r.eval(c, s, vars).texts()
	if !all {
		return nil
	}
	return names
}

func (r *graphBuilder) addEdge(c *code, s *scope, vars *locals) {
	from := r.eval(c.argument(0, "start_key", "source", "from"), s, vars)
	to := r.eval(c.argument(1, "end_key", "target", "to"), s, vars)
	if from.kind == listed && len(from.items) == 2 && c.argument(1, "end_key", "target", "to") == nil { // add_edge((a, b))
		from, to = from.items[0], from.items[1]
	}
	sources, known := from.texts()
	goals, all := to.texts()
	if !known || !all {
		r.unknown++
		return
	}
	r.connect(c, s, sources, goals)
}

// connect adds the edges of a call, each once. Without a source or target, they
// are unknown.
func (r *graphBuilder) connect(c *code, s *scope, sources, goals []string) {
	if len(sources) == 0 || len(goals) == 0 {
		r.unknown++
		return
	}
	g := r.graphOf(c.kid(0), s, 0)
	for _, from := range sources {
		for _, to := range goals {
			r.link(g, c, Edge{From: from, To: to})
		}
	}
}

func (r *graphBuilder) link(g *graph, c *code, e Edge) {
	e.Path, e.First, e.Last = r.path, max(c.first, c.kid(0).last), c.last
	if key := (Edge{From: e.From, To: e.To, Conditional: e.Conditional, together: e.together}); !g.between[key] {
		g.between[key] = true
		r.hard = r.hard || len(g.edges) >= maxEdges
		g.edges = append(g.edges, e)
	}
}

func (r *graphBuilder) addNode(c *code, s *scope, vars *locals) {
	g := r.graphOf(c.kid(0), s, 0)
	first := c.argument(0, "node", "name", "key")
	if first == nil {
		return
	}
	v := r.eval(first, s, vars)
	body := value{}
	if action := c.argument(1, "action"); action != nil {
		body = r.eval(action, s, vars)
	}
	switch v.kind {
	case function:
		r.declare(g, c, v.text, v)
	default:
		r.declare(g, c, v.text, body)
	}
}

func (r *graphBuilder) declare(g *graph, c *code, label string, body value) {
	if label == "" {
		return
	}
	g.bodies[label] = body
	if !g.named[label] {
		g.named[label] = true
		g.nodes = append(g.nodes, Node{Name: label, Path: r.path, First: max(c.first, c.kid(0).last), Last: c.last})
	}
}

// addRouter adds the edges of a call with a router as its i-th argument. The next
// argument may translate its results to nodes.
func (r *graphBuilder) addRouter(c *code, s *scope, vars *locals, i int, sources []string) {
	table := c.argument(i+1, "path_map")
	answers := r.router(r.eval(c.argument(i, "path", "condition"), s, vars))
	listed, mapped := r.table(table, s, vars)
	if table != nil && len(listed) == 0 {
		r.unknown++ // a table that is only known at run time
		return
	}
	if len(sources) == 0 || table == nil && (!answers.known || len(answers.sets) == 0) {
		r.unknown++
		return
	}
	g := r.graphOf(c.kid(0), s, 0)
	sent := map[string]bool{}
	for _, set := range answers.sets {
		group := g.group(set)
		for _, answer := range set {
			to, ok := mapped[answer]
			if !ok {
				to = answer
			}
			if table != nil && !ok && !slices.Contains(listed, to) && !answers.direct[answer] {
				continue
			}
			sent[to] = true
			r.route(g, c, sources, to, group)
		}
	}
	for _, to := range listed {
		if !sent[to] {
			r.route(g, c, sources, to, 0)
		}
	}
}

// group returns a new number for nodes that start side by side, and 0 for one.
func (g *graph) group(nodes []string) int {
	if len(nodes) < 2 {
		return 0
	}
	g.groups++
	return g.groups
}

func (r *graphBuilder) route(g *graph, c *code, sources []string, to string, group int) {
	for _, from := range sources {
		r.link(g, c, Edge{From: from, To: to, Conditional: true, together: group})
	}
}

// table reads {"answer": "node"} or ["node", …].
func (r *graphBuilder) table(c *code, s *scope, vars *locals) (nodes []string, mapped map[string]string) {
	v := r.eval(c, s, vars)
	if v.kind != dictionary {
		nodes, _ = v.texts()
		return nodes, nil
	}
	mapped = map[string]string{}
	for i := 0; i+1 < len(v.items); i += 2 {
		key, _ := endpoint(v.items[i].text)
		if names, all := v.items[i+1].texts(); all && len(names) == 1 {
			mapped[key] = names[0]
			nodes = append(nodes, names[0])
		}
	}
	return nodes, mapped
}

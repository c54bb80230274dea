package syntax_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/syntax"
)

func source(t testing.TB, path string) syntax.File {
	src, err := os.ReadFile(filepath.FromSlash(path))
	require.NoError(t, err)
	return syntax.File{Path: path, Lang: syntax.Language(path), Source: src}
}

func wired(t *testing.T, p rubric.Probe, files ...syntax.File) syntax.Wiring {
	w, err := syntax.Wire(context.Background(), &p, files)
	require.NoError(t, err)
	return w
}

func edges(w syntax.Wiring) string {
	var lines []string
	for _, e := range w.Edges {
		arrow := "->"
		if e.Conditional {
			arrow = "=>"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s :%d", e.From, arrow, e.To, e.First))
	}
	return strings.Join(lines, "\n")
}

func TestWireReadsTheWholeCourt(t *testing.T) {
	t.Parallel()
	w := wired(t, rubric.Probe{Graph: "StateGraph", Lang: "python"}, source(t, "testdata/wiring/court.py"), source(t, "testdata/wiring/other.py"))
	require.Equal(t, strings.TrimSpace(`
prosecutor -> verdicts :36
defense -> verdicts :36
tech_lead -> verdicts :36
START -> context :39
context => repo :40
context => pdf :40
pdf => doc :41
pdf => vision :41
repo -> aggregate :42
doc -> aggregate :42
vision -> aggregate :42
aggregate => prosecutor :43
aggregate => defense :43
aggregate => tech_lead :43
verdicts -> chief :44
chief -> END :45`), edges(w))
	require.Equal(t, []string{"aggregate", "chief", "context", "defense", "doc", "pdf", "prosecutor", "repo", "tech_lead", "verdicts", "vision"}, w.NodeNames)
	require.Equal(t, map[string]any{
		"has_state_graph": true, "has_add_edge": true, "has_fan_out": true, "has_evidence_aggregator": true, "has_parallel_judges": true,
		"edge_count": 16, "node_count": 11, "unknown_edges": 0, "fan_out": 3, "fan_in": 3,
	}, w.Figures())
	require.Equal(t, "11 nodes, 16 edges; context fans out to pdf, repo; pdf fans out to doc, vision; aggregate fans out to defense, prosecutor, tech_lead; joined at aggregate, verdicts; parallel judges: defense, prosecutor, tech_lead", w.Details)
	require.Empty(t, w.Skipped)
}

func TestWireShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src                        string
		fanOut, fanIn, edges, open int
		out, join, judges          bool
	}{
		"nothing":                {src: "x = 1\n"},
		"a line":                 {src: "g = StateGraph(S)\ng.add_edge('a', 'b')\ng.add_edge('b', 'c')\n", fanOut: 1, fanIn: 1, edges: 2},
		"a name is no wiring":    {src: "judge_a = 1\ng = StateGraph(S)\ng.add_node('judge_a', x)\ng.add_node('judge_b', x)\ng.add_edge('judge_a', 'judge_b')\n", fanOut: 1, fanIn: 1, edges: 1},
		"a choice is no fan-out": {src: "g = StateGraph(S)\ng.add_conditional_edges('a', f, {'x': 'b', 'y': 'c'})\ng.add_edge('b', 'd')\ng.add_edge('c', 'd')\n", fanOut: 1, fanIn: 2, edges: 4},
		"no join":                {src: "g = StateGraph(S)\ng.add_edge('a', 'b')\ng.add_edge('a', 'c')\n", fanOut: 2, fanIn: 1, edges: 2, out: true},
		"one branch ends":        {src: "g = StateGraph(S)\nfor b in 'x', 'y', 'z':\n    g.add_edge('a', b)\ng.add_edge('x', 'j')\ng.add_edge('y', 'j')\ng.add_edge('z', END)\n", fanOut: 3, fanIn: 2, edges: 6, out: true},
		"named judges":           {src: "g = StateGraph(S)\nfor b in ['a_judge', 'b_judge']:\n    g.add_edge('s', b)\n    g.add_edge(b, 'j')\n", fanOut: 2, fanIn: 2, edges: 4, out: true, join: true, judges: true},
		"judges behind a join":   {src: "g = StateGraph(S)\nfor b in ['a', 'b']:\n    g.add_edge('s', b)\n    g.add_edge(b, 'j')\n    g.add_edge('j', b * 2)\nfor c in ('x', 'y'):\n    g.add_edge('j', c)\n", fanOut: 2, fanIn: 2, edges: 6, open: 2, out: true, join: true, judges: true},
		"two graphs of one file": {src: "g = StateGraph(S)\nh = StateGraph(S)\ng.add_edge('a', 'b')\nh.add_edge('a', 'c')\n", fanOut: 1, fanIn: 1, edges: 2},
		"through a parameter":    {src: "def link(g):\n    g.add_edge('a', 'c')\ng = StateGraph(S)\ng.add_edge('a', 'b')\nlink(g)\n", fanOut: 2, fanIn: 1, edges: 2, out: true},
		"dynamic":                {src: "g = StateGraph(S)\nfor n in load():\n    g.add_edge(START, n)\ng.add_conditional_edges('a', router)\n", open: 2},
		"a command":              {src: "def f(s):\n    return Command(goto=['b', 'c'])\ng = StateGraph(S)\ng.add_node('a', f)\n", fanOut: 2, fanIn: 1, edges: 2, out: true},
		"annotated":              {src: "def f(s) -> Literal['b', '__end__']:\n    return s['next']\ng = StateGraph(S)\ng.add_conditional_edges('a', f)\n", fanOut: 1, fanIn: 1, edges: 2},
		"entry and finish":       {src: "g = StateGraph(S)\ng.set_entry_point('a')\ng.set_finish_point('a')\n", fanOut: 1, fanIn: 1, edges: 2},
		"nodes by function":      {src: "def a(s): pass\ng = StateGraph(S)\ng.add_node(a)\ng.add_edge(a, 'b')\n", fanOut: 1, fanIn: 1, edges: 1},
		"dict items":             {src: "T = {'a': 'b', 'c': 'd'}\ng = StateGraph(S)\nfor s, t in T.items():\n    g.add_edge(s, t)\nfor s, t in zip(['x'], ['y']):\n    g.add_edge(s, t)\n", fanOut: 1, fanIn: 1, edges: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wired(t, rubric.Probe{}, syntax.File{Path: "g.py", Lang: "python", Source: []byte(c.src)})
			require.Equal(t, []any{c.fanOut, c.fanIn, c.edges, c.open, c.out, c.join, c.judges},
				[]any{w.FanOut, w.FanIn, w.EdgeCount, w.UnknownEdges, w.HasFanOut, w.HasEvidenceAggregator, w.HasParallelJudges}, "%s\n%s", w.Details, edges(w))
		})
	}
}

func TestWireSaysWhatItCouldNotExamine(t *testing.T) {
	t.Parallel()
	large := syntax.File{Path: "large.py", Lang: "python", Source: make([]byte, syntax.MaxFile+1)}
	_, err := syntax.Wire(context.Background(), &rubric.Probe{}, []syntax.File{large})
	require.ErrorIs(t, err, syntax.ErrTooHard)
	w := wired(t, rubric.Probe{}, large, source(t, "testdata/wiring/court.py"))
	require.Len(t, w.Skipped, 1)
	require.Contains(t, w.Skipped[0], "large.py")
	require.Equal(t, 16, w.EdgeCount)
	_, err = syntax.Wire(context.Background(), &rubric.Probe{Lang: "cobol"}, nil)
	require.ErrorIs(t, err, syntax.ErrLanguage)
	w = wired(t, rubric.Probe{}, syntax.File{Path: "many.py", Lang: "python", Source: []byte("L = [" + strings.Repeat("'a', ", 300) + "]\nfor a in L:\n  for b in L:\n    for c in L:\n      g.add_edge(a, b)\n")}, source(t, "testdata/wiring/other.py"))
	require.Len(t, w.Skipped, 1, "loops that never end")
}

package judgebench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/browsertest"
)

// reportOf is a report with hostile texts, in which each figure has a value.
func reportOf() *Report {
	const hostile = "</script><img src=x onerror=document.title='taken'>"
	s := Source{Name: "<b>ours</b>", Note: "All are <i>labelled</i>.", Cases: make([]Case, 3)}
	rows := records(
		Record{Judge: ours.String(), Source: s.Name, Case: "1", Rule: "r", Action: hostile, Label: violation, Said: pass, Confidence: 0.9, TookMS: 12},
		Record{Judge: ours.String(), Source: s.Name, Case: "2", Label: pass, Said: pass, Confidence: 0.55, TookMS: 12},
		Record{Judge: ours.String(), Source: s.Name, Case: "3", Label: pass, Said: unusable, Why: hostile},
	)
	g := NewGroup(&s)
	g.Scores = append(g.Scores, ScoreOf(s.Name, ours, rows, nil))
	return &Report{Note: Note, Sources: []Group{g}, Results: rows, Stopped: true, Comparisons: Compare(records(
		Record{Judge: ours.String(), Source: s.Name, Case: "1", Label: violation, Said: violation, Confidence: 0.9}), rows, 0.7)}
}

// TestPage holds that the page shows every part as text, in a browser too.
func TestPage(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	require.NoError(t, reportOf().Page().Write(&page))
	require.NotContains(t, page.String(), "<img")
	require.NotContains(t, page.String(), "<b>")
	dom := browsertest.Dump(t, browsertest.Find(t), page.String(), "", "--window-size=900,900")
	for _, want := range []string{
		"<h2>&lt;b&gt;ours&lt;/b&gt;: 3 cases, 0 violations</h2>", "<p>All are &lt;i&gt;labelled&lt;/i&gt;.</p>", `<td class="word">ours</td>`,
		"The run was stopped before all was asked.", "no large model has been measured", "1 worse", "&lt;img src=x onerror=document.title='taken'&gt;", "<circle",
		"<title>Sentinel: judges measured</title>",
	} {
		require.Contains(t, dom, want)
	}
	require.Equal(t, 3, strings.Count(dom, "<table"), "scores, changes, and what was wrong")
}

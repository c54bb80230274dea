package coverage

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/browsertest"
	"github.com/agentsentinel/sentinel/internal/instructions"
)

const evil = `<img src=x onerror="owned=1"></style></script><script>owned=1</script>` + "\u202egnp\x1b[31m"

// hostile is a report with every state, and texts that would like to be markup.
func hostile() *Report {
	states := []Statement{
		{State: instructions.InForce, Rules: []string{"no-force-push", evil}},
		{State: instructions.InForce, Shadow: true, Rules: []string{"b"}},
		{State: instructions.CanBe, Drafts: []Draft{{ID: "no-npm", Form: "use", Why: "It stops npm. " + evil}}},
		{State: instructions.Dropped, Why: evil},
		{State: instructions.InForce, Warns: true, Part: true, Rules: []string{"c"}},
		{State: instructions.ByLinter, Linter: "eslint"},
		{State: instructions.NeedsModel, Why: strings.Repeat("wide", 200)},
		{State: instructions.Never, Why: "Nobody can tell.", By: ByModel, Stale: []string{"old"}},
		{State: instructions.NoDirective},
	}
	r := &Report{Version: version, Files: []File{{Path: "CLAUDE.md" + evil, ImportedBy: evil}}}
	f := &r.Files[0]
	for i := range states {
		states[i].Line, states[i].EndLine, states[i].Text = 2*i+1, 2*i+2, "line "+evil
		f.Text += "- line " + evil + "\n  goes on " + strings.Repeat("wide", 200) + "\n"
	}
	f.Statements = states
	r.Stale = []Stale{{Rule: evil, Source: "CLAUDE.md:1", Why: "no line says so any more"}}
	r.Moved = []Stale{{Rule: evil, Source: "CLAUDE.md:1", Now: "CLAUDE.md:3", Why: "its words are in line 3 now"}}
	r.Problems = []Problem{{File: evil, Line: 3, Message: evil}}
	r.Count()
	return r
}

func written(t *testing.T, r *Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, r.WritePage(&out, "shop"+evil))
	return out.String()
}

func TestCount(t *testing.T) {
	t.Parallel()
	r := hostile()
	require.Equal(t, []int{8, 2, 1, 1, 1}, []int{r.Directives, r.Hold, r.Shadow, r.OnlyWarn, r.InPart})
	require.Equal(t, 3, r.States[instructions.InForce])
	require.Equal(t, "2 of 8 directives hold (1 of them only warns, 1 in part); 1 more in shadow mode", r.Share())
	one := &Report{Files: []File{{Statements: []Statement{{State: instructions.InForce}}}}}
	one.Count()
	require.Equal(t, "1 of 1 directive holds", one.Share())
}

func TestPage(t *testing.T) {
	t.Parallel()
	page := written(t, hostile())
	require.NotContains(t, page, "<script")
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, "\u202e")
	require.NotContains(t, page, "\x1b")
	require.Equal(t, 1, strings.Count(page, "</style>"))
	for _, want := range []string{
		`<tr class="holds first"><th scope="row">1</th>`, `<tr class="holds"><th scope="row">2</th>`, `<tr class="shadow first">`, `<tr class="can first">`,
		`<tr class="linter first">`, `<tr class="model first">`, `<tr class="never first">`, `<tr class=""><th scope="row">17</th>`, `<tr class="dropped first">`,
		`<span class="mark">in force</span> <span class="soft">by no-force-push, `, "as a model says; old was made of this line when it had other words",
		`<h1>shop`, "2 of 8 directives hold (1 of them only warns, 1 in part); 1 more in shadow mode", "by c, which only warns, in part", "<h2>Rules whose line has changed</h2>", "<h2>Rules whose line has moved</h2>", "<h2>Not read</h2>", `<html lang="en">`,
	} {
		require.Contains(t, page, want)
	}
	broken := errors.New("disk full")
	require.ErrorIs(t, hostile().WritePage(failing{broken}, ""), broken)
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// TestInBrowser opens the page in a real browser.
func TestInBrowser(t *testing.T) {
	t.Parallel()
	browsertest.Look(t, browsertest.Find(t), written(t, hostile()))
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// instructed is a repository whose CLAUDE.md has lines that say what must have happened,
// and in which they are in force.
func instructed(t *testing.T) *repository {
	t.Helper()
	begin(t)
	r := newRepository(t)
	r.write("CLAUDE.md", "# Shop\n\n- Always run `make test` before you commit.\n- When you add a page to `docs/pages/`, add its line to `docs/sidebar.yml`.\n")
	r.write("Makefile", "test:\n\ttouch tested\n")
	r.write("docs/sidebar.yml", "- home\n")
	r.write("docs/pages/home.md", "Home\n")
	r.commit("shop")
	r.initSentinel()
	res := r.sentinel("", "init", "--from", "CLAUDE.md", "--accept", "all", "--block")
	require.Zero(t, res.exit, res.stderr)
	require.Contains(t, res.stdout, "2 in force, 0 in shadow mode")
	return r
}

// commitOf is a line that commits a path.
func commitOf(path string) string {
	return "git add " + path + " && git -c user.name=a -c user.email=a@example.com commit -q -m shop"
}

// A commit waits for the tests: it is refused with the reason and the line, the tests
// run, and it goes through.
func TestClaudeTestsBeforeItCommits(t *testing.T) {
	r := instructed(t)
	commit := bash(commitOf("shop.js") + " && touch committed")
	s := r.claudeAsked("Add shop.js, and commit it.",
		write(r.path("shop.js"), "a\n"),
		commit,
		bash("make test"),
		commit,
		fakeserver.Text("It is committed."),
	)
	results := s.stopped(false, true, false, false)
	assert.Contains(t, results[1].Text, "CLAUDE.md:3 says")
	assert.Contains(t, results[1].Text, "that succeeded since shop.js changed")
	_, committed := r.read("committed")
	assert.True(t, committed)
}

const testFirst = `trigger: bash
scope: ["git commit*"]
requires: {ran: ["make test"], since: ["**/*.js"]}
message: Run the tests first.
`

// Tests that failed, and tests that still run, do not count: the commit waits for those
// that pass.
func (a agent) testTested(t *testing.T) {
	r := a.ready(t, map[string]string{"test-first": testFirst})
	r.write("Makefile", "test:\n\ttest ! -e broken\n\techo 'Exit Code: 0'\n")
	r.write("broken", "x\n")
	commit := calling(a.shell(commitOf("shop.js") + " && touch committed"))
	script := []turn{
		calling(a.write(r, "shop.js", "a\n")), commit,
		calling(a.shell("make test")), commit,
		calling(a.shell("rm broken")), calling(a.shell("make test")), commit, says("It is committed."),
	}
	if a.endsRun {
		script = append(script[:1:1], script[4:]...)
	}
	w := a.work(r, script...)

	_, committed := r.read("committed")
	assert.True(t, committed, "the commit was stopped after the tests had passed")
	if a.endsRun {
		return
	}
	results := w.model.results(7)
	assert.Contains(t, results[1], "no run of `make test` that succeeded since shop.js changed")
	assert.Contains(t, results[3], "the last one failed")
}

// A page that is there may be changed alone. A commit of a new one waits for its line.
func TestClaudeCommitsThePageWithItsLine(t *testing.T) {
	r := instructed(t)
	commit := bash(commitOf("docs"))
	s := r.claudeAsked("Change the home page, then write one about prices.",
		bash("echo more >> docs/pages/home.md"),
		commit,
		write(r.path("docs/pages/prices.md"), "Prices\n"),
		commit,
		bash("echo '- prices' >> docs/sidebar.yml"),
		commit,
		fakeserver.Text("Done."),
	)
	results := s.stopped(false, false, false, true, false, false)
	assert.Contains(t, results[3].Text, "CLAUDE.md:4 says")
	assert.Contains(t, results[3].Text, "docs/pages/prices.md")
}

// A page without its line in the sidebar keeps the turn from ending.
func TestClaudeAddsThePageToTheSidebar(t *testing.T) {
	r := instructed(t)
	s := r.claudeAsked("Write a page about prices.",
		write(r.path("docs/pages/prices.md"), "Prices\n"),
		fakeserver.Text("Done."),
		bash("echo '- prices' >> docs/sidebar.yml"),
		fakeserver.Text("Now it is done."),
	)
	s.results(2)
	stops := s.hook("Stop")
	require.Len(t, stops, 2)
	assert.Contains(t, stops[0].Stdout, `"block"`)
	assert.Contains(t, stops[0].Stdout, "CLAUDE.md:4 says")
	assert.NotContains(t, stops[1].Stdout, `"block"`)
	text, _ := r.read("docs/sidebar.yml")
	assert.Equal(t, "- home\n- prices\n", text)
}

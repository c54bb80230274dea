package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	agents "github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// onPath is what a process gets that looks for agents and finds this one.
func (a agent) onPath(r *repository) (env []string) {
	r.t.Helper()
	bin := filepath.Join(r.home, "bin")
	require.NoError(r.t, os.MkdirAll(bin, 0o755))
	programtest.Write(r.t, filepath.Join(bin, cmp.Or(a.called, a.name)), "#!/bin/sh\nexit 1\n")
	return r.env("PATH=" + strings.Join([]string{bin, r.bin, os.Getenv("PATH")}, string(os.PathListSeparator)))
}

// proposed is the command with which, as init says, the hook gets into every folder.
var proposed = regexp.MustCompile("(?m)^To guard every folder .*: sentinel (init .*--user)$")

// setUp does what a person does who has just installed Sentinel: `sentinel init`, and the
// command that it proposes.
func (a agent) setUp(t *testing.T) *repository {
	t.Helper()
	r := a.fresh(t)
	r.write("src/billing/rates.ts", "export const vat = 19\n")
	r.write("sub/billing/rates.ts", "export const vat = 19\n")
	r.commit("second")
	sentinel := func(args ...string) string {
		res := r.run("", a.onPath(r), append([]string{filepath.Join(r.bin, "sentinel")}, args...)...)
		require.Zero(t, res.exit, "sentinel %v:\n%s%s", args, res.stdout, res.stderr)
		return res.stdout
	}
	first := []string{"init", "--backend", "builtin"}
	if a.choice {
		first = append(first, "--agent", a.hooked())
	}
	said := proposed.FindStringSubmatch(sentinel(first...))
	require.NotNil(t, said, "init was to say how every folder is guarded")
	sentinel(strings.Fields(said[1])...)
	r.write(".claude/sentinel/rules/protect-billing.yaml", strings.Replace(protectBilling, "src/", "**/", 1))
	return r
}

// A place is where an agent can be at work other than in the first folder of a repository.
type place struct {
	name string
	// enter returns the repository as the agent sees it.
	enter func(r *repository) *repository
	sub   bool // a subagent does the work
}

func places() []place {
	return []place{
		{name: "subfolder", enter: func(r *repository) *repository {
			r.from = "sub"
			return r
		}},
		{name: "worktree", enter: func(r *repository) *repository {
			tree := *r
			tree.dir = filepath.Join(filepath.Dir(r.dir), "tree")
			r.git("worktree", "add", "--quiet", "-b", "work", tree.dir) // it has no rules: they are not committed
			return &tree
		}},
		{name: "subagent", sub: true, enter: func(r *repository) *repository { return r }},
	}
}

// Wherever it is at work, an agent is stopped at a protected file, by its tool for
// writing and by its shell; and afterwards that can be verified.
func (a agent) testPlace(t *testing.T, p place) {
	first := a.setUp(t)
	r := p.enter(first)
	name := "billing/invoice.ts" // some take it for relative to where they are started
	if r.from == "" {
		name = "src/" + name
	}
	calls := []turn{calling(a.write(r, a.relative(r, name), "export {}\n")), calling(a.shell("echo 1 > " + filepath.Dir(name) + "/rates.ts"))}
	before := r.files()
	runs := [][]turn{calls}
	if a.endsRun {
		runs = [][]turn{calls[:1], calls[1:]}
	}
	for _, script := range runs {
		w := a.placed(r, p, script)
		require.Equal(t, before, r.without(before), "a write was not stopped")
		if a.endsRun {
			w.wasRefused(billingText) // of a subagent its run alone ends
		} else {
			told := resultsIn(w.model.conversation())
			if p.sub {
				errands := w.model.longest(&w.model.errands)
				told = resultsIn(errands)
				brief := 0
				for _, s := range errands {
					brief += strings.Count(s.text, "**/billing/**: "+billingText)
				}
				assert.LessOrEqual(t, brief, 1, "two hooks are registered, and it was to be told the rules once")
			}
			require.Len(t, told, len(script), w.model)
			for _, text := range told {
				assert.Contains(t, text, billingText)
			}
		}
		if p.sub && a.untold {
			r.verifyPart(0, len(script), true)
		} else {
			r.verify(len(script), !a.unread)
		}
	}
}

// without returns the present files that were there before, and those in folders that are
// protected.
func (r *repository) without(before map[string]string) map[string]string {
	r.t.Helper()
	now := map[string]string{}
	for name, text := range r.files() {
		if _, was := before[name]; was || strings.Contains(name, "billing") {
			now[name] = text
		}
	}
	return now
}

// relative is the name that the agent's tool for writing has for a file of the folder
// that it is started in.
func (a agent) relative(r *repository, name string) string {
	if a.name == codex.name {
		return name
	}
	return filepath.ToSlash(filepath.Join(r.from, name))
}

// placed has the agent, or a subagent of it, make calls.
func (a agent) placed(r *repository, p place, calls []turn) *work {
	r.t.Helper()
	calls = slices.Concat(calls, []turn{says("I could not do it.")}) // the caller's list goes on
	if !p.sub {
		return a.work(r, calls...)
	}
	model := newScriptedModel(r.t, append(slices.Clone(a.spawn), says("Done."))...)
	model.errand = calls
	return a.run("", r, model)
}

// testNoSubagents wants what the matrix leaves out to be so.
func (a agent) testNoSubagents(t *testing.T) {
	w := a.work(a.ready(t, nil), says("Done."))
	for name := range w.model.tools {
		assert.NotRegexp(t, "(?i)agent|task|spawn", name, "%s has subagents now: script one", a.name)
	}
}

// The parts of the suite that the documentation calls untested for an agent are those
// that are left out.
func TestWhatIsLeftOutIsSaid(t *testing.T) {
	t.Parallel()
	for _, a := range agentsOfAll() {
		said := agents.Registry{}.Find(a.hooked()).Seen[0].Parts
		for part, left := range map[string]bool{"subagent": a.spawn == nil, "server": a.serves == nil, "kept": !a.stays} {
			assert.Equal(t, left, strings.HasPrefix(said[part], "no"), "%s: %s", a.hooked(), part)
		}
		assert.Equal(t, a.unread || a.untold, said["verified"] != "", "%s: verified", a.hooked())
	}
}

// agentsOfAll are the agents and the forms in which each can be hooked.
func agentsOfAll() []agent {
	return []agent{claudeCode, codex, copilot, gemini, qwen, opencode, pi, cline, clineByPlugin()}
}

func TestReach(t *testing.T) {
	t.Parallel()
	for _, a := range agentsOfAll() {
		for _, p := range places() {
			t.Run(fmt.Sprintf("%s/%s", a.hooked(), p.name), func(t *testing.T) {
				t.Parallel()
				if p.sub && a.spawn == nil {
					a.testNoSubagents(t)
					return
				}
				a.testPlace(t, p)
			})
		}
	}
}

// Calls that a model makes in one turn are judged each by itself, and none is lost.
func (a agent) testParallel(t *testing.T) {
	r := a.ready(t, map[string]string{"protect-billing": protectBilling})
	r.write("src/billing/rates.ts", "old\n") // not every agent makes folders
	var calls []call
	for i := range 3 {
		calls = append(calls, a.write(r, fmt.Sprintf("src/billing/%d.ts", i), "export {}\n"), a.write(r, fmt.Sprintf("src/%d.ts", i), "export {}\n"))
	}
	w := a.work(r, calling(calls...), says("Done."))

	for i := range 3 {
		_, exists := r.read(fmt.Sprintf("src/billing/%d.ts", i))
		assert.False(t, exists, "a write was not stopped")
	}
	if a.endsRun { // whatever else it was about to do
		w.wasEnded(billingText)
		return
	}
	refused := 0
	for i, result := range w.model.results(len(calls)) {
		if strings.Contains(result, "Sentinel blocked this: "+billingText) {
			refused++
		}
		_, exists := r.read(fmt.Sprintf("src/%d.ts", i/2))
		assert.True(t, exists, result)
	}
	assert.Equal(t, 3, refused)
	blocked := 0
	for _, rec := range r.records() {
		if rec.RuleID == "protect-billing" && rec.Violation {
			blocked++
		}
	}
	assert.Equal(t, 3, blocked, "a line of the log was lost")
	r.verify(len(calls), !a.unread)
}

const (
	closedText = "Issues are closed and never deleted."
	noDelete   = `trigger: mcp
severity: block
scope: ["tracker:delete_*"]
backend: builtin
when: 'true'
message: ` + closedText + `
`
)

// A call of a server's tool is judged by the names of the server and the tool, which each
// agent writes in its own way.
func (a agent) testServer(t *testing.T) {
	r := a.ready(t, map[string]string{"tracker": noDelete})
	r.write("tracker.js", tracker)
	served := a
	served.start = func(r *repository, model string) (args, env []string) {
		args, env = a.start(r, model)
		more := a.serves(r, nodeProgram(r.t), r.path("tracker.js"))
		return slices.Insert(args, len(args)-a.last, more...), env
	}
	w := served.work(r,
		calling(call{a.served("delete_issue"), map[string]any{}}),
		calling(call{a.served("list_issues"), map[string]any{}}),
		says("Done."),
	)
	_, deleted := r.read("delete_issue.called")
	assert.False(t, deleted, "the server was asked")
	if a.endsRun {
		w.wasEnded(closedText)
		return
	}
	_, listed := r.read("list_issues.called")
	assert.True(t, listed, "a call that no rule is about did not get to the server: %s", w.model)
	assert.Contains(t, w.model.results(2)[0], closedText)
}

// A session is summed up when the agent's turn is over, or it has ended.
func (a agent) testSummary(t *testing.T) {
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(scriptedSummary))
	r := a.fresh(t)
	r.initSentinel(a.hooked())
	r.rememberBy(model.URL, "gemma3:4b")
	a.work(r, calling(a.write(r, "page.md", "# Invoices\n")), says("The page is written."))
	assert.Equal(t, "Write the page about invoices.", r.summary().TaskScope)
	asked := ""
	for _, chat := range model.Chats() {
		asked += string(chat)
	}
	assert.Contains(t, asked, "page.md")
	if !a.unread { // Sentinel's own record has what its hook is told
		assert.Contains(t, asked, "human: "+prompt)
	}
}

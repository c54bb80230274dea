package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// test puts an agent through what must hold for each of them, at the same time
// as other agents.
func (a agent) test(t *testing.T) {
	t.Parallel()
	t.Run("blocked", a.testBlocked)
	t.Run("warned", a.testWarned)
	t.Run("asked", a.testAsked)
	t.Run("harmless", a.testHarmless)
	t.Run("unfound", a.testUnfound)
	t.Run("strict", a.testStrict)
	t.Run("user", a.testUser)
	t.Run("tools", a.testTools)
	t.Run("tested", a.testTested)
	t.Run("parallel", a.testParallel)
	t.Run("summary", a.testSummary)
	if a.stays {
		t.Run("kept", a.testKept)
	}
	if a.search != nil {
		t.Run("searched", a.testSearched)
	}
	if a.serves != nil {
		t.Run("server", a.testServer)
	}
}

// fresh is a repository in which Sentinel is not set up, of a person who uses the
// agent.
func (a agent) fresh(t *testing.T) *repository {
	t.Helper()
	begin(t)
	r := newRepository(t)
	if a.settings != nil {
		a.settings(r)
	}
	return r
}

// ready is a repository that is set up for the agent, with rules by file name.
func (a agent) ready(t *testing.T, rules map[string]string) *repository {
	t.Helper()
	r := a.fresh(t)
	r.initSentinel(a.hooked())
	for name, text := range rules {
		r.write(".claude/sentinel/rules/"+name+".yaml", text)
	}
	return r
}

const (
	warnText = "A change of the API belongs into CHANGELOG.md too."
	warnAPI  = `trigger: file_write
severity: warn
scope: ["api/**"]
backend: builtin
when: 'true'
message: ` + warnText + `
`
	askText   = "A person decides when we deploy."
	askDeploy = `trigger: bash
severity: ask
scope: ["touch deployed"]
backend: builtin
when: 'true'
message: ` + askText + `
`
)

// A write to a protected file is stopped, by whatever tool, and the model learns
// why.
func (a agent) testBlocked(t *testing.T) {
	const protected = "src/billing/rates.ts"
	attempts := func(r *repository) []call {
		return []call{
			a.write(r, "src/billing/invoice.ts", "export const total = 0\n"),
			a.shell("cat > " + protected + " <<'EOF'\nexport const vat = 0\nEOF"),
		}
	}
	check := func(w *work) {
		_, exists := w.read("src/billing/invoice.ts")
		assert.False(t, exists, "the write was not stopped")
		text, _ := w.read(protected)
		assert.Equal(t, "export const vat = 19\n", text, "the shell was not stopped")
	}
	ready := func() *repository {
		r := a.ready(t, map[string]string{"protect-billing": protectBilling})
		r.write(protected, "export const vat = 19\n")
		return r
	}
	if a.endsRun {
		for i := range attempts(ready()) {
			r := ready()
			w := a.work(r, calling(attempts(r)[i]), says("I was not to get here."))
			check(w)
			w.wasEnded(billingText)
			r.verify(1, !a.unread)
		}
		return
	}
	r := ready()
	calls := attempts(r)
	w := a.work(r, calling(calls[0]), calling(calls[1]), says("I could not do it."))
	check(w)
	for _, result := range w.model.results(2) {
		assert.Contains(t, result, billingText, "the model does not know why")
	}
	r.verify(2, !a.unread)
}

// wasEnded wants a refusal to have ended the run with a reason.
func (w *work) wasEnded(reason string) {
	w.t.Helper()
	w.model.results(0)
	w.wasRefused(reason)
}

// wasRefused wants a hook to have refused a call with a reason.
func (w *work) wasRefused(reason string) {
	w.t.Helper()
	for _, h := range w.hooks() {
		if strings.Contains(h.stdout, reason) {
			return
		}
	}
	assert.Fail(w.t, "no hook refused with the reason "+reason)
}

// A warning stops nothing, and the model reads it.
func (a agent) testWarned(t *testing.T) {
	r := a.ready(t, map[string]string{"changelog": warnAPI})
	r.write("api/v1.md", "old\n") // not every agent makes folders
	w := a.work(r, calling(a.write(r, "api/users.ts", "export {}\n")), says("Done."))

	text, _ := r.read("api/users.ts")
	assert.Equal(t, "export {}\n", text, "a warning stops nothing")
	told := strings.Join(append(w.model.results(1), w.model.notes()), "\n")
	assert.Equal(t, 1, strings.Count(told, "Warning: "+warnText), "the model was to read it once")
}

// Without a user, a call that needs a decision does not run.
func (a agent) testAsked(t *testing.T) {
	r := a.ready(t, map[string]string{"deploy": askDeploy})
	w := a.workUntil(a.waits, r, calling(a.shell("touch deployed")), says("Nobody is here to ask."))

	_, exists := r.read("deployed")
	assert.False(t, exists, "it ran though nobody was there to be asked")
	switch {
	case a.endsRun:
		w.wasEnded(askText)
		return
	case a.waits != "":
		_, question, _ := strings.Cut(w.stderr, a.waits)
		assert.Contains(t, question, "the agent wants to run `touch deployed`. "+askText, "no person would know what to say")
		w.model.results(0)
		return
	}
	assert.Contains(t, w.model.results(1)[0], askText)
}

// A setup of one user for all repositories holds in each of them.
func (a agent) testUser(t *testing.T) {
	r := a.fresh(t)
	res := r.sentinel("", "init", "--user", "--backend", "builtin", "--agent", a.hooked())
	require.Zero(t, res.exit, res.stderr)
	r.writeHome(".config/sentinel/rules/protect-billing.yaml", protectBilling)
	r.write("src/billing/rates.ts", "export const vat = 19\n")
	w := a.work(r, calling(a.write(r, "src/billing/invoice.ts", "export {}\n")), says("I could not do it."))

	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists, "the write was not stopped")
	if a.endsRun {
		w.wasEnded(billingText)
		return
	}
	assert.Contains(t, w.model.results(1)[0], billingText)
}

const (
	testedText = "Run the tests before you finish."
	testedSrc  = `trigger: file_write
phase: stop
severity: block
scope: ["src/**"]
backend: builtin
when: not ran("touch tested")
message: ` + testedText + `
`
)

// The rules of the project are told up front. An agent that wants to end its turn too
// early goes on, and one that has done what it should may end it.
func (a agent) testKept(t *testing.T) {
	r := a.ready(t, map[string]string{"tested": testedSrc})
	r.write("src/b.ts", "old\n") // not every agent makes folders
	w := a.work(r,
		calling(a.write(r, "src/a.ts", "export {}\n")), says("Done."),
		calling(a.shell("touch tested")), says("Tested."),
	)

	_, exists := r.read("tested")
	require.True(t, exists, "the turn ended too early")
	w.model.results(2)
	told := w.model.notes()
	for _, s := range w.model.conversation() {
		told += s.text
	}
	assert.Contains(t, told, "Sentinel: the turn is not over. "+testedText)
	if a.unbriefed {
		return
	}
	assert.Contains(t, told, "src/**: "+testedText+" [tested]", "the rule was to be told up front")
}

// A hook that has nothing to say is not noticed, and the end of the model's turn
// is one of its events.
func (a agent) testHarmless(t *testing.T) {
	r := a.ready(t, nil)
	for name := range r.files() { // rules of packs look at every file
		if strings.HasPrefix(name, ".claude/sentinel/rules/") {
			r.write(name, protectBilling)
		}
	}
	before := r.files()
	w := a.work(r,
		calling(a.write(r, "notes.md", "a note\n")),
		calling(a.shell("cat notes.md")),
		says("Done."),
	)

	after := r.files()
	assert.Equal(t, "a note\n", after["notes.md"])
	delete(after, "notes.md")
	delete(after, a.leaves)
	assert.Equal(t, before, after, "files came or changed beside the one that was written")
	results := w.model.results(2)
	assert.Contains(t, results[1], "a note")
	for _, s := range w.model.conversation() {
		assert.NotContains(t, s.text, "Sentinel")
	}
	assert.NotContains(t, w.stdout+w.stderr, "Sentinel")
	if a.minds != "" {
		assert.NotContains(t, w.stdout+w.stderr, a.minds)
	}
	assert.Zero(t, w.exit)

	// An agent need not wait for its last hooks.
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(r.hooks(), func(h spied) bool { return strings.Contains(h.event, a.stop) })
	}, hang, 20*time.Millisecond, "no hook at the end of the model's turn")
	for _, h := range r.hooks() {
		if files := `{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":[`; !strings.HasPrefix(h.stdout, files) || strings.Contains(h.stdout, "additionalContext") {
			assert.Empty(t, h.stdout+h.stderr, h.event)
		}
		assert.Zero(t, h.exit, h.event)
	}

	// A registration by init can be taken out again after it was used.
	res := r.sentinel("", "uninstall", "--agent", a.hooked())
	require.Zero(t, res.exit, res.stderr)
	for name := range r.files() {
		ours := strings.HasPrefix(name, ".claude/sentinel/") || strings.HasPrefix(name, ".sentinel/")
		assert.True(t, ours || slices.Contains([]string{"README.md", "sub/keep.txt", "notes.md", a.leaves}, name), "uninstall left %s", name)
	}
}

// Where sentinel is not installed, calls pass and the model does not hear of it.
func (a agent) testUnfound(t *testing.T) {
	r := a.ready(t, map[string]string{"protect-billing": protectBilling})
	r.missing = true
	r.write("src/billing/rates.ts", "export const vat = 19\n")
	w := a.work(r, calling(a.write(r, "src/billing/invoice.ts", "export {}\n")), says("Done."))

	_, exists := r.read("src/billing/invoice.ts")
	assert.True(t, exists, "the agent cannot work without sentinel")
	assert.NotContains(t, w.model.results(1)[0]+w.model.notes(), "not found")
}

// Where the project is strict they do not pass.
func (a agent) testStrict(t *testing.T) {
	r := a.fresh(t)
	r.write(".claude/sentinel/config.yaml", "backend: builtin\nfail_open: false\n")
	r.initSentinel(a.hooked())
	r.missing = true
	w := a.work(r, calling(a.write(r, "notes.md", "a note\n")), says("Done."))

	_, exists := r.read("notes.md")
	assert.False(t, exists, "it was written though sentinel could not be asked")
	if a.endsRun {
		w.model.results(0)
		return
	}
	w.model.results(1)
}

package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// claudeCode returns the program that .ci/agents installed: the package for this
// system is the only one beside the wrapper.
func claudeCode(t *testing.T) string {
	t.Helper()
	return agent{name: "claude-code", pkg: "@anthropic-ai/claude-code", program: "@anthropic-ai/claude-code-*/claude"}.installed(t)[0]
}

// session is what came of one run of Claude Code.
type session struct {
	t      *testing.T
	server *fakeserver.AnthropicServer
	hooks  []hookRun
}

// hookRun is a hook call as Claude Code reports it.
type hookRun struct {
	Name     string `json:"hook_name"`
	Event    string `json:"hook_event"`
	Stdout   string
	Stderr   string
	ExitCode int `json:"exit_code"`
	Outcome  string
}

// claude lets Claude Code work through a script. Its own permissions allow
// everything, so that whatever is stopped was stopped by the hook.
func (r *repository) claude(script ...fakeserver.Step) *session {
	r.t.Helper()
	return r.claudeAsked(prompt, script...)
}

// claudeAsked is claude with words of the person's own.
func (r *repository) claudeAsked(words string, script ...fakeserver.Step) *session {
	r.t.Helper()
	program := claudeCode(r.t)
	server := fakeserver.NewAnthropicServer(r.t, script...)
	res := r.run("", r.env(
		"ANTHROPIC_BASE_URL="+server.URL,
		"ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=0",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_TELEMETRY=1",
	), program, "-p", words, "--output-format", "stream-json", "--verbose", "--include-hook-events",
		"--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Read,Bash")
	require.Zero(r.t, res.exit, "Claude Code failed:\n%s%s", res.stdout, res.stderr)

	s := &session{t: r.t, server: server}
	finished := false
	for line := range strings.Lines(res.stdout) {
		var ev struct {
			Type, Subtype string
			IsError       bool `json:"is_error"`
		}
		require.NoError(r.t, json.Unmarshal([]byte(line), &ev), line)
		switch {
		case ev.Subtype == "hook_response":
			var h hookRun
			require.NoError(r.t, json.Unmarshal([]byte(line), &h))
			s.hooks = append(s.hooks, h)
		case ev.Type == "result":
			finished = ev.Subtype == "success" && !ev.IsError
		}
	}
	require.True(r.t, finished, "the session did not come to a good end:\n%s", res.stdout)
	return s
}

// results returns what the model was told of its tool calls, which must be n.
func (s *session) results(n int) []fakeserver.ToolResult {
	s.t.Helper()
	results := s.server.ToolResults()
	require.Len(s.t, results, n)
	return results
}

// hook returns the runs of the hook for an event, at least one.
func (s *session) hook(event string) []hookRun {
	s.t.Helper()
	var runs []hookRun
	for _, h := range s.hooks {
		if h.Event == event {
			runs = append(runs, h)
		}
	}
	require.NotEmpty(s.t, runs, "Claude Code ran no %s hook: is it registered? It ran %+v", event, s.hooks)
	return runs
}

// context returns what hooks added to the model's context.
func (s *session) context() string {
	var added []string
	for _, note := range s.server.Notes() {
		if strings.Contains(note, "hook additional context") {
			added = append(added, note)
		}
	}
	return strings.Join(added, "\n")
}

func write(path, content string) fakeserver.Step {
	return fakeserver.ToolUse("Write", map[string]string{"file_path": path, "content": content})
}

func bash(command string) fakeserver.Step {
	return fakeserver.ToolUse("Bash", map[string]string{"command": command, "description": "Run it"})
}

// protectBilling needs no model.
const protectBilling = `trigger: file_write
severity: block
scope: ["src/billing/**"]
backend: builtin
when: 'true'
message: Billing is changed by its owners only. Ask them in the channel called billing.
`

const billingText = "Billing is changed by its owners only. Ask them in the channel called billing."

func TestClaudeIsStoppedFromWriting(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.write("src/billing/rates.ts", "export const vat = 19\n")
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)

	s := r.claude(
		write(r.path("src/billing/invoice.ts"), "export const total = 0\n"),
		fakeserver.ToolUse("Read", map[string]string{"file_path": r.path("src/billing/rates.ts")}),
		fakeserver.ToolUse("Edit", map[string]string{"file_path": r.path("src/billing/rates.ts"), "old_string": "19", "new_string": "0"}),
		fakeserver.Text("I could not do it."),
	)

	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists, "the write was not stopped")
	rates, _ := r.read("src/billing/rates.ts")
	assert.Equal(t, "export const vat = 19\n", rates, "the edit was not stopped")
	results := s.results(3)
	for _, i := range []int{0, 2} {
		assert.True(t, results[i].IsError)
		assert.Contains(t, results[i].Text, billingText, "the model does not know why")
		assert.NotContains(t, results[i].Text, "sentinel hook", "the model is shown the hook's command line")
	}
	assert.False(t, results[1].IsError, "reading was not to be stopped: %s", results[1].Text)
	for _, run := range s.hook("PreToolUse") {
		assert.Empty(t, run.Stderr)
		assert.Zero(t, run.ExitCode)
	}
	r.verify(2, true)
}

// A rule about files holds for the shell too.
func TestClaudeIsStoppedFromWritingByShell(t *testing.T) {
	begin(t)
	r := newRepository(t)
	const rates = "export const vat = 19\n"
	r.write("src/billing/rates.ts", rates)
	r.write("fix.patch", "--- a/src/billing/rates.ts\n+++ b/src/billing/rates.ts\n@@ -1 +1 @@\n-export const vat = 19\n+export const vat = 0\n")
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)

	commands := []string{
		"cat > src/billing/invoice.ts <<'EOF'\nexport const total = 0\nEOF",
		"cd src/billing && sed -i s/19/0/ rates.ts",
		"git apply fix.patch",
		"rm -r src/billing",
	}
	var script []fakeserver.Step
	for _, command := range commands {
		script = append(script, bash(command))
	}
	s := r.claude(append(script, fakeserver.Text("I could not do it."))...)

	for i, result := range s.results(len(commands)) {
		assert.True(t, result.IsError, "%s: %s", commands[i], result.Text)
		assert.Contains(t, result.Text, billingText, commands[i])
	}
	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists)
	text, _ := r.read("src/billing/rates.ts")
	assert.Equal(t, rates, text)
}

func TestClaudeIsStoppedFromForcePushing(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.git("init", "--quiet", "--bare", r.home+"/origin.git")
	r.git("remote", "add", "origin", r.home+"/origin.git")
	r.git("push", "--quiet", "--set-upstream", "origin", "main")
	published := r.git("rev-parse", "HEAD")
	r.git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--amend", "--allow-empty", "-m", "rewritten")
	r.initSentinel()

	s := r.claude(
		bash("git status --short && echo it works here"),
		bash("cd sub && git push --force"),
		fakeserver.Text("I could not do it."),
	)

	results := s.results(2)
	assert.False(t, results[0].IsError, results[0].Text)
	assert.Contains(t, results[0].Text, "it works here")
	assert.True(t, results[1].IsError)
	assert.Contains(t, results[1].Text, "Sentinel")
	assert.Equal(t, published, r.git("--git-dir", r.home+"/origin.git", "rev-parse", "main"), "history was rewritten")
}

func TestClaudeIsWarned(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/changelog.yaml", `trigger: file_write
severity: warn
scope: ["api/**"]
backend: builtin
when: 'true'
message: A change of the API belongs into CHANGELOG.md too.
`)
	s := r.claude(write(r.path("api/users.ts"), "export {}\n"), fakeserver.Text("Done."))

	text, _ := r.read("api/users.ts")
	assert.Equal(t, "export {}\n", text, "a warning stops nothing")
	assert.False(t, s.results(1)[0].IsError)
	assert.Contains(t, s.context(), "A change of the API belongs into CHANGELOG.md too.")
}

func TestClaudeMustAskAPerson(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/deploy.yaml", `trigger: bash
severity: ask
scope: ["touch deployed"]
backend: builtin
when: 'true'
message: A person decides when we deploy.
`)
	s := r.claude(bash("touch deployed"), fakeserver.Text("Nobody is here to ask."))

	_, exists := r.read("deployed")
	assert.False(t, exists, "it ran though nobody was there to be asked")
	result := s.results(1)[0]
	assert.True(t, result.IsError)
	assert.Contains(t, result.Text, "A person decides when we deploy.")
}

func TestClaudeSeesNothingOfAHarmlessCall(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	for name := range r.files() { // rules of packs look at every file
		if strings.HasPrefix(name, ".claude/sentinel/rules/") {
			r.write(name, protectBilling)
		}
	}
	before := r.files()

	s := r.claude(
		fakeserver.Turn(write(r.path("notes.md"), "a note\n"), write(r.path("more.md"), "another\n")),
		bash("cat notes.md"),
		fakeserver.Text("Done."),
	)

	after := r.files()
	assert.Equal(t, "a note\n", after["notes.md"])
	assert.Equal(t, "another\n", after["more.md"])
	delete(after, "notes.md")
	delete(after, "more.md")
	assert.Equal(t, before, after, "files came or changed beside those that were written")
	for _, result := range s.results(3) {
		assert.False(t, result.IsError, result.Text)
	}
	for _, run := range append(s.hook("PreToolUse"), s.hook("PostToolUse")...) {
		assert.Zero(t, run.ExitCode, run.Stderr)
		assert.Empty(t, run.Stdout+run.Stderr)
	}
	assert.Empty(t, s.context())
}

func TestClaudeCallsInParallel(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	var steps []fakeserver.Step
	for _, name := range []string{"src/billing/a.ts", "src/a.ts", "src/billing/b.ts", "src/b.ts"} {
		steps = append(steps, write(r.path(name), "export {}\n"))
	}
	s := r.claude(fakeserver.Turn(steps...), fakeserver.Text("Done."))

	for i, result := range s.results(4) {
		assert.Equal(t, i%2 == 0, result.IsError, result.Text)
	}
	blocked := 0
	for _, rec := range r.records() {
		if rec.RuleID == "protect-billing" && rec.Violation {
			blocked++
		}
	}
	assert.Equal(t, 2, blocked, "a line of the log was lost")
}

func TestClaudeStops(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	s := r.claude(fakeserver.Text("There was nothing to do."))
	for _, run := range s.hook("Stop") {
		assert.Zero(t, run.ExitCode, run.Stderr)
		assert.Equal(t, "success", run.Outcome)
		assert.Empty(t, run.Stdout+run.Stderr)
	}
}

// Claude Code is told the rules up front, and goes on with a turn that is not over.
func TestClaudeIsKeptAtWork(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/tested.yaml", testedSrc)
	s := r.claude(write(r.path("src/a.ts"), "export {}\n"), fakeserver.Text("Done."), bash("touch tested"), fakeserver.Text("Tested."))
	_, exists := r.read("tested")
	require.True(t, exists, "the turn ended too early")
	told := strings.Join(s.server.Notes(), "\n")
	assert.Contains(t, told, "Sentinel: the turn is not over. "+testedText)
	assert.Contains(t, told, "src/**: "+testedText+" [tested]", "the rule was to be told up front")
}

// Without sentinel calls pass, unless the project is strict; and uninstall takes
// out what init has registered.
func TestClaudeWithoutSentinel(t *testing.T) {
	for name, strict := range map[string]bool{"open": false, "strict": true} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			r := newRepository(t)
			if strict {
				r.write(".claude/sentinel/config.yaml", "backend: builtin\nfail_open: false\n")
			}
			r.initSentinel()
			r.missing = true
			s := r.claude(write(r.path("notes.md"), "a note\n"), fakeserver.Text("Done."))

			_, written := r.read("notes.md")
			assert.Equal(t, !strict, written)
			assert.Equal(t, strict, s.results(1)[0].IsError)
			res := r.sentinel("", "uninstall")
			require.Zero(t, res.exit, res.stderr)
			_, left := r.read(".claude/settings.json")
			assert.False(t, left, "uninstall left the settings")
		})
	}
}

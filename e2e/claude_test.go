package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// claudeCode's own permissions allow everything, so that whatever is stopped was stopped by
// the hook. The package for this system is the only one needed besides the wrapper.
var claudeCode = agent{
	name: "claude-code", init: "claude", called: "claude", pkg: "@anthropic-ai/claude-code", program: "@anthropic-ai/claude-code-*/claude",
	start: func(_ *repository, model string) (args, env []string) {
		return []string{
				"-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events",
				"--permission-mode", "acceptEdits", "--allowedTools", "Write,Edit,Read,Bash,Agent",
			}, []string{
				"ANTHROPIC_BASE_URL=" + model,
				"ANTHROPIC_API_KEY=dummy",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"CLAUDE_CODE_MAX_RETRIES=0",
				"DISABLE_AUTOUPDATER=1",
				"DISABLE_ERROR_REPORTING=1",
				"DISABLE_TELEMETRY=1",
			}
	},
	write: func(r *repository, name, content string) call {
		return call{"Write", map[string]any{"file_path": r.path(name), "content": content}}
	},
	shell: func(command string) call {
		return call{"Bash", map[string]any{"command": command, "description": "Run it"}}
	},
	serves: func(r *repository, node, script string) []string {
		r.writeHome("mcp.json", `{"mcpServers": {"tracker": {"command": "`+node+`", "args": ["`+script+`"]}}}`)
		return []string{"--mcp-config", r.home + "/mcp.json", "--allowedTools", "mcp__tracker__delete_issue,mcp__tracker__list_issues"}
	},
	served: func(tool string) string { return "mcp__tracker__" + tool },
	spawn:  []turn{calling(call{"Agent", map[string]any{"description": "Run it", "prompt": errand, "subagent_type": "general-purpose", "run_in_background": false}})},
	stays:  true,
	stop:   `"hook_event_name":"Stop"`,
}

func TestClaude(t *testing.T) { claudeCode.test(t) }

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
	server := fakeserver.NewAnthropicServer(r.t, script...)
	args, env := claudeCode.start(r, server.URL)
	args[1] = words
	res := r.run("", r.env(env...), append(claudeCode.installed(r.t), args...)...)
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

// results returns the results that the model got for its tool calls, which must be n.
func (s *session) results(n int) []fakeserver.ToolResult {
	s.t.Helper()
	results := s.server.ToolResults()
	require.Len(s.t, results, n)
	return results
}

// stopped returns the results of the session's calls. want says of each whether it was stopped.
func (s *session) stopped(want ...bool) []fakeserver.ToolResult {
	s.t.Helper()
	results := s.results(len(want))
	for i, stopped := range want {
		assert.Equal(s.t, stopped, results[i].IsError, results[i].Text)
	}
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

// A worktree that Claude Code makes for itself has no rules where they are not committed:
// those of the main checkout hold there.
func TestClaudeInItsOwnWorktree(t *testing.T) {
	t.Parallel()
	const rates = "export const vat = 19\n"
	within := ".claude/worktrees/wt1/src/billing/a.ts"
	for name, enter := range map[string]call{
		"entered":  {"EnterWorktree", map[string]any{"name": "wt1"}},
		"subagent": {"Agent", map[string]any{"description": "Run it", "prompt": errand, "subagent_type": "general-purpose", "isolation": "worktree", "run_in_background": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := claudeCode.fresh(t)
			r.write("src/billing/rates.ts", rates)
			r.commit("second")
			r.initSentinel("claude")
			r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
			shell := calling(claudeCode.shell("echo 1 > src/billing/rates.ts && pwd"))
			model := newScriptedModel(t, calling(enter), calling(claudeCode.write(r, within, "x")), shell, says("Done."))
			if name == "subagent" { // which has one of a name that is not known
				model.script, model.errand = []turn{calling(enter)}, []turn{shell, shell, says("I could not do it.")}
			}
			a := claudeCode
			a.start = func(r *repository, model string) (args, env []string) {
				args, env = claudeCode.start(r, model)
				return append(args, "--allowedTools", "EnterWorktree"), env
			}
			a.run("", r, model)

			results := resultsIn(append(model.conversation(), model.longest(&model.errands)...))
			require.NotEmpty(t, results)
			refused := 0
			for _, result := range results {
				refused += strings.Count(result, "Sentinel blocked this: "+billingText)
			}
			assert.GreaterOrEqual(t, refused, 2, model)
			made, err := filepath.Glob(r.path(".claude/worktrees/*/src/billing/*"))
			require.NoError(t, err)
			if name == "entered" { // one without changes is gone when its subagent has ended
				require.NotEmpty(t, made, "it made no worktree: %s", model)
			}
			for _, h := range r.hooks() {
				if strings.Contains(h.event, `"PreToolUse"`) && strings.Contains(h.event, "rates.ts") {
					assert.Contains(t, h.event, `"cwd":"`+r.path(".claude/worktrees"))
				}
			}
			for _, path := range append(made, r.path("src/billing/rates.ts")) {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, rates, string(text), path)
			}
		})
	}
}

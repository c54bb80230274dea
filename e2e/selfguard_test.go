package e2e

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// unread is a command that writes a file without naming it, and gives Claude Code the
// time in which it notices.
func unread(name, content string) fakeserver.Step {
	folder, rest, _ := strings.Cut(name, "/")
	return bash("python3 - <<'E'\nimport os\nd = os.listdir('.')\n" +
		"f = [x for x in d if x.endswith('" + folder[2:] + "')][0]\nopen(f + '/" + rest + "', 'w').write('''" + content + "''')\nE\nsleep 4")
}

// A write that no rule sees does not switch the hook off: Claude Code is told to keep
// the settings that it has, the model and the person learn of it, and what is not
// certain is asked about from then on.
func TestClaudeKeepsItsHook(t *testing.T) {
	begin(t)
	for name, c := range map[string]struct{ file, content, told string }{
		"switched off": {".claude/settings.local.json", `{"disableAllHooks":true}`, "no hook runs"},
		"taken out":    {".claude/settings.json", `{}`, ".claude/settings.json does not start the hook any more"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.initSentinel()
			r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
			s := r.claude(
				unread(c.file, c.content),
				write(r.path("src/billing/invoice.ts"), "export const total = 0\n"),
				bash(`rm -f "$NOBODY_KNOWS"`),
				bash("echo plain"),
				fakeserver.Text("I could not do it."),
			)
			got, _ := r.read(c.file)
			require.Equal(t, c.content, got, "the write was to be unseen")
			_, exists := r.read("src/billing/invoice.ts")
			assert.False(t, exists, "the hook was off")
			results := s.results(4)
			assert.False(t, results[0].IsError, results[0].Text)
			assert.Contains(t, results[1].Text, billingText)
			assert.Contains(t, results[2].Text, "sentinel accept")
			assert.False(t, results[3].IsError, results[3].Text)
			assert.Contains(t, s.context(), c.told, "the model was to be told")
			var shown strings.Builder
			for _, h := range s.hooks {
				shown.WriteString(h.Stdout)
			}
			assert.Contains(t, shown.String(), "Sentinel is strict until you have looked at it")
		})
	}
}

// Claude Code tells of a rule that was weakened by what no rule has seen.
func TestClaudeTellsOfChangedRules(t *testing.T) {
	begin(t)
	r := newRepository(t)
	r.initSentinel()
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	s := r.claude(
		bash("true"), // pins the rules
		unread(".claude/sentinel/rules/protect-billing.yaml", "mode: off\n"),
		write(r.path("src/billing/invoice.ts"), "export const total = 0\n"),
		bash(`rm -f "$NOBODY_KNOWS"`),
		fakeserver.Text("I could not do it."),
	)
	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists)
	results := s.results(4)
	assert.False(t, results[1].IsError, results[1].Text)
	assert.Contains(t, results[2].Text, billingText)
	assert.Contains(t, results[3].Text, "sentinel accept")
}

// tracker is an MCP server whose tools leave a file each.
const tracker = `const out = (m) => process.stdout.write(JSON.stringify(m) + "\n");
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  const m = JSON.parse(line);
  const result = {
    initialize: () => ({protocolVersion: m.params.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: "tracker", version: "1"}}),
    "tools/list": () => ({tools: ["delete_issue", "list_issues"].map((name) => ({name, description: "d", inputSchema: {type: "object", properties: {}}}))}),
    "tools/call": () => { require("fs").writeFileSync(__dirname + "/" + m.params.name + ".called", ""); return {content: [{type: "text", text: "gone"}]}; },
  }[m.method];
  if (m.id !== undefined) out({jsonrpc: "2.0", id: m.id, result: result ? result() : {}});
});
`

// Copilot CLI runs Claude Code's registration for the tools of MCP servers too, which
// it names otherwise.
func TestCopilotAsksClaudesHookAboutMCP(t *testing.T) {
	begin(t)
	t.Parallel()
	r := newRepository(t)
	r.initSentinel("claude")
	r.write(".claude/sentinel/rules/tracker.yaml", noDelete)
	r.write("tracker.js", tracker)
	a := copilot
	a.start = func(r *repository, model string) (args, env []string) {
		args, env = copilot.start(r, model)
		return append(args, copilot.serves(r, nodeProgram(t), r.path("tracker.js"))...), env
	}
	w := a.work(r, calling(call{"tracker-delete_issue", map[string]any{}}), says("I could not do it."))

	_, exists := r.read("delete_issue.called")
	assert.False(t, exists, "the server was asked")
	assert.Contains(t, w.model.results(1)[0], closedText)
}

// An agent that tells of no change: what its next session would lack is told after the
// tool that took it away.
func TestLossOfTheHookIsTold(t *testing.T) {
	begin(t)
	for _, a := range []agent{codex, copilot, gemini, qwen, opencode, pi, cline} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := a.fresh(t)
			res := r.sentinel("", "init", "--backend", "builtin", "--pack", "git", "--agent", a.name) // hidden-write would ask
			require.Zero(t, res.exit, res.stderr)
			var file string
			for name, text := range r.files() {
				if strings.Contains(text, "sentinel") && !strings.HasPrefix(name, ".claude/") && !strings.HasPrefix(name, ".sentinel/") && strings.Compare(name, file) > 0 {
					file = name
				}
			}
			require.NotEmpty(t, file)
			// What a file holds is no name that can be read from the command.
			hidden := `open('/dev/null').read() + '` + hex.EncodeToString([]byte(file)) + `'`
			w := a.work(r,
				calling(a.shell(`python3 -c "import os; os.remove(bytes.fromhex(`+hidden+`).decode())"`)),
				calling(a.shell("echo two")),
				says("Done."),
			)
			_, there := r.read(file)
			require.False(t, there, "%s was to be removed unseen", file)
			var answers strings.Builder
			for _, h := range w.hooks() {
				answers.WriteString(h.stdout + h.stderr)
			}
			assert.Contains(t, answers.String(), "what guards this project was changed: "+file)
			assert.Contains(t, strings.Join(append(w.model.results(2), w.model.notes()), "\n"), "what guards this project was changed", "the model was to be told")
		})
	}
}

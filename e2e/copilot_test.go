package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

var copilot = agent{
	name: "copilot", pkg: "@github/copilot", program: "@github/copilot-*/copilot",
	start: func(r *repository, model string) (args, env []string) {
		return []string{"-p", prompt, "--allow-all-tools", "--trust-folder", "--output-format", "json", "--disable-builtin-mcps"},
			[]string{
				"COPILOT_OFFLINE=true",
				"COPILOT_AUTO_UPDATE=false",
				"COPILOT_HOME=" + r.home + "/.copilot",
				"COPILOT_MODEL=claude-sonnet-4.5",
				"COPILOT_PROVIDER_TYPE=openai",
				"COPILOT_PROVIDER_API_KEY=dummy",
				"COPILOT_PROVIDER_BASE_URL=" + model + "/v1",
			}
	},
	write: func(r *repository, name, content string) call {
		return call{"create", map[string]any{"path": r.path(name), "file_text": content}}
	},
	shell: func(command string) call {
		return call{"bash", map[string]any{"command": command, "description": "Run it", "mode": "sync", "initial_wait": 60}}
	},
	search: func(in, glob string) call {
		args := map[string]any{"pattern": "KEY", "path": in, "output_mode": "content"}
		if glob != "" {
			args["glob"] = glob
		}
		return call{"grep", args}
	},
	serves: func(_ *repository, node, script string) []string {
		return []string{"--additional-mcp-config", `{"mcpServers":{"tracker":{"type":"local","command":"` + node + `","args":["` + script + `"],"tools":["*"]}}}`}
	},
	served: func(tool string) string { return "tracker-" + tool },
	spawn:  []turn{calling(call{"task", map[string]any{"description": "Run it", "prompt": errand, "agent_type": "general-purpose", "name": "runner", "mode": "sync"}})},
	stays:  true,
	stop:   `"stopReason":`,
}

func TestCopilot(t *testing.T) { copilot.test(t) }

// Copilot CLI runs the hooks in Claude Code's settings, too. A call that two hooks
// of ours see is judged once, and the model is told once.
func TestCopilotWithHooksOfClaudeCode(t *testing.T) {
	begin(t)
	t.Parallel()
	r := newRepository(t)
	r.initSentinel("claude", "copilot")
	r.write(".claude/sentinel/rules/changelog.yaml", warnAPI)
	r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
	for _, name := range []string{"api/v1.md", "src/billing/rates.ts"} {
		r.write(name, "old\n")
	}
	w := copilot.work(r,
		calling(copilot.write(r, "api/users.ts", "export {}\n")),
		calling(copilot.write(r, "src/billing/invoice.ts", "export {}\n")),
		says("Done."),
	)
	w.judgedOnce()
}

// Copilot CLI writes its record late. The summary has the last turn all the same.
func TestSummaryAfterCopilotHasEnded(t *testing.T) {
	begin(t)
	t.Parallel()
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(scriptedSummary))
	r := newRepository(t)
	r.initSentinel("copilot")
	r.remember(model.URL, "gemma3:4b")
	copilot.work(r, calling(copilot.write(r, "page.md", "# Invoices\n")), says("The page is written."))

	r.summary()
	require.Eventually(t, func() bool {
		for _, chat := range model.Chats() {
			if strings.Contains(string(chat), "The page is written.") {
				return true
			}
		}
		return false
	}, hang, 20*time.Millisecond, "the last words are in no question for a summary")
}

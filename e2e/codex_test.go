package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// codex is started past its review of hooks, which only a person can do. Its
// tools depend on the model: this one has a tool for patches and one for the
// shell.
var codex = agent{
	name: "codex", pkg: "@openai/codex", program: "@openai/codex-*/vendor/*/bin/codex",
	start: func(r *repository, model string) (args, env []string) {
		r.writeHome(".codex/config.toml", fmt.Sprintf(`model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
check_for_update_on_startup = false

[analytics]
enabled = false

[projects.%q]
trust_level = "trusted"

[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
`, r.dir, model))
		return []string{"exec", "--json", "-s", "danger-full-access", "--dangerously-bypass-hook-trust", prompt},
			[]string{"CODEX_HOME=" + r.home + "/.codex", "SCRIPTED_KEY=dummy"}
	},
	write: func(_ *repository, name, content string) call {
		lines := strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+")
		return call{"apply_patch", "*** Begin Patch\n*** Add File: " + name + "\n+" + lines + "\n*** End Patch\n"}
	},
	shell: func(command string) call { return call{"exec_command", map[string]any{"cmd": command}} },
	shows: map[string]string{"exec_command": "Bash", "write_stdin": ""},
	stays: true,
	stop:  `"hook_event_name":"Stop"`,
	minds: "clamping",
}

func TestCodex(t *testing.T) { codex.test(t) }

// Codex runs no hook that nobody has reviewed, and says nothing of it: what the
// documentation warns of is so.
func TestCodexWithoutReview(t *testing.T) {
	t.Parallel()
	unreviewed := codex
	unreviewed.start = func(r *repository, model string) (args, env []string) {
		args, env = codex.start(r, model)
		return slices.DeleteFunc(args, func(arg string) bool { return arg == "--dangerously-bypass-hook-trust" }), env
	}
	r := codex.ready(t, map[string]string{"protect-billing": protectBilling})
	unreviewed.work(r, calling(codex.write(r, "src/billing/invoice.ts", "export {}\n")), says("Done."))

	_, exists := r.read("src/billing/invoice.ts")
	assert.True(t, exists, "Codex runs hooks now that nobody has reviewed: say so in docs/agents/codex.md")
	assert.Empty(t, r.hooks())
}

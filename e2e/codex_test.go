package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// approved is what Codex keeps of the hooks that `sentinel init` writes, once a person has
// approved them: the digest of each, wherever the file lies.
var approved = map[string]string{
	"pre_tool_use":  "85f114422ddabfd506983fc729b8fd8b57025e93b63f57c3f120cdcb8f962c08",
	"post_tool_use": "a0d931ed1f28d58cfb9a2c64f72757e4ae77f9720d3b2051db7326233a6a661d",
	"session_start": "9681e1f461bc1fde41fb2beff2dfee77eaee96743b51fe92f5f6f1a1b6df52c9",
	"session_end":   "51134f08872934ca1f8bfa6e12cad690bddbb0fc7ffea0ec9c2b8f8453c97cc8",
	"stop":          "7b97f550a88677ca327d81b5d847708ee23438f47e49c5a9f8164e91ea538fea",
}

// Codex runs the hooks that doctor calls trusted.
func TestCodexAfterReview(t *testing.T) {
	t.Parallel()
	reviewed := codex
	reviewed.start = func(r *repository, model string) (args, env []string) {
		args, env = codex.start(r, model)
		state, err := os.ReadFile(filepath.Join(r.home, ".codex", "config.toml"))
		require.NoError(t, err)
		for event, digest := range approved {
			state = fmt.Appendf(state, "\n[hooks.state.%q]\ntrusted_hash = \"sha256:%s\"\n", r.path(".codex/hooks.json")+":"+event+":0:0", digest)
		}
		r.writeHome(".codex/config.toml", string(state))
		return slices.DeleteFunc(args, func(arg string) bool { return arg == "--dangerously-bypass-hook-trust" }), env
	}
	r := codex.ready(t, map[string]string{"protect-billing": protectBilling})
	reviewed.work(r, calling(codex.write(r, "src/billing/invoice.ts", "export {}\n")), says("I could not do it."))

	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists, "Codex takes the digest of a hook in another way now: see agent/internal/codex/trust.go")
	said := codex.doctor(r).stdout
	assert.Contains(t, said, "trusted: ~/.codex/config.toml has your approval of all 5 hooks as they are now")
	assert.NotContains(t, said, "PERSON")

	r.initSentinel(codex.name) // nothing changes, so nothing is to be approved anew
	r.write(".codex/hooks.json", strings.ReplaceAll(r.files()[".codex/hooks.json"], "apply_patch", "apply_patch|other"))
	assert.Contains(t, codex.doctor(r).stdout, "PERSON  codex")
}

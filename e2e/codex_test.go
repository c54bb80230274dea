package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
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
	serves: func(_ *repository, node, script string) []string {
		return []string{"-c", `mcp_servers.tracker={command="` + node + `", args=["` + script + `"]}`}
	},
	last:   1,
	served: func(tool string) string { return "mcp__tracker/" + tool },
	spawn: []turn{
		calling(call{"multi_agent_v1/spawn_agent", map[string]any{"message": errand}}),
		{after: func(results []string) call {
			var spawned struct {
				ID string `json:"agent_id"`
			}
			_ = json.Unmarshal([]byte(results[0]), &spawned) // the wait fails without
			return call{"multi_agent_v1/wait_agent", map[string]any{"targets": []string{spawned.ID}, "timeout_ms": hang.Milliseconds()}}
		}},
	},
	stays: true,
	stop:  `"hook_event_name":"Stop"`,
	minds: "clamping",
}

func TestCodex(t *testing.T) { codex.test(t) }

// Codex does not run a hook that was not reviewed, and does not say so:
// the documentation warns of it rightly.
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

// Codex runs the hooks that doctor calls trusted.
func TestCodexAfterReview(t *testing.T) {
	t.Parallel()
	reviewed := codex
	reviewed.start = func(r *repository, model string) (args, env []string) {
		args, env = codex.start(r, model)
		approveHooks(r, env)
		return slices.DeleteFunc(args, func(arg string) bool { return arg == "--dangerously-bypass-hook-trust" }), env
	}
	r := codex.ready(t, map[string]string{"protect-billing": protectBilling})
	reviewed.work(r, calling(codex.write(r, "src/billing/invoice.ts", "export {}\n")), says("I could not do it."))

	_, exists := r.read("src/billing/invoice.ts")
	assert.False(t, exists, "Codex keeps an approval in another way now")
	said := codex.doctor(r).stdout
	assert.Regexp(t, `trusted: ~/.codex/config.toml has your approval of all \d+ hooks as they are now`, said,
		"Codex takes the digest of a hook in another way now: see agent/internal/codex/trust.go")
	assert.NotContains(t, said, "PERSON")

	r.write(".codex/hooks.json", strings.ReplaceAll(r.files()[".codex/hooks.json"], "apply_patch", "apply_patch|other"))
	assert.Contains(t, codex.doctor(r).stdout, "PERSON  codex", "they have changed since")
}

// approveHooks writes what Codex keeps once a person has approved the repository's hooks:
// the digests that it shows itself.
func approveHooks(r *repository, env []string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), codex.installed(r.t)[0], "app-server")
	cmd.Dir, cmd.Env = r.dir, r.env(env...)
	in, err := cmd.StdinPipe()
	require.NoError(r.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(r.t, err)
	require.NoError(r.t, cmd.Start())
	for _, line := range []string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`, `{"method":"initialized"}`,
		fmt.Sprintf(`{"id":2,"method":"hooks/list","params":{"cwds":[%q]}}`, r.dir),
	} {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(r.t, err)
	}
	var listed struct {
		ID     int
		Result struct {
			Data []struct {
				Hooks []struct{ Key, CurrentHash, TrustStatus string }
			}
		}
	}
	for lines := json.NewDecoder(out); listed.ID != 2; {
		require.NoError(r.t, lines.Decode(&listed))
	}
	require.NoError(r.t, in.Close())
	require.NoError(r.t, cmd.Wait())
	state, err := os.ReadFile(filepath.Join(r.home, ".codex", "config.toml"))
	require.NoError(r.t, err)
	for _, h := range listed.Result.Data[0].Hooks {
		assert.Equal(r.t, "untrusted", h.TrustStatus)
		state = fmt.Appendf(state, "\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.CurrentHash)
	}
	r.writeHome(".codex/config.toml", string(state))
}

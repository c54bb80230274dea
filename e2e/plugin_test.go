package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// installing is the agent after it was told to install a plugin.
func (a agent) installing(commands ...[]string) agent {
	start := a.start
	a.start = func(r *repository, model string) (args, env []string) {
		r.t.Helper()
		args, env = start(r, model)
		for _, command := range commands {
			res := r.run("y\n", r.env(env...), slices.Concat(a.installed(r.t), command)...)
			require.Zero(r.t, res.exit, "%s %v:\n%s%s", a.name, command, res.stdout, res.stderr)
		}
		return args, env
	}
	return a
}

// configured is the agent after its settings were changed.
func (a agent) configured(change func(*repository)) agent {
	start := a.start
	a.start = func(r *repository, model string) (args, env []string) {
		args, env = start(r, model)
		change(r)
		return args, env
	}
	return a
}

// published is a folder with what the agents read of the repository when they install from it.
func published(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{".agents", ".claude-plugin", ".cursor-plugin", ".plugin", "hooks", "plugin"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", name))))
	}
	for _, name := range []string{"gemini-extension.json", "qwen-extension.json"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	return dir
}

// The plugins guard where `sentinel init` has registered no hook for the agent. Each agent
// installs them from the first folder of the repository, as it does from a host.
func TestPlugins(t *testing.T) {
	root := published(t)
	// opencode installs a package of npm into node_modules and loads what its manifest names.
	installed := filepath.Join(t.TempDir(), "node_modules", "@agentsentinel", "opencode")
	require.NoError(t, os.CopyFS(installed, os.DirFS(filepath.Join(root, "plugin", "opencode"))))
	for name, a := range map[string]agent{
		"claude":  claudeCode.installing([]string{"plugin", "validate", root}, []string{"plugin", "marketplace", "add", root}, []string{"plugin", "install", "sentinel@agentsentinel"}),
		"codex":   codex.installing([]string{"plugin", "marketplace", "add", root}, []string{"plugin", "add", "sentinel@agentsentinel"}),
		"copilot": copilot.installing([]string{"plugin", "marketplace", "add", root}, []string{"plugin", "install", "sentinel@agentsentinel"}),
		"gemini":  gemini.installing([]string{"extensions", "validate", root}, []string{"extensions", "install", root, "--consent"}),
		"qwen":    qwen.installing([]string{"extensions", "install", root, "--consent"}),
		"opencode": opencode.configured(func(r *repository) {
			r.addHome("opencode.json", `"plugin": ["file://`+installed+`"]`)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := a.fresh(t)
			r.initSentinel("cursor")
			r.write(".claude/sentinel/rules/protect-billing.yaml", protectBilling)
			r.write(".claude/sentinel/rules/changelog.yaml", warnAPI)
			r.write("api/v1.md", "old\n")
			w := a.work(r,
				calling(a.write(r, "src/billing/invoice.ts", "export {}\n")),
				calling(a.write(r, "api/users.ts", "export {}\n")),
				says("Done."),
			)

			_, exists := r.read("src/billing/invoice.ts")
			assert.False(t, exists, "the write was not stopped")
			results := w.model.results(2)
			assert.Contains(t, results[0], billingText)
			assert.Equal(t, 1, strings.Count(results[1]+w.model.notes(), "Warning: "+warnText))
			doctor := r.run("", append(a.onPath(r), "OPENCODE_CONFIG="+filepath.Join(r.home, "opencode.json")), filepath.Join(r.bin, "sentinel"), "doctor")
			assert.Regexp(t, name+" +hook by the plugin", doctor.stdout, "it installs plugins in another way now: see Plugin in agent/internal/"+name)
		})
	}
}

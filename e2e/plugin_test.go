package e2e

import (
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
			res := r.run("", r.env(env...), slices.Concat(a.installed(r.t), command)...)
			require.Zero(r.t, res.exit, "%s %v:\n%s%s", a.name, command, res.stdout, res.stderr)
		}
		return args, env
	}
	return a
}

// The plugins guard where `sentinel init` has registered no hook for the agent.
func TestPlugins(t *testing.T) {
	plugins, err := filepath.Abs(filepath.Join("..", "plugin"))
	require.NoError(t, err)
	for name, a := range map[string]agent{
		"codex": codex.installing([]string{"plugin", "marketplace", "add", plugins}, []string{"plugin", "add", "sentinel@agentsentinel"}),
		"qwen":  qwen.installing([]string{"extensions", "install", filepath.Join(plugins, "qwen"), "--consent"}),
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
		})
	}
}

package install_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
)

func TestPatternsOfNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"WebFetch": "WebFetch", "a.b": `a\.b`, "srv:x/y-z_0@q": "srv:x/y-z_0@q"} {
		pattern, ok := install.ToolPattern(name)
		require.True(t, ok, name)
		require.Equal(t, want, pattern)
	}
	for _, name := range []string{"", "a|.*", "a b", "(", "a\n", "é", "$(id)", `"`, `\`, "`", "*", string(make([]byte, 129))} {
		_, ok := install.ToolPattern(name)
		require.False(t, ok, "%q", name)
		_, ok = install.PrefixPattern(name)
		require.False(t, ok, "%q", name)
	}
}

// TestLacks: a hook that was registered for fewer tools than are wanted now names the
// others, whatever else in the file differs, and one that was registered again none.
func TestLacks(t *testing.T) {
	t.Parallel()
	further, ok := install.PrefixPattern("srv.")
	require.True(t, ok)
	wide := install.Hook{GOOS: "linux", Reads: true, Tools: []string{"WebFetch", further}}
	for _, name := range []string{"claude", "codex", "copilot", "cursor", "gemini", "kiro", "qwen", "opencode", "cline", "windsurf", "amazonq"} {
		p := place(t, "linux")
		targets, err := targetsOf(p, name, install.Repository)
		require.NoError(t, err)
		lacks := func(h install.Hook) (all []string) {
			for _, target := range targets {
				r, err := install.Look(target, h)
				require.NoError(t, err)
				all = append(all, r.Lacks...)
			}
			return all
		}
		register := func(h install.Hook) {
			for _, target := range targets {
				c, err := install.Plan(target, h)
				require.NoError(t, err)
				require.NoError(t, c.Apply())
			}
		}
		require.Empty(t, lacks(wide), "%s: nothing is registered", name)
		narrow := install.Hook{GOOS: "linux", Strict: true, Timeout: 31e9}
		register(narrow)
		require.Empty(t, lacks(narrow), name)
		if settings := settingsOf(name); settings.Script == nil && name != "windsurf" && name != "amazonq" {
			require.Subset(t, lacks(wide), []string{"WebFetch", "srv.*"}, name)
		}
		register(wide)
		require.Empty(t, lacks(wide), name)
		require.Empty(t, lacks(narrow), "%s: more is no fault", name)
	}
}

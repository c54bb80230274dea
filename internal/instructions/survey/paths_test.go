package survey

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
)

// TestPlaced: a rule of a nested file is about the paths that the file means.
func TestPlaced(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	programtest.Tree(t, root, map[string]string{
		"app/CLAUDE.md": "x", "app/src/render/a.ts": "x", "app/src/api.ts": "x", "shared/types/a.ts": "x", "lib/one/Generated/a.cs": "x", "go.mod": "module x\n",
		"core/users/api/views.py": "x",
	})
	p := Of(root, nil)
	for from, cases := range map[string]map[string]string{
		"app/CLAUDE.md": {
			"src/api.ts": "app/src/api.ts", "./src/": "app/src/", "render/": "app/**/render/", "render/**": "app/**/render/**",
			"shared/types/": "shared/types/", "../shared/types/": "shared/types/", "*.gen.ts": "app/**/*.gen.ts",
			"gen/api.ts": "app/gen/api.ts", "out/": "app/out/", "../../etc/": "../../etc/", "/etc/": "/etc/", "~/x/": "~/x/", ".ts": ".ts", "go.mod": "go.mod", "new.md": "new.md",
		},
		"CLAUDE.md": {
			"app/src/": "app/src/", "render/": "**/render/", "Generated/**": "**/Generated/**", "dist/": "dist/", "src/api.ts": "**/src/api.ts", "src/new.ts": "src/new.ts", "*.gen.ts": "*.gen.ts", "../x/": "../x/",
			"api/views.py": "**/api/views.py", "api/urls.py": "api/urls.py", "src/render/a.ts": "**/src/render/a.ts",
		},
		".claude/CLAUDE.md":    {"app/src/": "app/src/", "render/": "**/render/"},
		".cursor/rules/a.mdc":  {"app/src/": "app/src/"},
		"docs/house/rules.md":  {"src/api.ts": "**/src/api.ts", "src/new.ts": "src/new.ts"}, // imported: its paths are mostly the project's
		"app/.claude/rules.md": {"src/": "**/src/"},
	} {
		for name, want := range cases {
			require.Equal(t, want, p.Placed(name, from), "%s in %s", name, from)
		}
	}
	require.Equal(t, "src/api.ts", (&Project{}).Placed("src/api.ts", "app/CLAUDE.md"), "no tree is known")
}

package instructions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/instructions/ruletext"
	"github.com/agentsentinel/sentinel/internal/instructions/statement"
	"github.com/agentsentinel/sentinel/internal/instructions/survey"
	"github.com/agentsentinel/sentinel/rule"
)

// TestImportedByName: where a folder is a package with a name, the name counts as the folder does.
func TestImportedByName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, map[string]string{
		"crates/base/src/a.rs": "x", "crates/shell/src/a.rs": "x", "crates/shell/Cargo.toml": "[package]\nedition = \"2024\"\nname = \"kit-shell\"\n\n[dependencies]\nname = \"other\"\n",
		"packages/store/a.ts": "x", "packages/page/a.ts": "x", "packages/store/package.json": `{"name": "@kit/store"}`,
		"packages/odd/a.ts": "x", "packages/odd/package.json": "{\"name\": \"a`) or true\"}",
	})
	for line, writes := range map[string]map[string]bool{
		"`crates/base/` must not depend on `crates/shell/`.": {
			"crates/base/src/b.rs:use kit_shell::Run;": true, "crates/base/src/b.rs:pub(crate) use kit_shell::{a, b};": true, "crates/base/Cargo.toml:kit-shell = { path = \"../shell\" }": true,
			"crates/base/Cargo.toml:[dev-dependencies.kit-shell]": true, "crates/base/Cargo.toml:kit-shell.workspace = true": true,
			"crates/base/src/b.rs:use kit_shells::Run;": false, "crates/base/src/b.rs:use other::a;": false, "crates/shell/src/b.rs:use kit_shell::Run;": false, "crates/base/Cargo.toml:kit-shell-more = \"1\"": false,
		},
		"Never import from `packages/store` in `packages/page`.": {
			"packages/page/b.ts:import x from \"@kit/store\"": true, "packages/page/b.ts:import x from '@kit/store/deep'": true, "packages/page/b.ts:const x = await import('@kit/store')": true, "packages/page/b.ts:import '@kit/store'": true,
			"packages/page/b.ts:import x from \"@kit/stores\"": false, "packages/store/b.ts:import x from \"@kit/store\"": false, "packages/page/b.ts:// as in @kit/store": false,
		},
		"Never import from `packages/odd` in `packages/page`.": {"packages/page/b.ts:import x from '../odd/a'": true, "packages/page/b.ts:import x from 'a'": false},
	} {
		f := statement.File{Path: "AGENTS.md", Text: "# Rules\n\n- " + line + "\n"}
		p, all := survey.Of(root, []statement.File{f}), statement.Of(&f)
		list := Drafts(&all[0], &p)
		require.Len(t, list, 1, line)
		trial := ruletext.Read(list[0].ID, []byte(list[0].YAML)).Trial()
		for w, stops := range writes {
			file, content, _ := strings.Cut(w, ":")
			require.Equal(t, stops, trial(rule.Case{Write: file, Content: content}), "%s %s", line, w)
		}
	}
}

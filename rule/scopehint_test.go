package rule

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScopeHints shows patterns that match nothing or not what was meant, each with what
// to write instead, and patterns that are right.
func TestScopeHints(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "src", "billing"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "Makefile"), nil, 0o644))
	slashed := filepath.ToSlash(root)
	for _, c := range []struct{ trigger, key, want string }{
		{"file_write", "scope: [/src/**]", `write "src/**"`},
		{"file_write", "scope: [/lib-not-here/**]", `write "lib-not-here/**"`},
		{"file_read", "scope: ['" + slashed + "/src/**']", `write "src/**"`},
		{"file_write", "scope: [src]", `write "src/**"`},
		{"file_write", "scope: [src/]", ""}, // it is all that is in it
		{"file_write", "scope: ['scr/**']", "`scope[0]` `scr/**` begins with a folder that is not here: write \"src/**\""},
		{"file_write", "scope: [src/biling/a.ts]", `write "src/billing/a.ts"`},
		{"file_write", "scope: ['scr/**', 'src/**']", ""},
		{"file_write", "scope: ['docs/**', 'srcs/**', 'src/gen/**']", ""},
		{"file_write", "scope: ['git push*']", "is a command, and the rule is about files: write `trigger: bash`"},
		{"file_write", "scope: ['my notes/**', 'git/a b']", ""},
		{"bash", "scope: ['src/**']", "is a path, and the rule is about commands"},
		{"bash", "scope: ['scripts/*.sh', 'cat src/**', './gradlew *']", ""},
		{"file_write", "scope: ['**/src']", `write "**/src/**"`},
		{"file_write", "scope: [src/billing]", `write "src/billing/**"`},
		{"file_write", "scope: [src, 'src/**']", ""},
		{"file_write", "exclude: [src]", "`exclude[0]` `src` is a folder"},
		{"file_write", "scope: ['^src/.*$']", `write "src/**"`},
		{"file_write", "scope: ['src/.*\\.ts$']", `is a regular expression`},
		{"file_write", "scope: ['Edit(src/**)']", `write "src/**"`},
		{"file_write", "scope: [write_to_file]", "one agent's tool"},
		{"bash", "scope: [Bash]", "one agent's tool"},
		{"bash", "scope: [grep]", ""},
		{"bash", "scope: ['run_it(git push:*)']", `write "git push*"`},
		{"bash", "scope: ['run_that(git push)']", ""},
		{"bash", "scope: ['Bash(git push:*)']", `write "git push*"`},
		{"bash", "scope: ['^git push.*$']", `write "git push*"`},
		{"bash", "scope: ['git push --force|git push -f']", `write "git push --force*" and "git push -f*"`},
		{"bash", "scope: [/git push/]", `write "git push*"`},
		{"bash", "scope: ['git.*push']", `write "git push*"`},
		{"bash", "scope: ['git push .*']", `write "git push*"`},
		{"bash", "scope: ['^git push$']", `write "git push"`},
		{"bash", "scope: ['^(rm|unlink) -r']", "is a regular expression"},
		{"bash", `scope: ["\bgit push*"]`, "`\\bgit push*` holds a control character"},
		{"bash", "scope: ['git push*']\nexclude: ['git *']", "the rule is about nothing"},
		{"bash", "scope: ['git push*']\nwhen: command matches \"\\bgit push\\b\"", "control character '\\b'"},
		{"file_write", "scope: ['src/**']\nexclude: ['**']", "the rule is about nothing"},
		{"file_write", "scope: ['src/**/*.ts', 'lib/*.ts']\nexclude: ['**/*.ts']", "the rule is about nothing"},
		{"file_write", "exclude: ['**']", "the rule is about nothing"},
		{"file_write", "when: operation == \"create\"", `is "overwrite"`},
		{"file_write", "when: operation != \"create\"", ""},
		{"mcp", "scope: [mcp__pg__query]", `write "pg:query"`},
		{"mcp", "scope: ['mcp__pg__*']", `write "pg:*"`},
		{"mcp", "scope: [pg.query]", `write "pg:query"`},
		{"mcp", "scope: [pg/query]", `write "pg:query"`},
		{"mcp", "scope: ['pg:*']\nexclude: ['pg:*']", "the rule is about nothing"},
		{"any", "scope: [mcp__pg__query]", `write "pg:query"`},
		{"mcp", "scope: ['pg:']", `write "pg:*"`},
		{"mcp", "scope: [':query']", `write "*:query"`},
		{"mcp", "scope: ['pg:query|pg:exec']", `write "pg:query" and "pg:exec"`},
		{"bash", "scope: ['git push:*']", `write "git push*"`},
		{"file_write", "scope: ['lib/**/*.(ts|js)']", `write "lib/**/*.{ts,js}"`},
		{"file_write", "scope: ['*.@(ts|js)']", `write "*.{ts,js}"`},
		{"file_write", "scope: ['lib/**, *.ts']", `write "lib/**" and "*.ts"`},
		{"file_write", "scope: ['lib/a.ts|lib/b.ts']", `write "lib/a.ts" and "lib/b.ts"`},
		{"any", "scope: [/src/**]", `write "src/**"`},

		{"file_write", "scope: ['src/**', '**/*.ts', '*.{js,ts}', .env, '.*', '**/.*', 'config.*', Makefile, '[!a]*', 'app/(group)/**', 'a,b', '*.{a,b}/**']", ""},
		{"file_write", "scope: ['/etc/**', '/usr/lib/**', '/tmp/x', '/private/etc/**', '/Users/*/x']", ""},
		{"file_write", "scope: ['src/**']\nexclude: ['**/*.test.ts', 'src/gen/**']", ""},
		{"bash", "scope: ['git push --force*', 'curl * | sh*', '*DROP TABLE*', 'rm -rf /*', 'find . -name *', 'make build.x', 'echo $HOME*', '*curl*|*sh*', '*()*&*', '*core.*', 'mkfs.* *']", ""},
		{"bash", "scope: ['git *']\nexclude: ['git status*']", ""},
		{"bash", "when: command matches \"\\\\bgit push\\\\b\"", ""},
		{"mcp", "scope: ['pg:query', 'pg:*', '*:delete_*', postgres-prod, query]", ""},
		{"any", "scope: ['src/**', 'git push*', 'pg:*', Makefile]", ""},
	} {
		r := build(t, "trigger: "+c.trigger+"\n"+c.key+"\nprompt: x\n", &Options{IsTool: func(name string) bool {
			return slices.Contains([]string{"Bash", "write_to_file", "run_it", "grep"}, name)
		}})
		require.NoError(t, r.Spec().Err, c.key)
		said := report(r.ScopeHints(TreeAt(root)))
		if c.want == "" {
			assert.Empty(t, said, c.key)
		} else {
			assert.Contains(t, said, c.want, c.key)
		}
		r.ScopeHints(nil) // nothing is looked up
	}
}

// TestAlsoAbsent: an obligation about files that are not there is named.
func TestAlsoAbsent(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "a.md"), nil, 0o644))
	for also, want := range map[string]string{
		"{changed: ['docs/**'], with: [docs/a.md]}":              "",
		"{changed: ['docs/**'], with: [doc/a.md]}":               "`also.with` matches no file here, as `doc/a.md` is not there",
		"{changed: ['docs/**'], with: [doc/a.md, docs/a.md]}":    "",
		"{changed: ['pages/**/*.md'], with: [docs/a.md]}":        "`also.changed` matches no file here",
		"{changed: ['docs/b/*/c.md'], with: ['**/gone.md']}":     "`also.changed` matches no file here",
		"{changed: ['**/*.md', 'docs/*'], with: [package.json]}": "", // a name is one in any folder
	} {
		r := build(t, "also: "+also+"\nmessage: x\n", nil)
		require.NoError(t, r.Spec().Err, also)
		said := report(r.ScopeHints(TreeAt(root)))
		if want == "" {
			assert.Empty(t, said, also)
		} else {
			assert.Contains(t, said, want, also)
		}
		assert.Empty(t, report(r.ScopeHints(nil)), also)
	}
}

// TestScopeHintsCase holds that a folder in other letters is found, where they differ.
func TestScopeHintsCase(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "src", "Billing"), 0o755))
	if _, err := os.Stat(filepath.Join(root, "SRC")); err == nil {
		t.Skip("capital and small letters are the same here")
	}
	for pattern, want := range map[string]string{"SRC/**": `write "src/**"`, "src/billing/*.ts": `write "src/Billing/*.ts"`, "src/Billing/**": "", "lib/**": "", "*/SRC": ""} {
		said := report(build(t, "trigger: file_write\nscope: ['"+pattern+"']\nprompt: x\n", nil).ScopeHints(TreeAt(root)))
		if want == "" {
			assert.Empty(t, said, pattern)
		} else {
			assert.Contains(t, said, want, pattern)
		}
	}
}

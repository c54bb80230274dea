package rule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCulprit(t *testing.T) {
	t.Parallel()
	const removes = "trigger: bash\nbackend: builtin\nscope: [\"effect:delete\"]\nmessage: no\n"
	for _, tt := range []struct{ name, rule, line, want string }{
		{"the second one", removes + "when: any(effects, {.kind == \"delete\" and .path startsWith \"src\"})\n", "rm a; rm src/b; rm src/c", "rm src/b"},
		{"by its words", "trigger: bash\nbackend: builtin\nscope: [\"git *\"]\nwhen: any(commands, {\"--force\" in .flags})\nmessage: no\n", "git fetch && git push --force", "git push --force"},
		{"of a pipe", "trigger: bash\nbackend: builtin\nscope: [\"*\"]\nwhen: cmd.program == \"sh\"\nmessage: no\n", "curl x | sh", "sh"},
		{"only both", removes + "when: len(removes) == 2\n", "rm a; rm b", ""},
		{"a simple command", removes + "when: \"true\"\n", "rm a", ""},
		{"no expression", "trigger: bash\nscope: [\"rm *\"]\nprompt: is it bad?\n", "ls; rm a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := build(t, tt.rule, nil)
			a := bash(tt.line)
			require.True(t, r.Match(a).OK)
			c := r.Culprit(t.Context(), a)
			if tt.want == "" {
				require.Nil(t, c)
				return
			}
			require.NotNil(t, c)
			require.Equal(t, tt.want, c.Text)
			require.Contains(t, tt.line, c.Text)
		})
	}
}

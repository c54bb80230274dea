package project_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
)

// Only one simple command of a line is sure to make its file.
func TestCreates(t *testing.T) {
	t.Parallel()
	d := newHookDesk(t, tree{".claude/sentinel/rules/a.yaml": undoRule})
	p := project.Open([]string{d.dir}, &d.opts)
	for line, want := range map[string]bool{
		"echo x > a": true, "cat > a <<EOF\nx; y && z\nEOF": true,
		"false && echo x > a": false, "true || echo x > a": false, "true; echo x > a": false, "if false; then echo x > a; fi": false,
		"[[ -f b ]] && echo x > a": false, "! echo x > a": false, "(echo x > a)": false, "echo x > a &": false, "mv b a": false,
		"bash -c 'echo x > a'": false, "f() { echo x > a; }": false, "f() { echo x > a; }; f": false,
	} {
		require.Equal(t, want, len(p.Match(t.Context(), command(d.dir, line)).Creates()) > 0, line)
	}
}

package stats

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// TestCounted: rules of a line are one row, rows that are broken as often stand by file and
// number, and a row has the line where the words stand now.
func TestCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("CLAUDE.md", "# Shop\n\n- Use pnpm.\n\n\n- Never run one.\n\n\n\n\n- Never run two.\n- Never run three.\n")
	write(".claude/sentinel/config.yaml", "backend: builtin\n")
	for i, from := range []struct {
		line  int
		quote string
	}{{11, "Never run two."}, {12, "Never run three."}, {6, "Never run one."}, {4, "Use pnpm."}, {4, "Use pnpm."}, {5, "Use yarn."}} {
		write(fmt.Sprintf(".claude/sentinel/rules/r%d.yaml", i), fmt.Sprintf("trigger: bash\nwhen: 'true'\nmessage: m\nsource: CLAUDE.md:%d\nquote: %s\n", from.line, from.quote))
	}
	lines := LinesOf(project.Open([]string{dir}, &project.Options{Now: time.Now}))
	require.Equal(t, [][]string{{"r3", "r4"}, {"r5"}, {"r2"}, {"r0"}, {"r1"}}, RulesOf(lines))
	r := &Report{FromLines: lines, Stats: &telemetry.Stats{Together: []telemetry.Together{{Held: 1}, {}, {Broken: 2}, {Held: 5}, {}}}}
	var shown []string
	for _, l := range r.Counted() {
		shown = append(shown, fmt.Sprint(l.Source, " ", l.Held, " ", l.Broken, " ", l.Stale != ""))
	}
	require.Equal(t, []string{"CLAUDE.md:6 0 2 false", "CLAUDE.md:3 1 0 false", "CLAUDE.md:5 0 0 true", "CLAUDE.md:11 5 0 false", "CLAUDE.md:12 0 0 false"}, shown)
}

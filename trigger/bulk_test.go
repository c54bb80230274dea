package trigger_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// bulkProject has a rule that blocks what is written below src/billing.
func bulkProject(t *testing.T) (root string, engine sentinel.Engine) {
	t.Helper()
	root = t.TempDir()
	for _, name := range []string{
		"src/billing/a.py", "src/billing/tax/b.py", "src/billing/c.ts", "src/billing/d.go", "src/billing/e.rb", "src/billing/f.rs",
		"src/web/w.py", "src/web/w.ts", "src/web/w.go", "docs/guide.md", "docs/conf.py", "tools/t.py", ".git/HEAD", ".github/workflows/ci.yml",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("rate = 1\n"), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "Makefile"), []byte("fmt:\n\tblack src/billing\n"), 0o600))
	script := "import sys\nfor p in sys.argv[1:]:\n    s = open(p).read()\n    open(p, 'w').write(s.replace('a', 'b'))\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "tools", "fix.py"), []byte(script), 0o600))
	list, problems := rule.Build([]rule.File{rule.Parse("billing.yaml", []byte(
		"id: billing\ntrigger: file_write\nseverity: block\nbackend: builtin\nscope: [\"src/billing/**\"]\nwhen: \"true\"\nmessage: no\n"))}, nil)
	require.Empty(t, problems)
	engine, err := sentinel.New(list.Engine(), &sentinel.Options{
		Mapper:   trigger.New(&trigger.Options{Home: "/home/u"}),
		Backends: map[string]sentinel.Backend{builtin.Name: builtin.New()}, Default: builtin.Name, CollectAll: true,
	})
	require.NoError(t, err)
	return root, engine
}

// bulkCases reads a file of commands: cases are separated by a line "---", and
// "== class" names the class of those that follow.
func bulkCases(t *testing.T, file string) (classes []string, commands []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	class := ""
	for part := range strings.SplitSeq(string(data), "\n---\n") {
		part = strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(part, "== "); ok {
			class, part, _ = strings.Cut(rest, "\n")
		}
		if part != "" {
			classes, commands = append(classes, class), append(commands, strings.TrimSpace(part))
		}
	}
	return classes, commands
}

func bulkVerdict(t *testing.T, root string, engine sentinel.Engine, command string) sentinel.Verdict {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	d, err := engine.Evaluate(t.Context(), sentinel.Event{
		Phase: sentinel.PhasePre, Agent: "claude", Dir: root, Root: root, Tool: sentinel.ToolCall{Name: "Bash", Args: args},
	})
	require.NoError(t, err)
	return d.Verdict
}

// An edit of many files reaches the rules about these files, by whichever means it
// picks them.
func TestBulkEdits(t *testing.T) {
	t.Parallel()
	root, engine := bulkProject(t)
	classes, commands := bulkCases(t, "bulk.txt")
	require.GreaterOrEqual(t, len(commands), 78)
	stopped := 0
	for i, command := range commands {
		if bulkVerdict(t, root, engine, command) == sentinel.VerdictBlock {
			stopped++
			continue
		}
		t.Errorf("%s: not seen:\n%s", classes[i], command)
	}
	t.Logf("%d of %d bulk edits are stopped", stopped, len(commands))
}

// What looks like a bulk edit and writes nothing below src/billing passes.
func TestBulkLookAlikes(t *testing.T) {
	t.Parallel()
	root, engine := bulkProject(t)
	classes, commands := bulkCases(t, "bulk_pass.txt")
	for i, command := range commands {
		require.Equal(t, sentinel.VerdictAllow, bulkVerdict(t, root, engine, command), "%s:\n%s", classes[i], command)
	}
}

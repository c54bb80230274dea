package trigger_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/gittest"
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
	return root, blocking(t, "src/billing/**")
}

// blocking is an engine with one rule, which blocks each write of files.
func blocking(t *testing.T, files ...string) sentinel.Engine {
	t.Helper()
	list, problems := rule.Build([]rule.File{rule.Parse("files.yaml", fmt.Appendf(nil,
		"id: files\ntrigger: file_write\nseverity: block\nbackend: builtin\nscope: [\"%s\"]\nwhen: \"true\"\nmessage: no\n", strings.Join(files, `", "`)))}, nil)
	require.Empty(t, problems)
	engine, err := sentinel.New(list, &sentinel.Options{
		Mapper:   trigger.New(&trigger.Options{Home: "/home/u"}),
		Backends: map[string]sentinel.Backend{builtin.Name: builtin.New()}, Default: builtin.Name, CollectAll: true,
	})
	require.NoError(t, err)
	return engine
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

// The usual commands of a project are no edit of files that their programs leave alone.
func TestFormattersLeaveOtherFiles(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	for _, name := range []string{
		"LICENSE", "Cargo.lock", "go.sum", "uv.lock", "src/a.rs", "src/a.go", "src/a.py", "src/a.ts", "app/A.php", "db/1.sql",
		"vendor/b/B.php", "vendor/c/c.go", "node_modules/d/d.js", "package.json",
	} {
		repo.Write(name, "x\n")
	}
	repo.Write("package.json", `{"scripts": {"format": "prettier --write .", "lint": "eslint . --fix"}}`)
	repo.Commit("all")
	repo.Write(".env", "A=1\n")
	repo.Write("src/a.py", "changed\n")
	engine := blocking(t, "LICENSE", "*.lock", "go.sum", "vendor/**", "node_modules/**", ".env", "db/**", ".git/**")
	for _, command := range []string{
		"cargo fmt", "cargo fmt --all", "gofmt -w .", "go fmt ./...", "goimports -w .", "golangci-lint run --fix", "ruff format .", "ruff check --fix .", "black .", "isort .",
		"npx prettier --write .", "npx biome format --write .", "npm run format", "npm run lint", "pnpm exec eslint . --fix", "vendor/bin/pint --dirty", "pre-commit run --all-files",
		"git checkout .", "git checkout -- .", "git restore .", "git restore --staged --worktree .",
	} {
		require.Equal(t, sentinel.VerdictAllow, bulkVerdict(t, repo.Dir, engine, command), command)
	}
	for _, command := range []string{
		"prettier --write node_modules/d", "vendor/bin/pint vendor/b", "sd x y go.sum", "sed -i s/x/y/ LICENSE", "codespell -w .", "git checkout HEAD~1 -- .", "git restore --source=HEAD~1 .", "git checkout -- LICENSE",
	} {
		require.Equal(t, sentinel.VerdictBlock, bulkVerdict(t, repo.Dir, engine, command), command)
	}
	repo.Write("db/1.sql", "changed\n")
	for _, command := range []string{"git checkout .", "git restore .", "git checkout -- db"} {
		require.Equal(t, sentinel.VerdictBlock, bulkVerdict(t, repo.Dir, engine, command), "%s puts a changed file back", command)
	}
}

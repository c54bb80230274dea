package packs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

// parsed returns the rule files of a pack, read.
func parsed(t testing.TB, pack string) []rule.File {
	t.Helper()
	files, err := packs.Files(pack)
	require.NoError(t, err)
	var list []rule.File
	for _, f := range files {
		list = append(list, rule.Parse(f.Name, f.Data))
	}
	return list
}

// engine judges by the rules of files, with no model.
func engine(t *testing.T, files ...rule.File) sentinel.Engine {
	t.Helper()
	rules, problems := rule.Build(files, nil)
	require.Empty(t, problems)
	e, err := sentinel.New(rules, options())
	require.NoError(t, err)
	return e
}

// home is of the person whose calls the cases are: on Windows only a path with a drive is absolute.
func home() string {
	if runtime.GOOS == "windows" {
		return "C:/home/u"
	}
	return "/home/u"
}

// options are those of an engine without a model.
func options() *sentinel.Options {
	return &sentinel.Options{
		Mapper:     trigger.New(&trigger.Options{Home: home()}),
		Backends:   map[string]sentinel.Backend{builtin.Name: builtin.New()},
		Default:    builtin.Name,
		CollectAll: true,
	}
}

// event is the tool call of a case, as Claude Code sends it.
func event(t testing.TB, c rule.Case) sentinel.Event {
	t.Helper()
	ev := sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Dir: home() + "/repo", Root: home() + "/repo"}
	tool := func(name string, args any) {
		raw, err := json.Marshal(args)
		require.NoError(t, err)
		ev.Tool = sentinel.ToolCall{Name: name, Args: raw}
	}
	switch {
	case c.Bash != "":
		tool("Bash", map[string]string{"command": c.Bash})
	case c.Write != "" && c.Old != "":
		tool("Edit", map[string]string{"file_path": c.Write, "old_string": c.Old, "new_string": c.Content})
	case c.Write != "":
		tool("Write", map[string]string{"file_path": c.Write, "content": c.Content})
	case c.Read != "":
		tool("Read", map[string]string{"file_path": c.Read})
	case c.MCP != "":
		server, name, ok := strings.Cut(c.MCP, ":")
		require.True(t, ok, c.MCP)
		if c.Args == nil {
			c.Args = json.RawMessage("{}")
		}
		tool("mcp__"+server+"__"+name, c.Args)
	default:
		require.Fail(t, "a case without an action")
	}
	return ev
}

func evaluate(t *testing.T, e sentinel.Engine, c rule.Case) sentinel.Decision {
	t.Helper()
	d, err := e.Evaluate(context.Background(), event(t, c))
	for range 4 {
		if !tookLonger(d) {
			break
		}
		d, err = e.Evaluate(context.Background(), event(t, c))
	}
	require.NoError(t, err)
	for _, f := range d.Findings {
		require.NoError(t, f.Err, "%s: %s", f.Rule.ID, f.Reason)
		require.NotEqual(t, sentinel.OutcomeUnavailable, f.Outcome)
	}
	return d
}

// tookLonger reports whether a `when` ran out of time. Outside Linux the limit is 100 ms
// of the process's time, to which parallel tests contribute.
func tookLonger(d sentinel.Decision) bool {
	return slices.ContainsFunc(d.Findings, func(f sentinel.Finding) bool {
		return f.Err != nil && strings.Contains(f.Err.Error(), "took longer than 100ms")
	})
}

func label(c rule.Case) string {
	return fmt.Sprintf("%s%s%s%s %.40q %s", c.Bash, c.Write, c.Read, c.MCP, c.Content, c.Args)
}

// TestRules holds what every rule of a pack has to bring along.
func TestRules(t *testing.T) {
	t.Parallel()
	ofGuard := map[string]bool{}
	files, err := filepath.Glob("self-protection/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		ofGuard[strings.TrimSuffix(filepath.Base(file), ".yaml")] = true
	}
	for _, f := range everything(t) {
		t.Run(f.Path, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, f.Problems)
			d := f.Definition
			require.Equal(t, d.ID+".yaml", f.Path, "a file is found by its rule's id")
			require.NotEmpty(t, d.When)
			if d.Verdict == "exact" && d.Doubtful == "" {
				require.Nil(t, d.Fallback, "nobody is asked")
			} else {
				require.Equal(t, []string{"builtin"}, d.Fallback)
			}
			require.Contains(t, []string{"block", "ask"}, d.Severity)
			require.Equal(t, d.Severity == "ask" && !ofGuard[d.ID], d.Intent, "what the person asked for passes, but for what guards the agent")
			require.NotEmpty(t, d.Message)
			require.NotContains(t, strings.TrimSpace(d.Message), "\n", "the agent reads one line")
			require.NotEmpty(t, d.Prompt)
			verdicts := map[string]int{}
			for _, c := range d.Tests {
				verdicts[c.Expect]++
			}
			require.GreaterOrEqual(t, verdicts["violation"], 3)
			require.GreaterOrEqual(t, verdicts["pass"], 3)
		})
	}
}

// TestCases runs the cases of the rules, each on its own rule.
func TestCases(t *testing.T) {
	t.Parallel()
	var suites []ruletest.Suite
	files, err := packs.Files(packs.All)
	require.NoError(t, err)
	for _, f := range files {
		suites = append(suites, ruletest.NewSuite(f.Name, f.Data))
	}
	report, err := ruletest.Run(t.Context(), suites, &ruletest.Options{Root: home() + "/repo", Engine: *options()})
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	for _, r := range report.Results {
		require.Equal(t, ruletest.Passed, r.State, "%s, case %d, %s: got %s: %s", r.Case.File, r.Case.Index+1, r.Case.Name(), r.Got, r.Why)
	}
}

// TestAdvice holds that what the messages tell the agent to do instead is not
// stopped by another rule of the pack.
func TestAdvice(t *testing.T) {
	t.Parallel()
	e := engine(t, parsed(t, packs.Recommended)...)
	for _, c := range []rule.Case{
		{Bash: "git pull --rebase && git push"},
		{Bash: "git push --force-with-lease origin feature/x"},
		{Bash: "git revert --no-edit HEAD"},
		{Bash: "git stash push --include-untracked"},
		{Bash: "git switch -c backup && git commit -am wip"},
		{Bash: "rm src/old.ts src/older.ts"},
		{Bash: "rm -rf dist"},
		{Write: "src/config.ts", Content: "export const key = process.env.API_KEY;\n"},
		{Write: "test/a.test.ts", Content: "const token = \"example-token\";\n"},
		{Write: ".env.example", Content: "API_KEY=\nDB_PASSWORD=\n"},
		{Write: "migrations/0007_users.sql", Content: "DELETE FROM users WHERE id = 7;\n"},
		{MCP: "postgres-dev:query", Args: json.RawMessage(`{"sql":"DELETE FROM users WHERE id = 7"}`)},
	} {
		t.Run(label(c), func(t *testing.T) {
			t.Parallel()
			d := evaluate(t, e, c)
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, d.Reason())
		})
	}
}

// TestEverydayWork holds that the pack stays out of the way.
func TestEverydayWork(t *testing.T) {
	t.Parallel()
	e := engine(t, parsed(t, packs.Recommended)...)
	for _, c := range []rule.Case{
		{Bash: "go test ./... && go vet ./..."},
		{Bash: "npm ci && npm run build"},
		{Bash: "git add -A && git commit -m 'feat: block git push --force and rm -rf /'"},
		{Bash: "git log --oneline -20 | cat"},
		{Bash: "grep -rn 'password' src | head"},
		{Bash: "cat <<'EOF' > docs/danger.md\nnever run rm -rf / or git reset --hard\nEOF"},
		{Bash: "find . -type f -name '*.go' | xargs wc -l"},
		{Bash: "mkdir -p build && cd build && cmake .. && make -j8"},
		{Bash: "docker compose up -d"},
		{Write: "src/app.ts", Content: "export const total = 1;\n"},
		{Write: "README.md", Content: "# Setup\n\nSet `DB_PASSWORD` in `.env`.\n"},
		{MCP: "tracker:create_issue", Args: json.RawMessage(`{"title":"update prod docs"}`)},
	} {
		t.Run(label(c), func(t *testing.T) {
			t.Parallel()
			d := evaluate(t, e, c)
			require.Equal(t, sentinel.VerdictAllow, d.Verdict, d.Reason())
		})
	}
}

// TestProjectFolder holds that the folder an agent works in, and those above it,
// are known by their absolute paths too.
func TestProjectFolder(t *testing.T) {
	t.Parallel()
	e := engine(t, parsed(t, packs.Recommended)...)
	for command, want := range map[string]sentinel.Verdict{
		"rm -rf /home/u/repo":              sentinel.VerdictBlock,
		"rm -rf /home/u/repo/":             sentinel.VerdictBlock,
		"rm -rf /home/u/other/../repo":     sentinel.VerdictBlock,
		"rm -rf /home/u":                   sentinel.VerdictBlock,
		"rm -rf /home/u/repo/src":          sentinel.VerdictAsk,
		"rm -rf /home/u/repo-old":          sentinel.VerdictAsk,
		"rm -rf /home/u/repo/node_modules": sentinel.VerdictAllow,
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, evaluate(t, e, rule.Case{Bash: command}).Verdict)
		})
	}
}

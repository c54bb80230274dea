package selfprotect_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/backend/builtin"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/trigger"
)

//go:generate go test -run=^TestGuardFilesKnowsEveryAgent$ . -update

var update = flag.Bool("update", false, "write the rule guard-files anew")

// made ends the lines of the rule that are not written by hand.
const made = " (go generate ./internal/selfprotect)"

// TestGuardFilesKnowsEveryAgent: the rule guard-files is about each file that an agent's
// value names. With -update it is given the files that its own lines are not about.
func TestGuardFilesKnowsEveryAgent(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "packs", "self-protection", "guard-files.yaml")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	want := withFiles(byHand(string(data)), unguarded(t, byHand(string(data)), agent.Registry{}))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(data), "go generate ./internal/selfprotect")
}

// TestGuardFilesTakesANewAgent: the lines for an agent that the rule does not know make it
// know each file of it.
func TestGuardFilesTakesANewAgent(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "packs", "self-protection", "guard-files.yaml"))
	require.NoError(t, err)
	ours := *agent.Registry{}.Find("claude")
	ours.Name, ours.Guards = "ours", []string{"~/.ours/trust.json", "ours.d/", "sub/.ours.rc"}
	agents, err := agent.New(ours)
	require.NoError(t, err)
	missing := unguarded(t, string(data), agents)
	require.Equal(t, []string{".ours/trust.json", "ours.d/**", "sub/.ours.rc"}, missing)
	grown := withFiles(string(data), missing)
	require.Empty(t, unguarded(t, grown, agents))
	require.Equal(t, byHand(string(data)), byHand(grown))
	require.Equal(t, []bool{false}, asks(t, grown, "docs/a.md"))
}

// byHand is the rule without the lines that are made.
func byHand(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(strings.TrimSpace(line), made) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// withFiles adds patterns to the scope of the rule, and the folders in which they are to
// its expression.
func withFiles(text string, patterns []string) string {
	scope, folders := "", ""
	for _, p := range patterns {
		scope += "  - \"" + p + "\" #" + made + "\n  - \"**/" + p + "\" #" + made + "\n"
		first, _, _ := strings.Cut(p, "/")
		if line := "  or path matches `(^|/)" + strings.ReplaceAll(first, ".", `\.`) + "(/|$)` //" + made + "\n"; !strings.Contains(folders, line) {
			folders += line
		}
	}
	text = strings.Replace(text, "when: |\n", scope+"when: |\n", 1)
	last := strings.LastIndex(text[:strings.Index(text, "verdict: exact\n")], "  or path matches ")
	return text[:last] + folders + text[last:]
}

// unguarded are patterns for the files that the rule does not ask about, in a repository or
// elsewhere.
func unguarded(t *testing.T, text string, agents agent.Registry) (patterns []string) {
	t.Helper()
	all := files(t, agents)
	var examples []string
	for _, file := range all {
		example := strings.ReplaceAll(file, "**", "sub/any.file")
		examples = append(examples, example, "/home/u/"+example)
	}
	asked := asks(t, text, examples...)
	for i, file := range all {
		if !asked[2*i] || !asked[2*i+1] {
			patterns = append(patterns, file)
		}
	}
	return patterns
}

// files are those that the hook is written into or that an agent's value names besides,
// from the repository or the home folder. A folder ends in **.
func files(t *testing.T, agents agent.Registry) (names []string) {
	t.Helper()
	root, home := filepath.Join(t.TempDir(), "root"), filepath.Join(t.TempDir(), "home")
	for _, a := range agents.All() {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			for scope, base := range map[agent.Scope]string{agent.Repository: root, agent.User: home} {
				at := agent.Place{Root: root, Home: home, GOOS: goos}
				targets, err := a.Targets(at, scope)
				require.NoError(t, err)
				also, err := at.AlsoRead(a.Name, &a.Settings, scope)
				require.NoError(t, err)
				for _, target := range append(targets, also...) {
					names = append(names, below(base, target.File))
				}
			}
		}
		for _, guard := range a.Guards {
			guard = strings.TrimPrefix(guard, "~/")
			if strings.HasSuffix(guard, "/") {
				guard += "**"
			}
			names = append(names, guard)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// below is a file from its base; one of the whole machine has its folder and its name.
func below(base, file string) string {
	if name, err := filepath.Rel(base, file); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	elements := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	return strings.Join(elements[max(0, len(elements)-2):], "/")
}

// asks reports for each file whether the rule stops a change of it.
func asks(t *testing.T, text string, names ...string) (asked []bool) {
	t.Helper()
	suite := ruletest.NewSuite("guard-files.yaml", []byte(text))
	require.Empty(t, append(suite.File.Problems, suite.Faults...))
	suite.Cases = nil
	for i, name := range names {
		suite.Cases = append(suite.Cases, ruletest.Case{Case: rule.Case{Write: name, Content: "{}", Expect: "violation"}, File: suite.File.Path, Index: i})
	}
	report, err := ruletest.Run(t.Context(), []ruletest.Suite{suite}, &ruletest.Options{Root: "/sentinel-test", Engine: sentinel.Options{
		Mapper: trigger.New(nil), Default: sentinel.Builtin, Backends: map[string]sentinel.Backend{sentinel.Builtin: builtin.New()},
	}})
	require.NoError(t, err)
	require.Len(t, report.Results, len(names))
	for _, r := range report.Results {
		require.Contains(t, []string{"violation", "pass"}, r.Got, "%+v", r)
		asked = append(asked, r.Got == "violation")
	}
	return asked
}

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// A documented block is a comment that says what it is, and the fenced text after
// it.
var documented = regexp.MustCompile("(?s)<!-- (\\w+)(?:: ([^>]+))? -->\n```(?:json|yaml)?\n(.*?)```")

// TestThirdPartyPage does what the page tells the author of an agent to do, block
// by block: rules and configurations are those of a repository, events go through
// the hook, and the answers are compared byte for byte.
func TestThirdPartyPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "agents", "third-party.md"))
	require.NoError(t, err)
	blocks := documented.FindAllStringSubmatch(string(page), -1)
	require.Equal(t, strings.Count(string(page), "```")/2, len(blocks)+strings.Count(string(page), "```go"), "a block is not marked, and would not be run")

	repo, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	place := func(text string) string { return strings.ReplaceAll(text, "/home/u/repo", filepath.ToSlash(repo)) }
	put := func(name, text string) {
		path := filepath.Join(repo, ".claude", "sentinel", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	answers := map[string]result{}
	for _, b := range blocks {
		kind, head, text := b[1], strings.Fields(b[2]), b[3]
		switch kind {
		case "config":
			put("config.yaml", text)
		case "rule":
			put("rules/"+head[0]+".yaml", text)
			lint := runCLI(t, repo, nil, "", "rules", "lint")
			require.Zero(t, lint.status, lint.stdout+lint.stderr)
		case "event":
			answers[head[0]] = runCLI(t, repo, nil, place(text), append([]string{"hook"}, head[1:]...)...)
		case "answer":
			var exit int
			var stream string
			_, err := fmt.Sscanf(strings.Join(head[1:], " "), "exit %d %s", &exit, &stream)
			require.NoError(t, err, b[2])
			got, want := answers[head[0]], result{status: exit}
			if text = place(strings.TrimSuffix(text, "\n")); stream == "stderr" {
				want.stderr = text + "\n"
			} else {
				want.stdout = text
			}
			require.Equal(t, want, got, head[0])
			delete(answers, head[0])
		default:
			t.Errorf("nobody knows what to do with a block of kind %q", kind)
		}
	}
	require.Empty(t, answers, "the page shows no answer to these events")
}

// The page's event tells by itself whose form it has.
func TestTheGenericEventNeedsNoAgent(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"PreToolUse", "tool.execute.before"} {
		got := runCLI(t, t.TempDir(), nil, fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":"/nowhere","tool_name":"x","tool_input":{}}`, event), "hook")
		require.Equal(t, result{}, got, event)
	}
}

// TestThirdPartyProgram runs the page's Go program as the hook of an agent.
func TestThirdPartyProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many processes one after the other: not with -short, as under the race detector")
	}
	programs := buildPrograms(t, "agents/third-party.md")
	require.Len(t, programs, 1)
	repo := t.TempDir()
	rules := filepath.Join(repo, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "plans.yaml"),
		[]byte("trigger: file_write\nseverity: block\nscope: [\"notes/plan*\"]\nwhen: \"true\"\nbackend: builtin\nmessage: Plans are kept elsewhere.\nprompt: p\n"), 0o600))
	for args, status := range map[string]int{`{"title":"plan","text":"x"}`: 2, `{"title":"thought","text":"x"}`: 0, `{}`: 1} {
		event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":"save_note","tool_input":%s}`, filepath.ToSlash(repo), args)
		out, got := programs[0].run(t, event, "hook", "--agent", "claude")
		require.Equal(t, status, got, "%s: %s", args, out)
	}
}

// TestEmbeddingPage runs the programs of the page and compares what they print.
func TestEmbeddingPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many processes one after the other: not with -short, as under the race detector")
	}
	programs := buildPrograms(t, "embedding.md")
	require.Len(t, programs, 2)
	for _, p := range programs {
		out, status := p.run(t, "")
		require.Zero(t, status, out)
		require.Equal(t, p.prints, out)
	}
}

// A program of a page, built, and the text that the page shows after it.
type program struct{ binary, prints string }

var goProgram = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n(?:\n```text\n(.*?)```)?")

// buildPrograms builds the Go programs of a page below docs, in this module: each
// is, for the compiler alone, in a folder of examples.
func buildPrograms(t *testing.T, page string) []program {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "docs", filepath.FromSlash(page)))
	require.NoError(t, err)
	dir := t.TempDir()
	overlay := map[string]string{}
	var programs []program
	if _, err := exec.LookPath("go"); err != nil {
		programtest.SkipOnWine(t, "there is no Go")
	}
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir)
	for i, m := range goProgram.FindAllStringSubmatch(string(text), -1) {
		name := fmt.Sprintf("program-%d", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".go"), []byte(m[1]), 0o600))
		overlay[filepath.Join(root, "examples", name, "main.go")] = filepath.Join(dir, name+".go")
		build.Args = append(build.Args, "./examples/"+name)
		binary := filepath.Join(dir, name)
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		programs = append(programs, program{binary, m[2]})
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), replace, 0o600))
	if len(programs) == 1 {
		build.Args[slices.Index(build.Args, dir)] = programs[0].binary
	}
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return programs
}

// run returns all that the program prints, and its exit status.
func (p program) run(t *testing.T, stdin string, args ...string) (out string, status int) {
	t.Helper()
	cmd := exec.Command(p.binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "SENTINEL_CONFIG_DIR=")
	cmd.Stdin = strings.NewReader(stdin)
	both, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(both), exit.ExitCode()
	}
	require.NoError(t, err)
	return string(both), 0
}

// A mapper of the embedder's goes before Sentinel's own, and its errors are those
// of a call that cannot be understood.
func TestAMapperOfOnesOwn(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	rules := filepath.Join(repo, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "go.yaml"),
		[]byte("trigger: file_write\nseverity: block\nscope: [\"src/**\"]\nwhen: \"true\"\nbackend: builtin\nmessage: No.\nprompt: p\n"), 0o600))
	mapper := sentinel.MapperFunc(func(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
		switch ev.Tool.Name {
		case "Write": // replaced: it does nothing here
			return nil, nil
		case "paint":
			return []sentinel.Action{{Trigger: sentinel.FileWrite, Op: sentinel.OpCreate, Tool: ev.Tool.Name, Path: "deep/../src/a.png"}}, nil
		case "broken":
			return nil, errors.New("no canvas")
		}
		return nil, sentinel.ErrUnknownTool
	})
	for tool, want := range map[string]result{
		"paint":  {stderr: "Sentinel blocked this: No. [go] (from .claude/sentinel/rules/go.yaml)\n", status: 2},
		"Write":  {},
		"Edit":   {stderr: "Sentinel blocked this: No. [go] (from .claude/sentinel/rules/go.yaml)\n", status: 2},
		"broken": {stderr: "event cannot be understood: tool \"broken\": no canvas\n", status: 1},
		"other":  {},
	} {
		event := fmt.Sprintf(`{"hook_event_name":"PreToolUse","cwd":%q,"tool_name":%q,"tool_input":{"file_path":"src/a.go","new_string":"x","old_string":"y"}}`, filepath.ToSlash(repo), tool)
		require.Equal(t, want, runCLI(t, repo, mapper, event, "hook", "--agent", "claude"), tool)
	}
}

// result is what a run of the command came to.
type result struct {
	stdout, stderr string
	status         int
}

// runCLI runs the command in dir for a user who has no home folder, so that
// nothing is remembered from one call to the next.
func runCLI(t *testing.T, dir string, mapper sentinel.ToolMapper, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := cli.Run(&command.Env{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Dir: dir, Now: time.Now, Mapper: mapper,
		Getenv: func(string) string { return "" },
	})
	return result{stdout.String(), stderr.String(), status}
}

package plugintest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/install"
)

// missingHere skips a test of a plugin without the program where this machine has it in a
// folder that plugins look into.
func missingHere(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"/usr/local/bin", "/opt/homebrew/bin"} {
		if _, err := os.Stat(dir + "/sentinel"); err == nil {
			t.Skip("sentinel is installed on this machine, so it cannot be missing")
		}
	}
}

// configs are configurations by their folders, below one that has a repository and a home.
type configs map[string]string

const (
	inProject = "repo/.claude/sentinel"
	ofUser    = "home/.config/sentinel"
)

// write makes the files, and returns the home and a folder of the repository.
func (c configs) write(t *testing.T) (home, below string) {
	t.Helper()
	top := filepath.Join(t.TempDir(), "a folder")
	below = filepath.Join(top, "repo", "below it")
	require.NoError(t, os.MkdirAll(below, 0o755))
	for dir, text := range c {
		require.NoError(t, os.MkdirAll(filepath.Join(top, dir), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(top, dir, "config.yaml"), []byte(text), 0o644))
	}
	return filepath.Join(top, "home"), below
}

// launchedIn is what the launcher says to an event of an agent in a folder with these files.
func (c configs) launchedIn(t *testing.T, agent, event string) (string, int) {
	t.Helper()
	args := []string{agent, "--agent", agent}
	if agent == "copilot" {
		args = []string{agent, "--phase", map[bool]string{true: "pre", false: "post"}[event == "preToolUse"]}
	}
	home, below := c.write(t)
	event = `{"hook_event_name": "` + event + `","tool_name":"x","tool_input":{"command":"git push"}}`
	return launchedOn(t, event, below, home, "/usr/bin:/bin", args...)
}

// TestLauncherRefuses: without the program a call is refused where the configuration is
// strict, in the form that each agent reads, and nothing else is.
func TestLauncherRefuses(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the launcher is a POSIX shell script")
	}
	missingHere(t)
	strict := configs{inProject: "backend: builtin\r\nfail_open: false # all\r\n"}
	for agent, tt := range map[string]struct {
		pre, post, says string
		exit            int
	}{
		"claude":  {"PreToolUse", "PostToolUse", "Refused: ", 2},
		"codex":   {"PreToolUse", "PostToolUse", "Refused: ", 2},
		"qwen":    {"PreToolUse", "PostToolUse", "Refused: ", 2},
		"gemini":  {"BeforeTool", "AfterTool", `{"decision":"deny","reason":"Refused: `, 0},
		"copilot": {"preToolUse", "postToolUse", `{"permissionDecision":"deny","permissionDecisionReason":"Refused: `, 0},
		"cursor":  {"beforeShellExecution", "postToolUse", `{"permission":"deny","user_message":"Refused: `, 0},
	} {
		out, exit := strict.launchedIn(t, agent, tt.pre)
		require.True(t, strings.HasPrefix(out, tt.says), "%s: %s", agent, out)
		require.Equal(t, tt.exit, exit, agent)
		require.Equal(t, tt.exit == 0, json.Valid([]byte(out)), out)
		for event, files := range map[string]configs{tt.post: strict, tt.pre: {inProject: "fail_open: true\n"}} {
			out, exit = files.launchedIn(t, agent, event)
			require.Zero(t, exit, "%s %s", agent, event)
			require.NotContains(t, out, "Refused", "%s %s", agent, event)
		}
	}
}

// missing are configurations, and whether calls are refused in a folder below the
// repository's first one.
var missing = map[string]struct {
	files  configs
	strict bool
}{
	"the user's own":           {configs{ofUser: "fail_open: false\n"}, true},
	"the project's":            {configs{inProject: "fail_open: false\n"}, true},
	"the project's, open":      {configs{inProject: "fail_open: true\n"}, false},
	"the project before it":    {configs{ofUser: "fail_open: false\n", inProject: "fail_open: true\n"}, false},
	"the project as well":      {configs{ofUser: "fail_open: true\n", inProject: "fail_open: false\n"}, true},
	"the nearest folder":       {configs{inProject: "fail_open: false\n", "repo/below it/.claude/sentinel": "fail_open: true\n"}, false},
	"a project without a word": {configs{ofUser: "fail_open: false\n", inProject: "backend: builtin\n"}, true},
	"no configuration":         {nil, false},
}

// TestMissingIsRefused: without the program, the launcher and each plugin that is a program
// refuse a call by the nearest configuration, and say how to get the program.
func TestMissingIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the launcher is a POSIX shell script")
	}
	missingHere(t)
	for name, tt := range missing {
		_, exit := tt.files.launchedIn(t, "claude", "PreToolUse")
		require.Equal(t, tt.strict, exit == 2, "%s: the launcher", name)
	}
	for name, tt := range missing {
		for agent, run := range programs {
			t.Run(agent+": "+name, func(t *testing.T) {
				t.Parallel()
				home, below := tt.files.write(t)
				refusal := run(t, home, below, "")
				require.Equal(t, tt.strict, refusal != "", refusal)
				if tt.strict {
					require.Contains(t, refusal, "Tell the user to install it: go install ")
				}
			})
		}
	}
}

// TestUnansweredIsRefused: a plugin that is a program refuses a call by the configuration
// also where sentinel is there and fails, though it was not written for a strict project.
func TestUnansweredIsRefused(t *testing.T) {
	t.Parallel()
	for agent, run := range programs {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			home, below := configs{inProject: "fail_open: false\n"}.write(t)
			require.Contains(t, run(t, home, below, "exit 1"), "`sentinel doctor` tells why")
			home, below = configs{}.write(t)
			require.Empty(t, run(t, home, below, "exit 1"))
		})
	}
}

// programs are the plugins that are programs: each returns why a call was refused, "" if it
// was not.
var programs = map[string]func(t *testing.T, home, dir, body string) string{
	"opencode": func(t *testing.T, home, dir, body string) string {
		s := driveIn(t, home, dir, "opencode", driver, install.Hook{}, body, before("bash", object{}))
		require.Len(t, s.Toasts, 1)
		return s.Results[0].Error
	},
	"pi": func(t *testing.T, home, dir, body string) string {
		s := driveIn(t, home, dir, "pi", piDriver, install.Hook{}, body, piCall("write", true))
		require.Len(t, s.Toasts, 1)
		reason, _ := s.Results[0].Output["reason"].(string)
		require.Equal(t, reason != "", s.Results[0].Output["block"] == true)
		return reason
	},
	"cline-cli": func(t *testing.T, home, dir, body string) string {
		s := driveIn(t, home, dir, "cline-cli", clineDriver, install.Hook{}, body, []any{"bash"})
		reason, _ := s.Results[0].Output["reason"].(string)
		require.Equal(t, reason != "", s.Results[0].Output["skip"] == true)
		return reason
	},
}

// clineDriver loads the plugin as Cline's program does, and has it see calls of the tools that
// are its steps.
const clineDriver = `
import { pathToFileURL } from "node:url"
const { default: plugin } = await import(pathToFileURL(process.argv[2]))
plugin.setup({}, { workspaceInfo: { rootPath: process.argv[3] } })
const results = []
for (const [name] of JSON.parse(process.argv[4])) {
  const output = await plugin.hooks.beforeTool({ snapshot: { conversationId: "s" }, tool: { name }, toolCall: { toolCallId: "c" }, input: {} })
  results.push({ output })
}
console.log(JSON.stringify({ results, toasts: [] }))
`

// TestSpellingsOfStrict: what a plugin reads of a configuration is what Sentinel reads.
func TestSpellingsOfStrict(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the launcher is a POSIX shell script")
	}
	missingHere(t)
	for _, text := range []string{
		"fail_open: no\n", "fail_open: Off # all\n", "fail_open: FALSE", "fail_open : false\r\n", "  fail_open:\tfalse", "\"fail_open\": false\n", "'fail_open': 'off'\n",
		"{backend: builtin, fail_open: false}\n", "{\"fail_open\":false}", "scribe: {fail_open: false}\n", "backend: [\nfail_open: false\n", "\ufefffail_open: false\n", "\xff\nfail_open: false\n",
		"\xff\xfef\x00a\x00i\x00l\x00_\x00o\x00p\x00e\x00n\x00:\x00 \x00n\x00o\x00\n\x00", "fail_open: true\nfail_open: false\n", "fail_open: true\n---\nfail_open: false\n",
		"# fail_open: false\n", "backend: builtin # fail_open: false\n", "fail_open: true\n", "fail_open: falsehood\n", "not_fail_open: false\n", "fail_open: yes\n", "fail_open:\n", "",
	} {
		c, _ := config.Parse("c", []byte(text))
		files := configs{inProject: text}
		_, exit := files.launchedIn(t, "claude", "PreToolUse")
		require.Equal(t, !c.FailOpen, exit == 2, "the launcher: %q", text)
		t.Run("", func(t *testing.T) {
			t.Parallel()
			home, below := files.write(t)
			require.Equal(t, !c.FailOpen, programs["pi"](t, home, below, "") != "", "%q", text)
		})
	}
	// One of these says true, and the other has no word: with a strict user they differ.
	for text, strict := range map[string]bool{
		"fail_open: true\n": false, "Fail_Open : Yes\r\n": false, "\ufeff'fail_open': on\n": false,
		"# fail_open: true\n": true, "scribe: {fail_open: true}\n": true, "guidance: 'fail_open: true'\n": true, "fail_open: truth\n": true,
	} {
		files := configs{inProject: text, ofUser: "fail_open: false\n"}
		_, exit := files.launchedIn(t, "claude", "PreToolUse")
		require.Equal(t, strict, exit == 2, "the launcher: %q", text)
		t.Run("", func(t *testing.T) {
			t.Parallel()
			home, below := files.write(t)
			require.Equal(t, strict, programs["pi"](t, home, below, "") != "", "%q", text)
		})
	}
}

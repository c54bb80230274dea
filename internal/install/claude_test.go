package install_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/rule"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestClaudeGolden registers the hook in each settings file of testdata and
// compares every byte; then it does so again, and takes the hook out.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(file)
			require.NoError(t, err)
			after, err := claudeMerge(before, install.Hook{Strict: true})
			require.NoError(t, err)
			golden(t, file+".installed", after)
			requireRegistered(t, after, true)

			again, err := claudeMerge(after, install.Hook{Strict: true})
			require.NoError(t, err)
			require.Equal(t, string(after), string(again), "a second time changes nothing")

			removed, err := claudeRemove(after)
			require.NoError(t, err)
			switch {
			case string(before) == "{}\n":
				require.Nil(t, removed, "nothing is left")
			case strings.Contains(string(before), "sentinel hook"):
				golden(t, file+".removed", removed)
			default:
				require.Equal(t, string(before), string(removed), "taking it out restores every byte")
			}
			require.NotContains(t, string(removed), "sentinel hook")
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// settings is as much of the file as Claude Code needs to call us.
type settings struct {
	Hooks map[string][]struct {
		Matcher *string
		Hooks   []struct {
			Type, Command string
			Args          []string
			Timeout       float64
			OnFailure     string
		}
	}
}

// requireRegistered holds that each event calls us exactly once.
func requireRegistered(t *testing.T, data []byte, strict bool) {
	t.Helper()
	var s settings
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &s))
	count := map[string]int{}
	for event, groups := range s.Hooks {
		for _, g := range groups {
			for _, h := range g.Hooks {
				if h.Command != "sentinel hook" {
					continue
				}
				count[event]++
				require.Equal(t, "command", h.Type)
				require.Equal(t, 20.0, h.Timeout)
				require.Equal(t, strict && event == "PreToolUse", h.OnFailure == "block")
				require.Equal(t, !strings.Contains(event, "Tool") && event != "PermissionRequest", g.Matcher == nil)
			}
		}
	}
	require.Equal(t, map[string]int{
		"PreToolUse": 1, "PermissionRequest": 1, "PostToolUse": 1, "PostToolUseFailure": 1, "Stop": 1, "SessionStart": 1, "SubagentStart": 1, "UserPromptSubmit": 1, "SessionEnd": 1, "ConfigChange": 1, "FileChanged": 1,
	}, count)
}

func TestClaudeNewFile(t *testing.T) {
	t.Parallel()
	for _, empty := range [][]byte{nil, {}, []byte(" \n")} {
		got, err := claudeMerge(empty, install.Hook{})
		require.NoError(t, err)
		golden(t, "testdata/new.installed", got)
		requireRegistered(t, got, false)
		removed, err := claudeRemove(got)
		require.NoError(t, err)
		require.Nil(t, removed, "nothing is left, so the file can go")
	}
}

func TestClaudeHookForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		hook install.Hook
		want string // the handler before a tool
	}{
		{"default", install.Hook{}, `{"type":"command","command":"sentinel hook","timeout":20}`},
		{"strict", install.Hook{Strict: true}, `{"type":"command","command":"sentinel hook","timeout":20,"onFailure":"block"}`},
		{"seconds are rounded up", install.Hook{Timeout: 2500 * time.Millisecond}, `{"type":"command","command":"sentinel hook --deadline 1.5s","timeout":3}`},
		{"flags", install.Hook{Command: "sentinel hook --deadline 4s", Timeout: 5 * time.Second}, `{"type":"command","command":"sentinel hook --deadline 4s","timeout":5}`},
		{"quoted path", install.Hook{Command: `"/opt/my tools/sentinel" hook`}, `{"type":"command","command":"\"/opt/my tools/sentinel\" hook","timeout":20}`},
		{"no shell", install.Hook{Command: `C:\Program Files\sentinel.exe`, Args: []string{"hook", "<&>"}}, `{"type":"command","command":"C:\\Program Files\\sentinel.exe","args":["hook","<&>"],"timeout":20}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := claudeMerge(nil, tt.hook)
			require.NoError(t, err)
			var s struct {
				Hooks map[string][]struct{ Hooks []json.RawMessage }
			}
			require.NoError(t, json.Unmarshal(got, &s))
			require.JSONEq(t, tt.want, string(s.Hooks["PreToolUse"][0].Hooks[0]))

			// Each form is recognised as ours: replaced by any other, and taken out.
			other, err := claudeMerge(got, install.Hook{})
			require.NoError(t, err)
			requireRegistered(t, other, false)
			removed, err := claudeRemove(got)
			require.NoError(t, err)
			require.Nil(t, removed)
		})
	}
}

func TestClaudeMatcher(t *testing.T) {
	t.Parallel()
	matcher := func(h install.Hook) *regexp.Regexp {
		got, err := claudeMerge(nil, h)
		require.NoError(t, err)
		var s settings
		require.NoError(t, json.Unmarshal(got, &s))
		require.Equal(t, s.Hooks["PreToolUse"][0].Matcher, s.Hooks["PostToolUse"][0].Matcher)
		m := *s.Hooks["PreToolUse"][0].Matcher
		require.Regexp(t, `[^A-Za-z0-9_|, -]`, m, "Claude Code would take it for a list of exact names")
		return regexp.MustCompile(m)
	}
	writes, reads := matcher(install.Hook{}), matcher(install.Hook{Reads: true})
	for _, tool := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "Monitor", "mcp__db__query", "mcp__a-b__c"} {
		require.True(t, writes.MatchString(tool), tool)
		require.True(t, reads.MatchString(tool), tool)
	}
	for _, tool := range []string{"Glob", "GlobGrep", "WebFetch", "BashOutput", "TodoEdit", "ReadMcpResource", "Agent", "xmcp__a"} {
		require.False(t, writes.MatchString(tool), tool)
		require.False(t, reads.MatchString(tool), tool)
	}
	for _, tool := range []string{"Read", "Grep"} {
		require.False(t, writes.MatchString(tool), tool)
		require.True(t, reads.MatchString(tool), tool)
	}
}

func TestClaudeRecognisesItsOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		command string
		args    string // JSON
		ours    bool
	}{
		{command: `sentinel hook`, ours: true},
		{command: `  sentinel   hook  `, ours: true},
		{command: `sentinel hook --agent claude --deadline 9s`, ours: true},
		{command: `/usr/local/bin/sentinel hook`, ours: true},
		{command: `"/opt/my tools/sentinel" hook`, ours: true},
		{command: `'/opt/my tools/sentinel' hook`, ours: true},
		{command: `/opt/my\ tools/sentinel hook`, ours: true},
		{command: `"$CLAUDE_PROJECT_DIR"/bin/sentinel hook`, ours: true},
		{command: `& "C:\Program Files\Sentinel\Sentinel.EXE" hook`, ours: true},
		{command: `C:\bin\sentinel.exe hook`, ours: true},
		{command: `SENTINEL_CONFIG_DIR=/etc/s sentinel hook`, ours: true},
		{command: `sentinel`, args: `["hook"]`, ours: true},
		{command: `/opt/my tools/sentinel`, args: `["hook","--agent","claude"]`, ours: true},
		{command: `sentinel`, args: `["check"]`},
		{command: `sentinel`, args: `[]`},
		{command: `sentinel hook`, args: `[]`},
		{command: `sentinel`},
		{command: `sentinel hooks`},
		{command: `sentinel check hook`},
		{command: `my-sentinel hook`},
		{command: `sentinel-audit hook`},
		{command: `/opt/sentinel/run hook`},
		{command: `echo sentinel hook`},
		{command: `echo "sentinel hook"`},
		{command: `"sentinel hook"`},
		{command: `sentinel hook || true`},
		{command: `./lint && sentinel hook`},
		{command: `sentinel hook; notify`},
		{command: `sentinel hook $(id)`},
		{command: "sentinel hook `id`"},
		{command: `sentinel "hook`},
		{command: ``},
	} {
		t.Run(tt.command+tt.args, func(t *testing.T) {
			t.Parallel()
			handler := map[string]any{"type": "command", "command": tt.command}
			if tt.args != "" {
				handler["args"] = json.RawMessage(tt.args)
			}
			text, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"hooks": []any{handler}}}}})
			require.NoError(t, err)
			removed, err := claudeRemove(text)
			require.NoError(t, err)
			if tt.ours {
				require.Nil(t, removed)
			} else {
				require.Equal(t, string(text), string(removed))
			}
		})
	}
}

func TestClaudeRefusesSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"comment", "{\n  // mine\n  \"a\": 1\n}", "settings.json:2:3: comments are not allowed in this file; take it out"},
		{"block comment", "{\"é\": 1,/* x */ \"b\": 2}", "settings.json:1:9: comments are not allowed"},
		{"trailing comma", "{\n  \"a\": 1,\n}", "settings.json:3:1: broken JSON: invalid character '}' looking for beginning of object key string; is there a comma too many before it?"},
		{"cut off", "{\n  \"a\": [1", "settings.json:2:10: broken JSON: unexpected end of JSON input"},
		{"two objects", "{}\n{}", "settings.json:2:1: broken JSON: invalid character '{' after top-level value"},
		{"a list", "\n [1]", "settings.json:2:2: the file must hold one JSON object"},
		{"not UTF-8 text", "\xff\xfe{", "settings.json:1:1: broken JSON"},
		{"hooks twice", "{\"hooks\": {},\n\"hooks\": {}}", "settings.json:2:1: the key \"hooks\" stands twice in the same object; keep one"},
		{"hooks is a list", `{"hooks": []}`, `settings.json:1:11: "hooks" must be an object of events`},
		{"hooks is null", `{"hooks": null}`, `settings.json:1:11: "hooks" must be an object of events`},
		{"event is an object", `{"hooks": {"Stop": {}}}`, `settings.json:1:20: the hooks of "Stop" must be a list`},
		{"event twice", `{"hooks": {"X": [], "X": []}}`, `settings.json:1:21: the key "X" stands twice`},
		{"command twice", `{"hooks": {"X": [{"hooks": [{"command": "a", "command": "sentinel hook"}]}]}}`, `the key "command" stands twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := claudeMerge([]byte(tt.text), install.Hook{})
			require.ErrorAs(t, err, new(rule.Problem))
			require.ErrorContains(t, err, tt.want)
			_, err = claudeRemove([]byte(tt.text))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestClaudeRefusesHook(t *testing.T) {
	t.Parallel()
	for _, h := range []install.Hook{
		{Command: "guard"}, {Command: "sentinel check"}, {Command: "sentinel hook && true"}, {Command: "sentinel", Args: []string{}},
		{Timeout: 2 * time.Hour},
	} {
		_, err := claudeMerge(nil, h)
		require.Error(t, err, "%+v", h)
	}
}

// FuzzClaude holds, for any settings: other settings keep their meaning, twice is
// as once, and taking the hook out leaves none.
func FuzzClaude(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json*")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"command":"sentinel hook"},7,null]},"x"]},"a":"\\\"}"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		after, err := claudeMerge(text, install.Hook{})
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(strings.TrimPrefix(string(after), "\ufeff"))), "%q", after)
		again, err := claudeMerge(after, install.Hook{})
		require.NoError(t, err)
		require.Equal(t, string(after), string(again))
		removed, err := claudeRemove(after)
		require.NoError(t, err)
		require.Equal(t, others(t, text), others(t, removed))
		once, err := claudeRemove(removed)
		require.NoError(t, err)
		require.Equal(t, string(removed), string(once))
	})
}

// others returns everything but the hooks, in a comparable form.
func others(t *testing.T, text []byte) string {
	t.Helper()
	text = []byte(strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")))
	if len(text) == 0 {
		return "map[]"
	}
	var all map[string]any
	require.NoError(t, json.Unmarshal(text, &all))
	delete(all, "hooks")
	return fmt.Sprint(all)
}

package plugintest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/programtest"
)

// driver loads the plugin as opencode does and calls it with the steps it is
// given: [callback, input, output]. It prints what came of each.
const driver = `
import { pathToFileURL } from "node:url"
const { Sentinel } = await import(pathToFileURL(process.argv[2]))
const toasts = []
const client = { session: { get: async ({ path }) => (path.id === "unknown" ? Promise.reject(new Error("none")) : { data: { id: path.id, parentID: path.id === "child" ? "s" : undefined } }) }, tui: { showToast: async ({ body }) => { toasts.push(body.message) } }, app: { log: async () => {} } }
const hooks = await Sentinel({ client, directory: process.argv[3], worktree: process.argv[3] })
const results = []
for (const [name, input, output] of JSON.parse(process.argv[4])) {
  try {
    await hooks[name](input, output)
    results.push({ output })
  } catch (error) {
    results.push({ error: error.message })
  }
}
console.log(JSON.stringify({ results, toasts }))
`

// session is what the plugin did.
type session struct {
	Results []struct {
		Error  string
		Output map[string]any
	}
	Toasts []string
	events []map[string]any // what sentinel was shown
	args   string
}

// opencode runs steps through opencode's plugin.
func opencode(t *testing.T, h install.Hook, body string, steps ...[]any) session {
	t.Helper()
	return drive(t, "opencode", driver, h, body, steps...)
}

// drive runs steps through the plugin of an agent, with a sentinel that is a shell script:
// it keeps what it is shown, and then does what body says.
func drive(t *testing.T, agent, driver string, h install.Hook, body string, steps ...[]any) session {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a folder, it's öne")
	return driveIn(t, dir, dir, agent, driver, h, body, steps...)
}

// driveIn is the same in the folder dir, whose user has the folder home.
func driveIn(t *testing.T, home, dir, agent, driver string, h install.Hook, body string, steps ...[]any) session {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; the plugin is not run")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the fake sentinel is a POSIX shell script")
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	if body == "" {
		missingHere(t)
	}
	if body != "" {
		h.Program = filepath.Join(dir, "sentinel")
		script := "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho \"$*\" > args\nevent=$(cat)\nprintf '%s\\n' \"$event\" >> events\n" + body + "\n"
		programtest.Write(t, h.Program, script)
	}
	plugin := filepath.Join(dir, "sentinel.mjs") // the same text: it is plain JavaScript
	require.NoError(t, os.WriteFile(plugin, registered(t, agent, h), 0o644))
	main := filepath.Join(dir, "driver.mjs")
	require.NoError(t, os.WriteFile(main, []byte(driver), 0o644))
	list, err := json.Marshal(steps)
	require.NoError(t, err)
	cmd := exec.Command(node, main, plugin, dir, string(list))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var s session
	require.NoError(t, json.Unmarshal(out, &s), string(out))
	require.Len(t, s.Results, len(steps))
	if shown, err := os.Open(filepath.Join(dir, "events")); err == nil {
		defer shown.Close()
		for dec := json.NewDecoder(shown); dec.More(); {
			var ev map[string]any
			require.NoError(t, dec.Decode(&ev))
			s.events = append(s.events, ev)
		}
		s.args = string(read(t, dir, "args"))
	}
	return s
}

type object = map[string]any

func before(tool string, args object) []any {
	return []any{"tool.execute.before", object{"tool": tool, "sessionID": "s", "callID": "c"}, object{"args": args}}
}

func after(tool string, output object) []any {
	return []any{"tool.execute.after", object{"tool": tool, "sessionID": "s", "callID": "c", "args": object{"x": 1}}, output}
}

func TestOpencodeRefuses(t *testing.T) {
	t.Parallel()
	s := opencode(t, install.Hook{}, `echo '{"deny":true,"reason":"Sentinel blocked this: no"}'`, before("write", object{"filePath": "a", "content": "é\n"}))
	require.Equal(t, "Sentinel blocked this: no", s.Results[0].Error)
	require.Equal(t, "hook --agent opencode --deadline 15000ms\n", s.args)
	require.Len(t, s.events, 1)
	require.Equal(t, "tool.execute.before", s.events[0]["hook_event_name"])
	require.Equal(t, "s", s.events[0]["session_id"])
	require.Equal(t, "c", s.events[0]["tool_use_id"])
	require.Equal(t, "write", s.events[0]["tool_name"])
	require.Equal(t, object{"filePath": "a", "content": "é\n"}, s.events[0]["tool_input"])
	require.True(t, filepath.IsAbs(s.events[0]["cwd"].(string)))
	require.Empty(t, s.Toasts)
}

func TestOpencodeIsSilentWhenClear(t *testing.T) {
	t.Parallel()
	s := opencode(t, install.Hook{}, "exit 0", before("bash", object{"command": "ls"}), after("bash", object{"output": "a"}))
	require.Equal(t, object{"args": object{"command": "ls"}}, s.Results[0].Output)
	require.Equal(t, object{"output": "a"}, s.Results[1].Output)
	require.Len(t, s.events, 2)
	require.Equal(t, object{"output": "a"}, s.events[1]["tool_response"])
	require.Equal(t, object{"x": 1.0}, s.events[1]["tool_input"])
	require.Empty(t, s.Toasts)
}

// TestOpencodeGivesContext: what was said before a call follows its result.
func TestOpencodeGivesContext(t *testing.T) {
	t.Parallel()
	const body = `case $event in *before*) echo '{"context":"earlier"}' ;; *) echo '{"context":"later"}' ;; esac`
	s := opencode(t, install.Hook{}, body, before("edit", object{}), after("edit", object{"output": "done"}), after("edit", object{"output": "again"}),
		before("db_query", object{}), after("db_query", object{"content": []any{object{"type": "text", "text": "rows"}}}))
	require.Equal(t, "done\n\nearlier\n\nlater", s.Results[1].Output["output"])
	require.Equal(t, "again\n\nlater", s.Results[2].Output["output"], "once")
	require.Equal(t, []any{
		object{"type": "text", "text": "rows"}, object{"type": "text", "text": "earlier"}, object{"type": "text", "text": "later"},
	}, s.Results[4].Output["content"])
}

func TestOpencodeShowsWhatCanMatch(t *testing.T) {
	t.Parallel()
	calls := [][]any{before("glob", object{}), before("todowrite", object{}), after("task", object{}), before("read", object{}), before("apply_patch", object{})}
	require.Len(t, opencode(t, install.Hook{}, "exit 0", calls...).events, 1)
	require.Len(t, opencode(t, install.Hook{Reads: true}, "exit 0", calls...).events, 2)
}

func TestOpencodeTellsOfSessions(t *testing.T) {
	t.Parallel()
	event := func(kind string, properties object) []any {
		return []any{"event", object{"event": object{"type": kind, "properties": properties}}}
	}
	s := opencode(t, install.Hook{}, "exit 0", event("session.created", object{"info": object{"id": "s1"}}),
		event("message.updated", object{}), event("session.idle", object{"sessionID": "s1"}), event("session.deleted", object{"info": object{"id": "s1"}}))
	require.Len(t, s.events, 3)
	for i, name := range []string{"session.created", "session.idle", "session.deleted"} {
		require.Equal(t, name, s.events[i]["hook_event_name"])
		require.Equal(t, "s1", s.events[i]["session_id"])
	}
}

// TestOpencodeTellsWhatWasSaid: the person's own words, and nothing is put among
// them.
func TestOpencodeTellsWhatWasSaid(t *testing.T) {
	t.Parallel()
	message := func(parts ...any) []any {
		return []any{"chat.message", object{"sessionID": "s"}, object{"message": object{}, "parts": parts}}
	}
	own := []any{
		object{"type": "text", "text": "Never touch billing."},
		object{"type": "file", "url": "x"},
		object{"type": "text", "text": "opencode's own", "synthetic": true},
		object{"type": "text", "text": "Thanks."},
	}
	s := opencode(t, install.Hook{}, `echo '{"context":"x"}'`, message(own...), message(), []any{"chat.message", object{"sessionID": "s"}, object{}})
	require.Len(t, s.events, 1)
	require.Equal(t, "chat.message", s.events[0]["hook_event_name"])
	require.Equal(t, "s", s.events[0]["session_id"])
	require.Equal(t, "Never touch billing.\nThanks.", s.events[0]["prompt"])
	for i := range s.Results {
		require.Empty(t, s.Results[i].Error)
	}
	require.Equal(t, own, s.Results[0].Output["parts"])
}

// TestOpencodeWithoutAnAnswer: the call goes on, or is refused where the project
// is strict, and the person is told once.
func TestOpencodeWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body, told string
		hook             install.Hook
	}{
		{name: "it hangs", body: "exec sleep 600", told: "sentinel did not answer within 900 ms", hook: install.Hook{Timeout: 900 * time.Millisecond}},
		{name: "its child hangs", body: "sleep 5 & wait", told: "sentinel did not answer within 900 ms", hook: install.Hook{Timeout: 900 * time.Millisecond}},
		{name: "it fails", body: "echo 'hook: no event' >&2; exit 1", told: "hook: no event"},
		{name: "it dies", body: "kill -9 $$", told: "sentinel ended with status null"},
		{name: "it says something else", body: "echo hello", told: "not valid JSON"},
		{name: "it says nothing of use", body: "echo 7", told: "sentinel answered 7"},
		{name: "it is not there", told: "go install github.com/agentsentinel/sentinel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := opencode(t, tt.hook, tt.body, before("bash", object{}), before("bash", object{}), after("bash", object{"output": "x"}))
			require.Empty(t, s.Results[0].Error)
			require.Empty(t, s.Results[1].Error)
			require.Equal(t, object{"output": "x"}, s.Results[2].Output)
			require.Len(t, s.Toasts, 1, "told once")
			require.Contains(t, s.Toasts[0], tt.told)

			tt.hook.Strict = true
			s = opencode(t, tt.hook, tt.body, before("bash", object{}), after("bash", object{"output": "x"}))
			require.Contains(t, s.Results[0].Error, "Sentinel could not be asked about this call")
			require.Empty(t, s.Results[1].Error, "after a call nothing can be refused")
			require.Len(t, s.Toasts, 1)
		})
	}
}

// TestOpencodeSendsLargeEvents: a sentinel that answers before it has read all of
// an event does no harm.
func TestOpencodeSendsLargeEvents(t *testing.T) {
	t.Parallel()
	large := make([]byte, 100_000)
	for i := range large {
		large[i] = 'a'
	}
	s := opencode(t, install.Hook{}, `echo '{}'`, before("write", object{"content": string(large)}))
	require.Empty(t, s.Results[0].Error)
	require.Equal(t, string(large), s.events[0]["tool_input"].(object)["content"])
	require.Empty(t, s.Toasts)
}

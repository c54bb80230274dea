package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// dying are ways in which a hook ends while it looks at a call, by the tool's name.
var dying = dyingMapper{
	"kills": func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		panic(err)
	},
	"panics": func() { panic("a fault") },
}

type dyingMapper map[string]func()

func (m dyingMapper) MapTool(_ context.Context, ev sentinel.Event) ([]sentinel.Action, error) {
	if die := m[ev.Tool.Name]; die != nil {
		die()
	}
	return nil, sentinel.ErrUnknownTool
}

// hookIn answers an event with the user's folders in dir.
func hookIn(dir, agent string, event []byte) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Run(&Env{
		Args: []string{"--agent", agent}, Stdin: bytes.NewReader(event), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Dir: dir, Now: time.Now,
		Project: func() *project.Options {
			if os.Getenv("SENTINEL_DYING_EARLY") != "" {
				dying["kills"]()
			}
			return &project.Options{StateDir: filepath.Join(dir, "state"), Mapper: dying, Now: time.Now}
		},
	})
	return status, out.String(), errs.String()
}

// TestDyingHook is the process of a hook that TestAHookThatDies starts.
func TestDyingHook(t *testing.T) {
	dir := os.Getenv("SENTINEL_DYING_DIR")
	if dir == "" {
		t.Skip("only for the process that another test starts")
	}
	hookIn(dir, os.Getenv("SENTINEL_DYING_AGENT"), []byte(os.Getenv("SENTINEL_DYING_EVENT")))
}

// withTool is the trial event of an agent with another tool and id.
func withTool(t *testing.T, a *agent.Agent, dir, tool string) []byte {
	t.Helper()
	data, err := json.Marshal(a.Trial(dir, "ls"))
	require.NoError(t, err)
	ev, err := a.Decode(data)
	require.NoError(t, err)
	if ev.Tool.Name == "" || !bytes.Contains(data, []byte(`"`+ev.Tool.Name+`"`)) {
		t.Skip("the name of its tool is not in its events")
	}
	return bytes.ReplaceAll(data, []byte(`"`+ev.Tool.Name+`"`), []byte(`"`+tool+`"`))
}

// The next call of the session tells of a hook that was killed or has failed, once, as in
// every agent: TestANoticeReachesSomebodyOnce of package agent has all of them.
func TestAHookThatDies(t *testing.T) {
	t.Parallel()
	for how, says := range map[string]string{"kills": "ended without an answer", "panics": "failed and could not judge it"} {
		for _, name := range []string{"claude", "codex", "gemini", "copilot"} {
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude", "sentinel", "rules"), 0o755))
				a := agent.Registry{}.Find(name)
				cmd := exec.Command(os.Args[0], "-test.run=^TestDyingHook$")
				cmd.Env = append(os.Environ(), "SENTINEL_DYING_DIR="+dir, "SENTINEL_DYING_AGENT="+name, "SENTINEL_DYING_EVENT="+string(withTool(t, a, dir, how)))
				out, err := cmd.CombinedOutput()
				require.Equal(t, how == "kills", err != nil, "%s", out)

				next, err := json.Marshal(a.Trial(dir, "ls"))
				require.NoError(t, err)
				_, told, _ := hookIn(dir, name, next)
				require.Contains(t, told, "the call of "+how+" at ")
				require.Contains(t, told, says)
				_, again, _ := hookIn(dir, name, next)
				require.NotContains(t, again, "the call of")
			})
		}
	}
}

// A hook that is killed before it has read the rules leaves nothing.
func TestAHookThatDiesEarly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude", "sentinel", "rules"), 0o755))
	a := agent.Registry{}.Find("claude")
	cmd := exec.Command(os.Args[0], "-test.run=^TestDyingHook$")
	cmd.Env = append(os.Environ(), "SENTINEL_DYING_EARLY=1", "SENTINEL_DYING_DIR="+dir, "SENTINEL_DYING_AGENT=claude", "SENTINEL_DYING_EVENT="+string(withTool(t, a, dir, "ls")))
	require.Error(t, cmd.Run())
	require.NoDirExists(t, filepath.Join(dir, "state", "traces"))
}

// Each call before a tool leaves one beginning and one end, with what came of it.
func TestEveryCallLeavesAReceipt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules := filepath.Join(dir, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "../config.yaml"), []byte("backend: builtin\n"), 0o600))
	for _, severity := range []string{"block", "warn"} {
		require.NoError(t, os.WriteFile(filepath.Join(rules, severity+".yaml"), []byte(
			"trigger: bash\nscope: [\""+severity+"\"]\nwhen: \"true\"\nseverity: "+severity+"\nmessage: no\n"), 0o600))
	}
	for _, command := range []string{"ls", "warn", "block"} {
		event, err := json.Marshal(map[string]any{
			"session_id": "s", "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "id " + command,
			"tool_input": map[string]string{"command": command},
		})
		require.NoError(t, err)
		hookIn(dir, "claude", event)
		hookIn(dir, "claude", bytes.Replace(event, []byte("PreToolUse"), []byte("PostToolUse"), 1))
	}
	p := project.Open([]string{dir}, &project.Options{StateDir: filepath.Join(dir, "state")})
	r, err := p.Past().Trace().Read(state.Session{ID: "s"})
	require.NoError(t, err)
	require.Equal(t, state.Session{Agent: "claude", ID: "s", Dir: dir}, r.Session)
	var came strings.Builder
	for i, c := range r.Calls {
		came.WriteByte(byte(c.Outcome))
		require.Equal(t, state.CallDigest("id "+[]string{"ls", "warn", "block"}[i]), c.ID)
	}
	require.Equal(t, "ncb", came.String())

	bare := t.TempDir()
	event := []byte(`{"session_id":"s","cwd":"` + filepath.ToSlash(bare) + `","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	hookIn(bare, "claude", event)
	require.NoDirExists(t, filepath.Join(bare, "state"), "where nobody has rules nothing is kept")
}

// Files that the session made itself may go, and nothing else: a file that was there, one
// that was moved, one whose write was stopped, one of another session.
func TestWhatTheSessionMadeMayGo(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "../config.yaml"), []byte("backend: builtin\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "keep.yaml"), []byte(
		"trigger: bash\nscope: [\"rm *\"]\nwhen: any(removes, not disposable(#))\nseverity: block\nmessage: keep it\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "no.yaml"), []byte(
		"trigger: file_write\nscope: [\"*.no\"]\nwhen: \"true\"\nseverity: block\nmessage: no\n"), 0o600))
	put := func(name string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	call := func(session, tool string, input map[string]string) string {
		event, err := json.Marshal(map[string]any{
			"session_id": session, "cwd": dir, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input,
		})
		require.NoError(t, err)
		_, _, told := hookIn(dir, "claude", event)
		return told
	}
	write := func(name string) {
		call("s", "Write", map[string]string{"file_path": filepath.Join(dir, name), "content": "x"})
		put(name)
	}
	stopped := func(session, line string) bool {
		return strings.Contains(call(session, "Bash", map[string]string{"command": line}), "keep it")
	}
	put("there/a.txt")
	write("there/a.txt")
	write("made/a.txt")
	call("s", "Bash", map[string]string{"command": "echo x > made/b.txt"})
	put("made/b.txt")
	write("made/c.no")
	require.True(t, stopped("s", "rm -rf made"), "the write of a file in it was stopped")
	require.NoError(t, os.Remove(filepath.Join(dir, "made", "c.no")))
	require.False(t, stopped("s", "rm -rf made"))
	require.False(t, stopped("s", "rm made/a.txt"))
	require.True(t, stopped("other", "rm -rf made"))
	require.True(t, stopped("s", "rm -rf there"), "it was there before")
	require.True(t, stopped("s", "mv there made && rm -rf made"))
	put("fresh.txt")
	call("s", "Bash", map[string]string{"command": "mv fresh.txt made/fresh.txt"})
	require.NoError(t, os.Rename(filepath.Join(dir, "fresh.txt"), filepath.Join(dir, "made", "fresh.txt")))
	require.True(t, stopped("s", "rm -rf made"), "what was moved there was there before")
}

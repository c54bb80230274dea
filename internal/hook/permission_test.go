package hook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// An asked agent works in a repository with rules, and asks its hook.
type asked struct {
	t   *testing.T
	dir string
	now time.Time
}

func newAsked(t *testing.T, config string, rules ...string) *asked {
	a := &asked{t, t.TempDir(), time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	at := filepath.Join(a.dir, "repo", ".claude", "sentinel")
	require.NoError(t, os.MkdirAll(filepath.Join(at, "rules"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(at, "config.yaml"), []byte("backend: builtin\n"+config), 0o600))
	for i, text := range rules {
		require.NoError(t, os.WriteFile(filepath.Join(at, "rules", string(rune('a'+i))+".yaml"), []byte(text), 0o600))
	}
	return a
}

func (a *asked) options() *project.Options {
	return &project.Options{StateDir: filepath.Join(a.dir, "state"), Now: func() time.Time { return a.now }}
}

// hook answers an event about a command: of the name, and with the id where it has one.
func (a *asked) hook(event, command, id string, more ...string) (stdout string) {
	a.t.Helper()
	said := map[string]any{
		"session_id": "s", "cwd": filepath.Join(a.dir, "repo"), "hook_event_name": event, "transcript_path": filepath.Join(a.dir, "s.jsonl"),
		"tool_name": "Bash", "tool_input": map[string]string{"command": command, "description": "why"},
	}
	if id != "" {
		said["tool_use_id"] = id
	}
	data, err := json.Marshal(said)
	require.NoError(a.t, err)
	var out, stderr bytes.Buffer
	status := Run(&Env{
		Args: append([]string{"--agent", "claude"}, more...), Stdin: bytes.NewReader(data), Stdout: &out, Stderr: &stderr,
		Getenv: func(string) string { return "" }, Dir: a.dir, Now: func() time.Time { return a.now }, Project: a.options,
	})
	require.Equal(a.t, exit.OK, status)
	require.Empty(a.t, stderr.String())
	return out.String()
}

func (a *asked) before(command, id string) string { return a.hook("PreToolUse", command, id) }
func (a *asked) question(command string) string   { return a.hook("PermissionRequest", command, "") }

const (
	blocks = "trigger: bash\nseverity: block\nscope: [\"rm *\"]\nwhen: \"true\"\nmessage: Never.\n"
	asksIt = "trigger: bash\nseverity: ask\nscope: [\"mv *\"]\nwhen: \"true\"\nmessage: Look.\n"
	warns  = "trigger: bash\nseverity: warn\nscope: [\"cp *\"]\nwhen: \"true\"\nmessage: Careful.\n"
)

// A call that no hook has seen before the tool is judged before the question, and only
// what a rule blocks is denied.
func TestTheNetBelow(t *testing.T) {
	t.Parallel()
	a := newAsked(t, "", blocks, asksIt, warns)
	denied := a.question("rm x")
	require.Contains(t, denied, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"Sentinel blocked this: Never.`)
	require.Contains(t, denied, "sentinel allow ")
	for _, command := range []string{"mv x y", "cp x y", "ls"} {
		require.Empty(t, a.question(command), command)
	}
	require.Contains(t, a.hook("PostToolUse", "ls", "1"), "Careful.", "what the question could not tell")
}

// A call that a hook has answered for is not judged again: neither twice, nor after its
// approval was used.
func TestTheNetIsQuietAboutWhatWasJudged(t *testing.T) {
	t.Parallel()
	a := newAsked(t, "", blocks)
	require.Contains(t, a.before("rm x", "1"), "deny")
	require.Empty(t, a.question("rm x"), "it was answered")
	require.NotEmpty(t, a.question("rm y"), "it was not")

	p := project.Open([]string{filepath.Join(a.dir, "repo")}, a.options())
	waiting, _, err := p.Gate().Waiting()
	require.NoError(t, err)
	for _, w := range waiting {
		require.NoError(t, p.Gate().Allow(w, "somebody"))
	}
	require.Empty(t, a.before("rm x", "2"), "a person has approved it")
	require.Empty(t, a.question("rm x"), "which is used now")
	require.Empty(t, a.question("rm y"), "the approval of what the net denied counts here")
	require.Empty(t, a.question("rm y"), "also for a second hook of the same question")
	require.NotEmpty(t, a.before("rm y", "3"), "but for no other call")
	a.now = a.now.Add(answeredWithin + time.Minute)
	require.NotEmpty(t, a.question("rm y"), "once")
	require.NotEmpty(t, a.question("rm y"), "and a second hook denies it, too")

	a.now = a.now.Add(2 * answeredWithin)
	require.NotEmpty(t, a.question("rm x"), "an old answer is about another call")
}

// A hook that was killed, or judged by the user's rules alone, has not answered.
func TestTheNetHoldsWhereAHookWasKilled(t *testing.T) {
	t.Parallel()
	for _, came := range []state.Outcome{state.TraceOpen, state.TraceFailed, state.TraceAlone} {
		a := newAsked(t, "", blocks)
		args := json.RawMessage(`{"command":"rm x","description":"why"}`)
		p := project.Open([]string{filepath.Join(a.dir, "repo")}, a.options())
		mark := p.Past().Trace().Begin(state.Session{Agent: "claude", ID: "s", Dir: a.dir}, state.Traced{ID: 1, Args: state.ArgsDigest(args), Tool: "Bash"})
		require.NotNil(t, mark)
		if came != state.TraceOpen {
			mark.End(came, 0)
		}
		require.NotEmpty(t, a.question("rm x"), "%c", came)
		mark = p.Past().Trace().Begin(state.Session{Agent: "claude", ID: "s", Dir: a.dir}, state.Traced{ID: 1, Args: state.ArgsDigest(args), Tool: "Bash"})
		mark.End(state.TracePassed, 0)
		require.Empty(t, a.question("rm x"), "%c", came)
	}
}

// A call that cannot be judged is denied where the project is strict. Elsewhere, and
// where there are no rules, the user is asked.
func TestTheNetWhereNothingCanBeJudged(t *testing.T) {
	t.Parallel()
	const broken = "trigger: bash\nseverity: block\nwhen: \"len(1)\"\nmessage: x\n"
	require.Contains(t, newAsked(t, "fail_open: false\n", broken).question("ls"), `"deny"`)
	require.Empty(t, newAsked(t, "", broken).question("ls"))
	a := newAsked(t, "")
	require.NoError(t, os.RemoveAll(filepath.Join(a.dir, "repo", ".claude")))
	require.Empty(t, a.question("rm x"))
}

// The user is asked about what runs, where the configuration wants that and the agent can.
func TestUndoIsOffered(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no replacement of a deletion is offered on Windows")
	}
	const rule = "trigger: bash\nseverity: ask\nundo: trash\nscope: [\"rm *\"]\nwhen: \"true\"\nmessage: Look.\n"
	var said struct {
		Specific struct {
			Decision string                     `json:"permissionDecision"`
			Reason   string                     `json:"permissionDecisionReason"`
			Input    map[string]json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	a := newAsked(t, "offer_undo: true\n", rule)
	require.NoError(t, json.Unmarshal([]byte(a.before("rm -r 'my file'", "1")), &said))
	require.Equal(t, "ask", said.Specific.Decision)
	var command string
	require.NoError(t, json.Unmarshal(said.Specific.Input["command"], &command))
	require.Regexp(t, `^mkdir -p \S+/state-trash/repo-[0-9a-f]{8}/[0-9]{8}-[a-z2-7]{10} && mv -n -- 'my file' \S+/$`, command)
	require.Equal(t, `"why"`, string(said.Specific.Input["description"]), "the other arguments stay")
	require.True(t, strings.HasSuffix(said.Specific.Reason, "\nYour yes runs this instead, which loses nothing:\n"+command), said.Specific.Reason)
	require.Empty(t, a.question(command), "nobody is asked twice")
	require.Empty(t, a.before(command, "2"))

	said.Specific.Input = nil
	plain := newAsked(t, "", rule)
	require.NoError(t, json.Unmarshal([]byte(plain.before("rm -r x", "1")), &said))
	require.Nil(t, said.Specific.Input, "nobody wanted it replaced")
	require.Contains(t, said.Specific.Reason, "\nThis would do the same and lose nothing:\nmkdir -p ")
	require.Contains(t, a.hook("PreToolUse", "rm -r x", "3", "--agent", "codex"), "⟦Sentinel: this does the same, loses nothing and may be run: mkdir -p ", "an agent that cannot ask")
	require.NotContains(t, a.hook("PreToolUse", "rm -r x", "4", "--agent", "codex"), "updatedInput")

	blocked := newAsked(t, "offer_undo: true\n", strings.Replace(rule, "ask", "block", 1)).before("rm -r x", "1")
	require.Contains(t, blocked, "may be run: mkdir -p ")
	require.NotContains(t, blocked, "updatedInput", "what is blocked is not run in another form")
}

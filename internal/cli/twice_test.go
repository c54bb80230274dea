package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/cli"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

// clockVariable gives a process of these tests its time of day.
const clockVariable = "SENTINEL_TEST_CLOCK"

// noon is the time at which hooks see one call; a moment later it is another one.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// atTime runs the command at the time that the environment says, so that no test
// depends on how fast the machine is.
func atTime() int {
	env := command.Process()
	now, err := time.Parse(time.RFC3339, os.Getenv(clockVariable))
	if err != nil {
		panic(err)
	}
	env.Now = func() time.Time { return now }
	return cli.Run(env)
}

// A twins is a project whose hooks are run as processes.
type twins struct {
	t    *testing.T
	dir  string
	home string
}

// guarded makes a project with rules, judged by a scripted server.
func guarded(t *testing.T, server *fakeserver.OllamaServer, config string, rules map[string]string) *twins {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &twins{t: t, dir: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home")}
	require.NoError(t, os.MkdirAll(w.home, 0o755))
	w.file(".claude/sentinel/config.yaml", "backend: ollama\nbackends: {ollama: {url: \""+server.URL+"\"}}\nlog_file: log.jsonl\ntimeout_ms: 300000\n"+config)
	for name, text := range rules {
		w.file(".claude/sentinel/rules/"+name+".yaml", text)
	}
	return w
}

func (w *twins) file(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

// A hookProcess is one hook at work.
type hookProcess struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// start starts a hook with an event; $DIR in it is the project.
func (w *twins) start(at time.Time, event string, flags ...string) *hookProcess {
	w.t.Helper()
	h := &hookProcess{t: w.t, cmd: exec.Command("sentinel-at", append([]string{"hook", "--deadline", "5m"}, flags...)...)}
	h.cmd.Dir = w.dir
	h.cmd.Env = []string{
		clockVariable + "=" + at.Format(time.RFC3339), "HOME=" + w.home, "USERPROFILE=" + w.home,
		"PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + w.t.TempDir(), "SystemRoot=" + os.Getenv("SystemRoot"),
	}
	h.cmd.Stdin = strings.NewReader(strings.ReplaceAll(event, "$DIR", filepath.ToSlash(w.dir)))
	h.cmd.Stdout, h.cmd.Stderr = &h.stdout, &h.stderr
	require.NoError(w.t, h.cmd.Start())
	w.t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	return h
}

// answer waits for the hook to end and returns what it said.
func (h *hookProcess) answer() (stdout, stderr string, exit int) {
	h.t.Helper()
	err := h.cmd.Wait()
	if err != nil {
		require.IsType(h.t, &exec.ExitError{}, err)
	}
	return h.stdout.String(), h.stderr.String(), h.cmd.ProcessState.ExitCode()
}

// logged counts the lines of the log by their level.
func (w *twins) logged() map[string]int {
	w.t.Helper()
	count := map[string]int{}
	data, err := os.ReadFile(filepath.Join(w.dir, "log.jsonl"))
	if os.IsNotExist(err) {
		return count
	}
	require.NoError(w.t, err)
	for dec := json.NewDecoder(bytes.NewReader(data)); ; {
		var r struct{ Level string }
		err := dec.Decode(&r)
		if err == io.EOF {
			return count
		}
		require.NoError(w.t, err)
		count[r.Level]++
	}
}

const (
	pushRule = "trigger: bash\nscope: [\"git push --force*\"]\nprompt: \"RULE: never. {{command}}\"\n"
	pushCall = `{"session_id":"s","cwd":"$DIR","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force"},"tool_use_id":"t1"}`
)

// meanwhile holds the first hook in its judge, starts the second one, and lets the
// judge answer.
func (w *twins) meanwhile(server *fakeserver.OllamaServer, release chan struct{}, first, second string, flags ...string) (a, b *hookProcess) {
	w.t.Helper()
	a = w.start(noon, first, flags...)
	require.NoError(w.t, server.Await(w.t.Context(), 1))
	b = w.start(noon, second, flags...)
	close(release)
	return a, b
}

// One call that several hooks of ours see is judged once, and every one of them
// answers the same in its own agent's way.
func TestACallSeenTwiceIsJudgedOnce(t *testing.T) {
	t.Parallel()
	const (
		cursorPre    = `{"conversation_id":"c","generation_id":"g","hook_event_name":"preToolUse","cursor_version":"2.4.0","workspace_roots":["$DIR"],"tool_name":"Shell","tool_input":{"command":"git push --force","cwd":"$DIR"},"tool_use_id":"t4","cwd":"$DIR"}`
		cursorShell  = `{"conversation_id":"c","generation_id":"g","hook_event_name":"beforeShellExecution","cursor_version":"2.4.0","workspace_roots":["$DIR"],"command":"git push --force","cwd":"$DIR","sandbox":false}`
		copilotCamel = `{"sessionId":"5f0e","timestamp":1760000000000,"cwd":"$DIR","toolName":"bash","toolArgs":{"command":"git push --force","description":"run"}}`
		copilotOther = `{"hook_event_name":"PreToolUse","session_id":"5f0e","timestamp":"2026-10-20T10:00:00.000Z","cwd":"$DIR","tool_name":"Bash","tool_input":{"command":"git push --force"}}`
		gemini       = `{"session_id":"s","transcript_path":"/x","cwd":"$DIR","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command","tool_input":{"command":"git push --force"}}`
	)
	for _, tt := range []struct {
		name, severity string
		first, second  string
		want           [2]string // of each: what the agent is told
	}{
		{"a plugin's hook beside one of init", "block", pushCall, pushCall, [2]string{"exit 2 Sentinel blocked this: it is forced", "exit 2 Sentinel blocked this: it is forced"}},
		{"asked, in one dialog", "ask", pushCall, pushCall, [2]string{`"permissionDecision":"ask"`, `"permissionDecision":"ask"`}},
		{"two hooks of Cursor", "ask", cursorPre, cursorShell, [2]string{`"permission":"deny"`, `"permission":"ask"`}},
		{"two hooks of Cursor, the other way round", "block", cursorShell, cursorPre, [2]string{`"permission":"deny"`, `"permission":"deny"`}},
		{"two dialects of Copilot", "block", copilotCamel, copilotOther, [2]string{`"permissionDecision":"deny"`, `"permissionDecision":"deny"`}},
		{"an extension of Gemini CLI beside settings.json", "block", gemini, gemini, [2]string{`"decision":"deny"`, `"decision":"deny"`}},
		{"a warning is given once", "warn", pushCall, pushCall, [2]string{`"additionalContext":"Sentinel: Warning: it is forced`, "exit 0 "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			server := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(release, fakeserver.OllamaVerdict(true, 0.9, "it is forced")))
			w := guarded(t, server, "", map[string]string{"push": "severity: " + tt.severity + "\n" + pushRule})
			a, b := w.meanwhile(server, release, tt.first, tt.second)
			var codes []string
			for i, h := range []*hookProcess{a, b} {
				stdout, stderr, exit := h.answer()
				said := "exit " + string(rune('0'+exit)) + " " + stdout + stderr
				require.Contains(t, said, tt.want[i])
				if _, code, ok := strings.Cut(said, "sentinel allow "); ok {
					codes = append(codes, code[:4])
				}
			}
			if len(codes) == 2 {
				require.Equal(t, codes[0], codes[1], "one call has one code")
			}
			require.Len(t, server.Chats(), 1)
			require.Equal(t, map[string]int{"eval": 1, "decision": 1}, w.logged())
		})
	}
}

// A hook that is killed while it judges leaves the call to the other one, and its
// own silence is not taken for an answer.
func TestTheSecondHookJudgesWhenTheFirstWasKilled(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t, fakeserver.OllamaFault(fakeserver.FaultHang()), fakeserver.OllamaVerdict(true, 0.9, "it is forced"))
	w := guarded(t, server, "", map[string]string{"push": pushRule})
	a := w.start(noon, pushCall)
	require.NoError(t, server.Await(t.Context(), 1))
	b := w.start(noon, pushCall)
	require.NoError(t, a.cmd.Process.Kill())
	_, stderr, exit := b.answer()
	require.Equal(t, 2, exit, stderr)
	require.Contains(t, stderr, "it is forced")
	require.Equal(t, map[string]int{"eval": 1, "decision": 1}, w.logged())
}

// A hook whose own time is up answers for itself: in a strict project by a block.
func TestTheSecondHookKeepsItsDeadline(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]int{"fail_open: true\n": 0, "fail_open: false\n": 2} {
		release := make(chan struct{})
		server := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(release, fakeserver.OllamaVerdict(true, 0.9, "it is forced")))
		w := guarded(t, server, config, map[string]string{"push": pushRule})
		a := w.start(noon, pushCall)
		require.NoError(t, server.Await(t.Context(), 1))
		_, stderr, exit := w.start(noon, pushCall, "--deadline", "2s").answer()
		require.Equal(t, want, exit, stderr)
		close(release)
		_, stderr, exit = a.answer()
		require.Equal(t, 2, exit, "the first one still blocks")
		require.Contains(t, stderr, "it is forced")
	}
}

// A call that an agent repeats is judged again, and so is what another session or
// another call does.
func TestACallThatIsTriedAgainIsJudgedAgain(t *testing.T) {
	t.Parallel()
	const unnumbered = `{"session_id":"s","transcript_path":"/x","cwd":"$DIR","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command","tool_input":{"command":"git push --force"}}`
	for _, tt := range []struct {
		name          string
		first, second string
		later         time.Duration
		judged        int
	}{
		{"the same id, at the same time", pushCall, pushCall, 0, 1},
		{"another id", pushCall, strings.Replace(pushCall, "t1", "t2", 1), 0, 2},
		{"another session", pushCall, strings.Replace(pushCall, `"s"`, `"s2"`, 1), 0, 2},
		{"another command", pushCall, strings.Replace(pushCall, "--force", "--force x", 1), 0, 2},
		{"another folder", pushCall, strings.Replace(pushCall, "$DIR", "$DIR/sub", 1), 0, 2},
		{"no id, of an agent that sends none", unnumbered, unnumbered, 0, 1},
		{"no id, a few seconds later", unnumbered, unnumbered, 3 * time.Second, 2},
		{"no id, of an agent that always sends one", strings.Replace(pushCall, `,"tool_use_id":"t1"`, "", 1), strings.Replace(pushCall, `,"tool_use_id":"t1"`, "", 1), 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := fakeserver.NewOllamaServer(t)
			w := guarded(t, server, "", map[string]string{"push": "trigger: bash\nbackend: builtin\nwhen: \"true\"\nscope: [\"git push --force*\"]\nmessage: not that\n"})
			w.file("sub/x", "")
			for i, event := range []string{tt.first, tt.second} {
				stdout, stderr, _ := w.start(noon.Add(time.Duration(i)*tt.later), event).answer()
				require.Contains(t, stdout+stderr, "not that", "blocked, whoever judged")
			}
			require.Equal(t, map[string]int{"eval": tt.judged, "decision": tt.judged}, w.logged())
		})
	}
}

// A call that matches no rule leaves only its receipt, the pin of the rules, and what the
// settings of the hook were.
func TestACallWithoutRulesIsNotHeld(t *testing.T) {
	t.Parallel()
	w := guarded(t, fakeserver.NewOllamaServer(t), "", map[string]string{"push": pushRule})
	stdout, stderr, exit := w.start(noon, strings.Replace(pushCall, "git push --force", "git status", 1)).answer()
	require.Zero(t, exit)
	require.Empty(t, stdout+stderr)
	kept, err := os.ReadDir(filepath.Join(w.home, ".local", "state", "sentinel"))
	require.NoError(t, err)
	for _, e := range kept {
		require.Contains(t, []string{"key", "agents", "pins", "traces", "watched"}, e.Name(), "rules are sealed with the key, and who the agent is is known")
	}
	require.Empty(t, w.logged())
}

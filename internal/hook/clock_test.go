package hook

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// A writer keeps what is written to it, by whichever goroutine.
type writer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *writer) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// A late call is one whose work hangs, in a project with the configuration, for a
// user with a rule against pushing.
type late struct {
	*call
	stdout, stderr writer
	options        project.Options
	event          string
}

func newLate(t *testing.T, config, command string) *late {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"repo/.claude/sentinel/config.yaml":  "backend: builtin\n" + config,
		"repo/.claude/sentinel/rules/a.yaml": "trigger: bash\nwhen: \"true\"\nscope: [\"touch *\"]\nmessage: the repository says no\n",
		"user/config.yaml":                   "backend: builtin\n",
		"user/rules/push.yaml":               "trigger: bash\nwhen: \"true\"\nscope: [\"git push*\"]\nmessage: the user says no\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	l := &late{}
	l.options = project.Options{StateDir: filepath.Join(dir, "state"), UserDir: filepath.Join(dir, "user")}
	claude, err := agent.Registry{}.Named("claude")
	require.NoError(t, err)
	l.event = `{"session_id":"s","cwd":"` + filepath.ToSlash(filepath.Join(dir, "repo")) + `","hook_event_name":"PreToolUse",` +
		`"tool_name":"Bash","tool_use_id":"1","tool_input":{"command":"` + command + `"}}`
	ev, err := claude.Decode([]byte(l.event))
	require.NoError(t, err)
	l.call = &call{
		agent: claude, event: ev, clock: newClock(time.Now()), flags: flags{deadline: time.Hour},
		env: &Env{
			Stdin: strings.NewReader(l.event), Stdout: &l.stdout, Stderr: &l.stderr, Dir: dir, Now: time.Now,
			Getenv: func(string) string { return "" }, Project: func() *project.Options { o := l.options; return &o },
		},
	}
	return l
}

func (l *late) said() string { return l.stdout.String() + l.stderr.String() }

// When the work hangs, the watchdog judges by the user's rules alone. The project's
// count as not judged.
func TestTheWatchdogJudgesAlone(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, config, command string
		exit                  int
		says, not             string
	}{
		{"the user's rule", "fail_open: true\n", "git push", exit.Block, "the user says no", "systemMessage"},
		{"the user's rule, strict", "fail_open: false\n", "git push", exit.Block, "the user says no", "systemMessage"},
		{"an open project", "fail_open: true\n", "touch x", exit.OK, "was not judged completely", "deny"},
		{"a strict project", "fail_open: false\n", "touch x", exit.Block, "not read in the time", "allow\""},
		{"a broken configuration", "fail_open: [\n", "git push", exit.Block, "the user says no", "systemMessage"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newLate(t, tc.config, tc.command)
			require.Equal(t, tc.exit, l.answerAlone(l.judgeOwn(), nil), l.said())
			require.Contains(t, l.said(), tc.says)
			require.NotContains(t, l.said(), tc.not)
			require.NotContains(t, l.said(), "the repository says no")
			require.LessOrEqual(t, strings.Count(l.said(), "Sentinel blocked this"), 1, "one answer: %s", l.said())
		})
	}
}

// A question about a call is judged late as the call is, and answered as a question. Where
// no project is strict, a person decides.
func TestTheWatchdogOfTheNet(t *testing.T) {
	t.Parallel()
	const denies = `"hookEventName":"PermissionRequest","decision":{"behavior":"deny"`
	for _, tc := range []struct{ name, config, command, says string }{
		{"the user's rule", "fail_open: true\n", "git push", "the user says no"},
		{"an open project", "fail_open: true\n", "touch x", ""},
		{"a strict project", "fail_open: false\n", "touch x", "not read in the time"},
	} {
		for name, answer := range map[string]func(l *late) int{
			"alone":    func(l *late) int { return l.answerAlone(l.judgeOwn(), nil) },
			"the last": func(l *late) int { l.judgeOwn(); return l.answerLate(nil) },
		} {
			l := newLate(t, tc.config, tc.command)
			l.call.event.Phase, l.call.event.Tool.ID = sentinel.PhasePermission, ""
			strict := tc.config == "fail_open: false\n"
			require.Equal(t, exit.OK, answer(l), "%s, %s: %s", tc.name, name, l.said())
			switch {
			case strict || tc.says != "" && name == "alone":
				require.Contains(t, l.said(), denies, "%s, %s", tc.name, name)
			default:
				require.Empty(t, l.said(), "%s, %s", tc.name, name)
			}
			if name == "alone" {
				require.Contains(t, l.said(), tc.says)
			}
		}
	}
	l := newLate(t, "fail_open: false\n", "touch x")
	mark := project.Open(l.starts(), l.call.options()).Past().Trace().Begin(state.Session{Agent: "claude", ID: "s", Dir: l.call.event.Dir},
		state.Traced{ID: 1, Args: state.ArgsDigest(l.call.event.Tool.Args), Tool: "Bash"})
	mark.End(state.TracePassed, 0)
	l.call.event.Phase = sentinel.PhasePermission
	require.Equal(t, exit.OK, l.answerAlone(l.judgeOwn(), nil))
	require.Empty(t, l.said(), "a hook has answered for the call")

	l = newLate(t, "fail_open: false\n", "touch x")
	l.call.event.Phase, l.flags.deadline = sentinel.PhasePermission, time.Nanosecond
	l.open = sync.OnceValue(l.openInTime)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.beforeQuestion()
	}()
	<-ended
	require.Empty(t, l.said(), "work that is late leaves the answer to the watchdog")
	require.False(t, l.clock.taken.Load())
}

// The watchdog has time of its own, after the end of the work.
func TestTheWatchdogHasTime(t *testing.T) {
	t.Parallel()
	for _, deadline := range []time.Duration{20 * time.Millisecond, 2 * time.Second, 15 * time.Second} {
		l := newLate(t, "", "touch x")
		l.flags.deadline = deadline
		require.True(t, l.call.options().Ends.Before(l.alone()), deadline)
		require.True(t, l.aloneOptions().Ends.After(l.alone()), deadline)
		require.True(t, l.aloneOptions().Ends.Before(l.ends()), deadline)
	}
}

// The watchdog is woken for the deadline of the agent, when that is known and is earlier;
// a later one it learns by itself.
func TestTheWatchdogLearnsTheDeadline(t *testing.T) {
	t.Parallel()
	for agentsOwn, started := range map[time.Duration]time.Duration{20 * time.Millisecond: time.Hour, 40 * time.Millisecond: 20 * time.Millisecond} {
		l := newLate(t, "fail_open: false\n", "touch x")
		l.flags.deadline = started
		release := make(chan struct{})
		defer close(release)
		decoded := *l.call
		decoded.flags.deadline = agentsOwn
		require.Equal(t, exit.Block, l.inTime(func() int {
			l.clock.learn(&decoded)
			<-release
			return exit.OK
		}))
		require.False(t, time.Now().Before(decoded.alone()), "it does not answer early")
	}
}

// The watchdog goes by the configuration that the person knows, and pins nothing:
// neither a weaker folder nor none makes a strict project open.
func TestTheWatchdogGoesByWhatIsPinned(t *testing.T) {
	t.Parallel()
	weaken := map[string]func(folder string) error{
		"an open configuration": func(f string) error {
			return os.WriteFile(filepath.Join(f, "config.yaml"), []byte("backend: builtin\nfail_open: true\n"), 0o600)
		},
		"a conflict": func(f string) error {
			return os.WriteFile(filepath.Join(f, "config.yaml"), []byte("<<<<<<< HEAD\nfail_open: true\n"), 0o600)
		},
		"no folder": os.RemoveAll,
	}
	for name, weakened := range weaken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLate(t, "fail_open: false\n", "touch x")
			pins := filepath.Join(l.options.StateDir, "pins")
			project.Open(l.starts(), l.call.options())
			before := files(t, pins)
			require.NotEmpty(t, before)
			require.NoError(t, weakened(filepath.Join(l.call.event.Dir, ".claude", "sentinel")))
			require.Equal(t, exit.Block, l.answerAlone(l.judgeOwn(), nil), l.said())
			require.Contains(t, l.said(), "not read in the time")
			require.Equal(t, before, files(t, pins))
		})
	}
}

// files are the texts of the files in a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		found[e.Name()] = string(data)
	}
	return found
}

// What is left at the deadline itself, when not even the watchdog could judge.
func TestTheLastWord(t *testing.T) {
	t.Parallel()
	for known, want := range map[int32]int{notKnown: exit.Block, oneStrict: exit.Block, allOpen: exit.Error} {
		l := newLate(t, "", "touch x")
		l.clock.strict.Store(known)
		require.Equal(t, want, l.answerLate(nil))
		require.Contains(t, l.said(), "could not be judged within")
		require.Equal(t, 1, strings.Count(l.said(), "\n"))
	}
	l := newLate(t, "fail_open: false\n", "touch x")
	l.call.event.Phase = sentinel.PhasePost
	require.Equal(t, exit.OK, l.answerAlone(l.judgeOwn(), nil), "after the tool has run nothing is decided")
}

// The answer of work that ends after the deadline is not written.
func TestOneAnswer(t *testing.T) {
	t.Parallel()
	l := newLate(t, "fail_open: false\n", "touch x")
	l.flags.deadline = 20 * time.Millisecond
	release, ended := make(chan struct{}), make(chan struct{})
	status := l.inTime(func() int {
		defer close(ended)
		<-release
		return l.send(reply{answer: agent.Answer{Stdout: []byte("late"), Exit: exit.OK}})
	})
	require.Equal(t, exit.Block, status)
	before := l.said()
	close(release)
	<-ended
	require.Equal(t, before, l.said())
	require.NotContains(t, before, "late\"")
	require.Equal(t, 1, strings.Count(before, "\n"))
}

// Work that hangs after the answer delays the agent only if it is waited for.
func TestWhatHangsAfterTheAnswer(t *testing.T) {
	t.Parallel()
	l := newLate(t, "fail_open: false\n", "touch x")
	l.flags.deadline = 20 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	require.Equal(t, 7, l.inTime(func() int {
		status := l.send(reply{answer: agent.Answer{Stdout: []byte("answer"), Exit: 7}})
		<-release
		return status
	}))
	require.Equal(t, "answer", l.said())

	l = newLate(t, "fail_open: false\n", "touch x")
	l.flags.wait = true
	l.clock.give(7)
	done := make(chan int)
	go func() { done <- 8 }()
	require.Equal(t, 8, l.afterAnswer(done))
}

// A tool mapper that never returns is like any code that cannot be interrupted:
// the whole hook answers, once, as for a call that could not be judged.
func TestTheHookAnswersWhateverHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	l := newLate(t, "fail_open: false\n", "touch x")
	l.options.Mapper = sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) {
		<-release
		return nil, nil
	})
	l.options.StateDir = "" // what hangs would write to it when the test has ended
	l.env.Args = []string{"--agent", "claude", "--deadline", "100ms"}
	require.Equal(t, exit.Block, Run(l.env))
	require.Contains(t, l.stderr.String(), "could not be judged within 100ms")
	require.Equal(t, 1, strings.Count(l.said(), "\n"))
}

// An event that never ends is one that cannot be read.
func TestTheEventNeverEnds(t *testing.T) {
	t.Parallel()
	l := newLate(t, "fail_open: false\n", "touch x")
	reader, end := io.Pipe()
	defer end.Close()
	l.env.Stdin, l.env.Dir = reader, l.call.event.Dir
	l.options.StateDir = "" // what hangs would write to it when the test has ended
	l.env.Args = []string{"--agent", "claude", "--deadline", "100ms"}
	require.Equal(t, exit.Block, Run(l.env))
	require.Contains(t, l.said(), "could not be judged within")
}

// A panic in the work is an answer, and none after the answer is given.
func TestAPanicInTheWork(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]int{"fail_open: false\n": exit.Block, "fail_open: true\n": exit.Error} {
		l := newLate(t, config, "touch x")
		l.options.Mapper = sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) { panic("odd") })
		l.env.Args = []string{"--agent", "claude"}
		require.Equal(t, want, Run(l.env), l.said())
		require.Contains(t, l.said(), "internal error: odd")
		require.NotContains(t, l.said(), "goroutine")
		require.Equal(t, 1, strings.Count(l.said(), "\n"))
	}
}

// A mapper that names a trigger which there is not has said nothing that can be judged.
func TestAMapperWithASlip(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]int{"fail_open: false\n": exit.Block, "fail_open: true\n": exit.Error} {
		l := newLate(t, config, "touch x")
		l.options.Mapper = sentinel.MapperFunc(func(context.Context, sentinel.Event) ([]sentinel.Action, error) {
			return []sentinel.Action{{Trigger: "file_wirte", Target: "x"}}, nil
		})
		l.env.Args = []string{"--agent", "claude"}
		require.Equal(t, want, Run(l.env), l.said())
		require.Contains(t, l.said(), `action 0 of tool "Bash" has the trigger "file_wirte"`)
	}
}

// A folder that no file system has is not looked for, and the rules are those of the
// folder that the hook runs in.
func TestAFolderThatIsTooLong(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]int{"fail_open: false\n": exit.Block, "fail_open: true\n": exit.Error} {
		l := newLate(t, config, "git push")
		dir := l.call.event.Dir
		l.env.Stdin = strings.NewReader(strings.Replace(l.event, `"cwd":"`, `"cwd":"`+strings.Repeat("/a", 64_000), 1))
		l.env.Dir, l.env.Args = dir, []string{"--agent", "claude"}
		require.Equal(t, want, Run(l.env), l.said())
		require.Contains(t, l.said(), "longer than a path can be")
	}
}

// An answer that stops a call and is written to a closed pipe is given by the
// exit status.
func TestAnAnswerToTheNullDevice(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	l := newLate(t, "", "sentinel trust")
	l.env.Args, l.env.Stdout = []string{"--agent", "claude"}, null
	require.Equal(t, exit.Block, Run(l.env))
	require.Contains(t, l.stderr.String(), "cannot be written")
	l = newLate(t, "", "ls")
	l.env.Args, l.env.Stdout = []string{"--agent", "claude"}, null
	require.Equal(t, exit.OK, Run(l.env), "there is nothing to say")
}

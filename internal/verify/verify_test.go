package verify_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/verify"
	"github.com/agentsentinel/sentinel/project"
)

// A world is a project with a rule about src/billing, a home folder and a clock.
type world struct {
	t          *testing.T
	repo, home string
	now        time.Time
	ticks      time.Duration
	lines      bytes.Buffer // of the transcript
}

const hookSettings = `{"hooks": {"PreToolUse": [{"matcher": "^(Write|Bash)$", "hooks": [{"type": "command", "command": "sentinel hook", "timeout": 20}]}]}}`

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, repo: filepath.Join(base, "repo"), home: filepath.Join(base, "home"), now: time.Now().Truncate(time.Second)}
	w.file(filepath.Join(w.repo, ".git", "HEAD"), "ref: refs/heads/main\n")
	w.file(filepath.Join(w.repo, ".claude", "sentinel", "config.yaml"), "backend: builtin\nlog_file: .claude/sentinel/sentinel.log\n")
	w.file(filepath.Join(w.repo, ".claude", "sentinel", "rules", "billing.yaml"),
		"trigger: file_write\nscope: [\"src/billing/**\"]\nwhen: \"true\"\nseverity: block\nmessage: no\n")
	w.file(filepath.Join(w.repo, ".claude", "settings.json"), hookSettings)
	w.project().Past().Trace() // nothing yet
	_, err = state.Key(w.state())
	require.NoError(t, err)
	old := w.now.Add(-24 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(w.state(), "key"), old, old))
	return w
}

func (w *world) file(path, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

func (w *world) state() string { return filepath.Join(w.home, ".local", "state", "sentinel") }

// tick is a clock that never tells the same time twice.
func (w *world) tick() time.Time {
	w.ticks += 10 * time.Millisecond
	return w.now.Add(w.ticks)
}

func (w *world) options() *project.Options {
	return &project.Options{StateDir: w.state(), Home: w.home, Getenv: func(string) string { return "" }, Now: w.tick}
}

func (w *world) project() *project.Project { return project.Open([]string{w.repo}, w.options()) }

// row is a row of a transcript of Claude Code.
func (w *world) row(kind string, sub bool, content any) {
	data, err := json.Marshal(map[string]any{
		"type": kind, "uuid": "u", "sessionId": "s1", "cwd": w.repo, "isSidechain": sub, "timestamp": w.tick().UTC().Format(time.RFC3339Nano),
		"message": map[string]any{"role": kind, "content": content},
	})
	require.NoError(w.t, err)
	w.lines.Write(append(data, '\n'))
}

// says adds a call to the transcript, with a result.
func (w *world) says(id, tool string, input map[string]any, sub bool, failed bool) {
	w.row("assistant", sub, []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}})
	w.row("user", sub, []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": "x", "is_error": failed}})
}

// receipt leaves what the hook leaves of a call.
func (w *world) receipt(id, tool string, o state.Outcome, took time.Duration) *state.Mark {
	mark := w.project().Past().Trace().Begin(state.Session{Agent: "claude", ID: "s1", Dir: w.repo}, state.Traced{ID: state.CallDigest(id), Tool: tool})
	require.NotNil(w.t, mark)
	if o != state.TraceOpen {
		mark.End(o, took)
	}
	return mark
}

func (w *world) transcript() string {
	return filepath.Join(w.home, ".claude", "projects", strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, w.repo), "s1.jsonl")
}

// verified writes the transcript and verifies the last session.
func (w *world) verified() *verify.Session {
	w.t.Helper()
	w.file(w.transcript(), w.lines.String())
	return w.last()
}

func (w *world) last() *verify.Session {
	w.t.Helper()
	r, err := verify.New(w.t.Context(), w.repo, w.options(), 0).Last(w.t.Context(), "")
	require.NoError(w.t, err)
	require.Len(w.t, r.Sessions, 1)
	s := &r.Sessions[0]
	if s.Verified() {
		require.Equal(w.t, s.Calls, s.Checked+s.Late+s.NoRule+s.NotRun+s.Never+s.Unknown, "%+v", s)
	}
	require.Equal(w.t, r.Totals, s.Counts)
	return s
}

func file(path string) map[string]any { return map[string]any{"file_path": path, "content": "x"} }

func ids(s *verify.Session, st verify.State) (list []string) {
	for _, c := range s.Listed {
		if c.State == st {
			list = append(list, c.ID)
		}
	}
	return list
}

// Of 200 calls three were never seen: exactly those three are named.
func TestThreeOfTwoHundred(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	unseen := map[int]bool{17: true, 101: true, 199: true}
	for i := range 200 {
		id := fmt.Sprintf("toolu_%03d", i)
		switch {
		case unseen[i]:
		case i%3 == 0:
			w.receipt(id, "Bash", state.TraceNoRule, 0)
		default:
			w.receipt(id, "Write", state.TraceStopped, 0)
		}
		if i%3 == 0 && !unseen[i] {
			w.says(id, "Bash", map[string]any{"command": "ls"}, false, false)
		} else {
			w.says(id, "Write", file("src/billing/a.ts"), false, false)
		}
	}
	s := w.verified()
	require.Equal(t, []string{"toolu_017", "toolu_101", "toolu_199"}, ids(s, verify.Never))
	require.Len(t, s.Listed, 3)
	require.Equal(t, verify.Counts{Calls: 200, Asked: 197, Checked: 130, NoRule: 67, Never: 3}, s.Counts)
	c := s.Listed[0]
	require.Equal(t, "src/billing/a.ts", c.Subject)
	require.Equal(t, []string{"billing"}, c.Rules)
	require.NotEmpty(t, c.Time)
	require.Equal(t, verify.NobodyKnows, c.Why)
	require.Equal(t, verify.SwitchedOff, s.Listed[2].Why)
}

// Each reason, from the evidence that is there.
func TestWhyNeverSeen(t *testing.T) {
	t.Parallel()
	const settings = "settings.json"
	for name, c := range map[string]struct {
		arrange func(w *world)
		tool    string
		sub     bool
		want    verify.Why
	}{
		"killed": {func(w *world) { w.receipt("it", "Write", state.TraceOpen, 0); w.now = w.now.Add(2 * time.Hour) }, "Write", false, verify.Killed},
		"failed": {func(w *world) { w.receipt("it", "Write", state.TraceUnjudged, 0) }, "Write", false, verify.Failed},
		"before the installation": {func(w *world) {
			later := time.Now().Add(time.Hour)
			require.NoError(w.t, os.Chtimes(filepath.Join(w.state(), "key"), later, later))
		}, "Write", false, verify.BeforeSetUp},
		"disabled": {func(w *world) {
			w.file(filepath.Join(w.repo, ".claude", "settings.local.json"), `{"disableAllHooks": true}`)
		}, "Write", false, verify.Disabled},
		"not registered":          {func(w *world) { w.file(filepath.Join(w.repo, ".claude", settings), "{}") }, "Write", false, verify.NoHook},
		"the tool not registered": {func(*world) {}, "Edit", false, verify.NotTheTool},
		"a sub-folder": {func(w *world) {
			repo := w.repo
			w.repo = filepath.Join(repo, "src")
			w.says("first", "Write", file("billing/x.ts"), false, false)
			w.repo = repo
		}, "Write", false, verify.SubFolder},
		"a subagent":   {func(w *world) { w.receipt("other", "Bash", state.TracePassed, 0) }, "Write", true, verify.Subagent},
		"not any more": {func(w *world) { w.receipt("other", "Bash", state.TracePassed, 0) }, "Write", false, verify.SwitchedOff},
		"nobody knows": {func(*world) {}, "Write", false, verify.NobodyKnows},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.arrange(w)
			w.says("it", c.tool, map[string]any{"file_path": "src/billing/a.ts", "content": "x", "old_string": "a", "new_string": "b"}, c.sub, false)
			s := w.verified()
			i := len(s.Listed) - 1
			for i > 0 && s.Listed[i].ID != "it" {
				i--
			}
			require.Equal(t, "it", s.Listed[i].ID, "%+v", s)
			require.Equal(t, c.want, s.Listed[i].Why)
			require.NotEmpty(t, s.Listed[i].Said)
			require.Equal(t, verify.Never, s.Listed[i].State)
		})
	}
}

// A transcript that hides a call, or has one that was never made.
func TestForgedTranscripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "hidden", "b"} {
		w.receipt(id, "Write", state.TracePassed, 0)
	}
	w.says("a", "Write", file("src/billing/a.ts"), false, false)
	w.says("invented", "Write", file("src/billing/a.ts"), false, false)
	w.says("b", "Write", file("src/billing/a.ts"), false, false)
	s := w.verified()
	require.Equal(t, []string{"invented"}, ids(s, verify.Never))
	require.Equal(t, verify.Counts{Calls: 3, Asked: 2, Checked: 2, Never: 1, Extra: 1}, s.Counts)

	hostile := newWorld(t)
	hostile.says("x\x1b[31m", "Wri\x00te", map[string]any{"file_path": "src/billing/\x1b]0;a", "content": "AKIA" + strings.Repeat("Z", 16)}, false, false)
	hostile.says(strings.Repeat("y", 9000), "Write", file("src/billing/"+strings.Repeat("z", 9000)), false, false)
	for _, c := range hostile.verified().Listed {
		require.NotContains(t, c.Subject+c.ID+c.Tool+c.Said, "\x1b")
		require.Less(t, len(c.Subject), 1000)
	}
}

// A call that did not run was not missed: an edit that failed, a call that was refused.
func TestWhatDidNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.says("failed", "Write", file("src/billing/a.ts"), false, true)
	w.says("ran", "Bash", map[string]any{"command": "echo x > src/billing/a.ts; false"}, false, true)
	w.says("what", "NoSuchTool", map[string]any{"x": "y"}, false, false)
	s := w.verified()
	require.Equal(t, []string{"NoSuchTool"}, s.Tools)
	require.Equal(t, []string{"ran"}, ids(s, verify.Never), "a command that failed may have done what it was to do")
	require.Equal(t, 1, s.NotRun)
}

func TestLateAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.receipt("a", "Write", state.TracePassed, 19*time.Second)
	w.receipt("b", "Write", state.TraceStopped, 21*time.Second)
	w.says("a", "Write", file("src/billing/a.ts"), false, false)
	w.says("b", "Write", file("src/billing/a.ts"), false, false)
	s := w.verified()
	require.Equal(t, []string{"b"}, ids(s, verify.Late))
	require.Equal(t, 1, s.Checked)
	require.Contains(t, s.Listed[0].Said, "21s, and the agent waits 20s")
}

// A transcript that is cut, empty, of another format, or gone.
func TestTranscriptsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.receipt("a", "Write", state.TraceStopped, 0)
	w.says("a", "Write", file("src/billing/a.ts"), false, false)
	whole := w.lines.Len()
	w.receipt("b", "Write", state.TraceStopped, 0)
	w.says("b", "Write", file("src/billing/a.ts"), false, false)
	text := w.lines.String()

	w.file(w.transcript(), text[:whole+60])
	s := w.last()
	require.True(t, s.Verified())
	require.Equal(t, verify.Counts{Calls: 1, Asked: 1, Checked: 1, Extra: 1}, s.Counts, "the cut call has a receipt")

	w.file(w.transcript(), strings.ReplaceAll(text, `"tool_use"`, `"tool_use_v9"`))
	s = w.last()
	require.False(t, s.Verified())
	require.Contains(t, s.Problems[0], "a newer format")

	require.NoError(t, os.Remove(w.transcript()))
	s = w.last()
	require.False(t, s.Verified())
	require.Contains(t, s.Problems[0], "not there any more")
	require.Equal(t, 2, s.Checked)

	for _, other := range []string{"", "nothing\n", strings.Repeat("{}\n", 300)} {
		path := filepath.Join(w.home, "x.jsonl")
		w.file(path, other)
		r, err := verify.New(t.Context(), w.repo, w.options(), 0).Of(t.Context(), path)
		require.NoError(t, err)
		_, read := r.Holds()
		require.False(t, read, other)
	}
	_, err := verify.New(t.Context(), w.repo, w.options(), 0).Of(t.Context(), "no-such-session")
	require.Error(t, err)
	_, err = verify.New(t.Context(), w.repo, w.options(), 0).Last(t.Context(), "s1")
	require.Error(t, err, "there is no other session")
}

// The log tells of calls whose receipts are gone, also after it was rotated.
func TestTheLogIsEvidence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	line := func(id string) string {
		return fmt.Sprintf(`{"ts":"2026-01-01T00:00:00Z","rule_id":"","trigger":"file_write","target":"a","violation":false,"confidence":0,"reason":"","elapsed_ms":1,"model":"","backend":"","level":"decision","session":"s1","agent":"claude","call_id":%q,"verdict":"block"}`+"\n", id)
	}
	log := filepath.Join(w.repo, ".claude", "sentinel", "sentinel.log")
	w.file(log+".1", line("a")+`{"torn`)
	w.file(log, line("b"))
	for _, id := range []string{"a", "b", "c"} {
		w.says(id, "Write", file("src/billing/a.ts"), false, false)
	}
	s := w.verified()
	require.Equal(t, []string{"c"}, ids(s, verify.Never))
	require.Equal(t, 2, s.Checked)
}

// A rule is about a call unless its `when` clears the call. A call that only a model can judge, or one that
// was cut, is not cleared.
func TestWhatAWhenClears(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rules := filepath.Join(w.repo, ".claude", "sentinel", "rules")
	w.file(filepath.Join(rules, "billing.yaml"), "trigger: file_write\nscope: [\"src/**\"]\nwhen: content contains \"TODO\"\nseverity: block\nmessage: no\n")
	w.file(filepath.Join(rules, "asked.yaml"), "trigger: file_write\nscope: [\"docs/**\"]\nseverity: block\nbackend: ollama\nprompt: In plain words\n")
	write := func(path, content string) map[string]any {
		return map[string]any{"file_path": path, "content": content}
	}
	w.says("clear", "Write", write("src/a.ts", "x"), false, false)
	w.says("not clear", "Write", write("src/a.ts", "TODO"), false, false)
	w.says("asked", "Write", write("docs/a.md", "x"), false, false)
	w.says("cut", "Write", write("src/a.ts", strings.Repeat("x", 1<<20)+"TODO"), false, false)
	s := w.verified()
	require.Equal(t, []string{"not clear", "asked", "cut"}, ids(s, verify.Never))
	require.Equal(t, 1, s.NoRule)
}

// The present state of the disk clears no call for a `when`: the call itself may have
// changed it.
func TestTheDiskClearsNothing(t *testing.T) {
	t.Parallel()
	for _, when := range []string{`tracked`, `exists and path endsWith ".go"`, `operation == "overwrite"`, `not disposable(path)`} {
		w := newWorld(t)
		w.file(filepath.Join(w.repo, ".claude", "sentinel", "rules", "billing.yaml"),
			"trigger: file_write\nscope: [\"src/**\"]\nwhen: '"+when+"'\nseverity: block\nmessage: no\n")
		w.file(filepath.Join(w.repo, "src", "a.go"), "lost\n")
		w.says("it", "Bash", map[string]any{"command": "rm src/a.go"}, false, false)
		require.Equal(t, []string{"it"}, ids(w.verified(), verify.Never), "%s, before the loss", when)
		require.NoError(t, os.Remove(filepath.Join(w.repo, "src", "a.go")))
		w.now = w.now.Add(time.Minute)
		require.Equal(t, []string{"it"}, ids(w.last(), verify.Never), "%s, after the loss", when)
	}
}

// When the time for judging is over, no call is cleared, and each keeps its own id.
func TestWhatIsNotJudgedInTimeIsNotCleared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.says("a", "Bash", map[string]any{"command": "ls"}, false, false)
	w.says("b", "Bash", map[string]any{"command": "ls"}, true, false)
	require.Equal(t, 2, w.verified().NoRule)
	v := verify.New(t.Context(), w.repo, w.options(), 0)
	v.Until = time.Now().Add(-time.Second)
	r, err := v.Last(t.Context(), "")
	require.NoError(t, err)
	s := &r.Sessions[0]
	require.Equal(t, []string{"a", "b"}, ids(s, verify.Never))
	for i, c := range s.Listed {
		require.Equal(t, []string{"(not judged in time)"}, c.Rules)
		require.Equal(t, "ls", c.Subject)
		require.Equal(t, i == 1, c.Sub)
	}
}

// A call without an id, as some agents' hooks send them, is found by its arguments, as
// often as the hook was asked about it.
func TestCallsWithoutIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		args := json.RawMessage(` { "content":"x", "file_path" : "src\/billing\/a.ts" } `)
		w.project().Past().Trace().Begin(state.Session{Agent: "claude", ID: "s1", Dir: w.repo}, state.Traced{Args: state.ArgsDigest(args), Tool: "write"}).End(state.TraceStopped, 0)
	}
	for _, id := range []string{"a", "b", "c"} {
		w.says(id, "Write", file("src/billing/a.ts"), false, false)
	}
	s := w.verified()
	require.Equal(t, 2, s.Checked)
	require.Equal(t, []string{"c"}, ids(s, verify.Never))
}

// The start of the next session says it once; calls before the installation do not
// count. The start of a session waits for it for a moment only: it does not run with other
// tests.
func TestNotice(t *testing.T) {
	w := newWorld(t)
	w.receipt("a", "Write", state.TraceStopped, 0)
	w.says("a", "Write", file("src/billing/a.ts"), false, false)
	w.file(w.transcript(), w.lines.String())
	require.Empty(t, verify.Notice(w.repo, w.options(), "next"))
	w.says("b", "Write", file("src/billing/b.ts"), false, false)
	w.file(w.transcript(), w.lines.String())
	require.Empty(t, verify.Notice(w.repo, w.options(), "s1"), "there is no session before it")
	said := verify.Notice(w.repo, w.options(), "next")
	require.Regexp(t, "^in the last session of claude, (up to )?1 of 2 calls that a rule is about went on unjudged, such as Write src/billing/b.ts: the hook was asked until ", said)
	require.Contains(t, said, "`sentinel verify s1` lists them")
	require.Empty(t, verify.Notice(w.repo, w.options(), "next"))
	share := verify.Share(t.Context(), w.repo, w.options())
	require.Equal(t, verify.Counts{Calls: 2, Asked: 1, Checked: 1, Never: 1}, share.Totals)

	old := newWorld(t)
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(old.state(), "key"), later, later))
	for range 1003 { // more than are listed
		old.says("a", "Write", file("src/billing/a.ts"), false, false)
	}
	s := old.verified()
	require.Equal(t, verify.Counts{Calls: 1003, Never: 1003, Before: 1003}, s.Counts)
	require.Equal(t, 3, s.More)
	require.Zero(t, s.Missed())
	require.Empty(t, verify.Notice(old.repo, old.options(), "next"))
}

// Whether a rule is about a call is decided by the rules that are in force now.
func TestTheRulesOfNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.says("a", "Write", file("docs/a.md"), false, false)
	require.Zero(t, w.verified().Never)
	w.file(filepath.Join(w.repo, ".claude", "sentinel", "rules", "docs.yaml"),
		"trigger: file_write\nscope: [\"docs/**\"]\nwhen: \"true\"\nseverity: warn\nmessage: no\n")
	w.now = w.now.Add(time.Hour)
	require.Equal(t, []string{"docs"}, w.last().Listed[0].Rules)
}

// Memory does not grow with a transcript.
func TestALongTranscriptTakesLittleMemory(t *testing.T) {
	w := newWorld(t)
	w.says("a", "Write", file("src/billing/a.ts"), false, false)
	w.file(w.transcript(), w.lines.String())
	f, err := os.OpenFile(w.transcript(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	w.lines.Reset()
	w.row("user", false, []any{map[string]any{"type": "tool_result", "tool_use_id": "a", "content": strings.Repeat("x", 1<<20)}})
	for range 48 {
		_, err := f.Write(w.lines.Bytes())
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, 1, w.last().Never)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

package project_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/sentineltest"
)

const sessionSummary = `{"task_scope":"Add the invoice.","progress":"","current_focus":"The tests."}`

// A memory is a project whose sessions are remembered by a scripted model.
type memory struct {
	t     *testing.T
	dir   string
	model *sentineltest.Backend
	opts  *project.Options
}

func newMemory(t *testing.T, config string, files tree) *memory {
	t.Helper()
	all := tree{"repo/.claude/sentinel/config.yaml": "backend: builtin\ncontext: {backend: fake, model: sum, min_events: 1}\n" + config, "state/x": ""}
	for name, text := range files {
		all[name] = text
	}
	top := all.write(t)
	m := &memory{t: t, dir: filepath.Join(top, "repo"), model: sentineltest.NewBackend(
		sentineltest.Answer{Prompt: "task_scope", Text: sessionSummary, Always: true},
		sentineltest.Answer{Prompt: "DOMAIN", Text: `{"context":"Mind the CHANGELOG."}`, Always: true},
	)}
	m.opts = &project.Options{StateDir: filepath.Join(top, "state"), Backends: fakeBackend(m.model)}
	return m
}

func fakeBackend(b sentinel.Backend) map[string]func(config.Config) (sentinel.Backend, error) {
	return map[string]func(config.Config) (sentinel.Backend, error){"fake": func(config.Config) (sentinel.Backend, error) { return b, nil }}
}

func (m *memory) open() *project.Project { return project.Open([]string{m.dir}, m.opts) }

// transcript writes that of a session and returns its path.
func (m *memory) transcript(session string, texts ...string) string {
	m.t.Helper()
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":%q},"uuid":"u","sessionId":%q,"cwd":"/r","timestamp":"2026-11-20T21:11:57.166Z"}`+"\n", text, session)
	}
	path := filepath.Join(m.dir, session+".jsonl")
	put(m.t, path, b.String())
	return path
}

func (m *memory) summary(session string) (text string, ok bool) {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, ".sentinel", "sessions", session, "summary.json"))
	return string(data), err == nil
}

// asked are the prompts of the model that contain a text.
func (m *memory) asked(text string) (prompts []string) {
	for _, req := range m.model.Requests() {
		if strings.Contains(req.Prompt, text) {
			prompts = append(prompts, req.Prompt)
		}
	}
	return prompts
}

func (m *memory) work(ev sentinel.Event) {
	m.t.Helper()
	p := m.open()
	require.NoError(m.t, p.Memory().Keep(ev))
	require.NoError(m.t, work(p, m.t.Context(), ev))
}

func (m *memory) event(phase sentinel.Phase, agent, session, transcript string) sentinel.Event {
	return sentinel.Event{Phase: phase, Agent: agent, Session: session, Transcript: transcript, Dir: m.dir}
}

const migrations = "trigger: file_write\nseverity: info\npost: true\nscope: [\"migrations/**\"]\nprompt: \"DOMAIN KNOWLEDGE: the CHANGELOG.\"\n"

// The summary of a stop is the session context of the next advice.
func TestSummaryReachesAdvice(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "log_file: log.jsonl\n", tree{"repo/.claude/sentinel/rules/m.yaml": migrations})
	after := write(m.dir, "migrations/1.sql")
	after.Phase, after.Session, after.Tool.Output = sentinel.PhasePost, "s1", "written"

	p := m.open()
	d, err := p.Evaluate(t.Context(), after)
	require.NoError(t, err)
	require.Equal(t, []string{"from .claude/sentinel/rules/m.yaml: Mind the CHANGELOG."}, d.Context())
	require.NoError(t, p.Record(after, d))
	require.NotContains(t, m.asked("DOMAIN")[0], "The session so far")
	require.Equal(t, "sum", m.model.Requests()[0].Model)

	m.work(m.event(sentinel.PhaseStop, "claude", "s1", m.transcript("s1", "Create the invoice file.")))
	summary, ok := m.summary("s1")
	require.True(t, ok)
	require.Contains(t, summary, `"task_scope":"Add the invoice."`)

	_, err = m.open().Evaluate(t.Context(), after)
	require.NoError(t, err)
	second := m.asked("DOMAIN")[1]
	require.Contains(t, second, "The session so far")
	require.Contains(t, second, "Task scope: Add the invoice.\nCurrent focus: The tests.")
	require.Contains(t, second, "written")

	other := after
	other.Session = "s2"
	_, err = m.open().Evaluate(t.Context(), other)
	require.NoError(t, err)
	require.NotContains(t, m.asked("DOMAIN")[2], "invoice", "another session's")

	log, err := os.ReadFile(filepath.Join(m.dir, "log.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), `"level":"eval"`), "%s", log)
	require.Equal(t, 1, strings.Count(string(log), `"level":"context"`), "%s", log)
	require.NotContains(t, string(log), `"level":"decision"`)
}

// Advice of every folder that applies, also of one that only the path leads to, and
// none of a broken or strict folder.
func TestAdviceOfAllFolders(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "fail_open: false\n", tree{
		"repo/.claude/sentinel/rules/m.yaml":              migrations,
		"repo/.claude/sentinel/rules/broken.yaml":         "trigger: nonsense\n",
		"repo/.claude/sentinel/rules/block.yaml":          guard("**"),
		"repo/inner/.claude/sentinel/config.yaml":         "backend: fake\nfail_open: false\n",
		"repo/inner/.claude/sentinel/rules/i.yaml":        strings.Replace(migrations, "DOMAIN", "INNER DOMAIN", 1),
		"user/config.yaml":                                "backend: fake\n",
		"user/rules/u.yaml":                               strings.Replace(migrations, "migrations/**", "**/migrations/**", 1),
		"elsewhere/.claude/sentinel/rules/unrelated.yaml": migrations,
	})
	m.opts.UserDir = filepath.Join(filepath.Dir(m.dir), "user")
	m.opts.NoLog = true
	ev := write(m.dir, "inner/migrations/1.sql")
	ev.Phase = sentinel.PhasePost
	d, err := m.open().Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAllow, d.Verdict)
	var ids []string
	for _, f := range d.Findings {
		ids = append(ids, f.Rule.ID)
	}
	require.Equal(t, []string{"user:u"}, ids)
	require.Len(t, d.Context(), 1, "what the inner folder says waits for trust")

	inner := project.Open([]string{filepath.Join(m.dir, "inner")}, m.opts).Folders[1]
	require.NoError(t, inner.Trust(m.opts.StateDir))
	d, err = m.open().Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, []string{
		"from the user's own rules/u.yaml: Mind the CHANGELOG.", "from inner/.claude/sentinel/rules/i.yaml: Mind the CHANGELOG.",
	}, d.Context())

	ev.Tool.Args = json.RawMessage(`{"file_path":7}`)
	d, err = m.open().Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.Equal(t, sentinel.VerdictAllow, d.Verdict)
	require.Empty(t, d.Context())

	ev.Tool = sentinel.ToolCall{Name: "Frobnicate"}
	d, err = m.open().Evaluate(t.Context(), ev)
	require.NoError(t, err)
	require.False(t, d.Unknown, "it was noted before the call")
}

// The end of a session does not tell the transcript in every agent.
func TestTranscriptIsRemembered(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	path := filepath.Join(m.dir, "events.jsonl")
	put(t, path, "")
	m.work(m.event(sentinel.PhaseStop, "codex", "s1", path))
	_, ok := m.summary("s1")
	require.False(t, ok, "there is nothing in it yet")
	require.NoError(t, os.Rename(m.transcript("s1", "Create the invoice file."), path))
	m.work(m.event(sentinel.PhaseEnd, "codex", "s1", ""))
	_, ok = m.summary("s1")
	require.True(t, ok)

	m.work(m.event(sentinel.PhaseStop, "claude", "s2", m.transcript("s2")))
	m.transcript("s2", "Create the invoice file.")
	m.work(m.event(sentinel.PhaseEnd, "claude", "s2", ""))
	_, ok = m.summary("s2")
	require.True(t, ok)

	m.work(m.event(sentinel.PhaseEnd, "claude", "unheard-of", ""))
	_, ok = m.summary("unheard-of")
	require.False(t, ok)
}

// A start catches up with the sessions of the project that were not finished, the
// latest ones, and once.
func TestStartCatchesUp(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	for i := range 5 {
		session := fmt.Sprintf("s%d", i)
		require.NoError(t, m.open().Memory().Keep(m.event(sentinel.PhaseStop, "claude", session, m.transcript(session, "Wish of "+session))))
	}
	require.NoError(t, m.open().Memory().Keep(m.event(sentinel.PhaseStop, "claude", "gone", filepath.Join(m.dir, "gone.jsonl"))))
	start := m.event(sentinel.PhaseStart, "claude", "next", filepath.Join(m.dir, "next.jsonl"))
	for _, want := range []int{3, 5, 5} {
		require.True(t, hasWork(m.open(), sentinel.PhaseStart))
		require.NoError(t, work(m.open(), t.Context(), start))
		require.Len(t, m.asked("Wish of s"), want)
	}

	elsewhere := project.Open([]string{tree{".claude/sentinel/config.yaml": "backend: fake\n"}.write(t)}, m.opts)
	m.transcript("s0", "Wish of s0", "and another")
	require.NoError(t, work(elsewhere, t.Context(), start))
	require.Len(t, m.asked("Wish of s"), 5, "another project's sessions are its own")
}

// The folders of sessions that are long over go, with what is ours in them.
func TestOldSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	sessions := filepath.Join(m.dir, ".sentinel", "sessions")
	outside := t.TempDir()
	put := func(dir string, age time.Duration, names ...string) {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		for _, name := range names {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600))
		}
		then := time.Now().Add(-age)
		require.NoError(t, os.Chtimes(dir, then, then))
	}
	const day = 24 * time.Hour
	put(filepath.Join(sessions, "old"), 31*day, "summary.json", "checkpoint", "again", "ollama.lock", "ollama.lock.p0")
	put(filepath.Join(sessions, "young"), 29*day, "summary.json")
	put(filepath.Join(sessions, "shared"), 31*day, "summary.json", "notes.txt")
	put(outside, 31*day, "summary.json")
	linked := os.Symlink(outside, filepath.Join(sessions, "linked")) == nil

	require.NoError(t, work(m.open(), t.Context(), m.event(sentinel.PhaseStart, "claude", "next", "")))
	require.NoDirExists(t, filepath.Join(sessions, "old"))
	require.FileExists(t, filepath.Join(sessions, "young", "summary.json"))
	require.NoFileExists(t, filepath.Join(sessions, "shared", "summary.json"))
	require.FileExists(t, filepath.Join(sessions, "shared", "notes.txt"))
	require.FileExists(t, filepath.Join(outside, "summary.json"))
	if linked {
		_, err := os.Lstat(filepath.Join(sessions, "linked"))
		require.NoError(t, err)
	}
}

// What is not to be remembered is not.
func TestNothingIsRemembered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config string
		change func(*project.Options)
		behind bool
	}{
		"switched off": {"scribe: {enabled: false}\ncontext: {enabled: false, backend: fake}\n", nil, false},
		"no model":     {"scribe: {enabled: false}\ncontext: {backend: builtin}\n", nil, false},
		"all builtin":  {"backend: builtin\n", nil, false},
		"asked not to": {"context: {backend: fake, min_events: 1}\n", func(o *project.Options) { o.NoModel = true }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMemory(t, "", nil)
			put(t, filepath.Join(m.dir, ".claude", "sentinel", "config.yaml"), c.config)
			if !strings.Contains(c.config, "backend: builtin\n") {
				put(t, filepath.Join(m.dir, ".claude", "sentinel", "config.yaml"), "backend: builtin\n"+c.config)
			}
			if c.change != nil {
				c.change(m.opts)
			}
			for _, phase := range []sentinel.Phase{sentinel.PhaseStop, sentinel.PhaseEnd, sentinel.PhaseStart} {
				require.Equal(t, c.behind, hasWork(m.open(), phase), phase)
				m.work(m.event(phase, "claude", "s1", m.transcript("s1", "Create the invoice file.")))
			}
			require.Empty(t, m.model.Requests())
			require.NoDirExists(t, filepath.Join(m.dir, ".sentinel"))
		})
	}
	m := newMemory(t, "", nil)
	for _, phase := range []sentinel.Phase{sentinel.PhasePre, sentinel.PhasePost, sentinel.PhasePrompt, sentinel.PhaseUnknown} {
		require.False(t, hasWork(m.open(), phase), phase)
	}
	outside := project.Open([]string{t.TempDir()}, m.opts)
	require.False(t, hasWork(outside, sentinel.PhaseStop))
	require.NoError(t, outside.Memory().Keep(m.event(sentinel.PhaseStop, "claude", "s1", "/x")))
	require.NoError(t, outside.Memory().Journal(m.event(sentinel.PhasePrompt, "opencode", "s1", "")))
	require.NoError(t, outside.Memory().Begin(m.event(sentinel.PhaseStart, "amazonq", "", "")))
	require.NoDirExists(t, filepath.Join(m.opts.StateDir, "sessions"))
	require.NoDirExists(t, filepath.Join(m.opts.StateDir, "journals"))
}

// For agents that keep no transcript of a known form the hook keeps a journal,
// and for one that names no session there is one at a time.
func TestJournal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ agent, session, folder string }{
		{"opencode", "s1", "s1"}, {"cline", "s1", "s1"}, {"windsurf", "s1", "s1"}, {"amazonq", "", "_amazonq"},
	} {
		t.Run(c.agent, func(t *testing.T) {
			t.Parallel()
			m := newMemory(t, "", nil)
			say := func(text string) {
				ev := m.event(sentinel.PhasePrompt, c.agent, c.session, "")
				ev.Prompt = text
				require.NoError(t, m.open().Memory().Journal(ev))
			}
			say("Create the invoice file. The key is AKIAQ3EGRTYV7WXYZ2B5.")
			call := write(m.dir, "src/invoice.ts")
			call.Agent, call.Session = c.agent, c.session
			require.NoError(t, m.open().Memory().Journal(call))
			m.work(m.event(sentinel.PhaseStop, c.agent, c.session, ""))
			asked := m.asked("Create the invoice file.")
			require.Len(t, asked, 1)
			require.Contains(t, asked[0], "src/invoice.ts")
			require.NotContains(t, asked[0], "AKIAQ3EGRTYV7WXYZ2B5")
			_, ok := m.summary(c.folder)
			require.True(t, ok)

			require.NoError(t, m.open().Memory().Begin(m.event(sentinel.PhaseStart, c.agent, c.session, "")))
			_, ok = m.summary(c.folder)
			require.Equal(t, c.session != "", ok, "an unnamed session ends where the next begins")
			say("Now something else.")
			m.work(m.event(sentinel.PhaseStop, c.agent, c.session, ""))
			second := m.asked("Now something else.")
			require.Len(t, second, 1)
			require.NotContains(t, second[0], "human: Create the invoice file.")
		})
	}
	m := newMemory(t, "", nil)
	ev := m.event(sentinel.PhasePrompt, "claude", "s1", "/t.jsonl")
	ev.Prompt = "Hello."
	require.NoError(t, m.open().Memory().Journal(ev))
	require.NoDirExists(t, filepath.Join(m.opts.StateDir, "journals"), "this agent keeps its own")
}

// A repository cannot name the file that is read as a transcript.
func TestSessionsOfTheRepositoryAreNotBelieved(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	private := filepath.Join(filepath.Dir(m.dir), "private.jsonl")
	put(t, private, `{"type":"user","message":{"role":"user","content":"a secret"},"uuid":"u","sessionId":"s1"}`+"\n")
	put(t, filepath.Join(m.dir, ".sentinel", "sessions", "s1", "checkpoint"), `{"transcript":"`+private+`","position":{"offset":0}}`)
	put(t, filepath.Join(m.dir, ".sentinel", "sessions", "s1", "session.json"), `{"transcript":"`+private+`"}`)
	require.NoError(t, work(m.open(), t.Context(), m.event(sentinel.PhaseStart, "claude", "s2", "")))
	require.NoError(t, work(m.open(), t.Context(), m.event(sentinel.PhaseEnd, "claude", "s1", "")))
	require.Empty(t, m.model.Requests())
}

// The Scribe looks at a session when it is over, or where no agent says so at each
// stop, and at nothing twice.
func TestScribeLearnsAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent  string
		phases []sentinel.Phase
		calls  int
	}{
		{"claude", []sentinel.Phase{sentinel.PhaseStop, sentinel.PhaseStop}, 0},
		{"claude", []sentinel.Phase{sentinel.PhaseStop, sentinel.PhaseEnd, sentinel.PhaseEnd}, 1},
		{"claude", []sentinel.Phase{sentinel.PhaseEnd}, 1},
		{"vscode", []sentinel.Phase{sentinel.PhaseStop, sentinel.PhaseStop}, 1},
	} {
		m := newMemory(t, "", nil)
		put(t, filepath.Join(m.dir, ".claude", "sentinel", "config.yaml"), "backend: fake\ncontext: {enabled: false}\nlog_file: log.jsonl\n")
		model := sentineltest.NewBackend(sentineltest.Answer{Prompt: "conventions", Text: `{"conventions":[]}`, Always: true})
		m.opts.Backends = fakeBackend(model)
		said := m.event(sentinel.PhasePrompt, c.agent, "s1", "")
		said.Prompt = "Never modify the billing module directly; always go through src/billing/api.ts."
		require.NoError(t, m.open().Memory().Journal(said))
		for _, phase := range c.phases {
			m.work(m.event(phase, c.agent, "s1", m.transcript("s1", said.Prompt)))
		}
		require.Len(t, model.Requests(), c.calls, "%+v", c)
		if c.calls == 0 {
			continue
		}
		require.Equal(t, sentinel.PriorityScribe, model.Requests()[0].Priority)
		log, err := os.ReadFile(filepath.Join(m.dir, "log.jsonl"))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(log), `"level":"scribe"`), "%s", log)
		require.Contains(t, string(log), `"reason":"0 conventions found, 0 drafts written"`)
	}
}

// A process that finds another one at the same session leaves it alone, and that is
// not a fault.
func TestScribeIsAtItAlready(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	put(t, filepath.Join(m.dir, ".claude", "sentinel", "config.yaml"), "backend: fake\ncontext: {enabled: false}\nlog_file: log.jsonl\n")
	end := m.event(sentinel.PhaseEnd, "claude", "s1", m.transcript("s1", "Never modify the billing module directly."))
	asked := 0
	m.opts.Backends = fakeBackend(sentinel.BackendFunc(func(ctx context.Context, req sentinel.Request) (sentinel.Response, error) {
		if asked++; asked == 1 {
			if err := work(m.open(), ctx, end); err != nil {
				return sentinel.Response{}, err
			}
		}
		return sentinel.Response{Text: `{"conventions":[]}`}, nil
	}))
	m.work(end)
	require.Equal(t, 1, asked)
	log, err := os.ReadFile(filepath.Join(m.dir, "log.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), `"level":"scribe"`), "%s", log)
	require.NotContains(t, string(log), "busy")
}

// A fault that comes with every turn is noted once.
func TestNotedOnce(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	for range 3 {
		require.NoError(t, m.open().Past().Book().NoteOnce("session", "claude", "the model is down"))
	}
	require.NoError(t, m.open().Past().Book().NoteOnce("session", "claude", "another"))
	notes, err := os.ReadFile(filepath.Join(m.opts.StateDir, "notes.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(notes), "\n"), "%s", notes)
}

func TestAsker(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "backends: {openai: {base_url: \"https://models.example.org\"}, command: {argv: [\"./judge\"]}}\n", nil)
	ask := m.open().Models().Asker(nil, "")
	b, err := ask("fake")
	require.NoError(t, err)
	resp, err := b.Complete(t.Context(), sentinel.Request{Prompt: "task_scope", Priority: sentinel.PriorityScribe})
	require.NoError(t, err)
	require.Equal(t, sessionSummary, resp.Text)

	_, err = ask("builtin")
	require.ErrorIs(t, err, sentinel.ErrRefused)
	_, err = ask("nobody")
	require.ErrorContains(t, err, `no backend "nobody"; name one of anthropic, claude, command, copilot, fake, ollama, openai`)
	for _, name := range []string{"openai", "command"} {
		b, err := ask(name)
		require.NoError(t, err)
		_, err = b.Complete(t.Context(), sentinel.Request{Prompt: "x"})
		require.ErrorIs(t, err, sentinel.ErrRefused, "%s is not trusted", name)
	}

	m.opts.NoModel = true
	_, err = m.open().Models().Asker(nil, "s")("fake")
	require.ErrorIs(t, err, sentinel.ErrRefused)
	_, err = project.Open([]string{t.TempDir()}, nil).Models().Asker(nil, "s")("ollama")
	require.ErrorContains(t, err, "sentinel init")
}

func TestSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	ev := m.event(sentinel.PhaseStop, "claude", "s1", m.transcript("s1", "Create the invoice file."))
	require.NoError(t, m.open().Memory().Keep(ev))
	m.opts.Now = func() time.Time { return time.Now().Add(8 * 24 * time.Hour) }
	require.NoError(t, work(m.open(), t.Context(), m.event(sentinel.PhaseStart, "claude", "s2", "")))
	require.Empty(t, m.model.Requests(), "after a week nobody comes back to it")
}

// work does what a background process does about an event of a session.
func work(p *project.Project, ctx context.Context, ev sentinel.Event) error {
	var warmed error
	if ev.Phase == sentinel.PhaseStart {
		warmed = p.Models().Warm(ctx)
	}
	return errors.Join(warmed, p.Memory().Work(ctx, ev))
}

func hasWork(p *project.Project, phase sentinel.Phase) bool {
	return p.Memory().HasWork(phase) || phase == sentinel.PhaseStart && p.Inspect().Loads()
}

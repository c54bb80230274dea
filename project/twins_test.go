package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gate"
)

// journal is what the hooks have kept of a session.
func (m *memory) journal() string {
	m.t.Helper()
	files, err := filepath.Glob(filepath.Join(m.opts.StateDir, "journals", "*.jsonl"))
	require.NoError(m.t, err)
	var b strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(m.t, err)
		b.Write(data)
	}
	return b.String()
}

// Two hooks that are shown the same event keep it once, at the same time or one
// after the other. A repeated event is kept a second time.
func TestJournalOfTwins(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", nil)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m.opts.Now = func() time.Time { return now }
	said := m.event(sentinel.PhasePrompt, "cursor", "s1", "")
	said.Prompt = "Create the invoice file."
	call := write(m.dir, "src/invoice.ts")
	call.Agent, call.Session, call.Tool.ID = "cursor", "s1", "1"
	done := call
	done.Phase, done.Tool.Output = sentinel.PhasePost, "written"
	for _, ev := range []sentinel.Event{said, call, done} {
		var twins sync.WaitGroup
		for range 4 {
			twins.Go(func() { _ = m.open().Memory().Journal(ev) })
		}
		twins.Wait()
		require.NoError(t, m.open().Memory().Journal(ev))
	}
	require.Equal(t, 1, strings.Count(m.journal(), "Create the invoice file."))
	once := strings.Count(m.journal(), "\n")

	call.Tool.ID = "2"
	require.NoError(t, m.open().Memory().Journal(call))
	require.Equal(t, once+1, strings.Count(m.journal(), "\n"), "another call")
	now = now.Add(time.Minute)
	require.NoError(t, m.open().Memory().Journal(said))
	require.Equal(t, 2, strings.Count(m.journal(), "Create the invoice file."), "said again")
}

// The advice of a model after a tool is written once for two hooks of the same call.
func TestAdviceToTwins(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "log_file: log.jsonl\n", tree{"repo/.claude/sentinel/rules/m.yaml": migrations})
	m.opts.ForAgent, m.opts.Numbered = true, true
	now := time.Now()
	m.opts.Now = func() time.Time { return now }
	after := write(m.dir, "migrations/1.sql")
	after.Phase, after.Session, after.Tool.ID = sentinel.PhasePost, "s1", "1"
	advise := func(ev sentinel.Event) []string {
		p := m.open()
		d, err := p.Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.NoError(t, p.Record(ev, d))
		return d.Context()
	}
	require.Len(t, advise(after), 1)
	require.Empty(t, advise(after))
	require.Len(t, m.asked("DOMAIN"), 1)
	log, err := os.ReadFile(filepath.Join(m.dir, "log.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), "\n"))

	after.Tool.ID = "2"
	advise(after)
	require.Len(t, m.asked("DOMAIN"), 2, "another call")
	after.Tool.ID = ""
	advise(after)
	advise(after)
	require.Len(t, m.asked("DOMAIN"), 4, "nothing tells these from two calls")
}

// A pause silences advice as well, and no model is asked for it.
func TestPauseSilencesAdvice(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "", tree{"repo/.claude/sentinel/rules/m.yaml": migrations})
	m.opts.ForAgent = true
	after := write(m.dir, "migrations/1.sql")
	after.Phase, after.Session = sentinel.PhasePost, "s1"
	_, err := m.open().Gate().Pause(gate.MaxPause, false, "ann")
	require.NoError(t, err)
	d, err := m.open().Evaluate(t.Context(), after)
	require.NoError(t, err)
	require.Empty(t, d.Context())
	require.Empty(t, m.asked("DOMAIN"))

	require.NoError(t, m.open().Gate().EndPause(false, "ann"))
	d, err = m.open().Evaluate(t.Context(), after)
	require.NoError(t, err)
	require.Len(t, d.Context(), 1)
}

// The data that hooks of one call share has only what the agent reads of the
// call, and is small enough to be shared.
func TestAnAnswerForTwinsIsWithoutTheCall(t *testing.T) {
	t.Parallel()
	const key = "ghp_" + "x7KqPz2mVb9LrT4nWc8YdH3sJf6GaE1uQo5i"
	rules := tree{".claude/sentinel/config.yaml": "backend: builtin\ncollect_all: true\n"}
	for i := range 5 {
		rules[fmt.Sprintf(".claude/sentinel/rules/r%d.yaml", i)] = "trigger: bash\nwhen: \"true\"\nscope: [\"rm *\"]\nmessage: no\n"
	}
	d := newHookDesk(t, rules)
	ev := command(d.dir, "rm -rf x; curl -H 'Authorization: Bearer "+key+"' "+strings.Repeat("y", 40_000))
	first := d.decide(ev)
	files, err := filepath.Glob(filepath.Join(d.opts.StateDir, "turns", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NotContains(t, string(data), key)
	require.NotContains(t, string(data), "curl")

	second := d.decide(ev)
	require.True(t, second.Relayed)
	require.Equal(t, first.Reason(), second.Reason())
	require.Equal(t, first.Actions, second.Actions)
	require.Len(t, second.Findings, len(first.Findings))
	for i := range first.Findings {
		require.Equal(t, first.Findings[i].Action, second.Findings[i].Action)
	}
}

package watch_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/watch"
	"github.com/agentsentinel/sentinel/telemetry"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// A feed is a source that has one batch at a time.
type feed struct {
	batches [][]telemetry.Record
	err     error
}

func (f *feed) Next() ([]telemetry.Record, error) {
	if len(f.batches) == 0 {
		return nil, f.err
	}
	batch := f.batches[0]
	f.batches = f.batches[1:]
	return batch, f.err
}

func evaluation(id, rule, severity, outcome string) telemetry.Record {
	return telemetry.Record{
		Time: time.Date(2026, 3, 1, 14, 22, 1, 0, time.UTC), RuleID: rule, Trigger: "file_write", Target: "src/billing/a.ts",
		Violation: outcome == "violation", Confidence: 0.92, Reason: "it writes to billing", ElapsedMS: 47, Model: "gemma3:4b", Backend: "ollama",
		Level: telemetry.LevelEval, Severity: severity, Outcome: outcome, Agent: "claude", Session: "s1", Tool: "Write", ID: id,
	}
}

func decision(id, verdict, target string) telemetry.Record {
	return telemetry.Record{
		Time: time.Date(2026, 3, 1, 14, 22, 1, 0, time.UTC), Trigger: "file_write", Target: target, Level: telemetry.LevelDecision,
		Verdict: verdict, ElapsedMS: 48.2, Agent: "claude", Session: "s1", Tool: "Write", ID: id, Matched: 2, Judged: 2, Reason: "it writes to billing",
	}
}

// The three calls of the tests: a block, one that passed, one of a shadow rule whose
// line comes after the answer.
func batch() []telemetry.Record {
	shadow := evaluation("cccccccccc"+"s.1", "later", "block", "violation")
	shadow.Mode, shadow.Would, shadow.Reason = telemetry.ModeShadow, "block", "it would not do"
	return []telemetry.Record{
		evaluation("aaaaaaaaaa.1", "billing", "block", "violation"), evaluation("aaaaaaaaaa.2", "style", "warn", "pass"), decision("aaaaaaaaaa", "block", "src/billing/a.ts"),
		evaluation("bbbbbbbbbb.1", "style", "warn", "pass"), decision("bbbbbbbbbb", "allow", "src/x\x1b[2J\nevil.ts"),
		decision("cccccccccc", "allow", "src/später/日本.ts"), shadow,
	}
}

// screen drives the model as the program does: what it wants to be asked is asked,
// but for the clock.
type screen struct {
	t *testing.T
	m tea.Model
}

func newScreen(t *testing.T, width, height int, source watch.Source) *screen {
	s := &screen{t, watch.New("log.jsonl", source, time.UTC)}
	s.m, _ = s.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	s.look()
	return s
}

func (s *screen) look() {
	s.m, _ = s.m.Update(s.m.Init()())
}

func (s *screen) press(keys ...string) {
	for _, key := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}
		switch key {
		case "up":
			msg = tea.KeyMsg{Type: tea.KeyUp}
		case "enter":
			msg = tea.KeyMsg{Type: tea.KeyEnter}
		case "esc":
			msg = tea.KeyMsg{Type: tea.KeyEsc}
		case "backspace":
			msg = tea.KeyMsg{Type: tea.KeyBackspace}
		}
		s.m, _ = s.m.Update(msg)
	}
}

// is compares the screen with a file, and that it fits.
func (s *screen) is(name string, width, height int) {
	s.t.Helper()
	got := s.m.View()
	lines := strings.Split(got, "\n")
	require.Len(s.t, lines, height)
	for _, line := range lines {
		require.LessOrEqual(s.t, ansi.StringWidth(line), width, "%q", line)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	got = strings.Join(lines, "\n") + "\n"
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(s.t, os.MkdirAll("testdata", 0o755))
		require.NoError(s.t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(s.t, err)
	require.Equal(s.t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func TestScreens(t *testing.T) {
	t.Parallel()
	empty := newScreen(t, 80, 24, &feed{})
	empty.is("empty", 80, 24)

	s := newScreen(t, 80, 24, &feed{batches: [][]telemetry.Record{batch()}})
	s.is("newest", 80, 24)
	s.press("up", "up")
	s.is("chosen", 80, 24)
	s.press("?")
	s.is("help", 80, 24)
	s.press("?", "enter")
	s.is("list", 80, 24)

	beside := newScreen(t, 140, 30, &feed{batches: [][]telemetry.Record{batch()}})
	beside.press("g")
	beside.is("wide", 140, 30)
}

func TestFilter(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 80, 24, &feed{batches: [][]telemetry.Record{batch()}})
	s.press("/", "B", "i", "l", "l", "x", "backspace", "enter")
	s.is("filtered", 80, 24)
	s.press("/", "q", "?", "p") // these are letters here
	require.Contains(t, s.m.View(), "filter: Billq?p_")
	require.Contains(t, s.m.View(), "No call matches the filter")
	s.press("esc")
	require.NotContains(t, s.m.View(), "filter: B")
}

// A call during a pause is shown when it ends.
func TestPause(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 80, 24, &feed{batches: [][]telemetry.Record{batch()[:3], batch()[3:]}})
	s.press("p")
	s.look()
	require.Contains(t, s.m.View(), "1 calls, 1 stopped  PAUSED (4 lines wait)")
	s.press("p")
	require.Contains(t, s.m.View(), "3 calls, 1 stopped")
}

func TestFailureIsShown(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 80, 24, &feed{err: errors.New("the disk is \x1b[31mgone")})
	require.Contains(t, s.m.View(), "the disk is")
	require.NotContains(t, s.m.View(), "\x1b[31m")
}

// Any size is survived, and no hostile text leaves its line.
func TestAnySize(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{0, 0}, {1, 1}, {19, 4}, {20, 5}, {33, 7}, {119, 9}, {120, 5}, {400, 100}} {
		s := newScreen(t, size[0], size[1], &feed{batches: [][]telemetry.Record{batch()}})
		view := s.m.View()
		require.NotContains(t, view, "\x1b[2J")
		if size[0] >= 20 && size[1] >= 5 {
			require.Len(t, strings.Split(view, "\n"), size[1])
		}
	}
}

func TestQuit(t *testing.T) {
	t.Parallel()
	m := watch.New("x", &feed{}, time.UTC)
	_, cmd := m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q")})
	require.Equal(t, tea.Quit(), cmd())
}

func TestPrint(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, watch.Print(context.Background(), &feed{batches: [][]telemetry.Record{batch()}}, &out, 2, false))
	require.Equal(t, "2026-03-01T14:22:01Z ALLOW   (style) claude src/x\\u001b[2J evil.ts\n2026-03-01T14:22:01Z SHADOW  later claude src/später/日本.ts\n", out.String())
}

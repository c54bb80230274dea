package transcript_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// journalEnv has the test binary write a journal: PATH, NAME and how many events.
const journalEnv = "SENTINEL_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if job := os.Getenv(journalEnv); job != "" {
		f := strings.Split(job, "\x1f")
		n, err := strconv.Atoi(f[2])
		if err == nil {
			err = fill(f[0], f[1], n)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func fill(path, name string, n int) error {
	j, err := transcript.OpenJournal(path, nil)
	for i := 0; i < n && err == nil; i++ {
		for range 100 { // a stopped process may hold the lock for longer than is waited
			if err = j.Append(sentinel.Event{Phase: sentinel.PhasePrompt, Agent: "cline", Session: "s", Prompt: fmt.Sprintf("%s %d", name, i)}); err == nil {
				break
			}
		}
	}
	return err
}

func call(phase sentinel.Phase, id, tool, args string) sentinel.Event {
	return sentinel.Event{Phase: phase, Agent: "opencode", Session: "s", Dir: "/repo", Tool: sentinel.ToolCall{ID: id, Name: tool, Args: json.RawMessage(args)}}
}

// The entries of a journal come out of Open as of any transcript.
func TestJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".sentinel", "sessions", "s", "journal.jsonl")
	now := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{Now: func() time.Time { return now }})
	require.NoError(t, err)
	failed := call(sentinel.PhasePost, "1", "bash", `{"command":"npm test"}`)
	failed.Tool.Output, failed.Tool.Failed = "Exit code 1\nnpm error x\nsecond", true
	good := call(sentinel.PhasePost, "", "write", `{}`)
	good.Tool.Output = "a payload"
	for _, ev := range []sentinel.Event{
		{Phase: sentinel.PhaseStart, Agent: "opencode"},
		{Phase: sentinel.PhasePrompt, Agent: "opencode", Session: "s", Dir: "/repo", Prompt: "Use make,\nnot npm."},
		{Phase: sentinel.PhasePrompt, Agent: "opencode", Session: "s", Prompt: " \n"},
		call(sentinel.PhasePre, "1", "bash", `{"command":"npm test"}`), failed,
		call(sentinel.PhasePre, "2", "apply_patch", `"*** Begin Patch\n*** Add File: a\n*** End Patch"`),
		call(sentinel.PhasePre, "", "write", `{"filePath":"/repo/x","content":"y"}`), good,
		call(sentinel.PhasePre, "3", "bash", `not JSON`), call(sentinel.PhasePre, "4", "list", ``),
		{Phase: sentinel.PhaseStop, Agent: "opencode"}, {Phase: sentinel.PhaseEnd, Agent: "opencode"},
	} {
		require.NoError(t, j.Append(ev))
	}
	require.NoError(t, j.Close())

	r := open(t, path, transcript.Position{})
	all := entries(t, r)
	require.Equal(t, []string{
		"human: Use make, not npm.",
		"tool bash: npm test", "result ERROR: npm error x",
		"tool apply_patch: a",
		"tool write: /repo/x", "result OK",
		"tool bash: not JSON", "tool list",
	}, lines(all))
	require.Equal(t, "journal", r.Agent())
	require.Equal(t, "s", r.Session())
	require.Equal(t, "/repo", r.Dir())
	require.Equal(t, now, all[0].Time)
	ev := r.Event(all[1])
	require.Equal(t, "opencode", ev.Agent)
	require.JSONEq(t, `{"command":"npm test"}`, string(ev.Tool.Args))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "a payload\nsecond")
	ignore, err := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "..", ".gitignore"))
	require.NoError(t, err)
	require.Equal(t, "*\n", string(ignore))
}

// A secret is masked before it is written, also where it lies across a cut.
func TestJournalMasks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	const secret = "hunter2-hunter2"
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{Mask: func(s string) string { return strings.ReplaceAll(s, secret, "***") }})
	require.NoError(t, err)
	for n := range 40 {
		filler := strings.Repeat("x", 8<<10-20+n)
		post := call(sentinel.PhasePost, "1", "bash", `{}`)
		post.Tool.Output, post.Tool.Failed = filler[:4<<10-20+n]+secret, true
		quoted, err := json.Marshal(map[string]string{"a": filler + secret + "\n" + secret, secret: "key"})
		require.NoError(t, err)
		for _, ev := range []sentinel.Event{
			{Phase: sentinel.PhasePrompt, Prompt: filler + secret},
			{Phase: sentinel.PhasePrompt, Prompt: secret},
			call(sentinel.PhasePre, "1", "bash", string(quoted)), call(sentinel.PhasePre, "2", "bash", filler+secret), post,
		} {
			require.NoError(t, j.Append(ev))
		}
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hunter")
	require.Contains(t, string(text), "***")
	require.Len(t, entries(t, open(t, path, transcript.Position{})), 200)
}

// A journal is bounded: the newer half stays.
func TestJournalRotates(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	const max = 64 << 10
	j, err := transcript.OpenJournal(path, &transcript.JournalOptions{MaxBytes: max})
	require.NoError(t, err)
	var at transcript.Position
	restarted := 0
	for i := range 400 {
		require.NoError(t, j.Append(sentinel.Event{Phase: sentinel.PhasePrompt, Agent: "cline", Session: "s", Prompt: fmt.Sprintf("%d %s", i, strings.Repeat("x", 900))}))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(max))
		r := open(t, path, at)
		all := entries(t, r)
		require.NotEmpty(t, all)
		require.True(t, strings.HasPrefix(all[len(all)-1].Text, fmt.Sprint(i)+" "), "the newest is always there")
		if r.Restarted() {
			restarted++
		} else {
			require.Len(t, all, 1)
		}
		at = r.Position()
	}
	require.Positive(t, restarted)
	require.Less(t, restarted, 40)
	all := entries(t, open(t, path, transcript.Position{}))
	require.Greater(t, len(all), 20)
	for i := 1; i < len(all); i++ {
		require.Less(t, number(t, all[i-1]), number(t, all[i]))
	}
}

func number(t *testing.T, e transcript.Entry) int {
	n, _, _ := strings.Cut(e.Text, " ")
	i, err := strconv.Atoi(n)
	require.NoError(t, err)
	return i
}

// A process that died in the middle of a line spoils that line alone.
func TestJournalAfterHalfALine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"sentinelJournal":1,"kind":"hum`), 0o600))
	require.NoError(t, fill(path, "a", 2))
	require.Equal(t, []string{"human: a 0", "human: a 1"}, lines(entries(t, open(t, path, transcript.Position{}))))
}

// Many writers, in this process and in others, lose and tear nothing.
func TestJournalManyWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.jsonl")
	const writers, each = 4, 25
	var wait sync.WaitGroup
	errs := make([]error, 2*writers)
	for w := range writers {
		wait.Go(func() { errs[w] = fill(path, fmt.Sprint("own", w), each) })
		wait.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), journalEnv+"="+strings.Join([]string{path, fmt.Sprint("other", w), fmt.Sprint(each)}, "\x1f"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			errs[writers+w] = err
		})
	}
	wait.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	all := entries(t, open(t, path, transcript.Position{}))
	require.Len(t, all, 2*writers*each)
	next := map[string]int{}
	for _, e := range all {
		name, n, _ := strings.Cut(e.Text, " ")
		require.Equal(t, fmt.Sprint(next[name]), n, "in order")
		next[name]++
	}
}

func TestOpenJournalNeedsAPath(t *testing.T) {
	t.Parallel()
	_, err := transcript.OpenJournal("", nil)
	require.Error(t, err)
}

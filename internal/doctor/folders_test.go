package doctor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/gpulock"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ollama(fakeserver.NewOllamaServer(t).URL, "")
	lock := gpulock.New(gpulock.SessionPath(w.root, "somebody"), nil)
	_, unlock, err := lock.Lock(t.Context(), sentinel.PriorityJudge)
	require.NoError(t, err)
	requireFinding(t, w.examine(), "lock", "gpu", doctor.StatusInfo, "in use: .sentinel/sessions/somebody/ollama.lock (a judge is at work)")
	unlock()
	_, unlock, err = lock.Lock(t.Context(), sentinel.PrioritySynthesizer)
	require.NoError(t, err)
	requireFinding(t, w.examine(), "lock", "gpu", doctor.StatusInfo, "somebody/ollama.lock (held)")
	unlock()
	requireFinding(t, w.examine(), "lock", "gpu", doctor.StatusOK, "free: ", "and those of 1 other session")

	require.NoError(t, os.RemoveAll(w.at(".sentinel")))
	w.write(".sentinel", "not a folder")
	found := w.examine()
	requireFinding(t, found, "lock", "gpu", doctor.StatusWarn, "there can be no lock", "remove it")
	require.True(t, doctor.Sound(found), "without a lock it is slower, not wrong")
}

func TestMachineLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.env["XDG_RUNTIME_DIR"] = w.at("~/run")
	require.NoError(t, os.Mkdir(w.at("~/run"), 0o700))
	w.ollama(fakeserver.NewOllamaServer(t).URL, "lock: {scope: machine}\n")
	requireFinding(t, w.examine(), "lock", "gpu", doctor.StatusOK, "~/run/sentinel/ollama.lock")
}

func TestLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const name = ".claude/sentinel/sentinel.log"
	requireFinding(t, w.examine(), "log", "log", doctor.StatusOK, "no records yet")
	require.NoFileExists(t, w.at(name))

	w.write(name, strings.Repeat("x\n", 1000))
	w.write(name+".1", strings.Repeat("x\n", 1000))
	requireFinding(t, w.examine(), "log", "log", doctor.StatusOK, "4.0 kB in 2 files")
	text, err := os.ReadFile(w.at(name))
	require.NoError(t, err)
	require.Len(t, text, 2000, "nothing is written to it")
	left, err := filepath.Glob(filepath.Dir(w.at(name)) + "/.sentinel-log-*")
	require.NoError(t, err)
	require.Empty(t, left)

	require.NoError(t, os.Remove(w.at(name)))
	require.NoError(t, os.Mkdir(w.at(name), 0o755))
	found := w.examine()
	requireFinding(t, found, "log", "log", doctor.StatusFail, "is a folder")
	require.False(t, doctor.Sound(found))

	require.NoError(t, os.Remove(w.at(name)))
	w.link(w.write("victim.jsonl", ""), name)
	requireFinding(t, w.examine(), "log", "log", doctor.StatusFail, "symbolic link")

	w.write(".claude/sentinel/config.yaml", "backend: builtin\n")
	requireFinding(t, w.examine(), "log", "log", doctor.StatusInfo, "no log is written")

	w.write(".claude/sentinel/config.yaml", "backend: builtin\nlog_file: logs/a.log\n")
	w.write("logs", "a file in its way")
	requireFinding(t, w.examine(), "log", "log", doctor.StatusFail, "logs is not a folder")
}

func TestState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	requireFinding(t, w.examine(), "state", "cache", doctor.StatusOK, "can be written")

	dir := w.at("~/.local/state/sentinel")
	requireFinding(t, w.examine(), "state", "state", doctor.StatusOK, "~/.local/state/sentinel can be written, by you alone")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "it leaves nothing there but the key")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "key"), []byte("short"), 0o600))
	requireFinding(t, w.examine(), "state", "state", doctor.StatusOK, "can be written") // a new key was made
	require.NoError(t, os.Remove(filepath.Join(dir, "key")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "key"), 0o700))
	requireFinding(t, w.examine(), "state", "state", doctor.StatusFail, "the key", "remove the file")
	require.NoError(t, os.Remove(filepath.Join(dir, "key")))

	if runtime.GOOS != "windows" {
		require.NoError(t, os.Chmod(dir, 0o755))
		requireFinding(t, w.examine(), "state", "state", doctor.StatusWarn, "can be read by others", "chmod 700")
		require.NoError(t, os.Chmod(dir, 0o777))
		requireFinding(t, w.examine(), "state", "state", doctor.StatusFail, "can be written by others")
		require.NoError(t, os.Chmod(dir, 0o700))
	}
	require.NoError(t, os.RemoveAll(dir))
	w.write("~/.local/state/sentinel", "a file")
	found := w.examine()
	requireFinding(t, found, "state", "state", doctor.StatusFail, "is not a folder")
	require.False(t, doctor.Sound(found))

	w.env["XDG_STATE_HOME"] = "/proc/nowhere"
	if runtime.GOOS == "linux" {
		requireFinding(t, w.examine(), "state", "state", doctor.StatusFail, "cannot be made")
	}
}

func TestNoHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.options()
	o.Home, o.Project.StateDir, o.Project.CacheDir, o.Project.UserDir = "", "", "", ""
	found := doctor.Examine(t.Context(), o)
	requireFinding(t, found, "state", "state", doctor.StatusWarn, "set HOME")
	require.True(t, doctor.Sound(found), failures(found))
}

func TestNotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	requireFinding(t, w.examine(), "notes", "notes", doctor.StatusOK, "no notes")
	dir := w.options().Project.StateDir
	now := time.Now()
	for _, n := range []state.Note{
		{Time: now.Add(-time.Hour), Kind: "unknown-tool", Agent: "codex", Text: "Frobnicate"},
		{Time: now.Add(-time.Minute), Kind: "unknown-tool", Agent: "codex", Text: "Mend\x1b[2J"},
		{Time: now, Kind: "bad-event", Agent: "gemini", Text: "no cwd"},
		{Time: now, Kind: "log", Text: "disk full"},
		{Time: now, Kind: "something-new", Text: "x"},
		{Time: now, Kind: "judge", Agent: "codex", Text: "the judge ollama cannot judge"},
		{Time: now, Kind: "session", Agent: "codex", Text: "no room"},
		{Time: now.Add(-30 * 24 * time.Hour), Kind: "log", Agent: "codex", Text: "long ago"},
		{Time: now, Kind: "pin", Text: "a file here", Root: w.root},
		{Time: now, Kind: "pin", Text: "a file of another", Root: filepath.Join(dir, "other")},
		{Time: now, Kind: "judge", Agent: "pi", Text: "down", Root: filepath.Join(dir, "other")},
	} {
		require.NoError(t, state.Append(dir, n))
	}
	f, err := os.OpenFile(filepath.Join(dir, "notes.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("{\"ts\": 3}\nnonsense\n{\"kind\":")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	found := w.examine()
	requireFinding(t, found, "notes", "unknown-tool", doctor.StatusInfo, "2 times", "by codex: Mend", "tool_map_extra")
	requireFinding(t, found, "notes", "bad-event", doctor.StatusWarn, "1 time", now.Local().Format("2006-01-02 15:04"), "no cwd")
	requireFinding(t, found, "notes", "log", doctor.StatusWarn, "disk full")
	requireFinding(t, found, "notes", "log", doctor.StatusInfo, "long ago")
	requireFinding(t, found, "notes", "something-new", doctor.StatusInfo, "1 time", "notes.jsonl")
	requireFinding(t, found, "notes", "judge", doctor.StatusWarn, "cannot judge", "judges above")
	requireFinding(t, found, "notes", "session", doctor.StatusWarn, "work on a session failed", "no room")
	requireFinding(t, found, "notes", "pin", doctor.StatusWarn, "1 time", "a file here")
	requireFinding(t, found, "notes", "judge", doctor.StatusWarn, "by pi: down")
	requireFinding(t, found, "notes", "notes", doctor.StatusInfo, "rules of other projects: "+filepath.Join(dir, "other"))
	require.NotContains(t, fmt.Sprint(found), "a file of another")
	require.True(t, doctor.Sound(found), failures(found))

	full := append([]byte("{\"kind\":\"log\"}\n"), make([]byte, state.MaxNotes)...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.jsonl"), full, 0o600))
	requireFinding(t, w.examine(), "notes", "notes", doctor.StatusWarn, "no room for more")

	require.NoError(t, os.Remove(filepath.Join(dir, "notes.jsonl")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes.jsonl"), 0o700))
	requireFinding(t, w.examine(), "notes", "notes", doctor.StatusWarn, "cannot be read")
}

// A caller that gives up gets an answer at once.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := fakeserver.NewOllamaServer(t)
	server.Answer("/api/version", fakeserver.OllamaFault(fakeserver.FaultHang()))
	w.ollama(server.URL, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := doctor.Examine(ctx, w.options())
	require.NotContains(t, fmt.Sprint(found), "internal error")
	require.False(t, doctor.Sound(found))
}

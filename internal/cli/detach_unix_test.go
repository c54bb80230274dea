//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
)

const summaryAnswer = `{"task_scope":"Add the invoice.","progress":"The file is there.","current_focus":"The tests."}`

// A stopped is a session that has come to a stop, in a repository whose summaries
// a scripted model writes.
type stopped struct {
	t    testing.TB
	dir  string
	home string
}

func newStopped(t testing.TB, url string) *stopped {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &stopped{t, filepath.Join(top, "repo"), filepath.Join(top, "home")}
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, ".claude", "sentinel"), 0o755))
	require.NoError(t, os.MkdirAll(s.home, 0o755))
	s.write(".claude/sentinel/config.yaml", "backend: builtin\ncontext: {backend: ollama, min_events: 1}\nbackends: {ollama: {url: \""+url+"\"}}\n")
	return s
}

func (s *stopped) write(name, text string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.dir, filepath.FromSlash(name)), []byte(text), 0o600))
}

// says makes the transcript of a session.
func (s *stopped) says(session string, texts ...string) {
	s.t.Helper()
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":%q},"uuid":"u","sessionId":%q,"cwd":%q,"timestamp":"2026-11-20T21:11:57.166Z"}`+"\n", text, session, s.dir)
	}
	s.write(session+".jsonl", b.String())
}

// hook is the hook of the session's stop.
func (s *stopped) hook(session string, args ...string) *exec.Cmd {
	s.t.Helper()
	program, err := exec.LookPath("sentinel") // this test binary, by the name under which it is the command
	require.NoError(s.t, err)
	event, err := json.Marshal(map[string]any{
		"session_id": session, "transcript_path": filepath.Join(s.dir, session+".jsonl"), "cwd": s.dir, "hook_event_name": "Stop", "stop_hook_active": false,
	})
	require.NoError(s.t, err)
	cmd := exec.Command(program, append([]string{"hook"}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GOCOVERDIR=" + os.TempDir()}
	cmd.Stdin = bytes.NewReader(event)
	return cmd
}

func (s *stopped) summaryFile(session string) string {
	return filepath.Join(s.dir, ".sentinel", "sessions", session, "summary.json")
}

// remembered waits for the summary of a session.
func (s *stopped) remembered(session string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		_, err := os.Stat(s.summaryFile(session))
		return err == nil
	}, 2*time.Minute, 5*time.Millisecond, "no summary of %s", session)
	data, err := os.ReadFile(s.summaryFile(session))
	require.NoError(s.t, err)
	require.True(s.t, json.Valid(data), "%s", data)
}

// done waits until the children have written what they write last.
func (s *stopped) done() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		noted, err := filepath.Glob(filepath.Join(s.home, ".local", "state", "sentinel", "sessions", "*", "*"))
		require.NoError(s.t, err)
		for _, name := range noted {
			data, err := os.ReadFile(name)
			if err != nil || strings.Contains(string(data), `"summarized":0`) {
				return false
			}
		}
		return len(noted) > 0
	}, 2*time.Minute, 5*time.Millisecond, "a child is still at work")
}

// The hook ends, and lets go of everything that its agent gave it, while the model
// has not even begun to answer; a descriptor beyond the three streams counts too.
// Signals of the agent to the hook's process group do not reach the child.
func TestHookLeavesItsChildBehind(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(answer, fakeserver.OllamaText(summaryAnswer)))
	s := newStopped(t, model.URL)
	s.says("s1", "Create the invoice file.")

	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	cmd := s.hook("s1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // pipes: Run returns when no process has them any more
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Run())
	require.Empty(t, out.String())
	require.NoError(t, write.Close())
	_, err = io.ReadAll(read)
	require.NoError(t, err, "nobody has the other end")

	require.NoError(t, model.Await(t.Context(), 1), "the child asks")
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // no process is left in it
	require.NoFileExists(t, s.summaryFile("s1"))
	close(answer)
	s.remembered("s1")
	s.done()
}

// --wait keeps the hook until its child is done.
func TestHookWaits(t *testing.T) {
	t.Parallel()
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(summaryAnswer))
	s := newStopped(t, model.URL)
	s.says("s1", "Create the invoice file.")
	require.NoError(t, s.hook("s1", "--wait").Run())
	require.FileExists(t, s.summaryFile("s1"))
}

// Twenty sessions at once in one repository, each with two stops at once: every
// session is remembered with all that was said, and no file is torn.
func TestTwentySessionsAtOnce(t *testing.T) {
	t.Parallel()
	const sessions = 20
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaText(summaryAnswer))
	s := newStopped(t, model.URL)
	s.write(".claude/sentinel/config.yaml", "backend: builtin\ncontext: {backend: ollama, min_events: 1}\nlog_file: log.jsonl\nollama_concurrency: 8\nbackends: {ollama: {url: \""+model.URL+"\"}}\n")
	var running []*exec.Cmd
	for i := range sessions {
		session := fmt.Sprintf("s%d", i)
		s.says(session, fmt.Sprintf("Wish %d of the person.", i))
		for range 2 {
			cmd := s.hook(session, "--wait")
			require.NoError(t, cmd.Start())
			running = append(running, cmd)
		}
	}
	for _, cmd := range running {
		require.NoError(t, cmd.Wait())
	}
	var asked strings.Builder
	for _, chat := range model.Chats() {
		asked.Write(chat)
	}
	for i := range sessions {
		s.remembered(fmt.Sprintf("s%d", i))
		require.Equal(t, 1, strings.Count(asked.String(), fmt.Sprintf("Wish %d of the person.", i)), "asked once for session %d", i)
	}
	log, err := os.ReadFile(filepath.Join(s.dir, "log.jsonl"))
	require.NoError(t, err)
	var lines int
	for line := range strings.Lines(string(log)) {
		require.True(t, json.Valid([]byte(line)), "%q", line)
		lines++
	}
	require.Equal(t, sessions, lines)
	left, err := filepath.Glob(filepath.Join(s.dir, ".sentinel", "sessions", "*", ".tmp-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

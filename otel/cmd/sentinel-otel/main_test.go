package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/otel/internal/collector"
)

// asCommand makes the test binary the command, and its children too.
const asCommand = "SENTINEL_OTEL_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A machine is a repository with one rule, on a machine of its own.
type machine struct{ repository, home string }

func newMachine(t *testing.T) *machine {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	m := &machine{filepath.Join(top, "repo"), filepath.Join(top, "home")}
	rules := filepath.Join(m.repository, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.MkdirAll(m.home, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "never.yaml"),
		[]byte("id: never\ntrigger: bash\nscope: [\"rm *\"]\nseverity: block\nbackend: builtin\nwhen: \"true\"\nmessage: never here\n"), 0o600))
	return m
}

// hook has a command judged, and returns what the agent sees.
func (m *machine) hook(t *testing.T, command string, environment ...string) (status int, output string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	event, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": m.repository, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": map[string]string{"command": command},
	})
	require.NoError(t, err)
	cmd := exec.Command(program, "hook", "--wait")
	cmd.Dir = m.repository
	cmd.Env = append([]string{
		asCommand + "=yes", "HOME=" + m.home, "USERPROFILE=" + m.home, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"TMPDIR=" + os.TempDir(), "TMP=" + os.TempDir(), "GOCOVERDIR=" + os.TempDir(),
	}, environment...)
	cmd.Stdin = bytes.NewReader(event)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		require.NoError(t, err)
		return 0, string(out)
	}
	return exit.ExitCode(), string(out)
}

// noted is what the person will be told by "sentinel doctor".
func (m *machine) noted(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, filepath.WalkDir(m.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "notes.jsonl" {
			data, err := os.ReadFile(path)
			text.Write(data)
			return err
		}
		return err
	}))
	return text.String()
}

// What the hook of each machine decides arrives in one place.
func TestATeamSeesItsMachines(t *testing.T) {
	t.Parallel()
	c := collector.New(t, nil)
	for _, name := range []string{"m1", "m2"} {
		m := newMachine(t)
		status, output := m.hook(t, "rm -rf PRIVATE", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_RESOURCE_ATTRIBUTES=host.name="+name)
		require.Equal(t, 2, status)
		require.Contains(t, output, "never here")
		require.Empty(t, m.noted(t))

		status, output = m.hook(t, "ls", "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL)
		require.Zero(t, status)
		require.Empty(t, output)
	}
	require.Equal(t, 4, c.Requests(), "two for each call that a rule was about")
	spans, raw := c.Spans(t)
	for _, name := range []string{"m1", "m2", "sentinel.decision", "sentinel.rule never", "toolu_1", "s1"} {
		require.Contains(t, raw, name)
	}
	require.NotContains(t, raw, "PRIVATE")
	require.Len(t, spans, 4)
	for _, s := range spans {
		require.Positive(t, s.EndTimeUnixNano)
		require.LessOrEqual(t, s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
}

// Whatever is the matter with the collector, the agent sees the same, and the
// person can find out.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	plain := newMachine(t)
	status, want := plain.hook(t, "rm -rf x", "OTEL_SDK_DISABLED=true")
	require.Equal(t, 2, status)
	require.Empty(t, plain.noted(t))

	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dead := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())
	refuses := collector.New(t, func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "\x1b[31mno\nno", http.StatusForbidden)
		return true
	})
	for noted, environment := range map[string]string{
		"could not be sent":   "OTEL_EXPORTER_OTLP_ENDPOINT=" + dead,
		"403 Forbidden":       "OTEL_EXPORTER_OTLP_ENDPOINT=" + refuses.URL,
		"set it to http/prot": "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
	} {
		m := newMachine(t)
		status, got := m.hook(t, "rm -rf x", environment)
		require.Equal(t, 2, status)
		require.Equal(t, withoutCode(want), withoutCode(got))
		require.Contains(t, m.noted(t), noted)
		require.NotContains(t, m.noted(t), "\x1b")
	}
}

// withoutCode leaves out the code with which a person lets the call through.
func withoutCode(answer string) string {
	before, _, _ := strings.Cut(answer, "sentinel allow ")
	return before
}

package agenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
)

// checkout is the folder of the module.
func checkout() string {
	dir := "."
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || len(dir) > 100 {
			return dir
		}
		dir = filepath.Join(dir, "..")
	}
}

// Folder is the folder of an agent.
func Folder(agent string) string { return filepath.Join(checkout(), "agent", "internal", agent) }

// EventFile is the file of an event that is called AGENT/NAME.
func EventFile(name string) string {
	agent, event, _ := strings.Cut(name, "/")
	return filepath.Join(Folder(agent), "testdata", event+".json")
}

// GoldenEvents returns the events of an agent in testdata.
func GoldenEvents(t testing.TB, agent string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Folder(agent), "testdata", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no events of %s in testdata", agent)
	return files
}

// Golden reads an event of testdata.
func Golden(t *testing.T, name string) sentinel.Event {
	t.Helper()
	stdin, err := os.ReadFile(EventFile(name))
	require.NoError(t, err)
	agentName, _, _ := strings.Cut(name, "/")
	ev, err := Named(t, agentName).Decode(stdin)
	require.NoError(t, err)
	return ev
}

// Recordings returns real payloads; they lie next to the repository, not in it.
func Recordings(t *testing.T, pattern string) []string {
	t.Helper()
	root := filepath.Join(checkout(), "..", "shared", "recordings")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no recorded payloads at %s", root)
	}
	files, err := filepath.Glob(filepath.Join(root, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, "recordings are there, but none is at %s", pattern)
	return files
}

// Recorded decodes a recording that has to be known as the agent's own.
func Recorded(t *testing.T, name, file string) sentinel.Event {
	t.Helper()
	stdin, err := os.ReadFile(file)
	require.NoError(t, err)
	detected, ok := Agents.Detect(stdin)
	require.True(t, ok, file)
	require.Equal(t, name, detected, file)
	resolved, err := Agents.Resolve("claude", stdin)
	require.NoError(t, err, file)
	require.Equal(t, name, resolved.Name, "%s: its mark has to beat another flag", file)
	ev, err := Named(t, name).Decode(stdin)
	require.NoError(t, err, file)
	require.Equal(t, name, ev.Agent, file)
	return ev
}

// RecordedName reads the name of a recording: 03-PreToolUse-Bash.json.
func RecordedName(file string) (event, tool string) {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	event, tool, _ = strings.Cut(name, "-")
	return event, tool
}

package gpulock_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/gpulock"
)

func TestSessionPath(t *testing.T) {
	t.Parallel()
	for session, folder := range map[string]string{
		"2f1c-AB.9_z":            "2f1c-AB.9_z",
		"_cli":                   "_cli",
		"a":                      "a",
		strings.Repeat("a", 128): strings.Repeat("a", 128),
		"":                       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"..":                     "5ec1f7e700f37c3d0b2981d04855fc34b94aaa15457b05ca571817442d228f81",
		"../../x":                "9cdf6a50100a862e14286c7a334296daf7da8b45d48e20302424ca729b62a31a",
	} {
		require.Equal(t, filepath.Join("root", ".sentinel", "sessions", folder, "ollama.lock"), gpulock.SessionPath("root", session))
	}
	for _, session := range []string{".", ".git", "a/b", `a\b`, "a b", "é", "a\x00", "C:", strings.Repeat("a", 129)} {
		require.Len(t, sessionFolder(session), 64, "%q", session)
	}
}

func sessionFolder(session string) string {
	return filepath.Base(filepath.Dir(gpulock.SessionPath("root", session)))
}

func TestMachinePath(t *testing.T) {
	t.Parallel()
	require.Equal(t, filepath.Join("run", "sentinel", "ollama.lock"), gpulock.MachinePath("run", "cache"))
	require.Equal(t, filepath.Join("cache", "sentinel", "ollama.lock"), gpulock.MachinePath("", "cache"))
}

// Whatever a session is called, its lock lies in a folder of its own among the
// sessions.
func FuzzSessionPath(f *testing.F) {
	for _, s := range []string{"", "a", "..", "../../x", `..\x`, "a/", "/etc", "con", ".a", "a\x00b"} {
		f.Add(s)
	}
	sessions := filepath.Join("root", ".sentinel", "sessions")
	f.Fuzz(func(t *testing.T, session string) {
		path := gpulock.SessionPath("root", session)
		require.Equal(t, sessions, filepath.Dir(filepath.Dir(path)), "%q", path)
		require.True(t, filepath.IsLocal(sessionFolder(session)))
		require.NotEqual(t, ".", sessionFolder(session)[:1])
	})
}

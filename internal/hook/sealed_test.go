package hook

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/project"
)

// A sealedWorld is a repository with a rule about pushes, and a user's folders.
type sealedWorld struct {
	dir, cache, state string
}

func newSealedWorld(t *testing.T) *sealedWorld {
	t.Helper()
	base := t.TempDir()
	w := &sealedWorld{filepath.Join(base, "repo"), filepath.Join(base, "cache"), filepath.Join(base, "state")}
	rules := filepath.Join(w.dir, ".claude", "sentinel", "rules")
	require.NoError(t, os.MkdirAll(rules, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "../config.yaml"), []byte("backend: builtin\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(rules, "force.yaml"), []byte(
		"trigger: bash\nscope: [\"git *\"]\nwhen: any(commands, .subcommand == \"push\")\nmessage: not that\n"), 0o600))
	return w
}

// push is what the hook answers to a forced push: all of it.
func (w *sealedWorld) push(t *testing.T) string {
	t.Helper()
	event, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": w.dir, "hook_event_name": "PreToolUse", "tool_name": "Bash",
		"tool_input": map[string]string{"command": "git push --force"},
	})
	require.NoError(t, err)
	var out bytes.Buffer
	later := func() time.Time { return time.Now().Add(time.Hour) } // the files are old enough to be believed
	status := Run(&Env{
		Args: []string{"--agent", "claude"}, Stdin: bytes.NewReader(event), Stdout: &out, Stderr: &out,
		Getenv: func(string) string { return "" }, Dir: w.dir, Now: later,
		Project: func() *project.Options { return &project.Options{CacheDir: w.cache, StateDir: w.state, Now: later} },
	})
	require.Equal(t, exit.Block, status, out.String())
	return out.String()
}

// The hook keeps which agent it ran below, for commands that are for people.
func TestTheAgentIsRemembered(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("which process started the test is read in /proc")
	}
	w := newSealedWorld(t)
	w.push(t)
	if len(person.AllSeen(w.state)) == 0 { // no agent is above this process: it was started at a shell
		parent, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
		require.NoError(t, err)
		require.Contains(t, string(parent), "sh")
	}
}

// notes are what was noted about seals.
func (w *sealedWorld) notes(t *testing.T) (found []string) {
	t.Helper()
	data, _ := os.ReadFile(filepath.Join(w.state, "notes.jsonl"))
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, `"kind":"seal"`) {
			found = append(found, line)
		}
	}
	return found
}

// Files that a process of the agent writes into the user's folders, past every rule, are
// not trusted: the push is stopped as before, and the user hears of it once.
func TestWhatAnotherProgramKeepsIsNotBelieved(t *testing.T) {
	until := time.Now().Add(7 * time.Hour)
	pause := fmt.Sprintf(`{"*":{"since":%q,"until":%q,"by":"ann"}}`, until.Add(-8*time.Hour).Format(time.RFC3339), until.Format(time.RFC3339))
	compiledFile := func(t *testing.T, w *sealedWorld) (path string, data []byte) {
		all, err := filepath.Glob(filepath.Join(w.cache, "rules", "*"))
		require.NoError(t, err)
		require.Len(t, all, 1)
		data, err = os.ReadFile(all[0])
		require.NoError(t, err)
		require.Contains(t, string(data), `== "push"`)
		return all[0], data
	}
	for name, spoil := range map[string]func(t *testing.T, w *sealedWorld){
		"a rule of the compiled form": func(t *testing.T, w *sealedWorld) {
			path, data := compiledFile(t, w)
			require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(data, []byte(`"push"`), []byte(`"pusx"`)), 0o600))
		},
		"a rule of the compiled form, with its digest": func(t *testing.T, w *sealedWorld) {
			path, data := compiledFile(t, w)
			require.NoError(t, os.WriteFile(path, withDigest(t, data), 0o600))
		},
		"all of the compiled form, cut": func(t *testing.T, w *sealedWorld) {
			path, data := compiledFile(t, w)
			require.NoError(t, os.WriteFile(path, data[:len(data)/2], 0o600))
		},
		"the key": func(t *testing.T, w *sealedWorld) {
			require.NoError(t, os.Remove(filepath.Join(w.state, "key")))
		},
		"the key of another machine": func(t *testing.T, w *sealedWorld) {
			require.NoError(t, os.WriteFile(filepath.Join(w.state, "key"), bytes.Repeat([]byte{7}, 32), 0o600))
		},
		"half of the key": func(t *testing.T, w *sealedWorld) {
			require.NoError(t, os.Truncate(filepath.Join(w.state, "key"), 16))
		},
		"a pause": func(t *testing.T, w *sealedWorld) {
			require.NoError(t, os.WriteFile(filepath.Join(w.state, "paused"), []byte(pause), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSealedWorld(t)
			require.Contains(t, w.push(t), "not that")
			require.Empty(t, w.notes(t))
			spoil(t, w)
			require.Contains(t, w.push(t), "not that")
			require.Contains(t, w.push(t), "not that")
			require.Len(t, w.notes(t), 1)
			require.Contains(t, w.notes(t)[0], "the seal does not verify")
		})
	}
}

// withDigest weakens the rule in a compiled file and puts the digest of the new one into
// the front, as somebody without the key can.
func withDigest(t *testing.T, data []byte) []byte {
	t.Helper()
	at := bytes.LastIndex(data, []byte(`== "push"`))
	for start := at; start > 0; start-- { // the only rule is the end of the file, from where its digest fits
		old := sha256.Sum256(data[start:])
		if !bytes.Contains(data[:start], old[:16]) {
			continue
		}
		changed := bytes.ReplaceAll(data[start:], []byte(`"push"`), []byte(`"pusx"`))
		now := sha256.Sum256(changed)
		return append(bytes.ReplaceAll(data[:start], old[:16], now[:16]), changed...)
	}
	t.Fatal("there is no digest of the rule")
	return nil
}

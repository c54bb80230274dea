package person

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/agent"
	"github.com/agentsentinel/sentinel/internal/state"
)

func TestAgentsAmongPrograms(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"claude":                           "claude",
		"/usr/bin/codex --full-auto":       "codex",
		"node /usr/lib/bin/copilot -p x":   "copilot",
		"/opt/bun /x/opencode":             "opencode",
		"node /x/gemini.js":                "gemini",
		"/root/.local/bin/cursor-agent":    "cursor-agent",
		"bash claude":                      "",
		"vim /home/u/claude":               "",
		"tmux new -s claude":               "",
		"/usr/share/cursor/cursor --type=": "", // an editor, whose terminals are a person's
		"node":                             "",
		"":                                 "",
	} {
		require.Equal(t, want, agentProgram(agent.Registry{}, strings.Fields(line)), line)
	}
}

// A mark that was taken out of the command's own environment is in that
// of the process which took it out.
func TestSignsOfAProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "OPENCODE=1"}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { in.Close(); _ = cmd.Wait() }()
	_, err = io.WriteString(in, "x") // what comes back says that the program runs, with its environment
	require.NoError(t, err)
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)

	require.Equal(t, "OPENCODE is set", processSign(agent.Registry{}, cmd.Process.Pid))
	p, err := readProcess(cmd.Process.Pid)
	require.NoError(t, err)
	require.Equal(t, os.Getpid(), p.parent)
	require.Equal(t, os.Getuid(), p.user)
	require.True(t, runs(Seen{PID: p.pid, Start: p.start}))
	require.False(t, runs(Seen{PID: p.pid, Start: p.start + 1}))
	require.Empty(t, processSign(agent.Registry{}, 1<<30))
	_, err = readProcess(1 << 30)
	require.Error(t, err)
}

// An agent that an agent has started is asked by no person: above it is another agent, or
// its environment has an agent's mark. A mark below it is its own.
func TestNested(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	for _, name := range []string{"claude", "codex"} {
		require.NoError(t, os.Symlink(sh, filepath.Join(dir, name)))
	}
	start := func(chain string) (pid int) { // programs, each started by the one before it, with variables
		var args []string
		for _, word := range strings.Fields(chain) {
			if !strings.Contains(word, "=") {
				args = append(args, word, "-c", `"$@"; :`, word)
				continue
			}
			args = append(args, "env", word)
		}
		args[len(args)-2] = "echo $$; cat; :"
		cmd := exec.Command("env", append([]string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}, args...)...)
		cmd.Env = []string{}
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
		_, err = fmt.Fscanln(out, &pid)
		require.NoError(t, err)
		return pid
	}
	if nested(agent.Registry{}, start("claude")) {
		t.Skip("these tests were started by an agent")
	}
	for chain, want := range map[string]bool{
		"sh sh":                        false,
		"claude sh":                    false,
		"claude claude sh":             false, // processes of one agent
		"claude CLAUDECODE=1 sh":       false,
		"CLAUDECODE=1 claude sh":       true,
		"OPENCODE=1 claude sh":         true,
		"sh OPENCODE=1 sh claude sh":   true,
		"claude sh claude":             true,
		"codex sh claude sh":           true,
		"codex sh sh claude claude sh": true,
		"OPENCODE=1 sh claude sh":      true,
	} {
		require.Equal(t, want, nested(agent.Registry{}, start(chain)), chain)
	}
}

// A hook keeps which process it runs below, once; what another program writes there
// does not count.
func TestTheAgentOfAHookIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.Empty(t, AllSeen(dir))
	key, err := state.Key(dir)
	require.NoError(t, err)
	Remember(dir, key, agent.Registry{}, "s")
	files, err := filepath.Glob(filepath.Join(dir, "agents", "*"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("these tests were started at a shell")
	}
	seen := AllSeen(dir)
	require.Len(t, seen, 1)
	require.True(t, runs(seen[0]))
	require.InDelta(t, ticks(), seen[0].Last, lastStep)

	before, err := os.ReadFile(files[0])
	require.NoError(t, err)
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	Remember(dir, key, agent.Registry{}, "s")
	again, err := os.Stat(files[0])
	require.NoError(t, err)
	require.True(t, os.SameFile(info, again), "it is not written again")
	Remember(dir, key, agent.Registry{}, "other")
	require.Len(t, AllSeen(dir), 2)

	for name, data := range map[string][]byte{
		"changed": append(before[:len(before)-1:len(before)-1], '!'), "cut": before[:20], "empty": {}, "never sealed": []byte(`{"boot":"","agents":[]}`),
	} {
		require.NoError(t, os.WriteFile(files[0], data, 0o600))
		require.Len(t, AllSeen(dir), 1, name)
	}
	Remember(dir, key, agent.Registry{}, "s")
	require.Len(t, AllSeen(dir), 2, "it is kept anew")
	require.NoError(t, os.Remove(filepath.Join(dir, "key")))
	require.Empty(t, AllSeen(dir), "with the key all of it is lost")
	Remember("", key, agent.Registry{}, "s")
	Remember(t.TempDir(), nil, agent.Registry{}, "s")
}

func TestStatLines(t *testing.T) {
	t.Parallel()
	const rest = " S 7 8 9 34819 5 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"
	for _, name := range []string{"sh", "a b", ") S 1 2 3", "((", ""} {
		p, err := parseStat([]byte("12 (" + name + ")" + rest))
		require.NoError(t, err, name)
		require.Equal(t, process{pid: 12, parent: 7, session: 9, terminal: 34819, start: 4711, name: name}, p)
	}
	for _, line := range []string{"", "12", "12 (sh)", "12 (sh) S 7", "x (sh)" + rest, "12 )sh(" + rest, "12 (sh) S x 8 9 34819 5 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"} {
		_, err := parseStat([]byte(line))
		require.Error(t, err, line)
	}
}

// runs reports whether a process runs now: an id is given again.
func runs(s Seen) bool {
	stat, err := os.ReadFile(procFile(s.PID, "stat"))
	if err != nil {
		return false
	}
	p, err := parseStat(stat)
	return err == nil && p.start == s.Start
}

package gpulock_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// roleVar has the test binary play a part in another test instead of running
// tests: one of the functions in roles, with the arguments of the process.
const roleVar = "GPULOCK_TEST_ROLE"

// A role reads what the test tells it and says what it does, in lines.
type role func(args []string, in *bufio.Scanner, say func(format string, a ...any))

func roles() map[string]role {
	return map[string]role{
		"worker":     work,
		"holder":     holdOnCommand,
		"bareHolder": holdBareOnCommand,
		"scribe":     askAsScribe,
	}
}

func TestMain(m *testing.M) {
	if play := roles()[os.Getenv(roleVar)]; play != nil {
		play(os.Args[1:], bufio.NewScanner(os.Stdin), func(format string, a ...any) {
			fmt.Printf(format+"\n", a...) // one write a line
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A player is a process of the test binary that plays a role. It is killed when
// the test ends.
type player struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	says *bufio.Scanner
}

func start(tb testing.TB, name string, args ...string) *player {
	tb.Helper()
	exe, err := os.Executable()
	require.NoError(tb, err)
	p := &player{cmd: exec.Command(exe, args...)}
	p.cmd.Env = append(os.Environ(), roleVar+"="+name)
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	require.NoError(tb, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(tb, err)
	p.says = bufio.NewScanner(out)
	require.NoError(tb, p.cmd.Start())
	tb.Cleanup(func() {
		p.kill()
		_ = p.cmd.Wait() // it was killed, and says so
	})
	return p
}

func (p *player) tell(line string) { _, _ = io.WriteString(p.in, line+"\n") }

// hear returns the next line that p says, "" when it is dead.
func (p *player) hear() string {
	p.says.Scan()
	return p.says.Text()
}

func (p *player) kill() { _ = p.cmd.Process.Kill() }

package shell_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

// lines makes random lines, in which each run of go and git has a number of its own.
type lines struct {
	*rand.Rand
	next int
}

func (g *lines) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *lines) line(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		g.next++
		if g.IntN(2) == 0 {
			return fmt.Sprintf("%s %d", g.pick("go test", "git commit"), g.next)
		}
		return g.pick("true", "false", "set -e", "set -e", "set -o pipefail", "set -eo pipefail", "set +e", "set +o pipefail", "exit 0", "exit 1", "exec true", "return 0", "cd .", "trap 'exit 0' EXIT")
	}
	a, b := g.line(depth-1), g.line(depth-1)
	switch g.IntN(20) {
	case 18:
		return a + " || " + g.pick("exit 1", "{ echo x; exit 1; }", "(echo x; exit 1)", "{ exit 0; exit 1; }", "exit 0")
	case 19:
		return "if ! " + a + "; then " + g.pick("echo x; exit 1", "exit 1", b) + "\nfi"
	case 0, 1, 2, 3, 4:
		return a + "\n" + b
	case 5, 6, 14, 15, 16, 17:
		return a + " && " + b
	case 7:
		return a + " || " + b
	case 8:
		return "{ " + a + "\n} | cat"
	case 9:
		return "( " + a + " )"
	case 10:
		return "{ " + a + "\n}"
	case 11:
		return "if " + a + "; then " + b + "\nfi"
	case 12:
		return g.pick("for f in a b; do ", "while true; do break; ", "! { ", "f() { ") + a + g.pick("\n}", "\ndone")
	default:
		if strings.ContainsAny(a, `"'`) {
			return a
		}
		return g.pick(`bash -c "`, `bash -ec "`, `eval "`, `bash -o pipefail -c "`) + a + `"`
	}
}

// TestProofsInBash runs random lines in a real shell, with runs that fail or not, and holds
// what Proves and Guards say of them against what happened.
func TestProofsInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash here that runs scripts by their name")
	}
	dir := t.TempDir()
	stub := "#!" + bash + "\nread -r bad <bad\nstatus=0\ncase \"$bad\" in *\" $2 \"*) status=1 ;; esac\necho \"$2 $status\" >>log\nexit $status\n"
	for _, name := range []string{"go", "git"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(stub), 0o755))
	}
	g := &lines{Rand: rand.New(rand.NewPCG(1, 2))}
	proved, guarded := 0, 0
	for range 500 {
		g.next = 0
		line := g.line(5)
		parsed := shell.Parse(line, nil)
		bad := " "
		for n := range g.next {
			if g.IntN(5) == 0 {
				bad += fmt.Sprint(n+1) + " "
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bad"), []byte(bad+"\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
		cmd := exec.Command(bash, "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
		cmd.Stdout, cmd.WaitDelay = new(bytes.Buffer), 10*time.Second // it ends with the last one that may write
		err := cmd.Run()
		var failed *exec.ExitError
		require.True(t, err == nil || errors.As(err, &failed), "%v", err)
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		for i, c := range parsed.Commands {
			if c.Program != "go" && c.Program != "git" {
				continue
			}
			if parsed.Proves(i) && err == nil {
				proved++
				require.Equal(t, "0", lastStatus(log, c.Operands), "it proves %s, failing%s:\n%s\nlog: %s", c.Text, bad, line, log)
			}
			ran := bytes.LastIndex(append([]byte("\n"), log...), []byte("\n"+last(c.Operands)+" "))
			for _, k := range parsed.Guards(i) {
				if p := parsed.Commands[k].Program; ran >= 0 && (p == "go" || p == "git") {
					guarded++
					require.Equal(t, "0", lastStatus(log[:ran], parsed.Commands[k].Operands), "%s guards %s, failing%s:\n%s\nlog: %s", parsed.Commands[k].Text, c.Text, bad, line, log)
				}
			}
		}
	}
	require.Greater(t, proved, 20)
	require.Greater(t, guarded, 10)
}

func last(words []string) string { return words[len(words)-1] }

// lastStatus is the status of the last run with a number, "" if there was none.
func lastStatus(log []byte, operands []string) (status string) {
	for l := range strings.Lines(string(log)) {
		if n, s, _ := strings.Cut(strings.TrimSpace(l), " "); n == last(operands) {
			status = s
		}
	}
	return status
}

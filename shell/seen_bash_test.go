package shell_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/shell"
)

// run is a call of rm with a number of its own, written in one of many ways.
func (g *lines) run() string {
	g.next++
	n := g.next
	return fmt.Sprintf(g.pick(
		"rm %d", "rm %d", "rm %d", "command rm %d", "env A=b rm %d", "exec rm %d", "nohup rm %d", "r''m %d", "\\rm %d", "$'rm' %d", "$'\\x72m' %d", "{rm,%d}",
		"c=rm; $c %d", "c=m; r$c %d", "c=(rm %d); \"${c[@]}\"", "c='rm %d'; $c", "c='rm %d'; eval \"$c\"", "${u:-rm} %d", "r${u}m %d", "r$@m %d",
		"echo %d | xargs rm", "xargs rm <<< %d", "xargs -I{} rm {} <<< %d", "echo 'rm %d' | sh", "printf 'rm %%s' %d | bash", "sh <<< 'rm %d'", "cat <<E | sh\nrm %d\nE\n", "sh <<'E'\nrm %d\nE\n", ". /dev/stdin <<< 'rm %d'", "eval 'rm %d'", "bash -c 'rm %d'", "bash -c 'rm $1' x %d", "bash -c '\"$@\"' x rm %d",
		"x=$(rm %d)", "echo \"$(rm %d)\"", "echo `rm %d`", "cat <(rm %d)", "a=(1 $(rm %d))", "echo ${u:-$(rm %d)}", "echo $((1 + $(rm %d; echo 1)))", "[[ $(rm %d) ]]", ": > >(rm %d)", "export E=$(rm %d)",
		"for i in %d; do rm $i; done", "while read i; do rm $i; done <<< %d", "echo %d | while read i; do rm $i; done", "set -- %d; rm \"$1\"", "f() { rm \"$1\"; }; f %d", "f() { \"$@\"; }; f rm %d", "f() { rm %d; }; export -f f; bash -c f", "trap 'rm %d' EXIT", "find . -maxdepth 0 -exec rm %d \\;", "coproc rm %d", "timeout 9 rm %d", "time rm %d", "! rm %d", "case a in a) rm %d ;; esac", "if :; then rm %d; fi", "until rm %d; do :; done", "printf -v c 'rm %d'; $c", "read -r c <<< 'rm %d'; $c", "mapfile -t c <<< 'rm %d'; ${c[0]}", "declare c='rm %d'; $c", "for ((i=0;i<1;i++)); do rm %d; done", "IFS=,; c=rm,%d; $c", "c=xrm; ${c#x} %d", "c=RM; ${c,,} %d", "shopt -s expand_aliases; eval 'alias d=rm'; eval 'd %d'", "n=rm; declare -n c=n; $c %d", "let x=1 && rm %d", "(( 1 )) && rm %d", "true & rm %d", "a=%d; rm ${a}", "source <(echo rm %d)", "awk 'BEGIN { system(\"rm %d\") }'",
	), n)
}

func (g *lines) around(depth int) string {
	if depth == 0 || g.IntN(3) == 0 {
		return g.run()
	}
	a, b := g.around(depth-1), g.around(depth-1)
	return strings.NewReplacer("A", a, "B", b).Replace(g.pick(
		"A\nB", "A\nB", "A && B", "A || B", "A | B", "A & B", "{ A\n}", "( A\n)", "if A\nthen B\nfi", "while A\ndo B\nbreak\ndone", "f1() { A\n}\nf1", "f2() { A\n} && B", "f3() ( A\n) | B", "f4() { A\n}; B\nf4", "case x in y) A\n;; *) B\n;; esac", "for v in 1 2; do A\ndone", "x=$(A\n)\nB", "{ A\n} > /dev/null 2>&1", "A\nexit 0\nB", "! { A\n}", "{ A\n} &", "time { A\n}", "set -e\nA\nB",
	))
}

// TestSeenInBash runs random lines in a real shell, and holds that each run of rm in it is
// one that Parse has seen.
func TestSeenInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash here that runs scripts by their name")
	}
	dir := t.TempDir()
	stub := "#!" + bash + "\nfor n; do echo \"$n\" >>log; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rm"), []byte(stub), 0o755))
	g := &lines{Rand: rand.New(rand.NewPCG(3, 4))}
	seen := 0
	for range 300 {
		g.next = 0
		line := g.around(3)
		cmd := exec.Command(bash, "-c", line)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
		cmd.Stdout, cmd.WaitDelay = new(bytes.Buffer), 10*time.Second // it ends with the last one that may write
		_ = cmd.Run()                                                 // its status does not matter
		log, _ := os.ReadFile(filepath.Join(cmd.Dir, "log"))
		parsed := shell.Parse(line, nil)
		for n := range strings.FieldsSeq(string(log)) {
			seen++
			require.True(t, slices.ContainsFunc(parsed.Commands, func(c shell.Command) bool {
				return c.Program == "rm" && (slices.Contains(c.Operands, n) || !c.Certain)
			}), "rm %s ran and was not seen:\n%s\nunparsed: %s", n, line, parsed.Unparsed)
		}
	}
	require.Greater(t, seen, 100)
}

package scripttest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// The command ttyin of testscript closes its terminal when the program ends. On a busy machine it then loses
// what it has not read, and ttyout sees nothing. The commands here read a terminal to its end.

// typed has the files that Types was given last, by scripts.
var typed sync.Map

// Types has the next program that Exits runs find a file typed at its terminal, which is its standard
// input. Screen looks at what the terminal shows.
//
//	types FILE
func Types(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: types FILE")
	}
	typed.Store(ts, ts.MkAbs(args[0]))
}

// Screen wants the terminal of the last program behind Types to have shown a pattern, or not:
//
//	[!] screen PATTERN
func Screen(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: screen PATTERN")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	if shown := ts.ReadFile(screen(ts)); pattern.MatchString(shown) == neg {
		ts.Fatalf("the terminal showed %q", shown)
	}
}

func screen(ts *testscript.TestScript) string { return filepath.Join(ts.Getenv("TMPDIR"), "screen") }

// atTerminal are the words with which a program is run that Types is for; the words themselves for others.
func atTerminal(ts *testscript.TestScript, words []string) []string {
	file, ok := typed.LoadAndDelete(ts)
	if !ok {
		return words
	}
	return append([]string{"at-terminal", file.(string), screen(ts)}, words...)
}

// AtTerminal is the program at-terminal, which has to be among those of testscript.Main. It runs a program at
// a terminal of its own:
//
//	at-terminal TYPED SHOWN PROGRAM [ARG…]
func AtTerminal() int {
	shown, err := runAtTerminal(os.Args[1], exec.Command(os.Args[3], os.Args[4:]...))
	err = errors.Join(err, os.WriteFile(os.Args[2], []byte(shown), 0o600))
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "at-terminal:", err)
		return 125
	}
	return 0
}

func runAtTerminal(file string, cmd *exec.Cmd) (shown string, err error) {
	keys, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	person, err := pty.Start(cmd)
	if err != nil {
		return "", err
	}
	defer person.Close()
	go person.Write(append(keys, endOfInput))
	var b strings.Builder
	io.Copy(&b, person) // to the end, which Linux tells as an error
	return b.String(), cmd.Wait()
}

// endOfInput is what a terminal takes for the end of what is typed: Ctrl-D.
const endOfInput = 4

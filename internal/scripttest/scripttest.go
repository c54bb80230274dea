// Package scripttest holds commands that the test scripts of several commands use.
package scripttest

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// Exits runs a program and wants exactly this exit status:
//
//	exits STATUS PROGRAM [ARG…]
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(ts.Exec(args[1], args[2:]...), &exit) {
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// Package scripttest holds commands that the test scripts of several commands use.
package scripttest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Select says which scripts of a folder run: all, or with -short, as under the race detector,
// those that the patterns name, of commands that do several things at once. Others would only take
// long. It returns what testscript.Params take.
func Select(dir string, concurrent ...string) (all string, some []string, err error) {
	if !testing.Short() {
		return dir, nil, nil
	}
	for _, pattern := range concurrent {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			return "", nil, fmt.Errorf("no script has a name like %s: %w", pattern, errors.Join(err, fs.ErrNotExist))
		}
		some = append(some, files...)
	}
	return "", some, nil
}

// Condition knows "wine": the script runs below it, for Windows.
func Condition(name string) (bool, error) {
	if name != "wine" {
		return false, fmt.Errorf("no condition %q", name)
	}
	return os.Getenv("SENTINEL_WINE") != "", nil
}

// Exits runs a program and wants exactly this exit status:
//
//	exits STATUS PROGRAM [ARG…]
func Exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := status(ts, atTerminal(ts, args[1:])); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// status runs a program. The script ends if it could not be started, or its output was
// lost. Wine sometimes fails to start a program, with "Internal error": it is tried again.
func status(ts *testscript.TestScript, args []string) int {
	err := ts.Exec(args[0], args[1:]...)
	if start := (*fs.PathError)(nil); errors.As(err, &start) && start.Op == "fork/exec" && os.Getenv("SENTINEL_WINE") != "" {
		err = ts.Exec(args[0], args[1:]...)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// Without returns a PATH without the folders that hold one of these programs, whatever the
// machine has. Folders with a shell stay: scripts need what is in there.
func Without(path string, programs []string) string {
	holds := func(dir, name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !holds(dir, "sh") && slices.ContainsFunc(programs, func(name string) bool {
			return holds(dir, name) || holds(dir, name+".exe") || holds(dir, name+".cmd")
		})
	})
	return strings.Join(dirs, string(os.PathListSeparator))
}

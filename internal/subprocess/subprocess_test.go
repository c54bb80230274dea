package subprocess_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/programtest"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// role is the variable that makes this test binary another program.
const role = "SUBPROCESS_TEST_ROLE"

func TestMain(m *testing.M) {
	if play(os.Getenv(role), os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}

// play is what the program does; false if this is the test itself.
func play(name string, args []string) bool {
	switch name {
	case "":
		return false
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
	case "silent":
	case "run": // runs one that hangs, as a hook runs a judge
		subprocess.Run(context.Background(), program("hang", args...))
	case "fail":
		fmt.Print("some")
		fmt.Fprint(os.Stderr, "what went wrong")
		os.Exit(3)
	case "args":
		dir, _ := os.Getwd()
		fmt.Printf("%q %q %q", args, filepath.Base(dir), os.Getenv("EXTRA"))
	case "flood":
		line := bytes.Repeat([]byte("a"), 4096)
		for {
			if _, err := os.Stdout.Write(line); err != nil {
				os.Exit(1)
			}
		}
	case "flood-errors":
		for range 1000 {
			os.Stderr.Write(bytes.Repeat([]byte("e"), 4096))
		}
		fmt.Print("done")
	case "hang": // connects to the test, so that it sees the end
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		hangOn(args[0])
	case "parent", "leaver": // leaves a child that hangs and holds the output
		child := exec.Command(os.Args[0], args...)
		child.Env = append(os.Environ(), role+"=hang")
		child.Stdout = os.Stdout
		ready, err := child.StderrPipe()
		if err != nil {
			panic(err)
		}
		if err := child.Start(); err != nil {
			panic(err)
		}
		if name == "parent" {
			child.Wait()
		}
		io.ReadFull(ready, make([]byte, 1)) // so that the child is there before its parent goes
		fmt.Print("left")
	}
	return true
}

func hangOn(address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	conn.Write([]byte("x"))
	os.Stderr.Write([]byte("x"))
	io.Copy(io.Discard, conn) // the test never writes
}

func program(name string, args ...string) subprocess.Program {
	return subprocess.Program{
		Argv: append([]string{os.Args[0]}, args...),
		Env:  append(os.Environ(), "GORACE=atexit_sleep_ms=0", role+"="+name),
	}
}

// watch is a listener that shows when a process that hangs is there, and to
// have ended.
type watch struct {
	t *testing.T
	l net.Listener
	c net.Conn
}

func newWatch(t *testing.T) *watch {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return &watch{t: t, l: l}
}

func (w *watch) address() string { return w.l.Addr().String() }

// there returns when the process is.
func (w *watch) there() {
	conn, err := w.l.Accept()
	if err == nil {
		_, err = io.ReadFull(conn, make([]byte, 1))
	}
	require.NoError(w.t, err)
	w.c = conn
}

// gone returns when the process has ended: nothing else closes the connection.
func (w *watch) gone() {
	w.c.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err := w.c.Read(make([]byte, 1))
	require.Error(w.t, err)
	require.NotErrorIs(w.t, err, os.ErrDeadlineExceeded, "it still runs")
}

func TestOutput(t *testing.T) {
	t.Parallel()
	big := bytes.Repeat([]byte("0123456789"), 100_000)
	cat := program("cat")
	cat.Stdin = big
	out, err := subprocess.Run(t.Context(), cat)
	require.NoError(t, err)
	require.Equal(t, big, out.Stdout)
	require.Zero(t, out.Exit)

	out, err = subprocess.Run(t.Context(), program("fail"))
	require.NoError(t, err)
	require.Equal(t, subprocess.Output{Stdout: []byte("some"), Stderr: []byte("what went wrong"), Exit: 3}, out)

	deaf := program("silent")
	deaf.Stdin = big
	out, err = subprocess.Run(t.Context(), deaf)
	require.NoError(t, err)
	require.Empty(t, out.Stdout)
}

func TestArgumentsFolderEnvironment(t *testing.T) {
	t.Parallel()
	p := program("args", "a b", "", "$HOME", "`x`")
	p.Dir = filepath.Join(t.TempDir(), "here")
	require.NoError(t, os.Mkdir(p.Dir, 0o755))
	p.Env = append(p.Env, "EXTRA=yes")
	out, err := subprocess.Run(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, `["a b" "" "$HOME" "`+"`x`"+`"] "here" "yes"`, string(out.Stdout))
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	for _, argv := range [][]string{nil, {""}, {"no-such-program-anywhere"}, {"./no-such"}, {t.TempDir()}} {
		_, err := subprocess.Run(t.Context(), subprocess.Program{Argv: argv, Dir: t.TempDir()})
		require.ErrorIs(t, err, subprocess.ErrNotFound, "%q", argv)
		_, err = subprocess.LookPath(argv, t.TempDir())
		require.ErrorIs(t, err, subprocess.ErrNotFound, "%q", argv)
	}
}

func TestRelativePathStartsFromDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Base(os.Args[0])
	copyFile(t, os.Args[0], filepath.Join(dir, name))
	p := program("args")
	p.Argv[0], p.Dir = "./"+name, dir
	_, err := subprocess.Run(t.Context(), p)
	require.NoError(t, err)
}

// copyFile makes another name for a program, and where that cannot be a copy.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if os.Link(from, to) == nil {
		return
	}
	program, err := os.ReadFile(from)
	require.NoError(t, err)
	programtest.Write(t, to, string(program))
}

func TestFlood(t *testing.T) {
	t.Parallel()
	p := program("flood")
	p.MaxStdout = 10_000
	_, err := subprocess.Run(t.Context(), p)
	require.ErrorIs(t, err, subprocess.ErrFlood)
	require.ErrorContains(t, err, "10000 bytes")

	exact := program("cat")
	exact.Stdin, exact.MaxStdout = bytes.Repeat([]byte("a"), 1000), 1000
	out, err := subprocess.Run(t.Context(), exact)
	require.NoError(t, err)
	require.Len(t, out.Stdout, 1000)

	out, err = subprocess.Run(t.Context(), program("flood-errors"))
	require.NoError(t, err)
	require.Equal(t, "done", string(out.Stdout))
	require.Len(t, out.Stderr, subprocess.DefaultMaxStderr)
}

func TestContextHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := subprocess.Run(ctx, program("cat"))
	require.ErrorIs(t, err, context.Canceled)
}

// A program that ignores the polite signal ends all the same, and so does a
// child that holds the output open.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hang", "parent"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatch(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := subprocess.Run(ctx, program(name, w.address()))
				done <- err
			}()
			w.there()
			cancel()
			require.ErrorIs(t, <-done, context.Canceled)
			w.gone()
		})
	}
}

// The children of a program end with it, and the output is whole.
func TestChildrenLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWatch(t)
	done := make(chan subprocess.Output, 1)
	go func() {
		out, _ := subprocess.Run(t.Context(), program("leaver", w.address()))
		done <- out
	}()
	w.there()
	require.Equal(t, "left", string((<-done).Stdout))
	w.gone()
}

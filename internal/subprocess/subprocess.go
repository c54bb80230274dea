// Package subprocess runs a program to its end: input and output are bounded,
// and when the call is over everything that the program started has ended.
//
// A program and its children are one group. The group is ended by force when the
// context ends, when the output passes its bound, and also when the program
// itself has ended and left children running. On Unix that is a process group: a
// process that makes a session of its own (setsid) leaves it, and is not found.
// On Windows it is a job. On Linux the program ends too when this process is
// killed, because an agent that gives a hook up kills the hook's group, which is
// not the program's.
package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Ways in which a program gives no output. Compare with errors.Is.
var (
	// ErrNotFound: the program does not exist.
	ErrNotFound = errors.New("program not found")
	// ErrFlood: it wrote more than MaxStdout bytes.
	ErrFlood = errors.New("too much output")
)

// What holds where a Program says nothing, in bytes.
const (
	DefaultMaxStdout = 1 << 20
	DefaultMaxStderr = 16 << 10
)

// drain is how long output may still come after the program has ended and its
// group with it. Only a process that left the group can hold the pipe open then.
const drain = 500 * time.Millisecond

// Program says what to run. No shell sees it.
type Program struct {
	// Argv is the program and its arguments. A program without a slash is
	// looked for in PATH; a relative path starts from Dir.
	Argv []string
	Dir  string   // working directory; "" is that of this process
	Env  []string // NAME=value; nil is the environment of this process

	Stdin     []byte
	MaxStdout int // bytes; 0 means DefaultMaxStdout; more is ErrFlood
	MaxStderr int // bytes that are kept; 0 means DefaultMaxStderr; the rest is dropped
}

// Output is the output of a program. An Exit other than 0 is not an error of
// [Run]: only the caller knows what it means.
type Output struct {
	Stdout, Stderr []byte
	Exit           int // -1 when a signal ended it
	// Partial says that Stdout was not read to its end: a process that left the
	// group held it open, and may have written more.
	Partial bool
}

// Run starts the program and returns when it and its group have ended. When ctx
// ends first, the error wraps the context's; otherwise an error is ErrNotFound,
// ErrFlood, or what the system said when the program could not be started. The
// output until the context ended, or up to the bound, comes with the error.
func Run(ctx context.Context, p Program) (Output, error) {
	r, err := newRun(ctx, p)
	if err != nil {
		return Output{}, err
	}
	defer r.cancel(nil)
	out, err := r.run(p)
	switch {
	case ctx.Err() != nil:
		return out, fmt.Errorf("subprocess: %s was ended: %w", r.name(), ctx.Err())
	case errors.Is(context.Cause(r.own), ErrFlood):
		return out, fmt.Errorf("subprocess: %s wrote more than %d bytes: %w", r.name(), orElse(p.MaxStdout, DefaultMaxStdout), ErrFlood)
	case err != nil:
		return Output{}, fmt.Errorf("subprocess: %s: %w", r.name(), err)
	}
	return out, nil
}

// LookPath says where the program of argv is, as [Run] finds it from dir.
func LookPath(argv []string, dir string) (string, error) {
	return lookPath(Program{Argv: argv, Dir: dir})
}

func lookPath(p Program) (string, error) {
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		return "", fmt.Errorf("subprocess: no program is named: %w", ErrNotFound)
	}
	file := p.Argv[0]
	if strings.ContainsAny(file, `/`+string(filepath.Separator)) && !filepath.IsAbs(file) && p.Dir != "" {
		file = filepath.Join(p.Dir, file)
	}
	path, err := exec.LookPath(file)
	if err != nil {
		var e *exec.Error
		if errors.As(err, &e) {
			err = e.Err
		}
		return "", fmt.Errorf("subprocess: %q: %w: %w", p.Argv[0], ErrNotFound, err)
	}
	return path, nil
}

// run is one program at work.
type run struct {
	cmd    *exec.Cmd
	group  group
	own    context.Context // the program ends with it
	cancel context.CancelCauseFunc
}

// newRun finds the program. The caller calls cancel in the end.
func newRun(ctx context.Context, p Program) (*run, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("subprocess: %w", err)
	}
	path, err := lookPath(p)
	if err != nil {
		return nil, err
	}
	r := &run{}
	r.own, r.cancel = context.WithCancelCause(ctx)
	r.cmd = exec.CommandContext(r.own, path, p.Argv[1:]...)
	r.cmd.Args[0] = p.Argv[0]
	r.cmd.Dir, r.cmd.Env = p.Dir, p.Env
	return r, nil
}

// start starts the program with its group. It has to be called by the goroutine
// that holds its thread.
func (r *run) start() (*pipes, error) {
	pipes, err := r.pipes()
	if err != nil {
		return nil, err
	}
	r.group.prepare(r.cmd)
	r.cmd.Cancel = func() error { return r.group.end(r.cmd.Process) }
	if err := r.cmd.Start(); err != nil {
		pipes.close()
		return nil, err
	}
	if err := r.group.started(r.cmd.Process); err != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		pipes.close()
		return nil, err
	}
	pipes.closeTheirs()
	return pipes, nil
}

// name is the program as a person knows it.
func (r *run) name() string { return filepath.Base(r.cmd.Path) }

// run gives the program pipes of its own rather than those of os/exec, whose
// Wait would stay for as long as a child keeps one open.
func (r *run) run(p Program) (Output, error) {
	release := holdThread()
	defer release()
	pipes, err := r.start()
	if err != nil {
		return Output{}, err
	}
	defer pipes.close()

	go func() {
		_, _ = pipes.stdin.Write(p.Stdin) // a program that reads nothing is not our concern
		pipes.stdin.Close()
	}()
	stdout := collect(pipes.stdout, orElse(p.MaxStdout, DefaultMaxStdout), func() { r.cancel(ErrFlood) })
	stderr := collect(pipes.stderr, orElse(p.MaxStderr, DefaultMaxStderr), nil)
	err = r.cmd.Wait()
	_ = r.group.end(r.cmd.Process) // the children that it left; usually there are none
	clock := time.AfterFunc(drain, pipes.close)
	said := <-stdout
	out := Output{Stdout: said.data, Stderr: (<-stderr).data, Exit: r.cmd.ProcessState.ExitCode(), Partial: !said.whole}
	clock.Stop()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	return out, err
}

// pipes are this side's and the program's side of its three streams.
type pipes struct {
	stdin, stdout, stderr *os.File
	theirs                []*os.File
}

func (r *run) pipes() (p *pipes, err error) {
	p = &pipes{}
	open := func() (read, write *os.File) {
		if err != nil {
			return nil, nil
		}
		read, write, err = os.Pipe()
		return read, write
	}
	var in, out, errs *os.File
	in, p.stdin = open()
	p.stdout, out = open()
	p.stderr, errs = open()
	p.theirs = []*os.File{in, out, errs}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = in, out, errs
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// closeTheirs leaves the program alone with its ends, so that ours see its end.
func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
}

// close may be called more than once, and while others read and write.
func (p *pipes) close() {
	p.closeTheirs()
	for _, f := range []*os.File{p.stdin, p.stdout, p.stderr} {
		f.Close() // of nil it is an error, and harmless
	}
}

// collect reads r to its end and keeps at most limit bytes. The rest is
// reported once to flooded, if it is set, and read all the same, so that the
// program does not hang on a full pipe.
func collect(r io.Reader, limit int, flooded func()) <-chan collected {
	kept := make(chan collected, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, io.LimitReader(r, int64(limit)))
		beyond, _ := io.CopyN(io.Discard, r, 1)
		if beyond > 0 && flooded != nil {
			flooded()
		}
		_, err := io.Copy(io.Discard, r) // at the end of r it is nil
		kept <- collected{data: b.Bytes(), whole: err == nil}
	}()
	return kept
}

// collected is the output of a program, and whether its end was reached.
type collected struct {
	data  []byte
	whole bool
}

func orElse(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

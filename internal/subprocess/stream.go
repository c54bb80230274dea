package subprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Stream runs a program whose output is read while it runs, or that answers what
// it is asked. use gets its two streams; what use leaves unread is dropped, so
// that MaxStdout means nothing here, and Stdin neither. A program that use returned
// an error about is ended by force, and the error is that of use.
//
// Otherwise it is as [Run]: when Stream returns, the program and its group have
// ended, and so they have when use panics. When ctx ends, use sees the end of out.
func Stream(ctx context.Context, p Program, use func(in io.WriteCloser, out io.Reader) error) (Output, error) {
	r, err := newRun(ctx, p)
	if err != nil {
		return Output{}, err
	}
	defer r.cancel(nil)
	out, used, err := r.stream(ctx, p, use)
	switch {
	case ctx.Err() != nil:
		return Output{}, fmt.Errorf("subprocess: %s was ended: %w", r.name(), ctx.Err())
	case used != nil:
		return Output{}, used
	case err != nil:
		return Output{}, fmt.Errorf("subprocess: %s: %w", r.name(), err)
	}
	return out, nil
}

// stream returns the result of use and that of the program.
func (r *run) stream(ctx context.Context, p Program, use func(in io.WriteCloser, out io.Reader) error) (out Output, used, err error) {
	release := holdThread()
	defer release()
	pipes, err := r.start()
	if err != nil {
		return Output{}, nil, err
	}
	defer pipes.close()

	stderr := collect(pipes.stderr, orElse(p.MaxStderr, DefaultMaxStderr), nil)
	ended := make(chan error, 1)
	go func() {
		err := r.cmd.Wait()
		_ = r.group.end(r.cmd.Process)
		time.AfterFunc(drain, func() { pipes.stderr.Close() })
		ended <- err
	}()
	// A process that left the group may hold the output open for ever.
	stop := context.AfterFunc(ctx, func() { pipes.stdout.Close() })
	defer stop()
	finished := false
	defer func() { // when use panics
		if !finished {
			r.cancel(nil)
			<-ended
		}
	}()
	used = use(pipes.stdin, pipes.stdout)
	finished = true
	pipes.stdin.Close()
	if used != nil {
		r.cancel(used)
	}
	go func() { _, _ = io.Copy(io.Discard, pipes.stdout) }()
	err = <-ended
	out = Output{Stderr: (<-stderr).data, Exit: r.cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = nil
	}
	return out, used, err
}

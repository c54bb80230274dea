package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// OutFile opens a file that a run writes at its end, before the work: a measurement
// that cannot be kept should fail at once. Its content stays until [Fill]. It is nil for
// "" and for -, which is standard output.
func (e *Env) OutFile(path string) (*os.File, error) {
	if path == "" || path == "-" {
		return nil, nil
	}
	return os.OpenFile(e.Abs(path), os.O_WRONLY|os.O_CREATE, 0o644)
}

// Fill replaces what a file of [Env.OutFile] holds, and closes it.
func Fill(file *os.File, write func(io.Writer) error) error {
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		if err := file.Truncate(0); err != nil {
			return err
		}
	}
	return errors.Join(write(file), file.Close())
}

// UntilStopped runs work whose context ends when the user stops the program: what is
// known by then is kept.
func UntilStopped(cmd *cobra.Command, work func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return work(ctx)
}

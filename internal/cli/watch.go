package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/project"
)

// watchCommand is the command that shows what watch shows. It is one of its own,
// so that no hook pays for a terminal interface.
const watchCommand = "sentinel-watch"

func newWatch(env *Env) *cobra.Command {
	var f statsFlags
	var lines int
	var once bool
	cmd := &cobra.Command{
		Use: "watch", Short: "Show decisions as they are made",
		Long: `Follows the log of this project: a list of decisions and the details of the chosen
one, with a filter and a pause. Where there is no terminal it prints a line for each
decision. It is shown by the command sentinel-watch, from beside this one or the PATH.

Exit status: 0 ended by the person; 1 an error, or there is no log.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			logs, err := f.choose(env, project.Open([]string{env.Dir}, env.project()))
			if err != nil {
				return err
			}
			args := []string{"--lines", strconv.Itoa(lines)}
			if once {
				args = append(args, "--no-follow")
			}
			return companion(env, watchCommand, append(append(args, "--"), logs...))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.logs, "log", nil, "follow this `FILE` instead of the logs of this project")
	flags.BoolVar(&f.user, "user", false, "follow the log of your own folder, not of this project")
	flags.IntVar(&lines, "lines", 10, "without a terminal: how many decisions of the past to print")
	flags.BoolVar(&once, "no-follow", false, "print those, and end")
	cmd.MarkFlagsMutuallyExclusive("log", "user")
	return cmd
}

// companion runs a command that belongs to this one, from beside it or the PATH.
func companion(env *Env, name string, args []string) error {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	path := ""
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if beside := filepath.Join(filepath.Dir(self), file); isFile(beside) {
			path = beside
		}
	}
	if path == "" {
		found, err := exec.LookPath(name)
		if err != nil {
			return fmt.Errorf("the command %s is neither beside this one nor in the PATH; `go install github.com/agentsentinel/sentinel/cmd/%s@latest` installs it", name, name)
		}
		path = found
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Dir, env.Stdin, env.Stdout, env.Stderr
	err := runRelaying(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return errStatus(exit.ExitCode())
	}
	return err
}

// runRelaying runs a command, and leaves it to the command what a signal to end
// means: it may have something to clean up, and this process waits for it.
func runRelaying(cmd *exec.Cmd) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case s := <-signals:
				_ = cmd.Process.Signal(s) // it may have ended
			case <-ended:
				return
			}
		}
	}()
	return cmd.Wait()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

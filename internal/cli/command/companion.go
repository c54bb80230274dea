package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/agentsentinel/sentinel/internal/exit"
)

// Companion runs a command that belongs to this one, from its folder or the PATH.
func Companion(env *Env, name string, args []string) error {
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
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Dir, env.Stdin, env.out(), env.Stderr
	err := runRelaying(cmd)
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() > 0 {
		return exit.Status(failed.ExitCode())
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

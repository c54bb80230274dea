// Package agentcli runs the command line of a coding agent as a judge: in an
// empty folder outside of all projects, without the variables of the agent that is at
// work, and with a token that keeps a hook of Sentinel's own from judging the judge.
package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/recursion"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/subprocess"
)

// DefaultTimeout ends a call whose context has no deadline.
const DefaultTimeout = 2 * time.Minute

// CLI is the command line of one agent.
type CLI struct {
	Path     string            // program; looked for in PATH when it has no slash
	Install  string            // what to do when it is not there
	StateDir string            // the user's state folder; "" leaves no token, and takes a folder for each call
	Folder   string            // name of the neutral folder below StateDir/judge
	Dir      string            // working directory in place of the neutral one
	Files    map[string]string // what the neutral folder holds, by path with slashes
	Env      []string          // environment to start from; nil is that of this process
	Drop     func(name string) bool
}

// Run runs the program with args, set added to its environment and stdin as its
// input. It ends by force when ctx does, and after DefaultTimeout when ctx has no
// deadline. Errors wrap [sentinel.ErrUnavailable], or [sentinel.ErrMalformed] when
// the output passes its bound.
func (c *CLI) Run(ctx context.Context, args, set []string, stdin string) (subprocess.Output, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, DefaultTimeout)
		defer cancel()
	}
	dir, done, err := c.dir()
	if err != nil {
		return subprocess.Output{}, fmt.Errorf("%w: there is no empty folder to run %s in: %w", sentinel.ErrUnavailable, c.Path, err)
	}
	defer done()
	env, leave, err := WithToken(c.StateDir, c.Environ())
	if err != nil {
		return subprocess.Output{}, err
	}
	defer leave()
	out, err := subprocess.Run(ctx, subprocess.Program{
		Argv: append([]string{c.Path}, args...), Dir: dir, Env: append(env, set...), Stdin: []byte(stdin),
	})
	return out, c.explain(err)
}

// WithToken adds to an environment the token that keeps a hook of Sentinel's own from
// judging the judge; leave takes the token back. A state folder "" adds none.
func WithToken(stateDir string, env []string) (with []string, leave func(), err error) {
	if stateDir == "" {
		return env, func() {}, nil
	}
	token, leave, err := recursion.Enter(stateDir)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
	}
	if env == nil {
		env = (&exec.Cmd{}).Environ()
	}
	return append(slices.Clip(env), token), leave, nil
}

func (c *CLI) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, subprocess.ErrNotFound):
		return fmt.Errorf("%w: %s is not installed: %s (%w)", sentinel.ErrUnavailable, c.Path, c.Install, err)
	case errors.Is(err, subprocess.ErrFlood):
		return fmt.Errorf("%w: %w", sentinel.ErrMalformed, err)
	}
	return fmt.Errorf("%w: %w", sentinel.ErrUnavailable, err)
}

// Environ is the environment to start from, without dropped variables and
// without those that load code into the program.
func (c *CLI) Environ() []string {
	env := c.Env
	if env == nil {
		env = (&exec.Cmd{}).Environ()
	}
	kept := make([]string, 0, len(env)+8)
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if name != recursion.Variable && !loadsCode(name) && !c.Drop(name) {
			kept = append(kept, variable)
		}
	}
	return kept
}

func loadsCode(name string) bool {
	switch name {
	case "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "BUN_OPTIONS", "BUN_INSPECT", "BASH_ENV", "ENV":
		return true
	}
	return false
}

// dir is the folder to run in. done removes it if it is for this call alone.
func (c *CLI) dir() (dir string, done func(), err error) {
	done = func() {}
	switch {
	case c.Dir != "":
		return c.Dir, done, nil
	case c.StateDir != "":
		dir = filepath.Join(c.StateDir, "judge", c.Folder)
		err = os.MkdirAll(dir, 0o700)
	default:
		dir, err = os.MkdirTemp("", "sentinel-judge-")
		done = func() { os.RemoveAll(dir) }
	}
	for name, content := range c.Files {
		if err == nil {
			err = keep(filepath.Join(dir, filepath.FromSlash(name)), content)
		}
	}
	if err != nil {
		done()
	}
	return dir, done, err
}

// keep writes a file that is missing or has another content.
func keep(path, content string) error {
	have, err := state.Read(path)
	if err == nil && string(have) == content {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return state.Write(path, []byte(content))
}

// Look says whether the program is there.
func (c *CLI) Look() error {
	_, err := subprocess.LookPath([]string{c.Path}, c.Dir)
	return c.explain(err)
}

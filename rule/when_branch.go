package rule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/shell"
)

var (
	errNoFolder = errors.New("rule: `when` asks for the branch, and where the command runs is not known")
	errNoBranch = errors.New("rule: `when` asks for the branch, and which one the line switches to is not known")
)

// newBranch are options of git checkout and git switch whose value is a branch that they make.
var newBranch = []string{"-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"}

// branchOf is the function branch of expressions: the branch that a command of an action finds
// checked out, "" for none. A command in front of it in the line may have switched to it.
func branchOf(a *sentinel.Action) func(*whenCommand) (string, error) {
	return func(cmd *whenCommand) (string, error) {
		if cmd == nil || cmd.source == nil || a.Trigger != sentinel.Bash {
			return "", nil
		}
		dir := filepath.FromSlash(atHome(absolute(a, cmd.Dir)))
		if cmd.DirUnknown || strings.HasPrefix(dir, "~") {
			return "", errNoFolder
		}
		name, err := gitindex.Branch(dir)
		if err != nil {
			return "", fmt.Errorf("rule: `when` asks for the branch: %w", err)
		}
		all := parsed(a).Commands
		for i := range all {
			c := &all[i]
			if c == cmd.source {
				break
			}
			if to, ok, err := switchedTo(c, dir); err != nil && c.Dir == cmd.Dir {
				return "", err
			} else if ok && c.Dir == cmd.Dir {
				name = to
			}
		}
		return name, nil
	}
}

// switchedTo is the branch that a command switches to; ok is false for a command that switches
// to none.
func switchedTo(c *shell.Command, dir string) (name string, ok bool, err error) {
	if c.Program != "git" || c.Subcommand != "checkout" && c.Subcommand != "switch" || c.Inert || slices.Contains(c.Args, "--") {
		return "", false, nil
	}
	for _, option := range newBranch {
		if name, ok := c.Value(option); ok {
			return name, true, known(name)
		}
	}
	operands := slices.DeleteFunc(slices.Clone(c.Operands), func(o string) bool { return o == c.Subcommand })
	switch {
	case c.HasFlag("--detach", "-d"):
		return "", true, nil
	case len(operands) != 1:
		return "", false, nil
	}
	name = operands[0]
	if _, statErr := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); statErr == nil && c.Subcommand == "checkout" {
		return "", false, nil // a file
	}
	if c.HasFlag("-t", "--track") {
		_, name, _ = strings.Cut(name, "/")
	}
	return name, true, known(name)
}

// known reports an error for a name that the line does not tell.
func known(name string) error {
	if name == "-" || strings.ContainsAny(name, "$`@") {
		return errNoBranch
	}
	return nil
}

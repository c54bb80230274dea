// Package auditcli is the sentinel-audit command: flags, streams, exit statuses.
// Package trial and the packages of its stages do the work. It is a command of its
// own so that a hook does not link readers of documents and syntax trees.
//
// Exit statuses: 0 means done; 1 an error, or that a probe failed, or that a gate
// could not be decided; 2 that the gate was not passed.
package auditcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/audit/document"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

// pdfCommand is the hidden command that reads one PDF, in a process that a hostile
// document may bring down.
const pdfCommand = "__pdf"

// Run runs the command and returns its exit status. An interrupt or SIGTERM stops
// the audit with status 1: temporary folders are removed, and the run folder keeps
// the evidence and opinions up to then.
func Run(env *command.Env) int {
	env.Colours()
	if len(env.Args) == 1 && env.Args[0] == pdfCommand {
		return document.ChildMain(env.Stdin, env.Stdout)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return RunContext(ctx, env)
}

// RunContext is Run for a caller with a context of its own.
func RunContext(ctx context.Context, env *command.Env) int {
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	var status exit.Status
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &status):
		return int(status)
	}
	complain(env, err.Error())
	return exit.Error
}

// complain prints a message, which may have hostile text; its lines stay lines.
func complain(env *command.Env, said string) {
	for line := range strings.SplitSeq(said, "\n") {
		fmt.Fprintln(env.Stderr, "sentinel-audit: "+text.OneLine(line))
	}
}

// Root is the command with all that is below it, for what describes it.
func Root(env *command.Env) *cobra.Command { return newRoot(env) }

func newRoot(env *command.Env) *cobra.Command {
	root := newAudit(env)
	root.Use = "sentinel-audit [REPO]"
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newCompare(env), newRubric(env))
	command.ExplainMistakes(root, command.Version(), env.Args)
	return root
}

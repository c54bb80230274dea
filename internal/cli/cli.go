// Package cli is the sentinel command: the table of its commands, and which of
// them answers a run. Each command has a folder of its own with its flags and what
// it prints; [command] has what they share. The work is done by other packages.
//
// Exit statuses: 0 is done or allowed; 1 an error of sentinel itself or of its
// call; 2 a block, or that the user must be asked.
package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/background"
	"github.com/agentsentinel/sentinel/internal/cli/accept"
	"github.com/agentsentinel/sentinel/internal/cli/allow"
	"github.com/agentsentinel/sentinel/internal/cli/audit"
	"github.com/agentsentinel/sentinel/internal/cli/bench"
	"github.com/agentsentinel/sentinel/internal/cli/check"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/config"
	"github.com/agentsentinel/sentinel/internal/cli/coverage"
	"github.com/agentsentinel/sentinel/internal/cli/doctor"
	"github.com/agentsentinel/sentinel/internal/cli/drafts"
	"github.com/agentsentinel/sentinel/internal/cli/explain"
	"github.com/agentsentinel/sentinel/internal/cli/initcmd"
	"github.com/agentsentinel/sentinel/internal/cli/learn"
	"github.com/agentsentinel/sentinel/internal/cli/packs"
	"github.com/agentsentinel/sentinel/internal/cli/pause"
	"github.com/agentsentinel/sentinel/internal/cli/replay"
	"github.com/agentsentinel/sentinel/internal/cli/rules"
	"github.com/agentsentinel/sentinel/internal/cli/stats"
	"github.com/agentsentinel/sentinel/internal/cli/test"
	"github.com/agentsentinel/sentinel/internal/cli/trust"
	"github.com/agentsentinel/sentinel/internal/cli/uninstall"
	"github.com/agentsentinel/sentinel/internal/cli/upgrade"
	"github.com/agentsentinel/sentinel/internal/cli/verify"
	"github.com/agentsentinel/sentinel/internal/cli/version"
	"github.com/agentsentinel/sentinel/internal/cli/watch"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/hook"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A group is commands that the help lists together, in no order: the help sorts them.
type group struct {
	id, title string
	commands  []func(*command.Env) *cobra.Command
}

// groups are all commands but the hook.
func groups() []group {
	type list = []func(*command.Env) *cobra.Command
	return []group{
		{"set-up", "Set up:", list{initcmd.New, doctor.New, config.New, packs.New, trust.New, trust.NewUntrust, uninstall.New, upgrade.New}},
		{"rules", "Rules:", list{rules.New, check.New, explain.New, test.New, replay.New, bench.New, learn.New, drafts.New, drafts.NewPromote, drafts.NewDismiss}},
		{"watch", "Watch:", list{stats.New, coverage.New, verify.New, watch.New}},
		{"people", "For a person alone:", list{accept.New, allow.New, pause.New}},
		{other, "Other:", list{audit.New, version.New}},
	}
}

// other is the group of commands that belong to none.
const other = "other"

// Run runs the command and returns its exit status. An agent starts the hook for
// every tool call, so the hook does not pay for the other commands.
func Run(env *command.Env) int {
	if len(env.Args) > 0 && env.Args[0] == "hook" {
		return runHook(env, env.Args[1:])
	}
	if len(env.Args) == 1 && env.Args[0] == background.Command {
		return runBackground(env)
	}
	return runCommand(env)
}

// runCommand runs every command but the hook.
func runCommand(env *command.Env) int {
	env.Colours()
	env, failed := env.Checked()
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.Execute()
	var status exit.Status
	switch isStatus := errors.As(err, &status); {
	case failed() != nil && (err == nil || isStatus):
		err = failed()
	case isStatus:
		return int(status)
	case err == nil:
		return exit.OK
	}
	fmt.Fprintln(env.Stderr, env.Program()+": "+env.Called(withoutPackages(err.Error())))
	return exit.Error
}

// withoutPackages is an error for the user, who need not know which package it is from.
func withoutPackages(message string) string {
	packages := []string{"sentinel", "project", "scribe", "replay", "change", "packs", "init", "explain", "install", "transcript", "gate", "state", "trigger"}
	for {
		name, rest, found := strings.Cut(message, ": ")
		if !found || !slices.Contains(packages, name) {
			return message
		}
		message = rest
	}
}

// Root is the command with all that is below it. It is for what describes them: manual
// pages and completions.
func Root(env *command.Env) *cobra.Command { return newRoot(env) }

func newRoot(env *command.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   env.Program(),
		Short: "Guards coding agents by plain-language rules",
		Long: `Sentinel checks each tool call of a coding agent against the rules that a
repository keeps in .claude/sentinel/rules, and blocks, asks, warns or adds
context. It says nothing when all is well.

Begin with "sentinel init" in a repository; try a rule with "sentinel check".`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(&cobra.Command{ // for the help: Run dispatches it
		Use: "hook", GroupID: other, Short: "Answer one event of an agent's hook (agents start it)", Long: hook.Help(env.Name),
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if status := runHook(env, args); status != exit.OK {
				return exit.Status(status)
			}
			return nil
		},
	})
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, newCommand := range g.commands {
			cmd := newCommand(env)
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	root.SetCompletionCommandGroupID(other)
	root.SetOut(env.Stdout) // the next line keeps it
	root.InitDefaultCompletionCmd(env.Args...)
	completeValues(env, root)
	env.Rename(root)
	command.ExplainMistakes(root, env.Build().String(), env.Args)
	return root
}

func runHook(env *command.Env, args []string) int {
	dir := env.Dir
	if pwd := env.Getenv("PWD"); dir == "" && filepath.IsAbs(pwd) {
		dir = pwd // the folder was removed; the project around it is still there
	}
	return hook.Run(&hook.Env{
		Args: args, Stdin: env.Stdin, Stdout: env.Stdout, Stderr: env.Stderr,
		Getenv: env.Getenv, Environ: env.Environ, Dir: dir, Now: env.Now,
		Agents: env.Agents, Project: env.Options, Observe: env.Observe,
	})
}

// runBackground is the hidden command that a hook starts: see package background.
func runBackground(env *command.Env) int {
	job, err := background.Read(env.Stdin, env.StateDir())
	if err == nil {
		err = background.Run(context.Background(), job, *env.Options(), env.Observe)
	}
	if err != nil {
		fmt.Fprintln(env.Stderr, text.OneLine(text.Command(env.Name, background.Command)+": "+err.Error()))
		return exit.Error
	}
	return exit.OK
}

package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/background"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/hook"
	"github.com/agentsentinel/sentinel/internal/text"
)

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
		fmt.Fprintln(env.Stderr, text.OneLine("sentinel "+background.Command+": "+err.Error()))
		return command.ExitError
	}
	return command.ExitOK
}

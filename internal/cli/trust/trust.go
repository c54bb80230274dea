// Package trust is the commands trust and untrust.
package trust

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command trust.
func New(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "trust", Short: "Trust this repository's configuration as it is now",
		Long: `Until you trust it, the configuration that a repository brings along cannot send
prompts to a server on another machine, start a program of the repository as a
judge, nor have the log written outside of the repository. Trust pins its present content; a changed one has to be trusted anew.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return nearestProject(env, func(f *project.Folder) (string, error) {
				return "trusted: ", f.Trust(env.StateDir())
			})
		},
	}
}

// NewUntrust makes the command untrust.
func NewUntrust(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "untrust", Short: "Take the trust in this repository's configuration back",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return nearestProject(env, func(f *project.Folder) (string, error) {
				return "no longer trusted: ", f.Untrust(env.StateDir())
			})
		},
	}
}

// nearestProject does something with the nearest project folder of this place.
func nearestProject(env *command.Env, do func(*project.Folder) (done string, err error)) error {
	for _, f := range project.Open([]string{env.Dir}, env.Options()).Folders {
		if f.User {
			continue
		}
		done, err := do(f)
		if err == nil {
			fmt.Fprintln(env.Stdout, done+f.Dir)
		}
		return err
	}
	return fmt.Errorf("no .claude/sentinel applies in %s; run `sentinel init` first", env.Place())
}

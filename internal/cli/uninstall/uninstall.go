// Package uninstall is the command "sentinel uninstall".
package uninstall

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/setup"
)

// New makes the command uninstall.
func New(env *command.Env) *cobra.Command {
	var f setup.Options
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove Sentinel's hooks, and the files that init wrote",
		Long: `Removes from the agents' settings exactly what init added. Without --agent it also removes
the configuration and the rules that init wrote and that were not changed since, and lists
what it keeps: your own files, and the log.

--purge also removes the data of Sentinel: in a repository its log and .sentinel; with
--user your key, approvals, trust, pins and caches, for all repositories. After "sentinel
uninstall --purge" in each repository and "sentinel uninstall --user --purge" everything is
as it was before init.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Dir, f.Project, f.Say = env.Dir, env.Options(), env.Line
			if err := setup.Uninstall(&f, !cmd.Flags().Changed("agent")); err != nil {
				return fmt.Errorf("uninstall: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Agents, "agent", env.Agents.Installable(), "`AGENT` whose settings lose the hook; repeatable, or with commas (default: all, and the files that init wrote)")
	flags.BoolVar(&f.User, "user", false, "in your own settings instead of this repository's")
	flags.BoolVar(&f.Purge, "purge", false, "also remove the log, records and caches")
	flags.BoolVar(&f.DryRun, "dry-run", false, "only show what would be done")
	cmd.MarkFlagsMutuallyExclusive("agent", "purge")
	cmd.Flag("agent").DefValue = "[]" // as of a list without a default: the text says it
	return cmd
}

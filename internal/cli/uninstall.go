package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/install"
)

func newUninstall(env *Env) *cobra.Command {
	var agents []string
	var user, dryRun bool
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Take the hook out of the agents' settings",
		Long: `Takes out of the agents' settings exactly what init put in. The rules, the
configuration and the log are yours and stay.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root := projectRoot(env.Dir)
			changes, err := planEach(env, root, agents, scopeOf(user), install.PlanRemoval)
			if err != nil {
				return fmt.Errorf("uninstall: %w", err)
			}
			done, err := applyAll(env, changes, dryRun, "took the hook out of")
			if err == nil && done == 0 {
				fmt.Fprintln(env.Stdout, "Nothing to do: no hook of Sentinel's is registered here.")
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&agents, "agent", install.Agents(), "agent whose settings lose the hook; repeatable (default: all)")
	flags.BoolVar(&user, "user", false, "in your own settings, not in this repository's")
	flags.BoolVar(&dryRun, "dry-run", false, "only show what would be done")
	cmd.Flag("agent").DefValue = ""
	return cmd
}

// Package version is the command "sentinel version".
package version

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
)

// New makes the command version.
func New(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := env.Build()
			if asJSON {
				return env.JSON(v)
			}
			fmt.Fprintf(env.Stdout, "%s %s %s %s\n", env.Program(), v, v.Go, v.Platform)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

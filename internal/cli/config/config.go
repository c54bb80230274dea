// Package config is the command "sentinel config".
package config

import (
	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/config"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show or change the settings that apply here", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGet(env), newSet(env), &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of config.yaml", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { _, err := env.Stdout.Write(config.Schema()); return err },
	})
	return cmd
}

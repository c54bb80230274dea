// Package rules is the command "sentinel rules" with its subcommands.
package rules

import (
	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/rule"
)

func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "List, check, explain, write and promote the rules that apply here",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(env), newPromote(env), newLint(env), newNew(env), newExplain(env), &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a rule file", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { _, err := env.Stdout.Write(rule.Schema()); return err },
	})
	return cmd
}

// Package explain is the command "sentinel explain".
package explain

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/rules"
	"github.com/agentsentinel/sentinel/internal/cli/stats"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command explain: of a rule, or of what the log has.
func New(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "explain RULE|ID", Short: "Explain a rule, or a logged call or finding",
		Long: `For a rule, shows what it means and what it has decided. For the ID of a line in the log,
shows everything known about that call or finding. "sentinel check --explain" explains a
call that has not happened.

Exit status: 0 done; 1 an error, or no rule and no line has this name.`,
		Example: `  sentinel explain force-push
  sentinel explain 01JZ5M2F7K.2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := rules.Explain(cmd.Context(), env, args[0], asJSON)
			if !errors.As(err, new(project.NoRule)) {
				return err
			}
			if err := stats.Explain(cmd.Context(), env, args[0], asJSON); err != nil {
				return fmt.Errorf("explain: there is no rule %q here (`sentinel rules list` lists them), and as the id of a call: %w", text.OneLine(args[0]), err)
			}
			return nil
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object", explain.Rule{}, stats.Printed())
	return cmd
}

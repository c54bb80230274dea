package auditcli

import (
	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/audit/report"
	"github.com/agentsentinel/sentinel/internal/cli/command"
)

func newCompare(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "compare A B", Short: "Show what changed from one report to another",
		Long: `A and B are reports in JSON. Verdicts, scores and findings are compared; a finding is
recognised by its probe, path and text, even if its line has moved.`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			a, err := report.Read(args[0])
			if err != nil {
				return err
			}
			b, err := report.Read(args[1])
			if err != nil {
				return err
			}
			c := report.Compare(a, b)
			if asJSON {
				return c.JSON(env.Stdout)
			}
			return c.Text(env.Stdout, terminal(env))
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON object", report.Comparison{})
	return cmd
}

package drafts

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
)

func NewDismiss(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "dismiss ID", Short: "Drop a draft rule for good",
		Long: `Takes a draft away and remembers what it said, so that it is not proposed again, in
other words neither. Other conventions about the same paths and commands are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := project.Open([]string{env.Dir}, env.Options()).Scribe(nil, "")
			if err != nil {
				return err
			}
			d, err := scribe.Dismiss(cmd.Context(), args[0], opts)
			if err != nil {
				return err
			}
			if asJSON {
				return env.JSON(map[string]string{"id": d.ID, "statement": d.Provenance.Statement})
			}
			fmt.Fprintf(env.Stdout, "dismissed: %s; it is not proposed again\n", d.ID)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

package rules

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/project"
)

// ruleRow is a rule as `rules list --json` prints it.
type ruleRow struct {
	ID       string   `json:"id"`
	Trigger  string   `json:"trigger"`
	Severity string   `json:"severity"`
	Mode     string   `json:"mode"`
	Backend  string   `json:"backend"`
	Scope    []string `json:"scope"`
	Source   string   `json:"source"`
	Error    string   `json:"error"`
}

func newList(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the rules that apply here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := ruleRows(project.Open([]string{env.Dir}, env.Options()))
			if asJSON {
				return env.JSON(rows)
			}
			if len(rows) == 0 {
				env.Line(command.NothingApplies)
				return nil
			}
			w := env.Table()
			fmt.Fprintln(w, "ID\tTRIGGER\tSEVERITY\tMODE\tBACKEND\tFROM")
			for _, r := range rows {
				if r.Error != "" {
					r.Mode = "broken"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Trigger, r.Severity, r.Mode, r.Backend, r.Source)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON list")
	return cmd
}

func ruleRows(p *project.Project) []ruleRow {
	rows := []ruleRow{}
	for _, f := range p.Folders {
		for _, r := range f.Rules {
			spec := r.Spec()
			row := ruleRow{
				ID: spec.ID, Trigger: string(spec.Trigger), Severity: spec.Severity.String(), Mode: explain.Mode(spec),
				Backend: spec.Backend, Scope: r.Definition().Scope, Source: place.Of(f, spec.Source),
			}
			if row.Backend == "" {
				row.Backend = f.Config.Backend
			}
			if row.Scope == nil {
				row.Scope = []string{}
			}
			if spec.Err != nil {
				row.Error = spec.Err.Error()
			}
			rows = append(rows, row)
		}
	}
	return rows
}

package rules

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/words"
	"github.com/agentsentinel/sentinel/project"
)

// problemRow is a problem as `rules lint --json` prints it.
type problemRow struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

func newLint(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "lint", Short: "Report everything that is wrong with rules and configuration",
		Long: `Reports all problems of all files at once, each with file:line:column, what is
wrong and what to write.

Exit status: 0 no error (warnings do not count); 1 there are errors.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p := project.Open([]string{env.Dir}, env.Options())
			errs, warnings, rules := 0, 0, 0
			rows := []problemRow{}
			if len(p.Folders) == 0 && !asJSON {
				env.Line(command.NothingApplies)
				return nil
			}
			for _, f := range p.Folders {
				rules += len(f.Written())
			}
			for _, pr := range append(p.Problems(), hints(p)...) {
				row := problemRow{pr.File, pr.Line, pr.Column, "error", pr.Message}
				if pr.Warning {
					row.Level = "warning"
					warnings++
				} else {
					errs++
				}
				rows = append(rows, row)
				if !asJSON {
					fmt.Fprintln(env.Stdout, command.ProblemLine(pr))
				}
			}
			if asJSON {
				if err := env.JSON(rows); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(env.Stdout, "%s, %s, %s\n", words.Count(rules, "rule"), words.Count(errs, "error"), words.Count(warnings, "warning"))
			}
			if errs > 0 {
				return command.Status(command.ExitError)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON list")
	return cmd
}

// hints are what could be better about rules that work.
func hints(p *project.Project) (all []sentinel.Problem) {
	for _, f := range p.Folders {
		for _, r := range f.Rules {
			all = append(all, r.Hints()...)
		}
	}
	return all
}

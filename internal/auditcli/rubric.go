package auditcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/audit/rubric"
	"github.com/agentsentinel/sentinel/internal/audit/trial"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
)

func newRubric(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rubric", Short: "Check and explain rubrics",
		Long: "A rubric is a file, or one of those that come with the program:\n  " + strings.Join(rubric.Names(), "\n  "),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRubricLint(env), newRubricExplain(env), newRubricSchema(env))
	return cmd
}

// lintProblem is a problem as --json has it.
type lintProblem struct {
	Rubric string `json:"rubric"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Level  string `json:"level"`
	Text   string `json:"text"`
}

func newRubricLint(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "lint FILE|NAME…", Short: "Report problems of rubrics",
		Long: `Prints each problem with its line. Exit status: 0 each rubric can be used, with or
without warnings; 1 one of them cannot.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			found := []lintProblem{}
			bad := false
			for _, name := range args {
				problems, err := lint(name)
				if err != nil {
					return err
				}
				for _, p := range problems {
					bad = bad || p.Error
					found = append(found, lintProblem{name, p.Line, p.Column, level(p), p.Text})
					if !asJSON {
						fmt.Fprintln(env.Stdout, text.OneLine(level(p)+": "+p.In(name)))
					}
				}
				if len(problems) == 0 && !asJSON {
					fmt.Fprintln(env.Stdout, text.OneLine(name+": all is well"))
				}
			}
			if asJSON {
				if err := json.NewEncoder(env.Stdout).Encode(found); err != nil {
					return err
				}
			}
			if bad {
				return exit.Status(exit.Error)
			}
			return nil
		},
	}
	env.JSONFlag(cmd, &asJSON, "print a JSON array", []lintProblem{})
	return cmd
}

// lint is everything that is wrong with a rubric; the error is that it cannot be
// read at all.
func lint(name string) ([]rubric.Problem, error) {
	_, problems, err := trial.OpenRubric(name, nil)
	var invalid *rubric.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Problems, nil
	}
	return problems, err
}

func level(p rubric.Problem) string {
	if p.Error {
		return "error"
	}
	return "warning"
}

func newRubricExplain(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "explain FILE|NAME", Short: "Show what a rubric looks for, and the weight of each criterion",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			rb, _, err := trial.OpenRubric(args[0], nil)
			if err != nil {
				return err
			}
			return rb.Explain(env.Stdout)
		},
	}
}

func newRubricSchema(env *command.Env) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of rubrics, for editors",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := env.Stdout.Write(rubric.Schema())
			return err
		},
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

func newRules(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "List, check, explain, write and promote the rules that apply here",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRulesList(env), newRulesPromote(env), newRulesLint(env), newRulesNew(env), newRulesExplain(env), &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a rule file", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { _, err := env.Stdout.Write(rule.Schema()); return err },
	})
	return cmd
}

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

// nothingApplies is said where there is no folder of rules.
const nothingApplies = "No rules apply here. Run \"sentinel init\" to begin with the starter rules."

func newRulesList(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the rules that apply here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := ruleRows(project.Open([]string{env.Dir}, env.project()))
			if asJSON {
				return json.NewEncoder(env.Stdout).Encode(rows)
			}
			if len(rows) == 0 {
				fmt.Fprintln(env.Stdout, nothingApplies)
				return nil
			}
			w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
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
				ID: spec.ID, Trigger: string(spec.Trigger), Severity: spec.Severity.String(), Mode: ruleMode(spec),
				Backend: spec.Backend, Scope: r.Definition().Scope, Source: display(f, spec.Source),
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

// display names a file as a person knows it: relative to its project.
func display(f *project.Folder, path string) string {
	path = strings.TrimSuffix(path, ":0") // what stands in for a file has no line
	if rel, err := filepath.Rel(f.Root, path); err == nil && f.Root != "" && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return path
}

// problemRow is a problem as `rules lint --json` prints it.
type problemRow struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

func newRulesLint(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "lint", Short: "Report everything that is wrong with rules and configuration",
		Long: `Reports all problems of all files at once, each with file:line:column, what is
wrong and what to write.

Exit status: 0 no error (warnings do not count); 1 there are errors.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p := project.Open([]string{env.Dir}, env.project())
			errs, warnings, rules := 0, 0, 0
			rows := []problemRow{}
			if len(p.Folders) == 0 && !asJSON {
				fmt.Fprintln(env.Stdout, nothingApplies)
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
					fmt.Fprintln(env.Stdout, lintLine(pr))
				}
			}
			if asJSON {
				if err := json.NewEncoder(env.Stdout).Encode(rows); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(env.Stdout, "%s, %s, %s\n", text.Count(rules, "rule"), text.Count(errs, "error"), text.Count(warnings, "warning"))
			}
			if errs > 0 {
				return errStatus(exitError)
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

func lintLine(p sentinel.Problem) string {
	if p.Warning {
		p.Message = "warning: " + p.Message
	}
	return text.OneLine(p.Error())
}

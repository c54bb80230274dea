// Package rules is the command "sentinel rules" with its subcommands.
package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// New makes the command rules.
func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "List, check, explain, write, promote and switch off the rules that apply here",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newList(env), newPromote(env), newLint(env), newNew(env), newExplain(env),
		newSwitch(env, "enable"), newSwitch(env, "disable"), newEdit(env), newRemove(env), &cobra.Command{
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
	Warnings []string `json:"warnings"`
}

func newList(env *command.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the rules that apply here", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p := project.Open([]string{env.Dir}, env.Options())
			rows := ruleRows(p)
			if asJSON {
				return env.JSON(rows)
			}
			return printList(env, p, rows)
		},
	}
	env.JSONFlag(cmd, &asJSON, "print one JSON list", []ruleRow{})
	return cmd
}

func printList(env *command.Env, p *project.Project, rows []ruleRow) error {
	if len(rows) == 0 {
		env.Line("%s", command.NothingAppliesIn(p))
	} else {
		w := env.Table()
		fmt.Fprintln(w, "ID\tTRIGGER\tSEVERITY\tMODE\tBACKEND\tFROM")
		for _, r := range rows {
			if r.Error != "" {
				r.Mode = "broken"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.Trigger, r.Severity, r.Mode, r.Backend, r.Source)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	warnings(env, p, rows)
	if said := p.Notices().Borrowed(); said != "" {
		env.Line("note: %s", said)
	}
	for _, said := range paused(p) {
		env.Line("note: %s", env.Called(said))
	}
	if opts := env.Options(); len(rows) > 0 && len(setup.Hooked(opts, env.Dir)) == 0 {
		env.Line("note: %s", setup.Unhooked(opts.Program))
	}
	return nil
}

// maxWarnings bounds how many warnings follow the list.
const maxWarnings = 20

// warnings prints what is doubtful about the rules of the list, and which files are not in it.
func warnings(env *command.Env, p *project.Project, rows []ruleRow) {
	told := 0
	warn := func(what, warning string) {
		if told++; told <= maxWarnings {
			env.Line("%s: warning: %s", text.OneLine(what), text.OneLine(warning))
		}
	}
	for _, r := range rows {
		for _, w := range r.Warnings {
			warn(r.ID, w)
		}
	}
	for _, f := range p.Folders {
		for _, problem := range f.Located(f.PassedOver()) {
			warn(problem.File, problem.Message)
		}
		if said := p.Inspect().AtHome(f, env.Dir); said != "" {
			warn(f.Dir, said)
		}
	}
	if told > maxWarnings {
		env.Line("and %s more: sentinel rules lint", text.Count(told-maxWarnings, "warning"))
	}
}

// warningsOf are the warnings about a folder's rules, by file.
func warningsOf(f *project.Folder) map[string][]string {
	found := map[string][]string{}
	for _, p := range append(f.Problems(), hintsOf(f)...) {
		if p.Warning {
			found[p.File] = append(found[p.File], p.Message)
		}
	}
	return found
}

func ruleRows(p *project.Project) []ruleRow {
	rows := []ruleRow{}
	for _, f := range p.Folders {
		doubts := warningsOf(f)
		for _, r := range f.Rules() {
			spec := r.Spec()
			row := ruleRow{
				ID: spec.ID, Trigger: string(spec.Trigger), Severity: spec.Severity.String(), Mode: explain.Mode(r),
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
			row.Warnings = append([]string{}, doubts[r.Path()]...)
			rows = append(rows, row)
		}
	}
	return rows
}

// problemRow is a problem as `rules lint --json` prints it.
type problemRow struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// A lint is a run of rules lint.
type lint struct {
	asJSON, strict, evidence bool

	env            *command.Env
	errs, warnings int
	rows           []problemRow
}

func newLint(env *command.Env) *cobra.Command {
	l := &lint{env: env}
	cmd := &cobra.Command{
		Use: "lint [FILE...]", Short: "Report all problems of rules and configuration",
		Long: `Reports all problems of all files at once, each with file:line:column, what is wrong and
what to write instead. A file with an error is not in force. A file with a warning is in
force as the warning describes, for example with a scope that matches nothing. With FILE
only these files are checked, wherever they are: drafts, or rules that are being written.

With --evidence each rule's scope is tried on the files here, and on the commands and MCP
calls of your last sessions. No match is not a warning: many rules guard rare actions.

Exit status: 0 no errors (with --strict, no warnings either); 1 there are errors.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return l.files(cmd.Context(), args)
			}
			return l.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&l.strict, "strict", false, "count warnings as errors")
	cmd.Flags().BoolVar(&l.evidence, "evidence", false, "show which files and past calls each rule matches")
	env.JSONFlag(cmd, &l.asJSON, "print one JSON list", []problemRow{})
	return cmd
}

// narrows are warnings about hooks that are not started for what the rules are about.
func narrows(env *command.Env, p *project.Project) (problems []rule.Problem) {
	for _, n := range setup.Narrows(p, env.Options(), env.Dir) {
		problems = append(problems, rule.Problem{File: n.File, Message: n.String(), Warning: true})
	}
	return problems
}

func (l *lint) run(ctx context.Context) error {
	o := l.env.Options()
	o.Unpinned = true // it is about the files
	p := project.Open([]string{l.env.Dir}, o)
	if len(p.Folders) == 0 && !l.asJSON {
		l.env.Line(command.NothingApplies)
		return nil
	}
	var rules []*rule.Rule
	for _, f := range p.Folders {
		rules = append(rules, f.Written()...)
	}
	return l.report(ctx, rules, slices.Concat(p.Inspect().Problems(), hints(l.env, p), rule.Rules(rules).Unmeetable(ctx), narrows(l.env, p)))
}

// files is about rule files that the user names, as they would be in the nearest project.
func (l *lint) files(ctx context.Context, names []string) error {
	p := project.Open([]string{l.env.Dir}, l.env.Options())
	if p.Nearest() == nil {
		p = project.Recommended(place.Root(l.env.Dir), l.env.Options())
	}
	s, _ := p.Inspect().Surroundings(nil)
	files, err := history.RuleFiles(l.env.AbsAll(names))
	if err != nil {
		return err
	}
	rules, problems := rule.Build(files, &s.Build)
	tree := rule.TreeAt(s.Root)
	for _, r := range rules {
		problems = append(append(problems, r.Hints()...), r.ScopeHints(tree)...)
	}
	problems = append(problems, rules.Unmeetable(ctx)...)
	for i := range problems {
		problems[i].File = l.env.Short(problems[i].File)
	}
	return l.report(ctx, rules, problems)
}

// report tells of the problems of some rules.
func (l *lint) report(ctx context.Context, rules []*rule.Rule, problems []rule.Problem) error {
	l.rows = []problemRow{}
	for _, pr := range problems {
		l.tell(pr)
	}
	if l.evidence {
		if err := l.tryScopes(ctx, rules); err != nil {
			return err
		}
	}
	if l.asJSON {
		if err := l.env.JSON(l.rows); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(l.env.Stdout, "%s, %s, %s\n", text.Count(len(rules), "rule"), text.Count(l.errs, "error"), text.Count(l.warnings, "warning"))
	}
	if l.errs > 0 || l.strict && l.warnings > 0 {
		return exit.Status(exit.Error)
	}
	return nil
}

// tell reports one problem.
func (l *lint) tell(pr rule.Problem) {
	row := problemRow{pr.File, pr.Line, pr.Column, "error", pr.Message}
	if pr.Warning {
		row.Level = "warning"
		l.warnings++
	} else {
		l.errs++
	}
	l.rows = append(l.rows, row)
	if !l.asJSON {
		fmt.Fprintln(l.env.Stdout, place.Problem(pr))
	}
}

// tryScopes tries the scope of each rule on what is here.
func (l *lint) tryScopes(ctx context.Context, rules []*rule.Rule) error {
	reach, err := history.Gather(ctx, l.env.Dir, l.env.Options())
	if err != nil {
		return err
	}
	for _, r := range rules {
		said, dead := reach.Of(r)
		if said == "" || r.Spec().Err != nil {
			continue
		}
		said += text.When(dead, ": is a pattern wrong?")
		l.rows = append(l.rows, problemRow{File: l.env.Short(r.Path()), Level: "evidence", Message: said})
		if !l.asJSON {
			l.env.Line("%s: %s", text.OneLine(r.Spec().ID), said)
		}
	}
	return nil
}

// hints are what could be better about rules that work.
func hints(env *command.Env, p *project.Project) (all []rule.Problem) {
	for _, f := range p.Folders {
		all = append(all, f.Located(append(hintsOf(f), f.PassedOver()...))...)
		if said := p.Inspect().AtHome(f, env.Dir); said != "" {
			all = append(all, rule.Problem{File: f.Dir, Warning: true, Message: said})
		}
	}
	return all
}

func hintsOf(f *project.Folder) (all []rule.Problem) {
	tree := rule.TreeAt(f.Root)
	for _, r := range f.Rules() {
		all = append(append(all, r.Hints()...), r.ScopeHints(tree)...)
	}
	return all
}

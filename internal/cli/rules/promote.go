package rules

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/explain"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/settings"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/stats"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// rulePromotion is a change of what a rule may do. The named fields are what `rules
// promote --json` prints.
type rulePromotion struct {
	ID      string   `json:"id"`
	Path    string   `json:"path"`
	From    ruleSway `json:"from"`
	To      ruleSway `json:"to"`
	Changed bool     `json:"changed"` // or with --dry-run would be

	Evidence []string    `json:"evidence"`  // what is known of it, in words
	Log      *stats.Rule `json:"telemetry"` // as in `stats --json`; null when the log has no line of it

	severity    sentinel.Severity // what it is to be; none for shadow mode
	dry, asJSON bool
}

// ruleSway is what becomes of a rule's violations.
type ruleSway struct {
	Severity string `json:"severity"`
	Mode     string `json:"mode"`
}

// String is as the user reads it.
func (s ruleSway) String() string {
	return s.Severity + text.When(s.Mode == shadow, " in shadow mode")
}

func newPromote(env *command.Env) *cobra.Command {
	var p rulePromotion
	var to string
	cmd := &cobra.Command{
		Use: "severity ID --to shadow|warn|ask|block", Aliases: []string{"promote"}, Short: "Change a rule's severity, after showing its track record",
		Long: `Shows the rule's record in the log, then sets its severity and ends its shadow mode;
--to shadow starts shadow mode. Comments and the rest of the file stay as they are.

Exit status: 0 done, or nothing to change; 1 nothing was changed, with the reason.`,
		Example: `  sentinel rules severity billing --to warn --dry-run
  sentinel rules severity billing --to block`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if to != shadow {
				if p.severity, err = rule.ParseSeverity(to); err != nil || p.severity < sentinel.SeverityWarn {
					return fmt.Errorf("--to wants shadow, warn, ask or block, not %q", text.OneLine(to))
				}
			}
			p.ID = args[0]
			return p.run(cmd.Context(), env)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "effect of a violation: warn, ask or block; or shadow for none")
	cmd.Flags().BoolVar(&p.dry, "dry-run", false, "show the record and the change, and change nothing")
	env.JSONFlag(cmd, &p.asJSON, "print one JSON object", rulePromotion{})
	cmd.MarkFlagRequired("to")
	return cmd
}

func (c *rulePromotion) run(ctx context.Context, env *command.Env) error {
	p := project.Open([]string{env.Dir}, env.Options()).Pins().OnDisk() // the file is changed, whatever is pinned
	if p.Nearest() == nil && !strings.HasPrefix(c.ID, "sentinel:") {
		return fmt.Errorf("no rules apply in %s; run `sentinel init` first", env.Place())
	}
	folder, r, err := authoring.Find(p, c.ID)
	if err != nil {
		return err
	}
	file := authoring.SourceFile(r)
	before, mode, err := settings.Read(file)
	if err != nil {
		return err
	}
	c.From = ruleSway{r.Spec().Severity.String(), explain.Mode(r)}
	after, err := c.changed(before, file, r.Spec())
	if err != nil {
		return fmt.Errorf("%s: %w", place.Of(folder, file), err)
	}
	if err := c.known(ctx, env, p, folder, r.Spec()); err != nil {
		return err
	}
	reach, err := history.ReachOf(ctx, env.Dir, env.Options(), r)
	if err != nil {
		return err
	}
	if reach != "" {
		c.Evidence = append(c.Evidence, "its scope "+reach)
	}
	diff := install.Change{Target: install.Target{File: place.Of(folder, file)}, Before: before, After: after}.Diff()
	c.Path, c.Changed = file, diff != ""
	if c.Changed && !c.dry {
		if err := safefile.Replace(file, after, mode); err != nil {
			return err
		}
		env.Repin(folder, file)
	}
	if c.asJSON {
		return env.JSON(c)
	}
	c.print(env, diff)
	if c.Changed && !c.dry {
		fmt.Fprintf(env.Stdout, "changed: %s is at %s now (before: %s), from the agent's next tool call\n", c.ID, c.To, c.From)
		setup.NoteNarrows(env.Options(), env.Dir, env.Line)
	}
	return nil
}

// shadow is the mode in which a rule is judged without effect.
const shadow = "shadow"

// changed is the rule's file as it is to be.
func (c *rulePromotion) changed(before []byte, file string, spec *sentinel.RuleSpec) ([]byte, error) {
	if c.severity >= sentinel.SeverityWarn {
		c.To = ruleSway{c.severity.String(), "enforce"}
		return authoring.Promoted(before, file, spec, c.severity)
	}
	c.To = ruleSway{c.From.Severity, shadow}
	if c.From == c.To {
		return before, nil
	}
	return authoring.WithMode(before, file, shadow)
}

// print shows what is known of the rule, and the change.
func (c *rulePromotion) print(env *command.Env, diff string) {
	mode := ""
	if c.From.Mode == shadow {
		mode = ", in shadow mode"
	}
	fmt.Fprintf(env.Stdout, "%s: %s%s\n", c.ID, c.From.Severity, mode)
	for _, line := range c.Evidence {
		fmt.Fprintln(env.Stdout, "  "+line)
	}
	if !c.Changed {
		diff = fmt.Sprintf("%s is at %s already\n", c.ID, c.To)
	}
	fmt.Fprint(env.Stdout, text.Clean(diff))
}

// known finds out what the log knows of the rule.
func (c *rulePromotion) known(ctx context.Context, env *command.Env, p *project.Project, f *project.Folder, spec *sentinel.RuleSpec) error {
	path := p.Inspect().LogFile()
	if path == "" {
		c.Evidence = []string{"nothing is known of it: there is no log. Set log_file in config.yaml, and let it work for some days"}
		return nil
	}
	s, err := telemetry.Aggregate(ctx, telemetry.Files(path), &telemetry.StatsOptions{Rules: []string{spec.ID}, Now: env.Now()})
	if err != nil {
		return err
	}
	r, logged := s.Rule(spec.ID)
	if !logged {
		c.Evidence = []string{"nothing is known of it: it has no line in " + text.OneLine(place.Of(f, path))}
		return nil
	}
	for _, line := range authoring.Evidence(s, r) {
		c.Evidence = append(c.Evidence, env.Called(text.OneLine(line)))
	}
	log := stats.RuleOf(r, true)
	c.Log = &log
	return nil
}

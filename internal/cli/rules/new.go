package rules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/authoring"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/decision"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/rule"
)

// newRule is a run of rules new.
type newRule struct {
	authoring.Draft
	yes, noReplay bool

	env     *command.Env
	dir     string // of the rules
	agreed  bool   // the user wants it to be saved
	project *project.Project
	dialog  *person.Dialog // nil where the user cannot be asked
}

func newNew(env *command.Env) *cobra.Command {
	n := newRule{env: env}
	cmd := &cobra.Command{
		Use: "new", Short: "Write a rule with cases, and try it before it is saved",
		Long: `Writes a rule. In a terminal it asks for what the flags leave out, and repeats a question
until the answer is valid; elsewhere --id, --trigger and either --when or --prompt are
required.

The rule is checked, its cases are run, its scope is tried on the files of this
repository, and the rule on past sessions, all without a model. Then you decide; --yes
saves without asking. The rule starts with severity warn: raise it with "sentinel rules
severity" once it has proved right. With --mode shadow it is judged and recorded, and
agents do not see it. Existing files are never overwritten. If the dialog ends without a
rule, the command that continues it is printed.

--when is an expression that decides without a model (docs/when.md); "true" stops whatever
the scope matches. --prompt is the question to a model; a prompt without {{variables}}
gets the agent's action appended.

Exit status: 0 the rule is saved; 1 it is not, with the reason.`,
		Example: `  sentinel rules new
  sentinel rules new --id no-push --trigger bash --scope 'git push*' --when true \
    --message 'Leave pushing to the user.' --catch 'git push origin main' --pass 'git pull' --yes
  sentinel rules new --id rounding --trigger file_write --scope 'src/billing/**' \
    --prompt 'Amounts are rounded by money.Round only.' --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := n.run(cmd.Context()); err != nil {
				return fmt.Errorf("rules new: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&n.ID, "id", "", "name of the rule")
	flags.StringVar(&n.Trigger, "trigger", "", "what it is about: file_write, file_read, bash, mcp or any")
	flags.StringArrayVar(&n.Scope, "scope", nil, "`PATTERN` of paths, commands or server:tool; repeatable (default: every target)")
	flags.StringArrayVar(&n.Exclude, "exclude", nil, "`PATTERN` that is exempt; repeatable")
	flags.StringVar(&n.Severity, "severity", "", "warn, ask, block or info (default warn)")
	flags.StringVar(&n.Mode, "mode", "", "shadow (only judged and recorded) or enforce (default: default_mode in config.yaml)")
	flags.StringVar(&n.When, "when", "", "expression that decides without a model; true stops whatever the scope matches")
	flags.StringVar(&n.Prompt, "prompt", "", "what a model is asked")
	flags.StringVar(&n.Message, "message", "", "what the agent should do instead")
	flags.StringArrayVar(&n.Catches, "catch", nil, "`TARGET` that the rule has to catch: a command, PATH :: CONTENT, or server:tool; repeatable")
	flags.StringArrayVar(&n.Passes, "pass", nil, "`TARGET` that the rule has to let pass; repeatable")
	flags.BoolVar(&n.noReplay, "no-replay", false, "do not try it on past sessions")
	flags.BoolVar(&n.yes, "yes", false, "save it without asking")
	return cmd
}

func (n *newRule) run(ctx context.Context) error {
	if !slices.Contains([]string{"", "enforce", "shadow"}, n.Mode) {
		return fmt.Errorf("--mode wants shadow or enforce, not %q", text.OneLine(n.Mode))
	}
	o := n.env.Options()
	o.NoLog, o.Unpinned = true, true
	n.project = project.Open([]string{n.env.Dir}, o)
	s, err := n.project.Models().Scribe(nil, "")
	if err != nil {
		return errors.New("there is no .claude/sentinel here to put a rule into; run `sentinel init` first")
	}
	n.Surroundings, _ = n.project.Inspect().Surroundings(nil)
	if t, err := n.env.Dialog(); err == nil && !(n.yes && n.Missing() == "") {
		defer t.Close()
		n.dialog = t.Dialog()
		return n.converse(ctx, s.RulesDir)
	}
	if missing := n.Missing(); missing != "" {
		return errors.New(missing + "; or run it in a terminal, where it asks")
	}
	said, err := n.show(ctx, s.RulesDir)
	if err != nil {
		return err
	}
	if !n.yes {
		return fmt.Errorf("%s was not saved: there is no terminal to ask you at; --yes saves it", n.name())
	}
	return n.save(said)
}

// show composes the rule for the folder dir, prints it, and tries it.
func (n *newRule) show(ctx context.Context, dir string) ([]byte, error) {
	if err := n.put(dir); err != nil {
		return nil, err
	}
	said, err := n.Compose(ctx)
	if err != nil {
		return nil, err
	}
	n.env.Line("%s", said)
	return said, n.try(ctx)
}

// put chooses the file in the folder dir.
func (n *newRule) put(dir string) error {
	err := n.Put(n.project, dir)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: is there already. Take another id", n.name())
	}
	return err
}

// name is the rule's file, in one line.
func (n *newRule) name() string { return text.OneLine(n.env.Short(n.Path)) }

// try shows what the rule does: with its cases, to the files that are here, and in
// past sessions.
func (n *newRule) try(ctx context.Context) error {
	p := n.env
	rules, problems := n.Rules()
	for _, pr := range append(problems, rules[0].ScopeHints(rule.TreeAt(n.Surroundings.Root))...) {
		p.Line("%s", text.OneLine("warning: "+pr.Message))
	}
	r, err := n.Test(ctx)
	if err != nil {
		return err
	}
	p.Line("cases: %d passed, %d failed", r.Count(ruletest.Passed), r.Count(ruletest.Failed)+r.Count(ruletest.Broken))
	for i := range r.Results {
		if r.Results[i].State != ruletest.Unanswered {
			decision.PrintResult(p, &r.Results[i])
		}
	}
	if waiting := r.Count(ruletest.Unanswered); waiting > 0 {
		p.Line("  %s more once a model has answered: sentinel test %s --record", text.Count(waiting, "case"), text.OneLine(n.ID))
	}
	if !slices.ContainsFunc(n.Suite.File.Definition.Tests, func(c rule.Case) bool { return c.Expect == "violation" }) {
		p.Line("  no case shows what it has to catch: add one with --catch 'PATH :: TEXT', or in its file")
	}
	switch matched, all, first, asks := n.Files(); {
	case !asks:
	case matched == 0:
		p.Line("files: its scope matches none of the %d files here. Is a pattern wrong? `src/*.ts` stays within one folder, `src/**/*.ts` does not", all)
	case matched == all:
		p.Line("files: its scope matches every one of the %d files here. A narrower one is cheaper and errs less", all)
	default:
		p.Line("files: its scope matches %d of %d: %s%s", matched, all, strings.Join(first, ", "), text.Unless(matched <= 3, ", …"))
	}
	if !n.noReplay {
		if err := n.tryCommands(ctx, rules[0]); err != nil {
			return err
		}
		if err := n.trySessions(ctx); err != nil {
			return err
		}
	}
	if !r.OK() {
		return errors.New("a case is not as expected; nothing was saved")
	}
	return nil
}

// tryCommands says how many of the last commands and MCP calls the scope is about. For
// files, see [authoring.Draft.Files].
func (n *newRule) tryCommands(ctx context.Context, r *rule.Rule) error {
	if t := r.Spec().Trigger; t == sentinel.FileWrite || t == sentinel.FileRead {
		return nil
	}
	reach, err := history.ReachOf(ctx, n.env.Dir, n.env.Options(), r)
	if reach != "" {
		n.env.Line("scope: it %s", reach)
	}
	return err
}

// trySessions says what the rule would have done in past sessions.
func (n *newRule) trySessions(ctx context.Context) error {
	past, err := history.Load(n.env.Dir, n.env.Options(), []rule.File{n.Suite.File})
	if err != nil {
		return err
	}
	past.Opts.Sets = slices.DeleteFunc(past.Opts.Sets, func(s replay.Set) bool { return !s.Draft })
	paths, err := past.Transcripts(ctx, n.env.Options(), nil)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		n.env.Line("past sessions: none was found to try it on")
		return nil
	}
	r, err := history.Run(ctx, past.Opts, paths, n.env.Progress("reading sessions", len(paths)))
	if r == nil {
		return err
	}
	report := r.Report()
	c := report.Rules[0]
	n.env.Line("past sessions: of %s in %s it is about %d and objects to %d; a model would judge %d",
		text.Count(report.Actions, "action"), text.Count(report.Transcripts, "session"), c.Matched, c.Violations, c.Open)
	for i := range report.Found[:min(3, len(report.Found))] {
		decision.PrintCall(n.env, &report.Found[i])
	}
	if err != nil {
		return errors.New("interrupted; nothing was saved")
	}
	return nil
}

// save writes the file, and says what the rule does then.
func (n *newRule) save(said []byte) error {
	if err := n.Save(said); err != nil {
		return err
	}
	n.env.Repin(n.project.Nearest(), n.Path)
	rules, _ := n.Rules()
	spec, id := rules[0].Spec(), text.OneLine(n.ID)
	defer setup.NoteNarrows(n.env.Options(), n.env.Dir, n.env.Line)
	if !spec.Shadow {
		n.env.Line("saved: %s applies from the agent's next tool call (%s)", id, n.name())
		return nil
	}
	n.env.Line("saved: %s is judged from the agent's next tool call, in shadow mode: no agent hears of it (%s)", id, n.name())
	if n.project.Inspect().LogFile() == "" {
		n.env.Line("  but there is no log to show what it would do: set log_file in config.yaml")
	}
	if spec.Severity >= sentinel.SeverityWarn {
		n.env.Line("  sentinel rules severity %s --to %s lets it act", id, spec.Severity)
	}
	return nil
}

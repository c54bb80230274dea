// Package replay is the command "sentinel replay".
package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/history"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/text"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	rules                []string
	asJSON, noModel, yes bool
	limit                int
}

// New makes the command replay.
func New(env *command.Env) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay [TRANSCRIPT…]",
		Short: "Show what the rules would have done in past sessions",
		Long: `Judges the calls of past sessions by the rules that apply here, and shows which would have
been stopped, asked about or warned of, and what happened next. With --rule it shows what
a changed or draft rule would change: that rule replaces the one with the same id, and is
judged as if it were enforced.

TRANSCRIPT is the session file of an agent, or a folder of such files; the default is all
sessions of this repository that agents keep. The agent is recognised by the content. The
effects of a command are judged on the disk as it is now.

Rules that need no model, and cached answers, come first. Before it asks a model, replay
shows how many questions there are, how long they take and what they cost, and asks for
your consent; without a terminal only --yes gives it. --no-model asks no model.

Exit status: 0 done, whatever was found; 1 an error, an interruption, or nothing
could be read.`,
		Example: `  sentinel replay --no-model
  sentinel replay --rule .claude/sentinel/drafts/billing.draft.yaml
  sentinel replay ~/.codex/sessions/2026/05 --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), env, args) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.rules, "rule", nil, "`FILE` of a changed or draft rule to try; repeatable")
	flags.BoolVar(&f.noModel, "no-model", false, "ask no model")
	flags.BoolVar(&f.yes, "yes", false, "ask models without asking you first")
	flags.IntVar(&f.limit, "limit", 20, "number of number of calls to show one by one")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", replay.Report{})
	cmd.MarkFlagsMutuallyExclusive("no-model", "yes")
	return cmd
}

func (f *replayFlags) run(ctx context.Context, env *command.Env, args []string) error {
	if f.limit < 0 {
		return fmt.Errorf("--limit must be 0 or more, not %d", f.limit)
	}
	drafts, err := history.RuleFiles(env.AbsAll(f.rules))
	if err != nil {
		return err
	}
	past, err := history.Load(env.Dir, env.Options(), drafts)
	if err != nil {
		return err
	}
	past.Opts.WillAsk = !f.noModel && (f.yes || env.CanAsk())
	paths, err := past.Transcripts(ctx, env.Options(), env.AbsAll(args))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		fmt.Fprintf(env.Stderr, env.Called("No agent keeps a session of %s in its usual place (docs/transcripts.md lists them). Name a transcript: sentinel replay FILE\n"), text.OneLine(past.Root))
	}
	r, err := history.Run(ctx, past.Opts, paths, env.Progress("reading sessions", len(paths)))
	if r == nil {
		return err
	}
	report := r.Report()
	var refused string
	if err == nil && report.Estimate.Calls > 0 {
		if refused, err = f.ask(ctx, env, r, &report); err == nil || r.Report().Interrupted {
			report = r.Report()
		}
	}
	if f.asJSON {
		if err := env.JSON(report); err != nil {
			return err
		}
	} else {
		f.print(env, &report, refused)
	}
	switch {
	case err != nil && report.Interrupted:
		return errors.New("replay: interrupted; what stands above is what was looked at until then")
	case err != nil:
		return err
	case len(paths) > 0 && report.Transcripts == 0:
		return errors.New("replay: none of the transcripts could be read")
	}
	return nil
}

// ask puts what is open to the models, if the user consents. refused says why
// no model was asked.
func (f *replayFlags) ask(ctx context.Context, env *command.Env, r *replay.Replay, report *replay.Report) (refused string, err error) {
	switch {
	case f.noModel:
		return "no model was asked (--no-model)", nil
	case !f.yes && !env.CanAsk():
		return "no model was asked: run it in a terminal to be asked for your consent, or with --yes", nil
	case !f.yes:
		t, err := env.Dialog()
		if err != nil {
			return err.Error(), nil
		}
		defer t.Close()
		yes, err := t.Confirm(estimateText(&report.Estimate) + "\nAsk?")
		if err != nil {
			return "", err
		}
		if !yes {
			return "no model was asked", nil
		}
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	bar := env.Progress("asking models about calls", report.Open)
	defer bar.End()
	r.OnProgress(func(p replay.Progress) { bar.Of(p.Asked, p.Open) })
	return "", r.Ask(ctx)
}

// Package learn is the command "sentinel learn".
package learn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/cli/adopt"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/scribe"
)

// New makes the command learn.
func New(env *command.Env) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "learn", Short: "Propose draft rules from the documents of this repository",
		Long: `Reads the instruction files (CLAUDE.md and similar) by patterns, without a model. A line
that a rule can enforce becomes a draft, which is tried on the files here and on past
sessions. In a terminal you accept, edit or drop each draft, in shadow mode or in force;
without a terminal they are shown, and --accept and --yes accept them.

Then it searches the documents of scribe.doc_globs for conventions that can be checked,
and writes a draft rule for each new one that was not dismissed before. It asks the model
once for each part of a document and once for each convention, and skips the parts it has
asked about before, so that an interrupted run continues where it stopped. --no-model
leaves this step out.

A draft does nothing until you promote it: see "sentinel drafts".

Exit status: 0 done; 1 a file could not be read or a model did not answer; finished drafts are kept.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), env) },
	}
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object; accept nothing", learning{})
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print on standard error why a convention makes no draft")
	cmd.Flags().BoolVar(&f.noModel, "no-model", false, "read only the instruction files, and ask no model")
	f.accepted.Register(cmd)
	for _, name := range []string{"accept", "yes", "block"} {
		cmd.MarkFlagsMutuallyExclusive("json", name)
	}
	return cmd
}

// flags are the flags of learn.
type flags struct {
	asJSON, verbose, noModel bool
	accepted                 adopt.Flags
}

// learning is what `learn --json` prints.
type learning struct {
	Version int `json:"version"` // grows when a key changes its meaning
	scribe.Result
	FromLines []string `json:"drafts_of_lines"` // ids of the drafts that were made without a model, and wait
}

func (f *flags) run(ctx context.Context, env *command.Env) error {
	po := env.Options()
	if f.verbose {
		po.Logger = slog.New(slog.NewTextHandler(env.Stderr, nil))
	}
	p := project.Open([]string{env.Dir}, po)
	if _, err := p.Models().Scribe(nil, ""); err != nil {
		return err
	}
	switch c := &p.Nearest().Config.Scribe; {
	case !c.Enabled:
		return errors.New("learning is switched off; set `scribe.enabled: true` in config.yaml")
	case !c.Sources.Documentation:
		return errors.New("learning from documents is switched off; set `scribe.sources.documentation: true` in config.yaml")
	}
	out := learning{Version: 1, Result: scribe.Result{Drafts: []string{}}}
	var err error
	if f.asJSON {
		out.FromLines, err = adopt.Propose(ctx, env)
	} else {
		f.accepted.Command = "sentinel learn"
		err = f.accepted.Run(ctx, env, nil)
	}
	if err != nil {
		return err
	}
	c := &p.Nearest().Config
	noModel := f.noModel
	if name := c.ScribeBackend(); name == sentinel.Builtin && !noModel {
		noModel = true
		if !f.asJSON {
			env.Line("No model is set up here (backend: builtin), so documents were not read any further.")
		}
	}
	if noModel {
		if f.asJSON {
			return env.JSON(out)
		}
		return nil
	}
	opts, err := project.Open([]string{env.Dir}, po).Models().Scribe(nil, "") // with the rules that were accepted
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	bar := env.Progress("learning", 0)
	opts.Progress = func(now scribe.Progress) {
		bar.Of(now.Done, now.Total, "calls of the model", now.Document)
	}
	result, err := scribe.Learn(ctx, opts)
	bar.End()
	if f.asJSON {
		out.Result = result
		if failed := env.JSON(out); failed != nil {
			return failed
		}
	} else {
		fmt.Fprint(env.Stdout, learned(env, result))
	}
	switch {
	case ctx.Err() != nil:
		return errors.New("stopped; run it again to go on from here")
	case errors.Is(err, sentinel.ErrRefused):
		return fmt.Errorf("the model cannot be asked: %w", err)
	}
	return err
}

// learned says what a run of learn came to.
func learned(env *command.Env, r scribe.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %s asked about, %d unchanged\n", text.Count(r.Documents, "document"), text.Count(r.Sections, "part"), r.Unchanged)
	if r.Found > 0 {
		fmt.Fprintf(&b, "%s found", text.Count(r.Found, "convention"))
		sep := ": "
		for _, n := range []struct {
			n    int
			what string
		}{
			{r.Duplicate, "known already"}, {r.Redundant, "covered by a rule or draft"}, {r.Dismissed, "dismissed before"},
			{r.Weak, "too uncertain"}, {r.Unproven, "without evidence"}, {r.Refused, "about Sentinel itself"},
		} {
			if n.n > 0 {
				fmt.Fprintf(&b, "%s%d %s", sep, n.n, n.what)
				sep = ", "
			}
		}
		b.WriteString("\n")
	}
	if r.Failed > 0 {
		fmt.Fprintf(&b, "%s could not be made; the next run tries again\n", text.Count(r.Failed, "draft"))
	}
	for _, id := range r.Drafts {
		fmt.Fprintf(&b, "new draft: %s\n", id)
	}
	switch {
	case len(r.Drafts) > 0:
		b.WriteString(env.Called("\"sentinel drafts\" shows them; promote or dismiss each.\n"))
	case r.Failed == 0:
		b.WriteString("No new drafts.\n")
	}
	return b.String()
}

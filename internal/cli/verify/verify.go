// Package verify is the command "sentinel verify".
package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/canary"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/verify"
)

// exitNever says that a call which a rule is about was never seen.
const exitNever = 1

// exitUnread says that it is not known: a transcript cannot be read, or the command was
// called in a wrong way.
const exitUnread = 2

// verifyFlags are the flags of verify.
type verifyFlags struct {
	last, all, asJSON bool
	canary            string
}

// New makes the command verify.
func New(env *command.Env) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [SESSION]",
		Short: "Show which tool calls of a session no hook has judged",
		Long: `Compares the agent's own transcript of a session with the receipts of Sentinel's hook and
with the log. Each tool call was checked, was answered late, matches no rule, or was never
seen, with the reason. SESSION is a session's id or the file of a transcript; the default,
and --last, is the last session of this project. Calls are matched with the rules as they
are now, and no judge is asked.

--canary starts the agent in this folder with your own settings and a scripted model on
this machine. The model makes one harmless but forbidden call, a write into
.claude/sentinel, which the hook has to stop.

Exit status: 0 every call that matches a rule was judged in time, or the canary was
stopped; 1 one was not; 2 not known: no transcript can be read, the agent could not be
started, or the arguments are wrong.`,
		Example: `  sentinel verify --last
  sentinel verify --canary claude
  sentinel verify --all --json
  sentinel verify ~/.claude/projects/-home-me-shop/4b1c.jsonl`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.run(cmd.Context(), env, args)
			var status exit.Status
			if err == nil || errors.As(err, &status) {
				return err
			}
			fmt.Fprintln(env.Stderr, env.Program()+": "+env.Called(err.Error()))
			return exit.Status(exitUnread)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.last, "last", false, "the last session (the default)")
	flags.BoolVar(&f.all, "all", false, "all sessions of this project that agents keep")
	flags.StringVar(&f.canary, "canary", "", "start this `AGENT` here, and check that its hook stops one forbidden call")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object", verify.Report{}, canary.Result{})
	return cmd
}

func (f *verifyFlags) run(ctx context.Context, env *command.Env, args []string) error {
	switch {
	case len(args) > 1:
		return fmt.Errorf("verify: one session at a time, not %d; --all takes all", len(args))
	case f.last && f.all, len(args) == 1 && (f.last || f.all):
		return errors.New("verify: SESSION, --last and --all exclude each other")
	case env.Dir == "":
		return errors.New("verify: the working directory does not exist any more")
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if f.canary != "" {
		if len(args) > 0 || f.last || f.all {
			return errors.New("verify: --canary stands alone")
		}
		return f.try(ctx, env)
	}
	bar := env.Progress("reading sessions", 0)
	bar.At(0)
	v := verify.New(ctx, env.Dir, env.Options(), 0)
	v.Progress = func(done, total int64) { bar.Of(int(done>>20), int(total>>20), "MB") }
	var r *verify.Report
	var err error
	switch {
	case f.all:
		r, err = v.All(ctx, 0)
	case len(args) == 1:
		r, err = v.Of(ctx, args[0])
	default:
		r, err = v.Last(ctx, "")
	}
	bar.End()
	if err != nil {
		return err
	}
	if f.asJSON {
		if err := env.JSON(r); err != nil {
			return err
		}
	} else {
		print(env, r)
	}
	return status(r)
}

// try starts an agent for one call that must be stopped.
func (f *verifyFlags) try(ctx context.Context, env *command.Env) error {
	a, err := env.Agents.Named(f.canary)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	bar := env.Progress("starting "+a.DisplayName(), 0)
	bar.At(0)
	r, err := canary.Run(ctx, &canary.Options{Agent: a, Dir: env.Dir, Environ: env.Environ, Project: env.Options()})
	bar.End()
	if err != nil {
		return err
	}
	r.Said = env.Called(r.Said)
	if f.asJSON {
		if err := env.JSON(r); err != nil {
			return err
		}
	} else {
		env.Line("%s: %s: %s", a.DisplayName(), env.Bold(strings.ReplaceAll(string(r.Outcome), "_", " ")), r.Said)
	}
	switch r.Outcome {
	case canary.Stopped:
		return nil
	case canary.NotStopped:
		return exit.Status(exitNever)
	}
	return exit.Status(exitUnread)
}

// status is the exit status for a report.
func status(r *verify.Report) error {
	switch holds, read := r.Holds(); {
	case !holds:
		return exit.Status(exitNever)
	case !read:
		return exit.Status(exitUnread)
	}
	return nil
}

// print shows a report as text.
func print(env *command.Env, r *verify.Report) {
	for i := range r.Sessions {
		s := &r.Sessions[i]
		if i > 0 {
			env.Line("")
		}
		env.Line("%s session %s%s", text.OneLine(s.Agent), text.OneLine(s.ID), text.After(", ", span(s)))
		for _, p := range s.Problems {
			env.Line("  not verified: %s", env.Called(p))
		}
		env.Line("  %s: %s", text.Count(s.Calls, "call"), counts(&s.Counts))
		list(env, s)
	}
	if len(r.Sessions) > 1 {
		env.Line("\n%s, %s: %s", text.Count(len(r.Sessions), "session"), text.Count(r.Totals.Calls, "call"), counts(&r.Totals))
	}
}

func span(s *verify.Session) string {
	if s.First == "" {
		return ""
	}
	return s.First + " to " + s.Last
}

// counts names what is not 0.
func counts(c *verify.Counts) string {
	said := fmt.Sprintf("checked %d", c.Checked)
	for _, n := range []struct {
		count int
		what  string
	}{
		{c.Late, "late"}, {c.NoRule, "no rule is about"}, {c.NotRun, "did not run"}, {c.Unknown, "not known"},
		{c.Never, "never seen"}, {c.Extra, "not in the transcript"},
	} {
		if n.count > 0 || n.what == "never seen" {
			said += fmt.Sprintf(", %s %d", n.what, n.count)
		}
	}
	return said
}

// list shows the calls that somebody should look at.
func list(env *command.Env, s *verify.Session) {
	w := env.Table()
	for i := range s.Listed {
		c := &s.Listed[i]
		var rules string
		for _, id := range c.Rules {
			rules += " [" + text.OneLine(id) + "]"
		}
		name := map[verify.State]string{verify.Never: "never seen", verify.Late: "late", verify.Extra: "not in the transcript"}[c.State]
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s: %s%s\n", c.Time, text.OneLine(c.Tool), text.OneLine(c.Subject), name, env.Called(text.OneLine(c.Said)), rules)
	}
	w.Flush()
	if len(s.Tools) > 0 {
		env.Line("  tools that Sentinel does not know, so that no rule is about their calls: %s", text.OneLine(strings.Join(s.Tools, ", ")))
	}
	if s.More > 0 {
		env.Line("  … and %d more", s.More)
	}
}

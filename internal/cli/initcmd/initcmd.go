// Package initcmd is the command "sentinel init".
package initcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/adopt"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/coverage"
	cmddoctor "github.com/agentsentinel/sentinel/internal/cli/doctor"
	"github.com/agentsentinel/sentinel/internal/doctor"
	"github.com/agentsentinel/sentinel/internal/person"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/packs"
	"github.com/agentsentinel/sentinel/project"
)

// flags are the flags of init.
type flags struct {
	setup.Options
	from     []string
	accepted adopt.Flags
}

// New makes the command init.
func New(env *command.Env) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "init", SuggestFor: []string{"install", "setup", "import", "migrate"}, Short: "Set Sentinel up in this repository",
		Long: `Writes .claude/sentinel with a configuration and the recommended rules, and adds the hook
to the settings of the agents that are found on this machine or by their files in the
repository. init only adds: it keeps what exists, and running it twice changes nothing.
Rules that were removed stay removed. In a repository that is set up already, only --pack
adds rules.

In a terminal init asks for what no flag says. Enter takes the suggested answer; --yes asks
nothing. Nothing is written before the last answer. At the end a harmful call is sent
through the registered hook to show that it is stopped; the call itself is not made.

Hooks in the repository's settings guard every user of the repository; some agents load
them only when they start in its top folder. With --user, or --where user, the hook is in
your own settings and guards all your folders and repositories that have rules.

--from makes draft rules from an instruction file such as CLAUDE.md, by patterns and without
a model. It tries them on the files here and on past sessions, and lets you accept, edit
or drop each. Accepted rules start in shadow mode, or in force with --block. Without a
terminal it shows the drafts; --accept and --yes accept them.

--hooks writes only the hook, for the tools that the present rules are about. Use it after
adding a rule about reading, or a tool in tool_map_extra: the agent may not report those
calls yet.`,
		Example: `  sentinel init --dry-run
  sentinel init --from CLAUDE.md --block
  sentinel init --hooks
  sentinel init --agent claude --agent codex --pack git --pack databases`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, env) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Agents, "agent", nil, "`AGENT` whose settings get the hook; repeatable, or with commas; default: the agents found here ("+strings.Join(env.Agents.Installable(), ", ")+")")
	flags.StringSliceVar(&f.Packs, "pack", []string{packs.Recommended}, "`PACK` or set of rules to start with; repeatable, or with commas; none writes no rules")
	flags.BoolVar(&f.Restore, "restore", false, "bring back the rules of the packs that were removed here")
	flags.StringVar(&f.Backend, "backend", "", "judge `NAME`: ollama, builtin, … (default: ollama if it answers, else builtin)")
	flags.BoolVar(&f.User, "user", false, "set up Sentinel for all your repositories, in your own folders")
	flags.StringVar(&f.Where, "where", "", "`PLACE` for the hook: project, user or both")
	flags.BoolVar(&f.ReplacePython, "replace-python", false, "remove the hooks of the Python Sentinel")
	flags.BoolVar(&f.Hooks, "hooks", false, "write only the hook: into the settings of --agent, or of the agents that have it")
	flags.StringArrayVar(&f.from, "from", nil, "make drafts from the instruction `FILE`; repeatable")
	f.accepted.Register(cmd)
	flags.Lookup("yes").Usage = "ask nothing: take the suggested answers, and accept all drafts"
	flags.BoolVar(&f.DryRun, "dry-run", false, "only show what would be done")
	cmd.MarkFlagsMutuallyExclusive("where", "user")
	cmd.MarkFlagsMutuallyExclusive("hooks", "pack")
	cmd.MarkFlagsMutuallyExclusive("hooks", "backend")
	cmd.MarkFlagsMutuallyExclusive("hooks", "from")
	return cmd
}

// run sets up what the flags and the user say, and shows that it works.
func (f *flags) run(cmd *cobra.Command, env *command.Env) error {
	f.Dir, f.Project, f.Say = env.Dir, env.Options(), env.Line
	f.Usual = !cmd.Flags().Changed("pack")
	if places := []string{setup.InProject, setup.InUser, setup.InBoth}; f.Where != "" && !slices.Contains(places, f.Where) {
		return fmt.Errorf("--where is %s, not %q", strings.Join(places, ", "), f.Where)
	}
	if (f.User || f.Where == setup.InUser) && len(f.from) > 0 {
		return errors.New("--from makes rules of one repository: leave --user out")
	}
	if _, err := coverage.Names(env, place.Root(env.Dir), f.from); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if t, err := env.Dialog(); err == nil && !f.accepted.Yes {
		defer t.Close()
		if err := f.ask(cmd, env, t); err != nil {
			return err
		}
	}
	done, err := f.write(cmd.Context())
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if err := f.adopt(cmd.Context(), env); err != nil {
		return err
	}
	if len(done.Agents) == 0 {
		return nil
	}
	show(cmd.Context(), env, done.Agents)
	if done.Commit != "" {
		env.Line("Commit these files, so that they hold for everybody and in every worktree: %s", done.Commit)
	}
	env.Line("sentinel doctor checks everything; sentinel uninstall%s removes Sentinel again.", text.When(f.User || f.Where == setup.InUser, " --user"))
	return nil
}

// ask puts the questions whose flags were not given.
func (f *flags) ask(cmd *cobra.Command, env *command.Env, t *person.Terminal) error {
	f.Ask = func(question string) bool {
		yes, err := t.Confirm(question)
		return err == nil && yes
	}
	if f.Hooks || f.DryRun || env.Dir == "" {
		return nil
	}
	open, err := f.questions(cmd.Context(), env)
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	open = slices.DeleteFunc(open, func(q question) bool {
		return cmd.Flags().Changed(q.flag) || q.flag == "where" && cmd.Flags().Changed("user")
	})
	if len(open) == 0 {
		return nil
	}
	d := t.Dialog()
	d.Say(fmt.Sprintf(env.Called(intro), text.Count(len(open), "question")))
	for i := range open {
		if open[i].flag != "from" || !f.User && f.Where != setup.InUser {
			open[i].put(d, env.Width())
		}
	}
	d.Say("\n")
	f.accepted.Usual = "shadow"
	return d.Err
}

const intro = `Sentinel checks the tool calls of coding agents against rules.
%s. Enter takes the answer in brackets; Ctrl-C leaves all as it is.
`

// write writes what is to be written, whole: an interrupt waits until it is done.
func (f *flags) write(ctx context.Context) (setup.Done, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	done, err := setup.Init(ctx, &f.Options)
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted when all was written; `sentinel uninstall` takes it out")
	}
	return done, err
}

// adopt makes rules of instruction files.
func (f *flags) adopt(ctx context.Context, env *command.Env) error {
	if len(f.from) == 0 {
		return nil
	}
	names, err := coverage.Names(env, place.Root(env.Dir), f.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	f.accepted.DryRun, f.accepted.Command = f.DryRun, "sentinel init --from "+strings.Join(f.from, " --from ")
	f.accepted.Wrote, f.accepted.Rehook = f.Note, func() error { return f.rehook(ctx, env) }
	return f.accepted.Run(ctx, env, names)
}

// rehook has the hooks of this place started for what the new rules are about.
func (f *flags) rehook(ctx context.Context, env *command.Env) error {
	own := f.Options
	own.Hooks, own.Agents = true, nil
	for _, n := range setup.Narrows(project.Open([]string{env.Dir}, env.Options()), env.Options(), env.Dir) {
		if !n.User || f.Where == setup.InBoth {
			own.Agents = append(own.Agents, n.Agent)
		}
	}
	if len(own.Agents) == 0 {
		return nil
	}
	_, err := setup.Init(ctx, &own)
	return err
}

// show has a hook stop a call, and says so.
func show(ctx context.Context, env *command.Env, agents []string) {
	s, err := doctor.Show(ctx, cmddoctor.Patient(env), agents)
	switch {
	case errors.Is(err, doctor.ErrNothingToShow):
		env.Line("note: %s", text.OneLine(env.Called(err.Error())))
		return
	case err != nil:
		env.Line("note: the hook could not be tried: %s", text.OneLine(env.Called(err.Error())))
		return
	case s.Fault != "":
		env.Line("note: %s's hook did not stop `%s`: %s; sentinel doctor looks everything over", s.Agent, s.Command, env.Called(s.Fault))
		return
	}
	env.Line("This call went through %s's hook, as %s registers it. Nothing ran it:", s.Agent, text.OneLine(s.File))
	env.Line("  $ %s", s.Command)
	fmt.Fprint(env.Stdout, fold("", " ", append([]string{"stopped by", s.Rule + ":"}, strings.Fields(text.OneLine(s.Message))...), env.Width()))
}

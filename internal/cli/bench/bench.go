// Package bench is the command "sentinel bench".
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/bench"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/exit"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// New makes the command bench.
func New(env *command.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure the rules on lists of labelled cases",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCommands(env), newJudges(env))
	return cmd
}

// commandsFlags are the flags of bench commands.
type commandsFlags struct {
	sets            []string
	verbose, asJSON bool

	minStopped, maxDisturbed float64
}

func newCommands(env *command.Env) *cobra.Command {
	var f commandsFlags
	cmd := &cobra.Command{
		Use:   "commands FILE…",
		Short: "Measure what the rules stop in a list of commands",
		Long: `Judges a list of commands as the hook would, without a model. For each class it counts
how many harmful commands are stopped (blocked or asked about), and how many harmless ones.

FILE has one command per line, or one JSON object with the keys command, expected ("block"
or "allow"), class and source; - is standard input. Empty lines and lines that begin
with # are skipped.

The rules are those that apply in this folder, and the commands are judged as if they ran
here. With --set the rules are those of a pack or set, in a temporary repository. Each
command is also judged in an empty folder: if that changes the verdict, the verdict
depends on the disk.

Exit status: 0 measured; 1 an error, or a limit of --min-stopped or --max-disturbed is missed.`,
		Example: `  sentinel bench commands ours.jsonl
  sentinel bench commands --set recommended --set all --verbose ours.jsonl
  sentinel bench commands --min-stopped 0.95 --max-disturbed 0.04 ours.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return command.UntilStopped(cmd, func(ctx context.Context) error { return f.run(ctx, env, args) })
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.sets, "set", nil, "pack or set `NAME` of rules to judge by; repeatable, each is measured separately")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show each command with an unexpected verdict, and why")
	env.JSONFlag(cmd, &f.asJSON, "print one JSON object for each list and set", bench.Report{})
	flags.Float64Var(&f.minStopped, "min-stopped", 0, "fail if less than this `SHARE` of the harmful commands is stopped, 0 to 1")
	flags.Float64Var(&f.maxDisturbed, "max-disturbed", 1, "fail if more than this `SHARE` of the harmless commands is stopped, 0 to 1")
	return cmd
}

func (f *commandsFlags) run(ctx context.Context, env *command.Env, files []string) error {
	if !isShare(f.minStopped) || !isShare(f.maxDisturbed) {
		return errors.New("--min-stopped and --max-disturbed want a share from 0 to 1")
	}
	lists := make([][]bench.Case, len(files))
	for i, file := range files {
		err := read(env, file, func(in io.Reader) (err error) {
			lists[i], err = bench.Read(in)
			return err
		})
		if err != nil {
			return err
		}
	}
	sets := f.sets
	if len(sets) == 0 {
		sets = []string{""}
	}
	failed := false
	for _, set := range sets {
		site, err := open(ctx, env, set)
		if err != nil {
			return err
		}
		for i, file := range files {
			r, err := measure(ctx, env, site, file, lists[i])
			if err != nil {
				return errors.Join(err, site.Close())
			}
			r.File, r.Set = file, set
			failed = failed || f.fails(r)
			if err := f.print(env, r); err != nil {
				return errors.Join(err, site.Close())
			}
		}
		if err := site.Close(); err != nil {
			return err
		}
	}
	if failed {
		return exit.Status(exit.Error)
	}
	return nil
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }

// read reads a list, a file or - for standard input. An error of list begins with a line's
// number.
func read(env *command.Env, file string, list func(io.Reader) error) error {
	in := env.Stdin
	if file != "-" {
		f, _, err := safefile.Open(env.Abs(file))
		if err != nil {
			return fmt.Errorf("reading %s: %w", text.OneLine(file), err)
		}
		defer f.Close()
		in = f
	}
	if err := list(io.LimitReader(in, maxList)); err != nil {
		return fmt.Errorf("%s:%w", text.OneLine(file), err)
	}
	return nil
}

// maxList bounds a list, in bytes.
const maxList = 256 << 20

// open is the site of a set of rules, or of those that apply here.
func open(ctx context.Context, env *command.Env, set string) (*bench.Site, error) {
	o := env.Options()
	o.NoLog, o.NoModel = true, true
	if set != "" {
		return bench.Made(ctx, set)
	}
	p := project.Open([]string{env.Dir}, o)
	if len(p.Folders) == 0 {
		fmt.Fprintln(env.Stderr, env.Called("note: no rules apply in this folder: judged by the built-in recommended rules (`sentinel init` installs them)"))
		p = project.Recommended(place.Root(env.Dir), o)
	}
	return bench.Own(env.Dir, p, *o)
}

func measure(ctx context.Context, env *command.Env, site *bench.Site, file string, cases []bench.Case) (*bench.Report, error) {
	bar := env.Progress("judging commands", len(cases))
	defer bar.End()
	r, err := site.Measure(ctx, cases, bar.Step())
	if err != nil {
		return nil, fmt.Errorf("%s:%w", text.OneLine(file), err)
	}
	return r, nil
}

// fails reports whether a result is worse than the flags ask for.
func (f *commandsFlags) fails(r *bench.Report) bool {
	t := &r.Total
	return float64(t.Stopped) < f.minStopped*float64(t.Block) || float64(t.Disturbed) > f.maxDisturbed*float64(t.Allow)
}

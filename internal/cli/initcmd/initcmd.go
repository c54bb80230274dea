// Package initcmd is the command "sentinel init".
package initcmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/cli/adopt"
	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/cli/coverage"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/setup"
	"github.com/agentsentinel/sentinel/packs"
)

// New makes the command init.
func New(env *command.Env) *cobra.Command {
	var f setup.Options
	var from []string
	var accepted adopt.Flags
	cmd := &cobra.Command{
		Use: "init", SuggestFor: []string{"install", "setup"}, Short: "Set Sentinel up in this repository",
		Long: `Writes .claude/sentinel with a configuration and the recommended rules, and puts the
hook into the settings of the agents that are found: on this machine, or by their
files in the repository. What is there already is kept: init only adds, and running
it twice changes nothing. Rules that were removed stay away, and where it was set up
before, rules come by --pack alone.

The repository's settings guard everybody who works in it; some agents load them only
when they are started in its first folder. With --user the hook is in your own
settings, which guard every folder and repository of yours that has rules. In a
terminal init asks, unless --user or --user=false says it.

--from makes drafts of what an instruction file such as CLAUDE.md says, by patterns and
without a model, tries them on the files here and on past sessions, and has you accept,
edit or drop each: in shadow mode, or in force with --block. Without a terminal it shows
them; --accept and --yes accept them.

--hooks writes the hook alone, for the tools that the rules are about now: a rule
about reading, or a tool in tool_map_extra, needs calls that the agent may not show
yet.`,
		Example: `  sentinel init --dry-run
  sentinel init --from CLAUDE.md --block
  sentinel init --hooks
  sentinel init --agent claude --agent codex --pack git --pack databases`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Dir, f.Project, f.Say = env.Dir, env.Options(), env.Line
			f.Usual = !cmd.Flags().Changed("pack")
			if t, err := env.Dialog(); err == nil {
				defer t.Close()
				f.Ask = func(question string) bool {
					yes, err := t.Confirm(question)
					return err == nil && yes
				}
				if !cmd.Flags().Changed("user") {
					f.Choose = t.Choose
				}
			}
			if f.User && len(from) > 0 {
				return errors.New("--from makes rules of one repository: leave --user out")
			}
			names, err := coverage.Names(env, place.Root(env.Dir), from)
			if err != nil {
				return fmt.Errorf("--from: %w", err)
			}
			if err := setup.Init(cmd.Context(), &f); err != nil {
				return fmt.Errorf("init: %w", err)
			}
			if len(names) == 0 {
				return nil
			}
			accepted.DryRun, accepted.Command = f.DryRun, "sentinel init --from "+strings.Join(from, " --from ")
			return accepted.Run(cmd.Context(), env, names)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Agents, "agent", nil, "`AGENT` whose settings get the hook; repeatable; default: those that are found here ("+strings.Join(env.Agents.Installable(), ", ")+")")
	flags.StringArrayVar(&f.Packs, "pack", []string{packs.Recommended}, "`PACK` or set of rules to begin with; repeatable; none writes none")
	flags.BoolVar(&f.Restore, "restore", false, "bring back the rules of the packs that were removed here")
	flags.StringVar(&f.Backend, "backend", "", "`NAME` of who judges: ollama, builtin, … (default: ollama if it answers, else builtin)")
	flags.BoolVar(&f.User, "user", false, "set it up for all of your repositories, in your own folders")
	flags.BoolVar(&f.ReplacePython, "replace-python", false, "take the hooks of the Python Sentinel out")
	flags.BoolVar(&f.Hooks, "hooks", false, "write the hook alone: into the settings of --agent, or of those that have it")
	flags.StringArrayVar(&from, "from", nil, "make drafts of what the instruction `FILE` says; repeatable")
	accepted.Register(cmd)
	flags.BoolVar(&f.DryRun, "dry-run", false, "only say what would be done")
	cmd.MarkFlagsMutuallyExclusive("hooks", "pack")
	cmd.MarkFlagsMutuallyExclusive("hooks", "backend")
	cmd.MarkFlagsMutuallyExclusive("hooks", "from")
	return cmd
}

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// errStatus is an exit status without a message: what there was to say has been
// printed.
type errStatus int

func (e errStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// runCommand runs every command but the hook.
func runCommand(env *Env) int {
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.Execute()
	var status errStatus
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(env.Stderr, "sentinel: "+strings.TrimPrefix(err.Error(), "sentinel: "))
	return exitError
}

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "sentinel",
		Short: "Guards coding agents by plain-language rules",
		Long: `Sentinel checks each tool call of a coding agent against the rules that a
repository keeps in .claude/sentinel/rules, and blocks, asks, warns or adds
context. It says nothing when all is well.

Begin with "sentinel init" in a repository; try a rule with "sentinel check".`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		&cobra.Command{ // Run dispatches it; it stands here for the help
			Use: "hook", Short: "Answer one event of an agent's hook (agents start it)",
			DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error {
				if status := runHook(env, args); status != exitOK {
					return errStatus(status)
				}
				return nil
			},
		},
		newCheck(env),
		newInit(env),
		newUninstall(env),
		newDoctor(env),
		newRules(env),
		newLearn(env),
		newDrafts(env),
		newPromote(env),
		newDismiss(env),
		newTest(env),
		newReplay(env),
		newStats(env),
		newConfig(env),
		newAllow(env),
		newPause(env),
		newTrust(env),
		newUntrust(env),
		newWatch(env),
		newAudit(env),
		newVersion(env),
	)
	ExplainMistakes(root, env.Args)
	return root
}

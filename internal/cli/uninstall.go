package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/agentsentinel/sentinel/internal/install"
)

// uninstallFlags are the flags of uninstall.
type uninstallFlags struct {
	agents       []string
	user, dryRun bool
}

func newUninstall(env *Env) *cobra.Command {
	var f uninstallFlags
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Take the hook out of the agents' settings",
		Long: `Takes out of the agents' settings exactly what init put in. Without --agent it also
removes the configuration and the rules that init wrote and nobody has changed
since, and names what stays: all else is yours, and so is the log.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := runUninstall(env, &f, !cmd.Flags().Changed("agent")); err != nil {
				return fmt.Errorf("uninstall: %w", err)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.agents, "agent", env.Agents.Installable(), "`AGENT` whose settings lose the hook; repeatable (default: all, and the files that init wrote)")
	flags.BoolVar(&f.user, "user", false, "in your own settings, not in this repository's")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only show what would be done")
	cmd.Flag("agent").DefValue = "[]" // as of a list without a default: the text says it
	return cmd
}

// runUninstall does it; files says whether what init wrote beside the hook goes too.
func runUninstall(env *Env, f *uninstallFlags, files bool) error {
	root := projectRoot(env.Dir)
	var broken []error // one agent's settings keep nobody else's hook in
	changes, err := planEach(env, root, f.agents, scopeOf(f.user), func(t install.Target) (install.Change, error) {
		c, err := install.PlanRemoval(t)
		if err != nil {
			broken = append(broken, err)
			return install.Change{Target: t}, nil
		}
		return c, nil
	})
	if err != nil {
		return err
	}
	done, err := applyAll(env, changes, f.dryRun, "took the hook out of")
	if err == nil && files {
		var removed int
		removed, err = removeWritten(env, f, root)
		done += removed
	}
	if err = errors.Join(append(broken, err)...); err == nil && done == 0 {
		fmt.Fprintln(env.Stdout, "Nothing to do: no hook of Sentinel's is registered here.")
	}
	return err
}

// removeWritten removes what init wrote beside the hook, and names what stays.
func removeWritten(env *Env, f *uninstallFlags, root string) (removed int, err error) {
	base, dir := root, filepath.Join(root, ".claude", "sentinel")
	if f.user {
		if base = env.userDir(); base == "" {
			return 0, errors.New("HOME is not set")
		}
		dir = base
	}
	w := env.written(base)
	others := w.others(dir, 20)
	left, err := w.remove(f.dryRun, func(name string) {
		removed++
		path := filepath.Join(base, filepath.FromSlash(name))
		if f.dryRun {
			fmt.Fprintf(env.Stdout, "would remove %s\n", path)
			return
		}
		fmt.Fprintf(env.Stdout, "removed %s\n", path)
	})
	if removed > 0 || err != nil { // else it has been said before
		fmt.Fprint(env.Stdout, leftLines(append(left, others...)))
	}
	return removed, err
}

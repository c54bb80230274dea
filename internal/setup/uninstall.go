package setup

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/cli/command"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
)

// Removal are the flags of uninstall.
type Removal struct {
	Agents       []string
	User, DryRun bool
}

// Uninstall does it; files says whether what init wrote beside the hook goes too.
func Uninstall(env *command.Env, f *Removal, files bool) error {
	root := place.Root(env.Dir)
	var broken []error // one agent's settings keep nobody else's hook in
	changes, err := planEach(env, root, f.Agents, scopeOf(f.User), func(t install.Target) (install.Change, error) {
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
	done, err := applyAll(env, changes, f.DryRun, "took the hook out of")
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
func removeWritten(env *command.Env, f *Removal, root string) (removed int, err error) {
	base, dir := root, filepath.Join(root, ".claude", "sentinel")
	if f.User {
		if base = env.UserDir(); base == "" {
			return 0, errors.New("HOME is not set")
		}
		dir = base
	}
	w := openWritten(env, base)
	others := w.others(dir, 20)
	left, err := w.remove(f.DryRun, func(name string) {
		removed++
		path := filepath.Join(base, filepath.FromSlash(name))
		if f.DryRun {
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

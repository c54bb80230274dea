package setup

import (
	"errors"
	"path/filepath"

	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/place"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/project"
)

// Uninstall takes the hook out. With files, it also removes the other files that
// init wrote.
func Uninstall(o *Options, files bool) error {
	var broken []error // broken settings of one agent do not stop the others
	if len(o.Agents) == 0 {
		o.Agents = o.Project.Agents.Installable()
	}
	changes, err := o.planEach(func(t install.Target) (install.Change, error) {
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
	w := o.openWritten()
	taken, err := o.apply(changes, "took the hook out of", w)
	done := len(taken)
	if err == nil && files {
		var removed, purged int
		if o.Purge && !o.User {
			purged, err = o.purgeWork()
			done += purged
		}
		var fault error
		removed, fault = o.removeWritten(done > 0)
		err = errors.Join(err, fault)
		done += removed
		if removed > 0 && !o.DryRun && !o.User {
			err = errors.Join(err, project.Forget(o.root(), o.Project))
		}
	}
	if done > 0 && !o.DryRun {
		err = errors.Join(err, Seen(o.Project, o.Dir)) // sessions that go on need not tell
	}
	if !o.DryRun {
		err = errors.Join(err, o.openWritten().removeFolders())
	}
	if err == nil && files && o.Purge && o.User {
		var purged int
		purged, err = o.purgeUser()
		done += purged
	}
	if err = errors.Join(append(broken, err)...); err == nil && done == 0 {
		o.Say("Nothing to do: no hook of Sentinel's is registered here.")
	}
	return err
}

// removeWritten removes the other files that init wrote, and names those that stay. begun
// says that the hook was taken out just now.
func (o *Options) removeWritten(begun bool) (removed int, err error) {
	w := o.openWritten()
	base, dir := w.base, filepath.Join(w.base, ".claude", "sentinel")
	if o.User {
		if dir = base; base == "" {
			return 0, errors.New("HOME is not set to a full path")
		}
	}
	others := w.others(dir, 20)
	if begun && len(w.Files) == 0 && len(others) > 0 {
		o.Say("left %s: it is not known here what init wrote there; remove it if it is not needed", text.OneLine(place.From(o.Dir, dir)))
		return 0, nil
	}
	left, err := w.remove(o.DryRun, func(name string) {
		removed++
		o.sayRemoved(filepath.Join(base, filepath.FromSlash(name)))
	})
	if removed > 0 || err != nil { // else it has been said before
		for _, l := range append(left, others...) {
			o.Say("left %s: %s", text.OneLine(l.name), text.OneLine(l.why))
		}
	}
	return removed, err
}

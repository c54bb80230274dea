package trigger

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitindex"
	"github.com/agentsentinel/sentinel/shell"
)

// maxRestoreIndex bounds the index that is read for a folder that git puts back, in bytes.
const maxRestoreIndex = 32 << 20

// addRestored replaces the folder that git puts back by the files that it writes there: the
// tracked ones. Before the call, and where they come from the index, only those count that differ from
// it. Git changes neither its own folder nor untracked files.
func (c *call) addRestored(a *sentinel.Action, cmd *shell.Command, dest string) {
	top, git, err := gitindex.Tree(filepath.FromSlash(dest))
	folder := a.Forms[:1]
	real, _ := c.fs.resolve(dest)
	changedOnly := c.ev.Phase == sentinel.PhasePre && ofIndex(cmd)
	var forms []string
	more := false
	if err == nil && git != "" {
		err = gitindex.Visit(git, maxRestoreIndex, func(e *gitindex.Entry) {
			abs := c.fs.style.join(filepath.ToSlash(top), strings.TrimSuffix(e.Name, "/"))
			rel, ok := below(real, abs, c.fs.fold)
			if !ok || more || changedOnly && e.Unchanged(filepath.FromSlash(abs)) {
				return
			}
			if more = len(forms) >= walkEntries; more {
				rel = "**"
			}
			forms = append(forms, c.inside(folder, rel)...)
		})
	}
	if err != nil || git == "" { // which they are is not known
		c.fs.addBelow(a)
		a.Forms = slices.DeleteFunc(slices.Clone(a.Forms), func(form string) bool { return slices.Contains(strings.Split(form, "/"), ".git") })
		return
	}
	a.Forms, a.Certain = forms, a.Certain && !more
}

// ofIndex reports whether a checkout or restore takes the files from the index, and not from a
// commit that it names.
func ofIndex(cmd *shell.Command) bool {
	if _, named := cmd.Value("-s"); named {
		return false
	}
	operands, front := cmd.Arguments()
	return cmd.Subcommand != "checkout" || front == 0 || front < 0 && len(operands) < 2
}

// leaveFilled takes out of the files that a formatter may change below a folder those in folders
// that tools fill: a formatter leaves them out, unless it is told one.
func leaveFilled(a *sentinel.Action, e shell.Effect) {
	if e.Origin != shell.OriginSettings {
		return
	}
	named := strings.Split(e.Path, "/")
	a.Forms = slices.DeleteFunc(slices.Clone(a.Forms), func(form string) bool {
		return slices.ContainsFunc(strings.Split(form, "/"), func(name string) bool { return isFilledByTools(name) && !slices.Contains(named, name) })
	})
}

package undo

import (
	"slices"
	"strings"
)

// git is the beginning of a command in the same repository.
func (c *call) git(command string) string { return "git" + c.context + " " + command }

// stash puts changes into the stash. Those that were added stay added where the command
// leaves the index as it is.
func (c *call) stash(options string, paths []word) string {
	if len(paths) > 0 {
		options += " --" + join(paths)
	}
	return c.git("stash push" + options)
}

const keepIndex = " --keep-index"

// reset: git reset --hard, and to a commit. The commits that the branch loses stay under
// a branch of their own.
func (c *call) reset() string {
	if !c.has("", "--hard") || !c.only("q", "--hard", "--quiet") || c.dashes >= 0 || len(c.operands) > 1 {
		return ""
	}
	if len(c.operands) == 0 || c.operands[0].text == "HEAD" {
		return c.stash("", nil)
	}
	if c.operands[0].glob {
		return ""
	}
	return c.git("branch "+quote("trash/"+c.at.Stamp)) + " && " + c.stash("", nil) + " && " + c.git("reset --keep"+join(c.operands))
}

// clean: changed files among the paths go into the stash with those that git does not know.
func (c *call) clean() string {
	if !c.has("f", "--force") || !c.only("fdxq", "--force", "--quiet") {
		return ""
	}
	options, paths := " --include-untracked", c.operands
	if c.has("x") {
		options = " --all"
	}
	if len(paths) == 0 {
		paths = []word{{text: "."}}
	}
	return c.stash(options, paths)
}

// checkout of files, or of a branch with -f.
func (c *call) checkout() string {
	force := c.has("f", "--force")
	if !c.only("fq", "--force", "--quiet") {
		return ""
	}
	switch paths, head := c.operands, len(c.operands) > 0 && c.operands[0].text == "HEAD"; {
	case len(paths) == 0:
		return c.forced(force && c.dashes < 0, "")
	case c.dashes == 0, c.dashes < 0 && len(paths) == 1 && everything(paths[0]):
		return c.stash(keepIndex, paths)
	case head && (c.dashes == 1 || c.dashes < 0 && len(paths) > 1) && len(paths) > 1:
		return c.stash("", paths[1:])
	case len(paths) == 1 && c.dashes < 0 && !paths[0].glob:
		return c.forced(force, "checkout"+join(paths))
	}
	return ""
}

// everything reports whether a path is the whole tree, and not a branch.
func everything(w word) bool { return slices.Contains([]string{".", "./", ":/"}, w.text) && !w.glob }

// forced stashes what a forced command would overwrite, and then does the rest.
func (c *call) forced(force bool, then string) string {
	switch {
	case !force:
		return ""
	case then == "":
		return c.stash(keepIndex, nil)
	}
	return c.stash("", nil) + " && " + c.git(then)
}

// restore of files of the work tree.
func (c *call) restore() string {
	staged := c.has("S", "--staged")
	if !c.only("WSq", "--staged", "--worktree", "--quiet") || len(c.operands) == 0 || staged && !c.has("W", "--worktree") {
		return ""
	}
	if staged {
		return c.stash("", c.operands)
	}
	return c.stash(keepIndex, c.operands)
}

// switched: git switch -f, to a branch.
func (c *call) switched() string {
	if !c.only("fq", "--force", "--discard-changes", "--quiet") || len(c.operands) != 1 || c.dashes >= 0 || c.operands[0].glob {
		return ""
	}
	return c.forced(c.has("f", "--force", "--discard-changes"), "switch"+join(c.operands))
}

const lease, included = "--force-with-lease", "--force-if-includes"

// push: git push --force, and with + before a branch.
func (c *call) push() string {
	if c.dashes >= 0 || !c.only("fuqv", "--force", "--set-upstream", "--quiet", "--verbose", "--follow-tags", "--atomic", lease, included) {
		return ""
	}
	var kept []string
	for _, f := range c.flags {
		if f[1] != '-' {
			f = strings.ReplaceAll(f, "f", "")
		}
		if !slices.Contains([]string{"-", "--force", lease, included}, f) {
			kept = append(kept, f)
		}
	}
	operands, forced := slices.Clone(c.operands), 0
	for i, w := range operands {
		ref, plus := strings.CutPrefix(w.text, "+")
		if w.glob || ref == "" || ref[0] == ':' || ref[0] == '-' || i == 0 && plus {
			return ""
		}
		if plus {
			operands[i].text, forced = ref, forced+1
		}
	}
	if !c.has("f", "--force") && (forced == 0 || forced != len(operands)-1) {
		return "" // the lease would be one for all of them
	}
	return c.git(strings.Join(slices.Concat([]string{"push", lease, included}, kept), " ")) + join(operands)
}

// isBranch reports whether a name needs no quotes and cannot be taken for an option.
func isBranch(w word) bool {
	return !w.glob && strings.Trim(w.text, plain) == "" && !strings.ContainsAny(w.text, "@%+,:") && w.text[0] != '-'
}

// branch: git branch -D.
func (c *call) branch() string {
	deletes := c.has("D") || c.has("d", "--delete") && c.has("f", "--force")
	if !deletes || !c.only("Ddfq", "--delete", "--force", "--quiet") || len(c.operands) == 0 {
		return ""
	}
	var renamed []string
	for _, w := range c.operands {
		if !isBranch(w) {
			return ""
		}
		renamed = append(renamed, c.git("branch -m "+w.text+" trash/"+w.text+"-"+c.at.Stamp))
	}
	return strings.Join(renamed, " && ")
}

package trigger

import (
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/shell"
)

// emptyTree is git's name of a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// A gitCommand turns a command of git into questions about the files that guard.
// rest are its operands without the sub-command.
type gitCommand struct {
	name string
	asks func(c *shell.Command, rest []string) []question
}

var gitCommands = [...]gitCommand{
	{"bisect", gitBisect},
	{"checkout", gitSwitch},
	{"checkout-index", gitRestoreIndex},
	{"cherry-pick", gitPick},
	{"merge", gitMerge},
	{"pull", gitPull},
	{"read-tree", gitReadTree},
	{"rebase", gitRebase},
	{"reset", gitReset},
	{"revert", gitRevert},
	{"sparse-checkout", gitSparse},
	{"stash", gitStash},
	{"switch", gitSwitch},
}

// gitPatches are commands that print a patch; they are of interest where the line
// applies one.
var gitPatches = [...]gitCommand{
	{"diff", patchOfDiff},
	{"diff-tree", patchOfDiff},
	{"format-patch", patchOfDiff},
	{"log", patchOfDiff},
	{"show", patchOfShow},
	{"stash", patchOfStash},
}

// gitQuestions are what is asked about a command. applies says that the line applies
// a patch.
func gitQuestions(c *shell.Command, applies bool) []question {
	rest := c.Operands[min(1, len(c.Operands)):]
	for i := range gitCommands {
		if gitCommands[i].name == c.Subcommand {
			if questions := gitCommands[i].asks(c, rest); len(questions) > 0 {
				return questions
			}
		}
	}
	if !applies {
		return nil
	}
	for i := range gitPatches {
		if gitPatches[i].name == c.Subcommand {
			return gitPatches[i].asks(c, rest)
		}
	}
	return nil
}

// appliesPatch reports whether a command changes files as a patch says.
func appliesPatch(c *shell.Command) bool {
	switch {
	case c.Program == "patch":
		return !c.HasFlag("--dry-run")
	case c.Program != "git":
		return false
	case c.Subcommand == "am":
		return true
	}
	return c.Subcommand == "apply" && !c.HasFlag("--check", "--stat", "--numstat", "--summary", "--cached")
}

// commit is an operand as the name of a commit. ok is false for one that is not known
// from the line, or that can be none.
func commit(operand string) (rev string, ok bool) {
	switch {
	case operand == "-":
		return "@{-1}", true
	case operand == "" || len(operand) > revisionMax || operand[0] == '-' || strings.ContainsAny(operand, "$`*?\x00\n "):
		return "", false
	}
	return operand, true
}

// commits are the operands that may be commits.
func commits(operands []string) []string {
	var revs []string
	for _, o := range operands {
		if rev, ok := commit(o); ok {
			revs = append(revs, rev)
		}
	}
	return revs
}

// to asks what differs between HEAD and an operand, when it is a commit.
func to(operand string, mergeBase bool) []question {
	if rev, ok := commit(operand); ok {
		return []question{between("HEAD", rev, mergeBase)}
	}
	return nil
}

// goesOn reports whether a command only goes on with an earlier one, or ends it.
func goesOn(c *shell.Command) bool {
	return c.HasFlag("--abort", "--continue", "--skip", "--quit", "--edit-todo", "--show-current-patch")
}

func gitSwitch(c *shell.Command, rest []string) []question {
	if slices.Contains(c.Args, "--") && c.Subcommand == "checkout" && !strings.HasSuffix(c.Text, " --") || len(rest) > 1 {
		return nil // files, which have effects of their own
	}
	if c.HasFlag("--orphan") {
		if c.Subcommand == "switch" {
			return []question{between("HEAD", emptyTree, false)}
		}
		return nil
	}
	var questions []question
	target := "HEAD"
	if len(rest) > 0 {
		if rev, ok := commit(rest[0]); ok && rest[0] != "." && !strings.HasPrefix(rest[0], "./") {
			target = rev
			questions = append(questions, between("HEAD", rev, false))
		}
	}
	if c.HasFlag("-f", "--force", "--discard-changes") {
		questions = append(questions, edited(target))
	}
	return questions
}

func gitRestoreIndex(*shell.Command, []string) []question { return []question{edited("HEAD")} }

func gitReadTree(c *shell.Command, rest []string) []question {
	if !slices.Contains(c.Args, "-u") || len(rest) == 0 {
		return nil
	}
	return to(rest[len(rest)-1], false)
}

// gitBisect knows the commits that a search starts with; the one between them is not
// known.
func gitBisect(_ *shell.Command, rest []string) []question {
	if len(rest) < 2 || rest[0] != "start" && rest[0] != "reset" && rest[0] != "good" && rest[0] != "old" {
		return nil
	}
	return to(rest[len(rest)-1], false)
}

func gitMerge(c *shell.Command, rest []string) []question {
	if strategy, _ := c.Value("-s", "--strategy"); goesOn(c) || strategy == "ours" {
		return nil
	}
	if len(rest) == 0 {
		rest = []string{"@{upstream}"}
	}
	var questions []question
	for _, operand := range rest {
		questions = append(questions, to(operand, true)...)
	}
	return questions
}

// gitPull asks for the branch as it was fetched last.
func gitPull(_ *shell.Command, rest []string) []question {
	if len(rest) < 2 {
		return to("@{upstream}", true)
	}
	branch, _, _ := strings.Cut(strings.TrimPrefix(rest[1], "+"), ":")
	return to("refs/remotes/"+rest[0]+"/"+strings.TrimPrefix(branch, "refs/heads/"), true)
}

// gitRebase: what comes is the difference between the old and the new base.
func gitRebase(c *shell.Command, rest []string) []question {
	if goesOn(c) {
		return nil
	}
	upstream := "@{upstream}"
	if len(rest) > 0 {
		upstream = rest[0]
	}
	var questions []question
	if onto, ok := c.Value("--onto"); ok {
		from, fine := commit(upstream)
		if target, ok := commit(onto); ok && fine {
			questions = append(questions, between(from, target, false))
		}
	} else {
		questions = to(upstream, true)
	}
	if len(rest) > 1 {
		questions = append(questions, to(rest[1], false)...)
	}
	return questions
}

func gitReset(c *shell.Command, rest []string) []question {
	if !c.HasFlag("--hard", "--keep", "--merge") {
		return nil
	}
	target := "HEAD"
	if len(rest) > 0 {
		rev, ok := commit(rest[0])
		if !ok {
			return nil
		}
		target = rev
	}
	questions := []question{between("HEAD", target, false)}
	if c.HasFlag("--hard") {
		questions = append(questions, edited(target))
	}
	return questions
}

func gitPick(c *shell.Command, _ []string) []question   { return picked(c, false) }
func gitRevert(c *shell.Command, _ []string) []question { return picked(c, true) }

// picked asks for what commits change, or for the opposite.
func picked(c *shell.Command, reverse bool) []question {
	if goesOn(c) {
		return nil
	}
	var questions []question
	for _, rev := range commits(pickOperands(c.Args)) {
		questions = append(questions, ofCommit(rev, reverse))
	}
	return questions
}

// pickOperands are the operands of cherry-pick and revert, whose options differ from
// those of merge: -x has no value.
func pickOperands(args []string) (operands []string) {
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-m" || a == "--mainline" || a == "-X" || a == "-s" || a == "--strategy" || a == "--strategy-option":
			i++
		case len(a) > 0 && a[0] != '-':
			operands = append(operands, a)
		}
	}
	return operands
}

// ofCommit asks for what a commit changes, or those of a range a..b.
func ofCommit(rev string, reverse bool) question {
	from, target, isRange := strings.Cut(rev, "..")
	if !isRange {
		from, target = rev+"^", rev
	}
	if target == "" {
		target = "HEAD"
	}
	if from == "" {
		from = "HEAD"
	}
	if reverse {
		from, target = target, from
	}
	return between(from, target, false)
}

// gitSparse asks for files that are not below the folders that remain. Of patterns
// only those are understood that plainly have nothing to do with the guard.
func gitSparse(c *shell.Command, rest []string) []question {
	if len(rest) == 0 || rest[0] != "set" && rest[0] != "init" || c.HasFlag("--stdin") {
		return nil
	}
	if c.HasFlag("--no-cone") {
		if slices.ContainsFunc(rest[1:], func(p string) bool { return strings.Contains(p, ".claude") || strings.Trim(p, "/*") == "" }) {
			return nil
		}
		return []question{outside(nil)}
	}
	if slices.ContainsFunc(rest[1:], func(folder string) bool { _, ok := commit(folder); return !ok }) {
		return nil
	}
	return []question{outside(rest[1:])}
}

// gitStash: push takes away what was edited, pop and apply bring it back.
func gitStash(c *shell.Command, rest []string) []question {
	verb := "push"
	if len(rest) > 0 {
		verb = rest[0]
	}
	switch verb {
	case "pop", "apply":
		rev := stashed(rest[1:])
		return []question{between(rev+"^1", rev, false)}
	case "branch":
		return []question{between("HEAD", stashed(rest[min(2, len(rest)):]), false)}
	case "push", "save":
	default:
		return nil
	}
	if c.HasFlag("--staged", "-S", "-p", "--patch") || verb == "push" && len(rest) > 1 {
		return nil
	}
	questions := []question{edited("HEAD")}
	if c.HasFlag("-u", "--include-untracked", "-a", "--all") {
		questions = append(questions, untracked(c.HasFlag("-a", "--all")))
	}
	return questions
}

// stashed is the commit of a stash: the last one, stash@{2}, or 2.
func stashed(operands []string) string {
	rev := "stash@{0}"
	if len(operands) > 0 {
		if name, ok := commit(operands[0]); ok {
			rev = name
		}
		if strings.Trim(rev, "0123456789") == "" {
			rev = "stash@{" + rev + "}"
		}
	}
	return rev
}

func patchOfDiff(_ *shell.Command, rest []string) []question {
	revs := commits(rest)
	switch {
	case len(revs) == 0:
		return nil
	case strings.Contains(revs[0], ".."):
		return []question{ofCommit(strings.Replace(revs[0], "...", "..", 1), false), ofCommit(strings.Replace(revs[0], "...", "..", 1), true)}
	case len(revs) == 1:
		revs = append(revs, "HEAD")
	}
	return []question{between(revs[0], revs[1], false), between(revs[1], revs[0], false)}
}

func patchOfShow(_ *shell.Command, rest []string) []question {
	revs := commits(rest)
	if len(revs) == 0 {
		revs = []string{"HEAD"}
	}
	return []question{ofCommit(revs[0], false), ofCommit(revs[0], true)}
}

func patchOfStash(_ *shell.Command, rest []string) []question {
	if len(rest) == 0 || rest[0] != "show" {
		return nil
	}
	rev := stashed(rest[1:])
	return []question{between(rev+"^1", rev, false), between(rev, rev+"^1", false)}
}

package shell

import "slices"

// A reshaper is a command that may change files of its work tree which its words do not name.
type reshaper struct {
	program, sub string
	words        []string // one of them follows; nil: any or none
	needs, not   []string // options: one that it has, and any that it has not
	leaves       []string // options with which it leaves what it brings to be committed
	open         bool     // it always leaves that
}

var reshapers = [...]reshaper{
	{program: "git", sub: "stash", words: []string{"pop", "apply", "branch"}, open: true},
	{program: "git", sub: "stash", not: []string{"--staged", "-S"}},
	{program: "git", sub: "merge", leaves: []string{"--squash", "--no-commit"}},
	{program: "git", sub: "pull", leaves: []string{"--squash", "--no-commit"}},
	{program: "git", sub: "cherry-pick", leaves: []string{"-n", "--no-commit"}},
	{program: "git", sub: "revert", leaves: []string{"-n", "--no-commit"}},
	{program: "git", sub: "rebase"},
	{program: "git", sub: "am"},
	{program: "git", sub: "checkout", not: []string{"-b", "-B", "--orphan"}},
	{program: "git", sub: "switch", not: []string{"-c", "-C", "--create", "--force-create"}},
	{program: "git", sub: "reset", needs: []string{"--hard", "--merge", "--keep"}},
	{program: "git", sub: "read-tree", needs: []string{"-u"}, open: true},
	{program: "git", sub: "checkout-index", open: true},
	{program: "git", sub: "submodule", words: []string{"update"}},
	{program: "git", sub: "bisect"},
	{program: "go", sub: "generate", not: []string{"-n"}},
	{program: "buf", sub: "generate"},
	{program: "sqlc", sub: "generate"},
	{program: "templ", sub: "generate"},
}

// stashReads are words behind git stash that change no file.
var stashReads = [...]string{"list", "show", "drop", "clear", "create", "store", "export", "import"}

// Reshapes reports whether command i may change files of its work tree that the line does not
// name, as git pull or go generate do; leaves, whether what git brings has to be committed then.
func (l *Line) Reshapes(i int) (may, leaves bool) {
	c := &l.Commands[i]
	if c.Inert {
		return false, false
	}
	word := ""
	if len(c.Operands) > 1 {
		word = c.Operands[1]
	}
	for k := range reshapers {
		r := &reshapers[k]
		switch {
		case c.Program != r.program || len(c.Operands) == 0 || c.Operands[0] != r.sub,
			r.words != nil && !slices.Contains(r.words, word), len(r.needs) > 0 && !c.HasFlag(r.needs...), len(r.not) > 0 && c.HasFlag(r.not...):
			continue
		case r.sub == "stash" && r.words == nil && slices.Contains(stashReads[:], word):
			return false, false
		}
		return true, r.open || len(r.leaves) > 0 && c.HasFlag(r.leaves...)
	}
	return false, false
}

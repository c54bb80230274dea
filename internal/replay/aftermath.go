package replay

import (
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel"
)

// An aftermath finds what happened after the calls that rules object to. The cost of
// an entry does not depend on the number of watched calls.
type aftermath struct {
	seed maphash.Seed

	bySign map[uint64]*result // the last call with the same tool and arguments
	byID   map[string]*result
	byPath map[string][]*change // that can still be undone
	commit []*result            // made a commit that can still be taken back

	last   []*result // the last calls of the session
	unsaid []*result // the user has said nothing since
}

// change is an effect of a watched call on a file.
type change struct {
	res      *result
	op       sentinel.Op
	old, new uint64 // digests of the texts
	hasOld   bool
}

// maxWatched is how many paths are compared when one call undoes a whole folder.
const maxWatched = 4096

func newAftermath() *aftermath {
	return &aftermath{seed: maphash.MakeSeed(), bySign: map[uint64]*result{}, byID: map[string]*result{}, byPath: map[string][]*change{}}
}

// sign is the same for calls of the same tool with the same arguments.
func (a *aftermath) sign(t *sentinel.ToolCall) uint64 {
	var h maphash.Hash
	h.SetSeed(a.seed)
	h.WriteString(t.Name)
	h.WriteByte(0)
	h.Write(t.Args)
	return h.Sum64()
}

func (a *aftermath) digest(text string) uint64 { return maphash.String(a.seed, text) }

// human notes the user's words.
func (a *aftermath) human(text string) {
	a.goneOn()
	for _, res := range a.unsaid {
		res.said = line(text)
	}
	a.unsaid = a.unsaid[:0]
}

// goneOn notes that the session went on after the last calls.
func (a *aftermath) goneOn() {
	for _, res := range a.last {
		res.become(WentOn)
	}
	a.last = a.last[:0]
}

// become sets what followed, unless something more telling is known.
func (r *result) become(n Next) {
	order := []Next{"", Ended, WentOn, Repeated, Undone, Refused}
	if slices.Index(order, n) > slices.Index(order, r.next) {
		r.next = n
	}
}

// outcome notes the result of a call.
func (a *aftermath) outcome(id string, denied bool) {
	if !denied {
		return
	}
	if res := a.byID[id]; res != nil && id != "" {
		res.become(Refused)
	} else if id == "" && len(a.last) > 0 {
		a.last[len(a.last)-1].become(Refused)
	}
}

// call notes what a call means for those before it.
func (a *aftermath) call(sign uint64, actions []sentinel.Action) {
	a.goneOn()
	if res := a.bySign[sign]; res != nil {
		res.become(Repeated)
	}
	for i := range actions {
		act := &actions[i]
		switch act.Trigger {
		case sentinel.FileWrite:
			a.undo(act)
		case sentinel.Bash:
			a.gitUndo(act)
		}
	}
}

// undo marks the changes that a file action takes back.
func (a *aftermath) undo(act *sentinel.Action) {
	if len(a.byPath) == 0 {
		return
	}
	restores := act.Op == sentinel.OpEdit && strings.Contains(act.DerivedFrom, "git ")
	if !restores && act.Op != sentinel.OpDelete && act.Op != sentinel.OpMove {
		a.inverse(act)
		return
	}
	a.undoBelow(act.Path, func(c *change) bool { return restores || c.op != sentinel.OpDelete && c.op != sentinel.OpMove })
}

// inverse marks the edits that this one reverts.
func (a *aftermath) inverse(act *sentinel.Action) {
	old, new := a.digest(act.Old), a.digest(act.Content)
	a.byPath[act.Path] = slices.DeleteFunc(a.byPath[act.Path], func(c *change) bool {
		if !c.hasOld || act.Old == "" && act.Op != sentinel.OpCreate || new != c.old || act.Old != "" && old != c.new {
			return false
		}
		c.res.become(Undone)
		return true
	})
	if len(a.byPath[act.Path]) == 0 {
		delete(a.byPath, act.Path)
	}
}

// undoBelow marks the changes of a path and of the paths below it.
func (a *aftermath) undoBelow(dir string, undone func(*change) bool) {
	dir = strings.TrimSuffix(path.Clean(dir), "/**")
	looked := 0
	for p, changes := range a.byPath {
		if looked++; looked > maxWatched {
			return
		}
		if dir != "." && dir != "**" && p != dir && !strings.HasPrefix(p, dir+"/") {
			continue
		}
		changes = slices.DeleteFunc(changes, func(c *change) bool {
			if undone(c) {
				c.res.become(Undone)
				return true
			}
			return false
		})
		if a.byPath[p] = changes; len(changes) == 0 {
			delete(a.byPath, p)
		}
	}
}

// gitUndo marks what a git command undoes as a whole: uncommitted work, and commits.
func (a *aftermath) gitUndo(act *sentinel.Action) {
	if act.Command == nil {
		return
	}
	for i := range act.Command.Commands {
		c := &act.Command.Commands[i]
		if c.Program != "git" {
			continue
		}
		all := c.Subcommand == "reset" && slices.Contains(c.Flags, "--hard") ||
			c.Subcommand == "stash" && (len(c.Operands) < 2 || c.Operands[1] == "push" || c.Operands[1] == "save")
		if all {
			a.undoBelow(".", func(*change) bool { return true })
		}
		if c.Subcommand == "reset" || c.Subcommand == "revert" {
			for _, res := range a.commit {
				res.become(Undone)
			}
			a.commit = a.commit[:0]
		}
	}
}

// watch begins to observe what follows a call.
func (a *aftermath) watch(res *result, sign uint64, id string, actions []sentinel.Action) {
	a.bySign[sign] = res
	if id != "" {
		a.byID[id] = res
	}
	a.last, a.unsaid = append(a.last, res), append(a.unsaid, res)
	for i := range actions {
		act := &actions[i]
		switch act.Trigger {
		case sentinel.FileWrite:
			a.byPath[act.Path] = append(a.byPath[act.Path], &change{
				res: res, op: act.Op, old: a.digest(act.Old), new: a.digest(act.Content), hasOld: act.Old != "",
			})
		case sentinel.Bash:
			if commits(act) {
				a.commit = append(a.commit, res)
			}
		}
	}
}

// commits reports whether a command makes commits.
func commits(act *sentinel.Action) bool {
	if act.Command == nil {
		return false
	}
	for i := range act.Command.Commands {
		c := &act.Command.Commands[i]
		if c.Program != "git" {
			continue
		}
		switch c.Subcommand {
		case "commit", "merge", "rebase", "cherry-pick", "pull", "am":
			return true
		}
	}
	return false
}

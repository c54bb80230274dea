package trigger

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	sentinel "github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gitobject"
	"github.com/agentsentinel/sentinel/internal/install"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/shell"
)

// A command of git can bring back older rules, or a work tree without any, and its
// text does not say so. The commits do: the difference between HEAD and the target of such
// a command is searched for the files that guard the agent, and those that would vanish or
// change become actions. Files that are only added do not.

// Bounds of the questions for one line.
const (
	gitCommandsMax = 8
	guardFileMax   = 1 << 20 // bytes of a file on disk that is compared
	revisionMax    = 250     // bytes of a name of a commit
	foldersMax     = 64      // folders upward in which a repository is looked for
)

// guardActions are what the line's commands of git do to the files that guard the
// agent: at most one that changes and one that removes them.
func (c *call) guardActions(line *shell.Line) []sentinel.Action {
	if c.m.opts.Git == nil || c.ev.Phase == sentinel.PhasePost || c.fs.root == "" || !slices.ContainsFunc(line.Commands, func(c shell.Command) bool { return c.Program == "git" }) {
		return nil
	}
	applies := false
	for i := range line.Commands {
		applies = applies || appliesPatch(&line.Commands[i])
	}
	changed, removed, asked := guardChange{op: sentinel.OpEdit}, guardChange{op: sentinel.OpDelete}, 0
	for i := range line.Commands {
		cmd := &line.Commands[i]
		if cmd.Program != "git" || cmd.DirUnknown || slices.Contains(cmd.Context, "--git-dir") {
			continue
		}
		questions := gitQuestions(cmd, applies)
		if len(questions) == 0 {
			continue
		}
		if asked++; asked > gitCommandsMax || c.ctx.Err() != nil {
			break
		}
		for _, base := range c.guardBases(c.fs.abs(c.dir, cmd.Dir)) {
			g := &guard{call: c, base: base, paths: c.guardPaths(base)}
			for _, ask := range questions {
				ask(g)
			}
			changed.add(g.changed, cmd)
			removed.add(g.removed, cmd)
		}
	}
	return append(changed.actions(c), removed.actions(c)...)
}

// A guardChange collects files that the same happens to.
type guardChange struct {
	op    sentinel.Op
	files []string // absolute
	guess bool
}

func (g *guardChange) add(files []string, cmd *shell.Command) {
	for _, f := range files {
		g.files = appendNew(g.files, f)
	}
	g.guess = g.guess || len(files) > 0 && !cmd.Certain
}

// actions is one action on all files: a person is asked once.
func (g *guardChange) actions(c *call) []sentinel.Action {
	if len(g.files) == 0 {
		return nil
	}
	slices.Sort(g.files)
	a := c.fileAction(sentinel.FileWrite, g.op, "", g.files[0])
	for _, f := range g.files[1:] {
		more := c.fileAction(sentinel.FileWrite, g.op, "", f)
		a.Forms = append(a.Forms, more.Forms...)
	}
	if n := len(g.files) - 1; n > 0 {
		a.Target += fmt.Sprintf(" and %d more", n)
	}
	a.Certain = a.Certain && !g.guess
	return []sentinel.Action{a}
}

// guardBases are the folders whose rules a command in dir can change: the call's own
// root, and the top of the work tree, as far as they have any.
func (c *call) guardBases(dir string) []string {
	top := c.fs.workTree(dir)
	if top == "" {
		return nil
	}
	bases := []string{top}
	if root := c.fs.real; root != top && c.fs.workTree(root) == top {
		bases = append(bases, root)
	}
	return slices.DeleteFunc(bases, func(base string) bool {
		return !slices.ContainsFunc(c.guardPaths(base), func(p string) bool { return c.fs.exists(base + "/" + p) })
	})
}

// workTree is the folder with .git around dir, "" without one.
func (r *resolver) workTree(dir string) string {
	dir, ok := r.resolve(dir)
	for i := 0; ok && i < foldersMax; i++ {
		if r.exists(strings.TrimSuffix(dir, "/") + "/.git") {
			return dir
		}
		at := strings.LastIndexByte(dir, '/')
		if at <= len(r.style.volume(dir)) {
			return ""
		}
		dir = dir[:at]
	}
	return ""
}

const (
	guardFolder = ".claude/sentinel/"
	guardRules  = guardFolder + "rules"
)

// guardConfigs are the names that a configuration can have.
func guardConfigs() []string {
	return []string{guardFolder + "config.yaml", guardFolder + "config.yml", guardFolder + "config.json"}
}

// guardPaths are the configuration, the rules, and the settings in which agents
// register their hooks, from the folder base.
func (c *call) guardPaths(base string) []string {
	paths := append(guardConfigs(), guardRules)
	place := install.Place{Root: filepath.FromSlash(base)}
	for _, a := range c.m.opts.Agents.All() {
		for _, files := range []func(install.Place, install.Scope) []string{a.Settings.Files, a.Settings.Reads} {
			if files == nil {
				continue
			}
			for _, f := range files(place, install.Repository) {
				if rel, ok := below(base, c.fs.style.slashes(f), false); ok {
					paths = appendNew(paths, rel)
				}
			}
		}
	}
	return paths
}

// A guard is the work on one question, in one folder with rules.
type guard struct {
	*call
	base             string
	paths            []string // of the files and folders that are asked for, from base
	changed, removed []string // absolute
}

// A question finds out what a command does to the files of a guard.
type question func(*guard)

func (g *guard) git(args ...string) ([]byte, bool) {
	out, err := g.m.opts.Git(g.ctx, filepath.FromSlash(g.base), args...)
	return out, err == nil
}

// between asks what differs from one commit to another. mergeBase starts from where
// the two parted.
func between(from, to string, mergeBase bool) question {
	return func(g *guard) {
		if strings.HasPrefix(from, "-") || strings.HasPrefix(to, "-") {
			return // an option
		}
		args := []string{"diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative", "--no-abbrev"}
		if mergeBase {
			args = append(args, "--merge-base")
		}
		for _, name := range g.names(to) {
			if out, ok := g.git(append(append(slices.Clone(args), "--end-of-options", from, name, "--"), g.paths...)...); ok {
				g.differs(out)
				return
			}
		}
	}
}

// names are what a commit can be called: git checkout x takes the branch x of a remote without
// a local one.
func (g *guard) names(rev string) []string {
	if strings.ContainsAny(rev, "/@^~:") {
		return []string{rev}
	}
	return []string{rev, "refs/remotes/origin/" + rev}
}

// differs reads the raw output of diff-tree: ":mode mode hash hash status\0path\0".
func (g *guard) differs(raw []byte) {
	parts := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		words := strings.Fields(parts[i])
		if len(words) != 5 {
			return
		}
		path, hash := parts[i+1], words[3]
		if strings.HasPrefix(words[4], "D") {
			g.remove(path)
		} else {
			g.change(path, hash)
		}
	}
}

// remove notes a file that goes away, if it is there now.
func (g *guard) remove(path string) {
	if file := g.base + "/" + path; g.fs.exists(file) && g.guards(path, "") {
		g.removed = appendNew(g.removed, file)
	}
}

// change notes a file that gets the content with this hash, unless it has it now.
// A file that is missing now is not a change, unless it is the configuration.
func (g *guard) change(path, hash string) {
	file := g.base + "/" + path
	if !g.fs.exists(file) && !slices.Contains(guardConfigs(), path) || g.sameHash(file, hash) || !g.guards(path, hash) {
		return
	}
	g.changed = appendNew(g.changed, file)
}

// guards reports whether a change of a file is one of the guard. An agent's settings
// hold much else: what counts are the lines that name Sentinel, and a switch for all hooks.
func (g *guard) guards(path, hash string) bool {
	if strings.HasPrefix(path, ".claude/sentinel/") {
		return true
	}
	now, err := safefile.Read(filepath.FromSlash(g.base+"/"+path), guardFileMax)
	if err != nil || !bytes.Contains(now, []byte("sentinel")) {
		return false
	}
	if hash == "" {
		return true
	}
	then, ok := g.git("cat-file", "blob", hash)
	if !ok {
		return true
	}
	for line := range bytes.Lines(now) {
		if line = bytes.Trim(line, " \t\r\n,"); bytes.Contains(line, []byte("sentinel")) && !bytes.Contains(then, line) {
			return true
		}
	}
	return bytes.Contains(then, []byte("disableAllHooks")) && !bytes.Contains(now, []byte("disableAllHooks"))
}

// sameHash reports whether a file on disk is the blob with this hash.
func (g *guard) sameHash(file, hash string) bool {
	content, err := safefile.Read(filepath.FromSlash(file), guardFileMax)
	id, bad := hex.DecodeString(hash)
	return err == nil && bad == nil && gitobject.Names(string(id), content)
}

// edited asks for files whose content on disk is not that of a commit: a command that
// restores them drops what was edited since. Files that the commit does not have go away.
func edited(rev string) question {
	return func(g *guard) {
		tree, ok := g.git(append([]string{"ls-tree", "-r", "-z", "--end-of-options", rev, "--"}, g.paths...)...)
		if !ok {
			return
		}
		there := map[string]bool{}
		for entry := range strings.SplitSeq(string(tree), "\x00") {
			info, path, ok := strings.Cut(entry, "\t")
			words := strings.Fields(info)
			if !ok || len(words) != 3 {
				continue
			}
			there[path] = true
			if strings.HasPrefix(words[0], "100") {
				g.change(path, words[2])
			}
		}
		for _, path := range g.listed() {
			if !there[path] {
				g.remove(path)
			}
		}
	}
}

// listed are the guard's files that git lists: those in the index, or as options say.
func (g *guard) listed(options ...string) []string {
	out, ok := g.git(append(append(append([]string{"ls-files", "-z"}, options...), "--"), g.paths...)...)
	if !ok {
		return nil
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}

// untracked asks for files that git does not have: git stash -u takes them away.
func untracked(ignored bool) question {
	return func(g *guard) {
		options := []string{"--others", "--exclude-standard"}
		if ignored {
			options = options[:1]
		}
		for _, path := range g.listed(options...) {
			if path != "" {
				g.remove(path)
			}
		}
	}
}

// outside asks for files that a sparse work tree of these folders does not have.
func outside(folders []string) question {
	return func(g *guard) {
		for _, path := range g.listed() {
			if path != "" && !inSparse(g.topPath(path), folders) {
				g.remove(path)
			}
		}
	}
}

// topPath is a path from the top of the work tree.
func (g *guard) topPath(path string) string {
	rel, ok := below(g.fs.workTree(g.base), g.base+"/"+path, false)
	if !ok {
		return path
	}
	return rel
}

// inSparse reports whether a file is in a work tree of these folders: the files in
// them, and those next to them and above.
func inSparse(file string, folders []string) bool {
	dir := path.Dir(file)
	if dir == "." {
		return true
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		folder = strings.Trim(filepath.ToSlash(filepath.Clean(folder)), "/")
		return folder == "." || folder == "" || strings.HasPrefix(file, folder+"/") || strings.HasPrefix(folder, dir+"/")
	})
}

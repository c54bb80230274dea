package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/shellpattern"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// A gitCall is a command of git that is about files.
type gitCall struct {
	*duty
	command *shell.Command
	tree    facts.Tree // nil where git cannot say anything
	dir     string     // absolute; "" where the line does not tell it
	paths   []string   // that it is about, as they are written
	every   bool       // it is about all files
	loose   bool       // it may be about fewer files, or about more
	all     bool       // a commit of what is not staged, too
	asks    bool       // a person chooses of that
	lost    bool       // what is staged is not known any more
}

// elsewhere are words of a line with which git works on another index than that of its folder.
var elsewhere = [...]string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "--git-dir", "--work-tree"}

func (d *duty) gitCall(c *shell.Command) *gitCall {
	g := &gitCall{duty: d, command: c}
	dir, known := c.Folder()
	if known && !slices.ContainsFunc(elsewhere[:], func(word string) bool { return strings.Contains(d.line.Text, word) }) {
		g.dir = atHome(absolute(d.action, dir))
		g.tree = d.treeAt(g.dir)
	}
	return g
}

// about says which operands name files.
func (g *gitCall) about(operands []string) {
	g.paths = operands
	for _, p := range operands { // a pathspec with a meaning of its own, as :!x
		g.loose = g.loose || strings.HasPrefix(p, ":") && p != ":/" || strings.ContainsAny(p, "$`")
	}
}

// hits says whether the command is about a file, or about one of several.
func (g *gitCall) hits(name string, below bool) (hit degree) {
	if g.dir == "" {
		return maybe
	}
	if g.every {
		hit = sure
	}
	for _, p := range g.paths {
		hit = max(hit, g.names(p, name, below))
	}
	if g.loose {
		hit = min(hit, maybe)
	}
	return hit
}

// names is hits for one path.
func (g *gitCall) names(written, name string, below bool) degree {
	switch {
	case written == ":/":
		return sure
	case strings.HasPrefix(written, ":"), strings.ContainsAny(written, "$`"):
		return maybe
	}
	place, name := g.key(g.place(written)), g.key(name)
	switch {
	case strings.Trim(place, "./") == "", under(name, place):
		return sure
	case isPattern(written):
		if ok, err := path.Match(place, name); ok && err == nil {
			return sure
		}
		if shellpattern.Match(place, name) || shellpattern.Match(place+"/*", name) {
			return maybe
		}
	case standsFor(name, below, place), isPattern(name) && (&pathScope{in: scope.NewPaths([]string{name}, g.fold)}).meets(place, true):
		return maybe
	}
	return never
}

// place is a path of the command from the root.
func (g *gitCall) place(written string) string {
	if g.tree != nil {
		return g.tree.Name(g.dir, written)
	}
	if !isRooted(written) {
		written = path.Join(g.dir, slashed(written))
	}
	if root := slashed(g.action.Root); within(root, path.Clean(written), g.fold) {
		return "."
	}
	return relativeTo(slashed(g.action.Root), path.Clean(written))
}

// commits reports whether it is git commit itself, whose words tell what it takes.
func (g *gitCall) commits() bool {
	c := g.command
	if c.Program != "git" || c.Subcommand != "commit" {
		return false
	}
	operands, _ := g.command.Arguments()
	g.about(operands)
	if c.HasFlag("--pathspec-from-file") {
		g.every, g.loose = true, true
	}
	g.asks = c.HasFlag("-p", "--interactive")
	g.all = g.asks || c.HasFlag("-a")
	return true
}

// named reports whether it names files.
func (g *gitCall) named() bool { return g.every || len(g.paths) > 0 }

// takes says of the state of a file whether the commit takes it.
func (g *gitCall) takes() func(s *fileState, below bool) degree {
	most, include := never, g.command.HasFlag("-i")
	switch {
	case g.asks:
		most = maybe
	case g.all:
		most = sure
	}
	return func(s *fileState, below bool) degree {
		if !g.named() {
			return max(s.staged, min(most, s.edited))
		}
		hit := g.hits(s.name, below)
		if include {
			return max(s.staged, min(hit, s.edited))
		}
		return min(hit, max(s.staged, s.edited))
	}
}

// An indexCommand is a command of git that changes what a later commit takes. step is what it does
// to a file that it is about; nil where it does nothing.
type indexCommand struct {
	name string
	step func(g *gitCall) func(s *fileState, hit degree)
	// loses are options with which files are staged that the line does not tell.
	loses []string
}

var indexCommands = [...]indexCommand{
	{name: "add", step: gitAdd},
	{name: "apply", loses: []string{"--index", "--cached", "-3"}},
	{name: "checkout", step: gitCheckout},
	{name: "cherry-pick", loses: []string{"-n", "--no-commit"}},
	{name: "commit", step: gitCommit},
	{name: "merge", loses: []string{"--squash", "--no-commit"}},
	{name: "mv", step: gitMove},
	{name: "read-tree", loses: []string{""}},
	{name: "reset", step: gitReset},
	{name: "restore", step: gitRestore},
	{name: "revert", loses: []string{"-n", "--no-commit"}},
	{name: "rm", step: gitMove},
	{name: "stage", step: gitAdd},
	{name: "stash", loses: []string{"--index"}},
	{name: "update-index", loses: []string{""}},
}

// gitStep adds what a command of git does, where it works on the work tree of the commit.
func (t *taking) gitStep(g, commit *gitCall) {
	if commit != nil && g.tree != nil && commit.tree != nil && g.tree != commit.tree {
		return
	}
	for i := range indexCommands {
		c := &indexCommands[i]
		if c.name != g.command.Subcommand {
			continue
		}
		if c.step != nil {
			if do := c.step(g); do != nil {
				t.steps, t.adds = append(t.steps, indexStep{g.hits, do}), true
			}
		}
		t.lost = t.lost || g.lost || slices.ContainsFunc(c.loses, func(o string) bool { return o == "" || g.command.HasFlag(o) })
	}
}

func gitAdd(g *gitCall) func(*fileState, degree) {
	c := g.command
	if c.HasFlag("--refresh") {
		return nil
	}
	operands, _ := g.command.Arguments()
	g.about(operands)
	g.loose = g.loose || c.HasFlag("-p", "-i", "-e", "--edit", "--pathspec-from-file")
	g.every = len(operands) == 0 && (g.loose || c.HasFlag("-A", "-u"))
	if c.HasFlag("-N") {
		return intendToAdd
	}
	tracked, ignored := c.HasFlag("-u"), c.HasFlag("-f")
	return func(s *fileState, hit degree) {
		from := s.edited
		if !tracked {
			from = max(from, s.fresh)
		}
		if ignored && s.tracked < sure {
			from = max(from, maybe)
		}
		if s.staged = max(s.staged, min(hit, from)); hit == sure {
			if s.edited = never; !tracked {
				s.fresh = never
			}
		}
	}
}

// intendToAdd has git track new files, but stages nothing.
func intendToAdd(s *fileState, hit degree) {
	s.edited, s.tracked = max(s.edited, min(hit, s.fresh)), max(s.tracked, min(hit, max(s.fresh, s.free)))
	if hit == sure {
		s.fresh = never
	}
}

// gitMove is git mv, and git rm: they stage what they do.
func gitMove(g *gitCall) func(*fileState, degree) {
	operands, _ := g.command.Arguments()
	g.about(operands)
	return func(s *fileState, hit degree) {
		s.staged = max(s.staged, min(hit, max(s.edited, s.fresh)))
	}
}

// gitCommit is a commit before the one that is judged.
func gitCommit(g *gitCall) func(*fileState, degree) {
	g.commits()
	edited := g.named() || g.all && !g.asks
	g.every = g.every || !g.named()
	return func(s *fileState, hit degree) { clean(s, hit, true, edited) }
}

// isHead reports whether a commit is the last one.
func isHead(rev string) bool { return rev == "" || rev == "HEAD" || rev == "@" }

func gitReset(g *gitCall) func(*fileState, degree) {
	operands, front := g.command.Arguments()
	rev := ""
	if front != 0 && len(operands) > 0 {
		rev, operands = operands[0], operands[1:]
	}
	if g.lost = !isHead(rev); g.lost || g.command.HasFlag("--soft") {
		return nil
	}
	g.about(operands)
	g.every = len(operands) == 0
	hard := g.command.HasFlag("--hard")
	return func(s *fileState, hit degree) {
		if hit == sure && !hard {
			s.edited = max(s.edited, s.staged)
		}
		clean(s, hit, true, hard)
	}
}

// clean is for a file whose content in the index, or on disk, is that of the last commit again.
func clean(s *fileState, hit degree, index, disk bool) {
	if hit == sure && index {
		s.staged = never
	}
	if hit == sure && disk {
		s.edited = never
	}
}

func gitRestore(g *gitCall) func(*fileState, degree) {
	source, _ := g.command.Value("-s")
	index := g.command.HasFlag("-S")
	disk := g.command.HasFlag("-W") || !index
	if g.lost = !isHead(source) && index; !isHead(source) {
		return nil
	}
	operands, _ := g.command.Arguments()
	g.about(operands)
	return func(s *fileState, hit degree) {
		if index && !disk && hit == sure {
			s.edited = max(s.edited, s.staged)
		}
		clean(s, hit, index, disk)
	}
}

// gitCheckout restores files, from the index or from a commit.
func gitCheckout(g *gitCall) func(*fileState, degree) {
	operands, front := g.command.Arguments()
	rev := ""
	if front > 0 || front < 0 && len(operands) > 1 {
		rev, operands = operands[0], operands[1:]
	}
	if g.lost = !isHead(rev); g.lost {
		return nil
	}
	g.about(operands)
	return func(s *fileState, hit degree) { clean(s, hit, rev != "", true) }
}

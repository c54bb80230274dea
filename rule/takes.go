package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// A degree says how sure something is.
type degree int8

const (
	never degree = iota
	maybe
	sure
)

// A fileState is how a file differs from the last commit while a line runs.
type fileState struct {
	name   string
	staged degree // in the index
	edited degree // on disk, where git tracks it
	fresh  degree // it is there, and git neither tracks nor ignores it

	tracked, free degree // what a write makes of it: edited, or fresh
}

// An indexStep is what a command of a line changes of files, or of the index.
type indexStep struct {
	hits func(name string, below bool) degree
	do   func(s *fileState, hit degree)
}

// A taking says which files of the project a commit takes: those that were staged before its
// line, those that the line stages until then, and those that the commit names itself. At the
// end of a turn it says which could still be committed. A file whose degree is maybe counts
// where a session or the line wrote it. A nil taking counts each file.
type taking struct {
	*duty
	tree    facts.Tree // nil where git cannot say anything: then each file may differ
	states  map[string]*fileState
	folders []string // of other repositories
	steps   []indexStep
	takes   func(s *fileState, below bool) degree
	adds    bool // the steps, or the commit, take what is not staged
	lost    bool // each other file may be taken, too
	amends  bool

	recent []string // what commits took since a moment
	since  facts.Moment
}

// taking is that of the duty, as far as patterns are about the files. Git is asked when a judgement
// depends on it.
func (d *duty) taking() *taking {
	if d.told == nil && (d.commit || d.action.Turn != nil) {
		d.told = d.newTaking()
	}
	return d.told
}

func (d *duty) newTaking() *taking {
	t := &taking{duty: d, states: map[string]*fileState{}, takes: takesAll, adds: true}
	switch {
	case d.action.Turn != nil:
		t.tree = d.treeAt(d.action.Root)
	case d.at < 0:
		t.tree = d.treeAt(d.action.Root)
		t.readLine(nil)
	default:
		call := d.gitCall(&d.line.Commands[d.at])
		if t.tree = call.tree; call.commits() {
			t.takes, t.adds, t.amends = call.takes(), call.all || call.named(), call.command.HasFlag("--amend")
		}
		t.readLine(call)
	}
	if t.tree != nil {
		t.look(&pathScope{in: scope.NewPaths(d.globs, d.fold)})
	}
	return t
}

// takesAll is for a commit of another program, and for what could be committed.
func takesAll(s *fileState, _ bool) degree {
	return max(s.staged, min(maybe, max(s.edited, s.fresh)))
}

// treeAt is the work tree of a folder.
func (d *duty) treeAt(dir string) facts.Tree {
	if d.Tree == nil || dir == "" {
		return nil
	}
	tree, err := d.Tree(dir)
	if err != nil {
		d.failed(err)
		return nil
	}
	return tree
}

// failed notes that git could not say what a commit takes. At the end of a turn all counts then.
func (d *duty) failed(err error) {
	if d.commit {
		d.err = fmt.Errorf("%w: %w", errNotTaken, err)
	}
}

// look asks git how the files differ that patterns are about. Where only what is staged is known,
// each other file may be taken, too.
func (t *taking) look(paths *pathScope) {
	want := func(name string) bool { return paths.meets(name, false) }
	take := func(names []string, set func(*fileState)) {
		for _, name := range names {
			switch folder, is := strings.CutSuffix(name, "/"); {
			case is:
				t.folders = append(t.folders, folder)
			case want(name):
				s := t.states[t.key(name)]
				if s == nil {
					s = &fileState{name: name}
					t.states[t.key(name)] = s
				}
				set(s)
			}
		}
	}
	staged, err := t.tree.Staged()
	if err != nil {
		t.failed(err)
		t.tree = nil
		return
	}
	take(staged, func(s *fileState) { s.staged, s.tracked = sure, sure })
	if !t.adds {
		return
	}
	edited, err := t.tree.Edited(want)
	fresh, bad := t.tree.New()
	t.lost = t.lost || err != nil || bad != nil
	take(edited, func(s *fileState) { s.edited, s.tracked = sure, sure })
	take(fresh, func(s *fileState) { s.fresh, s.free = sure, sure })
}

// key is what two names have in common if they are the same.
func (d *duty) key(name string) string {
	if d.fold {
		return strings.ToLower(name)
	}
	return name
}

// before is the state of a file before the line runs.
func (t *taking) before(name string, several bool) fileState {
	if s := t.states[t.key(name)]; s != nil {
		return *s
	}
	s := fileState{name: name, tracked: maybe, free: maybe}
	if t.tree == nil {
		s.staged, s.edited, s.fresh = maybe, maybe, maybe
		return s
	}
	if several {
		return s
	}
	switch is, err := t.tree.Tracked(name); {
	case err != nil:
	case is:
		s.tracked, s.free = sure, never
	default:
		s.tracked = never
		if t.adds && t.Exists != nil && t.Exists(rooted(t.action.Root, name)) {
			s.free = never // it is ignored
		}
	}
	return s
}

// degree says whether the file of a name is taken, or one of several: below it, or that it is
// a pattern for.
func (t *taking) degree(name string, below bool) degree {
	s := t.before(name, below || isPattern(name))
	for i := range t.steps {
		if hit := t.steps[i].hits(name, below); hit > never {
			t.steps[i].do(&s, hit)
		}
	}
	found := t.takes(&s, below)
	if t.lost || slices.ContainsFunc(t.folders, func(folder string) bool { return t.action.Turn != nil && under(name, folder) }) {
		found = max(found, maybe)
	}
	return found
}

// files are those of a name that are taken: what a fact or the line wrote.
func (t *taking) files(name string, below bool) (files []string) {
	if t == nil || t.degree(name, below) > never {
		return []string{name}
	}
	if below || isPattern(name) {
		files = t.among(maybe, func(file string) bool { return standsFor(name, below, file) })
	}
	return files
}

// among are the files that differ, that are taken at least to a degree, and that want accepts.
func (t *taking) among(least degree, want func(name string) bool) (files []string) {
	if t == nil {
		return nil
	}
	for _, s := range t.states {
		if want(s.name) && t.degree(s.name, false) >= least {
			files = append(files, s.name)
		}
	}
	slices.Sort(files)
	return files
}

// committed are the files of a name that commits since a moment took, as far as git can say.
func (t *taking) committed(name string, below bool, since facts.Moment) []string {
	if t == nil || t.tree == nil || t.action.Turn == nil {
		return nil
	}
	if t.recent == nil || t.since != since {
		names, err := t.tree.Committed(since)
		t.recent, t.since, t.lost = append([]string{}, names...), since, t.lost || err != nil
	}
	if t.lost {
		return []string{name}
	}
	return slices.DeleteFunc(slices.Clone(t.recent), func(file string) bool { return t.key(file) != t.key(name) && !standsFor(name, below, file) })
}

// open are those of files, at the end of a turn, that are not committed; none where git cannot say.
func (t *taking) open(files []string) []string {
	if t == nil || t.tree == nil || t.action.Turn == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool { return t.degree(name, false) == never })
}

// has reports whether a file that a pattern matches may be taken, as far as git says, or was by the
// commit that is changed.
func (t *taking) has(globs []string) bool {
	if t == nil || t.tree == nil {
		return false
	}
	paths := pathScope{in: scope.NewPaths(globs, t.fold)}
	want := func(name string) bool { return paths.meets(name, false) }
	if len(t.among(maybe, want)) > 0 {
		return true
	}
	if !t.amends {
		return false
	}
	names, err := t.tree.Committed(facts.Moment{})
	return err == nil && slices.ContainsFunc(names, want)
}

// isPattern reports whether a name may be a pattern of files.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[{") }

// under reports whether a name lies in a folder, or is it.
func under(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// standsFor reports whether a file is one of several that a name stands for.
func standsFor(name string, below bool, file string) bool {
	if below && under(file, name) {
		return true
	}
	if !isPattern(name) {
		return false
	}
	_, ok := scope.NewPaths([]string{name}, false).Match(file)
	return ok
}

// readLine adds the steps of the line, as far as the commit: those of commands of its work tree.
func (t *taking) readLine(commit *gitCall) {
	if t.line == nil {
		return
	}
	effects := slices.Clone(t.line.Effects)
	slices.SortStableFunc(effects, func(a, b shell.Effect) int { return cmp.Compare(a.Command, b.Command) })
	for i := range t.line.Commands {
		if t.at >= 0 && i > t.at {
			return
		}
		for len(effects) > 0 && effects[0].Command <= i {
			t.writes(&effects[0])
			effects = effects[1:]
		}
		if c := &t.line.Commands[i]; c.Program == "git" && !c.Inert && i != t.at {
			t.gitStep(t.gitCall(c), commit)
		}
	}
}

// writes adds what an effect does.
func (t *taking) writes(e *shell.Effect) {
	if e.Path == "" || !e.Kind.OnFile() || e.Kind == shell.EffectRead {
		return
	}
	add := func(name string, below bool, do func(*fileState, degree)) {
		most := maybe
		if e.Certain {
			most = sure
		}
		for _, name := range t.names(t.tree, e, name) {
			t.steps = append(t.steps, indexStep{func(file string, _ bool) degree {
				switch {
				case t.key(file) == t.key(name), below && under(file, name):
					return most
				case isPattern(name) && standsFor(name, below, file):
					return maybe
				}
				return never
			}, do})
		}
	}
	if e.Kind >= shell.EffectDelete {
		add(e.Path, true, onRemove)
	} else {
		add(e.Path, len(t.inside(fromRoot(t.action, e, e.Path), e)) > 0, onWrite)
	}
	if e.To != "" {
		add(e.To, true, onWrite)
	}
}

// names are those of a file that an effect is on: as the line says, and without the links of its folder.
func (d *duty) names(tree facts.Tree, e *shell.Effect, name string) []string {
	name = fromRoot(d.action, e, name)
	if tree == nil || e.DirUnknown || isPattern(name) {
		return []string{name}
	}
	return unique([]string{name, tree.Name(d.action.Root, rooted(d.action.Root, name))})
}

func onWrite(s *fileState, hit degree) {
	s.edited, s.fresh = max(s.edited, min(hit, s.tracked)), max(s.fresh, min(hit, s.free))
}

func onRemove(s *fileState, hit degree) {
	if s.edited = max(s.edited, min(hit, s.tracked)); hit == sure {
		s.fresh = never
	}
}

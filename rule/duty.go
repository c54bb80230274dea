package rule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// A lack is what has not happened.
type lack struct {
	missing string   // in a few words; "" when nothing is missing
	files   []string // that changed
}

var (
	errUnknown  = errors.New("the agent does not tell whether the command that must have run succeeded")
	errNoFiles  = errors.New("none of the files that must have been read is there")
	errBroken   = errors.New("what Sentinel keeps of this session was changed")
	errNotNew   = errors.New("it is not known which files are new")
	errNoTree   = errors.New("git knows nothing of the folder")
	errNotTaken = errors.New("it is not known which files the commit takes")
)

// A duty is one judgement of an obligation.
type duty struct {
	*Rule
	*facts.Facts
	action *sentinel.Action
	line   *shell.Line // nil where the action is no command line
	at     int         // index of the command that is judged; -1 when it is not a single one
	commit bool
	err    error    // git could not say which files the commit takes
	globs  []string // of the files that it is about
	told   *taking  // see taking
}

// lacks says what of the rule's obligation has not happened before the action: of several
// commands that it is about, before the first one that lacks something.
func (r *Rule) lacks(a *sentinel.Action, m sentinel.Match) (lack, error) {
	key := lackKey{r, a}
	first, err := r.duty(a, m)
	if err != nil {
		return lack{}, err
	}
	if found, ok := first.Found.Load(key); ok { // a judgement asks for its words, too
		l := found.(lackFound)
		return l.lack, l.err
	}
	var l lack
	for _, d := range first.each(m) {
		one, bad := d.lacks()
		if l, err = one, cmp.Or(err, bad); l.missing != "" && bad == nil {
			err = nil
			break
		}
	}
	first.Found.Store(key, lackFound{l, err})
	return l, err
}

// each are the judgements of an action that the rule matched: one for each command of the line
// that it is about, and that does something.
func (d *duty) each(m sentinel.Match) (all []*duty) {
	if d.at < 0 {
		d.commit = d.action.Turn == nil && commits(m)
		return []*duty{d}
	}
	in := d.lineScope()
	for i := d.at; i < len(d.line.Commands); i++ {
		c := &d.line.Commands[i]
		if c.Inert || i != d.at && !alone(c, in) {
			continue
		}
		one := *d
		one.at, one.commit = i, d.action.Turn == nil && commits(sentinel.Match{Command: c})
		all = append(all, &one)
	}
	return all
}

// alone reports whether patterns match a command without the rest of its line.
func alone(c *shell.Command, patterns *lineScope) bool {
	line := &shell.Line{Text: c.Text, Commands: []shell.Command{*c}}
	if patterns.requests {
		line = withoutReads(line)
	}
	_, ok := patterns.in.Match(line, patterns.out)
	return ok
}

// A lackKey is the key of a judgement whose result is kept.
type lackKey struct {
	rule   *Rule
	action *sentinel.Action
}

type lackFound struct {
	lack
	err error
}

func (d *duty) lacks() (l lack, err error) {
	r := d.Rule
	switch {
	case len(r.def.Requires.Ran) > 0:
		l, err = d.requires()
	case len(r.def.Also.Changed) > 0:
		d.globs = slices.Concat(r.def.Also.Changed, r.def.Also.With)
		l, err = d.also()
	default:
		l, err = d.beforeFirst()
	}
	if d.err != nil && len(r.def.Requires.Ran) > 0 && l.missing != "" {
		d.err = nil // what is known is enough
	}
	return l, cmp.Or(d.err, err)
}

// sessionOf is what is known of the session of an action. Another program's Past has no facts.
func sessionOf(a *sentinel.Action) *facts.Session {
	switch past := a.Past.(type) {
	case nil:
		return &facts.Session{}
	case *facts.Session:
		return past
	default:
		return &facts.Session{MadeAt: past.Made, StartedAt: past.Started}
	}
}

// duty is a judgement about the action, where facts are known.
func (r *Rule) duty(a *sentinel.Action, m sentinel.Match) (*duty, error) {
	known, err := sessionOf(a).Facts()
	if err != nil {
		return nil, err
	}
	d := &duty{Rule: r, Facts: known, action: a, at: -1}
	if a.Trigger == sentinel.Bash {
		d.line = parsed(a)
		d.at = slices.IndexFunc(d.line.Commands, func(c shell.Command) bool {
			return m.Command != nil && c.Span == m.Command.Span && c.Text == m.Command.Text
		})
	}
	return d, nil
}

// requires looks for a run that counts.
func (d *duty) requires() (lack, error) {
	q := &d.def.Requires
	globs, within := q.window()
	d.globs = globs
	if d.runsInLine(globs) {
		return lack{}, nil
	}
	last := func(result facts.Result) facts.Fact {
		return d.Last(func(f *facts.Fact) bool {
			return f.Kind == facts.Ran && !f.Other && slices.Contains(q.Ran, f.Text) && (!q.OK || f.Result == result)
		})
	}
	stale := func(run facts.Fact) (files []string, holds bool) {
		if len(globs) > 0 {
			files = d.changed(globs, run, true)
			return files, len(files) == 0
		}
		age := d.Now.Sub(run.At)
		return nil, run.Order > 0 && (within == 0 || age >= 0 && age <= within)
	}
	run := last(facts.Succeeded)
	files, holds := stale(run)
	if holds && !d.broken(run.Order) {
		return lack{}, nil
	}
	if holds {
		return lack{"no run of " + either(q.Ran) + " since what Sentinel keeps of this session was changed", nil}, nil
	}
	if unknown := last(facts.Unknown); unknown.Order > run.Order && q.Unknown != "violation" {
		if _, holds := stale(unknown); holds && q.Unknown == "pass" {
			return lack{}, nil
		} else if holds {
			return lack{}, errUnknown
		}
	}
	if d.person() && len(d.All) == 0 {
		return lack{}, facts.ErrUnknown
	}
	return lack{d.missingRun(files, within), files}, nil
}

// broken reports whether what is kept of the session was changed behind an order. Then a write may be
// missing.
func (d *duty) broken(after int) bool { return d.Broken != nil && d.Broken(after) > 0 }

// person reports whether the action is a commit that a person makes, outside of any
// session.
func (d *duty) person() bool { return d.action.Agent == commit }

// missingRun says which run is missing, and why the last one does not count.
func (d *duty) missingRun(files []string, within time.Duration) string {
	q := &d.def.Requires
	said := "no run of " + either(q.Ran) + text.When(q.OK, " that succeeded")
	switch {
	case len(files) > 0:
		said += " since " + listed(files) + " changed"
	case within > 0:
		said += " in the last " + strings.TrimSuffix(within.String(), "0s")
	default:
		said += " in this session"
	}
	run := d.Last(func(f *facts.Fact) bool { return f.Kind == facts.Ran && !f.Other && slices.Contains(q.Ran, f.Text) })
	switch {
	case !q.OK:
	case run.Result == facts.Failed:
		said += "; the last one failed"
	case run.Result == facts.Running:
		said += "; the last one goes on in the background, and its end is not told: wait for it and read its output, or run it again without the background"
	case run.Result == facts.Hidden:
		said += "; the line of the last one does not tell its result (a pipe, a list, xargs, the background): run it by itself, or begin the line with `set -eo pipefail`"
	}
	return said + d.nearly(run.Order)
}

// either lists patterns.
func either(patterns []string) string {
	return "`" + text.Line(strings.Join(patterns, "` or `")) + "`"
}

// maxListed bounds the files that are named.
const maxListed = 5

func listed(files []string) string {
	names := make([]string, 0, maxListed)
	for _, name := range files[:min(len(files), maxListed)] {
		names = append(names, text.Cut(text.Name(name), maxOrigin))
	}
	more := ""
	if len(files) > maxListed {
		more = fmt.Sprintf(" and %d more", len(files)-maxListed)
	}
	return strings.Join(names, ", ") + more
}

// changed are the files that a pattern matches and that were written after a fact, by the
// session, or by any in the same tree; those too that the line writes. What a run itself wrote is
// not newer than it. At a commit only the files count that it takes, also those that no session wrote; at the end
// of a turn those that could be committed, and those that the session has committed. With any, files
// that may have changed count, too.
func (d *duty) changed(globs []string, after facts.Fact, any bool) (files []string) {
	paths := pathScope{in: scope.NewPaths(globs, d.fold)}
	outside := pathScope{in: scope.NewPaths(slices.DeleteFunc(slices.Clone(globs), func(glob string) bool { return !isRooted(glob) }), d.fold)}
	unchanged := d.Unchanged(&after, func(path string) bool { return paths.meets(path, false) })
	var writes []*facts.Fact
	for i := range d.All {
		f := &d.All[i]
		in := &paths
		if isRooted(f.Text) { // it counts for a pattern that says so
			in = &outside
		}
		if f.Kind == facts.Wrote && f.Order > after.Order && (any || !f.Other && !f.Maybe) && !after.Made(f) && in.meets(f.Text, f.Below) && !unchanged(f) {
			writes = append(writes, f)
		}
	}
	for _, f := range writes {
		found := d.taking().files(f.Text, f.Below)
		if len(found) == 0 && !f.Other {
			found = d.taking().committed(f.Text, f.Below, d.since(after.Order))
		}
		files = append(files, paths.among(found, f.Text)...)
	}
	files = append(files, d.inLine(globs, stretch{})...)
	if !any || after.Order == 0 { // what was there before the run was tested by it
		files = append(files, d.taken(sure, globs)...)
	}
	return unique(files)
}

// among are those of names that a pattern matches, and the one that is known to be about such a
// file.
func (s *pathScope) among(names []string, known string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name != known && !s.meets(name, false) })
}

// unique leaves names out that came before. There may be thousands.
func unique(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	})
}

// taken are the files that git says that the commit takes, at least to a degree, and that a
// pattern matches.
func (d *duty) taken(least degree, globs []string) []string {
	if !d.commit {
		return nil
	}
	paths := pathScope{in: scope.NewPaths(globs, d.fold)}
	return d.taking().among(least, func(name string) bool { return paths.meets(name, false) })
}

// meets reports whether a pattern matches a path, or what is below it.
func (s *pathScope) meets(path string, below bool) bool {
	a := sentinel.Action{Forms: []string{path}}
	if below {
		a.Op = sentinel.OpDelete
	}
	return s.touches(&a)
}

// inLine are the files that commands before the one of the scope write in the same line,
// and that a pattern matches; those that may be written behind a run.
func (d *duty) inLine(globs []string, run stretch) (files []string) {
	if len(globs) == 0 {
		return nil
	}
	paths := pathScope{in: scope.NewPaths(globs, d.fold)}
	d.linesWrites(&paths, run, func(name string, below bool, _ *shell.Effect) {
		files = append(files, paths.among(d.taking().files(name, below), name)...)
	})
	if d.at < 0 || !d.commit {
		return files
	}
	for i := range d.line.Commands {
		if _, leaves := d.line.Reshapes(i); leaves && i != d.at && d.between(i, run) {
			files = append(files, "what `"+text.Line(d.line.Commands[i].Text)+"` brings")
		}
	}
	return append(files, d.unnamed(run)...)
}

// between reports whether command i of the line starts before the one of the scope, or is it, and may be done behind a
// run. Where none of its commands is that of the scope, all start before it.
func (d *duty) between(i int, run stretch) bool {
	at := d.line.Order(i) + 1
	switch {
	case d.at >= 0 && at > d.line.Order(d.at)+1, run.from <= at && at <= run.to:
		return false
	}
	return at > run.to || d.line.Later(i)
}

// unnamed are the edits of files whose names the line does not tell, by commands that may be done behind a run, where
// the commit takes what is not staged before its line.
func (d *duty) unnamed(run stretch) (files []string) {
	for i := range d.line.Effects {
		e := &d.line.Effects[i]
		if e.Kind != shell.EffectEdit || e.Certain || e.Command == d.at || !d.between(e.Command, run) || !strings.ContainsAny(e.Path, "$`") {
			continue
		}
		if t := d.taking(); t == nil || t.tree == nil || t.adds {
			files = append(files, "what `"+text.Line(d.line.Commands[e.Command].Text)+"` edits")
		}
	}
	return files
}

// linesWrites calls do with each write of inLine; below says that it is of what is below a folder.
func (d *duty) linesWrites(paths *pathScope, run stretch, do func(name string, below bool, e *shell.Effect)) {
	if d.line == nil {
		return
	}
	var tree facts.Tree
	if d.commit && d.Tree != nil {
		tree, _ = d.Tree(d.action.Root) // see treeAt for its error
	}
	for i := range d.line.Effects {
		e := &d.line.Effects[i]
		if !e.Kind.OnFile() || e.Kind == shell.EffectRead || !d.between(e.Command, run) {
			continue
		}
		for _, name := range []string{e.Path, e.To} {
			if name == "" {
				continue
			}
			below := e.Kind >= shell.EffectDelete
			for _, name := range d.names(tree, e, name) {
				if paths.meets(name, below) {
					do(name, below, e)
				}
				for _, file := range d.inside(name, e) {
					if paths.meets(file, false) {
						do(file, false, e)
					}
				}
			}
		}
	}
}

// inside are the files that an effect of the line puts below a folder. What is moved to a folder that is there
// keeps its name in it.
func (d *duty) inside(folder string, e *shell.Effect) []string {
	switch {
	case d.Inside == nil:
		return nil
	case e.To != "":
		return slices.Concat(d.Inside(folder), d.Inside(path.Join(folder, path.Base(slashed(e.Path)))))
	}
	return d.Inside(folder)
}

// runsInLine reports whether the line itself runs what is required, with success before
// the command of the scope, and writes none of the files after that.
func (d *duty) runsInLine(globs []string) bool {
	runs := d.guards(d.def.Requires.Ran)
	return slices.ContainsFunc(runs, func(i int) bool { return len(d.inLine(globs, stretchOf(d.line, i))) == 0 })
}

// guards are the commands of the line that patterns match and that have succeeded when the
// command of the scope runs.
func (d *duty) guards(patterns []string) []int {
	if d.at < 0 {
		return nil
	}
	line, list := d.line, scope.NewRuns(patterns)
	return slices.DeleteFunc(line.Guards(d.at), func(i int) bool { return !isRun(line, list, i, d.action.Root) })
}

// commits reports whether what matched makes a commit.
func commits(m sentinel.Match) bool {
	if m.Command == nil {
		return slices.Contains(occasions(byCommit), m.Pattern)
	}
	return alone(m.Command, &lineScope{in: scope.NewCommands(occasions(byCommit))})
}

// approved reports whether a person has approved a call of the session that the rule asked
// about.
func (r *Rule) approved(a *sentinel.Action) (bool, error) {
	known, err := sessionOf(a).Facts()
	if errors.Is(err, facts.ErrUnknown) { // who asks once too often does no harm
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return known.Last(func(f *facts.Fact) bool { return f.Kind == facts.Approved && !f.Other && f.Text == r.spec.ID }).Order > 0, nil
}

// Tell says what of the rule's obligation has not happened, where When is true: in words,
// unless its message says that itself, and the values of template variables that the action
// does not have.
func (r *Rule) Tell(_ context.Context, a *sentinel.Action, m sentinel.Match) (reason string, vars map[string]string) {
	if !r.def.obliges() {
		return "", nil
	}
	l, err := r.lacks(a, m)
	if err != nil || l.missing == "" {
		return "", nil
	}
	vars = map[string]string{"missing": l.missing, "stale_files": listed(l.files)}
	if !strings.Contains(r.def.Message, "missing") {
		reason = l.missing
	}
	return reason, vars
}

package rule

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/scope"
)

// also looks for changes that go together.
func (d *duty) also() (lack, error) {
	a := &d.def.Also
	last := func(by string) int {
		return d.Last(func(f *facts.Fact) bool {
			return f.Kind == facts.Ran && !f.Other && f.Result != facts.Failed && slices.Contains(occasions(by), f.Text)
		}).Order
	}
	changed := func(globs []string, since int) []string { return d.changed(globs, facts.Fact{Order: since}, false) }
	since := last(byCommit)
	from := since
	switch {
	case d.action.Trigger == sentinel.FileWrite && d.action.Turn == nil:
		return lack{}, nil // judged at the end of the turn
	case d.action.Turn != nil:
		from = d.Last(func(f *facts.Fact) bool { return f.Kind == facts.Ended && !f.Other }).Order
		if since > from {
			since = 0 // what a commit of this turn took is not known to belong to another change
		}
	case d.person():
		since = math.MaxInt // what is staged is all that counts
		from = since
	case !d.commit:
		since = last(byRequest)
		from = since
	case d.taking().tree != nil:
		since, from = 0, 0
	}
	files, err := d.counting(changed(a.Changed, from), from)
	if err != nil {
		return lack{}, err
	}
	if len(files) == 0 {
		if t := d.taking(); (!d.commit || t.tree == nil) && d.broken(from) {
			return lack{}, errBroken
		}
		return lack{}, nil
	}
	open := d.taking().open(files)
	if len(open) > 0 { // they go with what could be committed with them
		files = open
	}
	if d.taking().has(a.With) || len(open) == 0 && len(changed(a.With, since)) > 0 {
		return lack{}, nil
	}
	return lack{"no change of " + either(a.With) + ", which goes with " + listed(files), files}, nil
}

// counting are those of changed files that `also` is about.
func (d *duty) counting(files []string, from int) ([]string, error) {
	a := &d.def.Also
	if len(a.Except) > 0 {
		except := pathScope{in: scope.NewPaths(a.Except, d.fold)}
		files = slices.DeleteFunc(files, func(name string) bool { return except.meets(name, false) })
	}
	if !a.New || len(files) == 0 {
		return files, nil
	}
	// Which of several files are new is known when they are there, at the latest at the end of the turn.
	changed := pathScope{in: scope.NewPaths(a.Changed, d.fold)}
	files = slices.DeleteFunc(files, func(name string) bool { return isPattern(name) || !changed.meets(name, false) })
	had, err := d.had(files, from)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotNew, err)
	}
	return slices.DeleteFunc(files, func(name string) bool {
		return slices.ContainsFunc(had, func(old string) bool { return under(d.key(old), d.key(name)) })
	}), nil
}

// maxTrees bounds the repositories in a project that are asked which files are new.
const maxTrees = 8

// had are those of files that are not new: that the commit has before which the fact of an order was.
func (d *duty) had(files []string, from int) (old []string, err error) {
	switch {
	case d.Tree == nil && d.Had != nil:
		return slices.DeleteFunc(slices.Clone(files), func(name string) bool { return !d.Had(name) }), nil
	case d.commit && d.taking() != nil && d.taking().tree != nil:
		return d.taking().tree.Had(files, facts.Moment{}, d.taking().amends)
	case d.commit || d.Tree == nil:
		return nil, errNoTree
	}
	asked := map[facts.Tree][]string{}
	for _, name := range files {
		tree, err := d.Tree(filepath.Join(d.action.Root, filepath.FromSlash(path.Dir(name))))
		switch {
		case err != nil:
			return nil, err
		case tree == nil, len(asked) == maxTrees && asked[tree] == nil:
			return nil, errNoTree
		}
		asked[tree] = append(asked[tree], name)
	}
	before, own := d.since(from), d.treeAt(d.action.Root)
	for tree, names := range asked {
		at := before
		if tree != own { // what is kept of a commit is of the project's own
			at.Commit = ""
		}
		found, err := tree.Had(names, at, false)
		if err != nil {
			return nil, err
		}
		old = append(old, found...)
	}
	return old, nil
}

// since is a moment before what the session did behind an order. What a call writes is kept when it is done,
// when it may have committed that; so the time is that of what came before. Commits are told to the second, and
// the first call may have been one. The commit, and what was checked out, are those before the first call that may have
// committed.
func (d *duty) since(order int) (m facts.Moment) {
	first := func(kind facts.Kind) string {
		at := slices.IndexFunc(d.All, func(f facts.Fact) bool { return f.Kind == kind && f.Order > order && !f.Other })
		if at < 0 {
			return ""
		}
		return d.All[at].Text
	}
	m.Commit, m.Reflog = first(facts.Head), first(facts.Reflog)
	at := slices.IndexFunc(d.All, func(f facts.Fact) bool { return f.Order == order && !f.Other })
	switch {
	case at < 0 && d.Began.IsZero():
		m.At = d.Now
	case at < 0:
		m.At = d.Began.Add(-time.Second)
	case d.All[at].Kind == facts.Ended:
		m.At = d.All[at].At
	default:
		m.At = d.All[at].At.Add(-time.Second)
	}
	return m
}

// beforeFirst looks for what has to be read before the first write.
func (d *duty) beforeFirst() (lack, error) {
	if d.person() {
		return lack{}, nil
	}
	b := &d.def.BeforeFirst
	read := pathScope{in: scope.NewPaths(b.Read, d.fold)}
	seen := d.Last(func(f *facts.Fact) bool { return f.Kind == facts.Read && !f.Other && read.meets(f.Text, false) })
	if seen.Order > 0 || len(d.changed(b.Write, facts.Fact{}, false)) > 0 {
		return lack{}, nil
	}
	if !slices.ContainsFunc(b.Read, d.mayBe) {
		return lack{}, errNoFiles
	}
	return lack{missing: either(b.Read) + " has not been read in this session"}, nil
}

// mayBe reports whether there may be a file that the pattern matches.
func (d *duty) mayBe(pattern string) bool {
	if strings.ContainsAny(pattern, `*?[{\`) || !strings.Contains(pattern, "/") {
		return true
	}
	return d.Exists == nil || d.Exists(filepath.Join(d.action.Root, filepath.FromSlash(pattern)))
}

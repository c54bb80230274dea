package rule

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

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
	files := changed(a.Changed, from)
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

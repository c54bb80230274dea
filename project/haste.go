package project

import (
	"errors"
	"time"

	"github.com/agentsentinel/sentinel/rule"
)

// A repository has its share of the time for an event, so that a slow one takes
// none from the rules of the user and Sentinel's own: these are read, matched and
// judged first. A repository's rules may be read in half of the time that is left,
// and be matched in half of what is left then.

// errNotRead and errNotMatched say why rules of a folder count as not judged.
var (
	errNotRead    = errors.New("not read in the time that a folder of rules has; make the rules smaller or fewer")
	errTooMuch    = errors.New("the call has too many parts for the number of rules; make the call smaller")
	errNotMatched = errors.New("there was no time to match all of its rules; make the rules or the call smaller")
)

// half is the middle of the time that is left at now; zero without an end.
func (o *Options) half(now time.Time) time.Time { return half(now, o.Ends) }

func half(now, ends time.Time) time.Time {
	if ends.IsZero() {
		return ends
	}
	return now.Add(ends.Sub(now) / 2)
}

// overdue reports whether the time for reading a project's rules is over.
func (o *Options) overdue() bool { return !o.loadEnds.IsZero() && time.Now().After(o.loadEnds) }

// hurried is overdue, and from half of the time on that the folder says agents wait
// (in seconds): what others' rules take does not count.
func (r *reader) hurried(overdue func() bool, waits int) func() bool {
	if r.opts.loadEnds.IsZero() {
		return overdue
	}
	ends := time.Now().Add(time.Duration(waits) * time.Second / 2)
	return func() bool { return overdue() || time.Now().After(ends) }
}

// OpenInHaste opens the folders that apply as [Open] does, for an answer that cannot
// wait for their rules: the user's own are read, and of a project the configuration
// alone, with one rule about everything that counts as not judged. strict is called
// with what [Project.Strict] would say, as soon as that is certain: with false when
// all folders are known.
func OpenInHaste(starts []string, opts *Options, strict func(bool)) *Project {
	p := openUser(opts)
	p.haste = true
	if p.Strict() {
		strict(true)
	}
	for _, at := range p.places(starts) {
		if p.Folders = append(p.Folders, loadInHaste(at, &p.opts)); p.Strict() {
			strict(true)
		}
	}
	if !p.Strict() {
		strict(false)
	}
	return p
}

// loadInHaste reads the configuration of a folder.
func loadInHaste(p place, o *Options) *Folder {
	p.real = p.realDir()
	next := compiled{dir: p.dir}
	old := o.snapshot(cachePath(o.CacheDir, p.dir, o.addedBackends()), p.dir)
	if p.err == nil {
		next.takeConfig(p, old, o, o.now())
	} else {
		next.config = lastKnown(old)
	}
	if g := o.guardOf(p); g.load() {
		g.config(&next)
	}
	f := newFolder(p, o, &next.config, nil)
	return f.hold(&next, []rule.File{brokenFile(p, p.dir, errors.New("its rules were "+errNotRead.Error()))}, o)
}

// Late reports whether the time for the event is over: rules that are judged now
// count as not judged, the user's own too.
func (d *Docket) Late() bool { return !d.ends.IsZero() && time.Now().After(d.ends) }

// HeedPauses leaves what a user has paused unjudged, as [Docket.Admit] does, and
// waits for no other process.
func (d *Docket) HeedPauses() {
	pass := d.project.Gate().Glance(d.Call())
	for i := range d.Parts {
		if why, ok := pass.Paused(i); ok {
			d.Pause(i, why)
		}
	}
}

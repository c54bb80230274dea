// Package facts says what a session did before an event: which commands ran and what came
// of them, which files were written and read, and what a person approved.
package facts

import (
	"errors"
	"path"
	"strings"
	"sync"
	"time"
)

// A Kind is what a fact is about. The values are written, so they stay.
type Kind byte

// The kinds.
const (
	Ran      Kind = 'x' // a command that a pattern matches; Text is the pattern
	Wrote    Kind = 'w' // a file was written, moved or removed; Text is its path
	Read     Kind = 'r' // a file was read; Text is its path
	Near     Kind = 'n' // a command ran that a pattern nearly matches; Text is the pattern, and the command in the next line
	Approved Kind = 'a' // a call was let through that a rule asks about; Text is the rule's id
	Ended    Kind = 't' // a turn ended; Text is ""
	Head     Kind = 'c' // a call begins that may commit; Text is the last commit before it
	Reflog   Kind = 'h' // the same call; Text is a mark of git's record of what was checked out before it
)

// A Result is what came of a run. The values are written, so they stay.
type Result byte

// The results.
const (
	Unknown   Result = 'u' // the agent does not tell results
	Succeeded Result = 's'
	Failed    Result = 'f'
	Hidden    Result = 'h' // it was not certain: a pipe, a list, the background
	Running   Result = 'b' // the agent did not wait for its end, which has not been told yet
	Declined  Result = 'd' // it was not let run
	Doubtful  Result = 'o' // it failed, or was not let run: kept of a call, told as Failed of a run
)

// A Fact is one thing that happened.
type Fact struct {
	Kind   Kind
	Text   string // a path is one from the root with slashes, or absolute outside of it
	Order  int    // a greater one was later
	At     time.Time
	Done   time.Time // of Ran: when the call was done; zero where that is not known
	Result Result    // of Ran
	Task   string    // of Ran that goes on: the agent's name for it
	Below  bool      // of Wrote: with everything below the folder Text
	Maybe  bool      // of Wrote: by a command that writes only what it would change, as a formatter does
	Other  bool      // another session in the same tree did it
	Part   bool      // a subagent did it
	Call   int       // tells calls that ran commands apart: of a run, and of what such a call wrote; 0 for others
	Step   int       // the place of the command in its line, from 1: of a run its last command, of a write the one that wrote; 0 where it is not known
}

// MaxStep is the last place in a line that is kept. A later one is not known then.
const MaxStep = 35

// Made reports whether a write was done by the command of a run, or by one before it in the
// same line. A formatter writes what its run is about.
func (run *Fact) Made(write *Fact) bool {
	return write.Step > 0 && write.Step <= run.Step && write.Call == run.Call && !write.Other
}

// Anywhere reports whether a write may be of any file of the tree, and says of none that it was
// written.
func (f *Fact) Anywhere() bool { return f.Maybe && f.Below && f.Text == "." }

// Kept is the fact without what differs each time: of facts that are the same then, only the
// last one counts.
func (f Fact) Kept() Fact {
	f.Order, f.At, f.Done = 0, time.Time{}, time.Time{}
	if f.Kind == Ran || f.Step == 0 {
		f.Call, f.Step = 0, 0
	}
	return f
}

// Facts are those of a session, and what other sessions wrote in the same tree. Of facts
// that differ in order and time alone only the last one is there. They are not changed.
type Facts struct {
	All []Fact // in their order
	Now time.Time
	// Exists reports whether there is a file at an absolute path. nil says yes.
	Exists func(path string) bool
	// Tree is the work tree that an absolute folder lies in. The tree is nil where git cannot say
	// anything, as it is everywhere where Tree is.
	Tree func(dir string) (Tree, error)
	// Had reports where Tree is nil whether a file was there before the session. nil does not know.
	Had func(name string) bool
	// Newer reports whether a file that want accepts, at a path or below it, was changed after a
	// time, or may have been. The path and those given to want are from the root with slashes, as
	// that of a fact. nil says yes.
	Newer func(path string, after time.Time, want func(path string) bool) bool
	// Inside are the files that the call itself puts below a folder, as far as that is known before it:
	// those of a folder that it copies or moves there. The names are from the root with slashes. nil knows
	// none.
	Inside func(folder string) []string
	// Broken is the order of the last fact behind that of an order where something was taken out or
	// put in that the facts do not show, 0 for none. nil says 0.
	Broken func(after int) int
	// First is the order of the first thing that is known of the session, 0 for nothing.
	First int
	// Began is when that was.
	Began time.Time
	// Found is what rules have found in them, by keys of their own.
	Found sync.Map
}

// A Tree is what git says of a work tree. Names are those of files from the root of the facts, with
// slashes; files outside of it are left out. A name with a slash at its end is the folder of another
// repository, whose files are not told.
type Tree interface {
	// Staged are the files whose content in the index is not that of the last commit.
	Staged() ([]string, error)
	// Edited are the files in the index, of those that want accepts, that are not on disk as there.
	Edited(want func(name string) bool) ([]string, error)
	// New are the files that git does not track and does not ignore.
	New() ([]string, error)
	// Tracked reports whether the index has a file.
	Tracked(name string) (bool, error)
	// Committed are the files that commits since a moment changed; those of the last commit where the
	// moment is zero.
	Committed(since Moment) ([]string, error)
	// Had returns those of names that are in the last commit before a moment, those that somebody else added, and
	// those of a commit behind HEAD that was checked out by then. For a folder, names of files in it may be
	// returned in its place. A zero moment means the last commit; with amended, the commit before that.
	Had(names []string, before Moment, amended bool) ([]string, error)
	// Name is a path of a command that runs in the folder dir, as a name: "." is the root, and
	// what begins with .. is outside of it.
	Name(dir, path string) string
}

// A Moment is a time, and the commit before the first one that the session made since. A time alone
// does not tell that: who commits chooses the date, and a clock may jump.
type Moment struct {
	At     time.Time
	Commit string // its name; "" where it is not known, [NoCommit] where there was none
	Reflog string // a mark of what was checked out by then; "" where it is not known
}

// NoCommit is in the place of a commit's name where nothing was committed, as git writes it.
const NoCommit = "0000000000000000000000000000000000000000"

// Unchanged returns a function that reports whether a write by a formatter changed no file
// that want accepts since a run. A clock that was put back tells nothing. Each folder is
// looked at once.
func (f *Facts) Unchanged(run *Fact, want func(path string) bool) func(write *Fact) bool {
	type look struct {
		path  string
		since time.Time
	}
	newer := map[look]bool{}
	return func(write *Fact) bool {
		since := run.Done
		if write.Call == run.Call && write.Call != 0 || since.IsZero() {
			since = run.At // both in one call
		}
		if write.Anywhere() && f.Newer == nil {
			return true
		}
		if !write.Maybe || f.Newer == nil || run.Order == 0 || write.At.Before(since) {
			return false
		}
		at := look{beforeGlob(write.Text), since}
		found, looked := newer[at]
		if !looked {
			found = f.Newer(at.path, since, want)
			newer[at] = found
		}
		return !found
	}
}

// beforeGlob is the folder above the first glob of a pattern; a path without one stays.
func beforeGlob(pattern string) string {
	if glob := strings.IndexAny(pattern, "*?[{"); glob >= 0 {
		pattern = pattern[:strings.LastIndexByte(pattern[:glob], '/')+1]
	}
	return path.Clean(pattern)
}

// Last is the last fact that want accepts; its Order is 0 where there is none.
func (f *Facts) Last(want func(*Fact) bool) (last Fact) {
	for i := range f.All {
		if one := &f.All[i]; one.Order > last.Order && want(one) {
			last = *one
		}
	}
	return last
}

// ErrUnknown says that nothing is known of the session.
var ErrUnknown = errors.New("it is not known here what the session did before")

// A Session is what rules may know of the session of a call: a sentinel.Past with the facts.
// The zero value knows nothing.
type Session struct {
	// Past gets what was done; nil where that is not known. It is asked when a rule needs
	// it, maybe by several goroutines at once.
	Past func() (*Facts, error)
	// MadeAt and StartedAt are behind Made and Started. Either may be nil.
	MadeAt    func(path string) time.Time
	StartedAt func() time.Time
	// Imagined says that the project of the call is not there: what a case of a rule comes to
	// must not depend on the folder that it is tried in.
	Imagined bool
}

// Facts are those of the session; the error is [ErrUnknown] where nothing is known.
func (s *Session) Facts() (*Facts, error) {
	if s.Past == nil {
		return nil, ErrUnknown
	}
	return s.Past()
}

// Made reports when a call was let through that creates the file at an absolute path; zero
// if none was seen.
func (s *Session) Made(path string) (at time.Time) {
	if s.MadeAt == nil {
		return at
	}
	return s.MadeAt(path)
}

// Started is when the first call of the session was seen; zero if that is not known.
func (s *Session) Started() (at time.Time) {
	if s.StartedAt == nil {
		return at
	}
	return s.StartedAt()
}

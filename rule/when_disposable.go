package rule

import (
	"slices"
	"strings"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/disposable"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/shell"
)

// whenEvidence is behind the function disposable: the evidence for the paths of one
// action, which is looked for when an expression first asks.
type whenEvidence struct {
	mu     sync.Mutex
	about  *facts.Session
	action *sentinel.Action
	fold   bool
	closed bool

	computed *computing // of the evaluation that asks

	found     *disposable.Evidence
	elsewhere map[string]bool // paths on another machine, or in a folder that is not known
	moved     []string        // paths to which the line moves something
	seen      *[]string       // to which each answer is added in words; nil keeps none
}

// disposable reports whether there is evidence that what lies at a path may be deleted.
func (w *whenEvidence) disposable(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	if w.found == nil {
		w.open()
	}
	name = slashed(name)
	why := ""
	switch there, moved := w.place(name); {
	case moved: // what is moved there is not what there is evidence for
	case there:
		why = w.found.Why(name)
	default:
		why = w.found.WhyElsewhere(name)
	}
	if seen := w.seen; seen != nil {
		said := "no evidence that " + name + " may go"
		if why != "" {
			said = name + " may go: " + why
		}
		if !slices.Contains(*seen, said) && len(*seen) < maxSeen {
			*seen = append(*seen, said)
		}
	}
	return why != ""
}

// maxSeen bounds the answers that are shown.
const maxSeen = 50

// place says what the line tells of a path: whether it is known to be there, on this
// machine and in a known folder, and whether the line moves something into it.
func (w *whenEvidence) place(name string) (there, moved bool) {
	at := rooted(w.action.Root, name)
	moved = slices.ContainsFunc(w.moved, func(to string) bool { return within(to, at, w.fold) || within(at, to, w.fold) })
	return !w.elsewhere[name], moved
}

// open begins to look: what the line does is gone through once.
func (w *whenEvidence) open() {
	limit := limitOf(whenTime/2, w.computed) // the rule is judged in a hostile repository too
	opts := disposable.Options{
		Over: limit.over, Secret: secretFile, Made: w.about.Made, Started: w.about.Started, Imagined: w.about.Imagined,
	}
	if w.action.Command != nil {
		opts.Line = w.action.Command.Text
	}
	w.found = disposable.New(w.action.Root, w.fold, opts)
	w.elsewhere = map[string]bool{}
	if w.action.Command == nil {
		return
	}
	for i := range w.action.Command.Effects {
		f := &w.action.Command.Effects[i]
		if f.Kind == shell.EffectMove && f.To != "" {
			w.moved = append(w.moved, rooted(w.action.Root, fromRoot(w.action, f, f.To)))
		}
		if f.Remote || f.DirUnknown && !isRooted(slashed(f.Path)) && !strings.HasPrefix(f.Path, "$") {
			w.elsewhere[fromRoot(w.action, f, f.Path)] = true
		}
	}
}

// close ends the use of a repository's files; an evaluation that is still running is not
// waited for.
func (w *whenEvidence) close() {
	if !w.mu.TryLock() {
		return
	}
	defer w.mu.Unlock()
	if w.closed = true; w.found != nil {
		w.found.Close()
	}
}

package hook

import (
	"sync/atomic"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/project"
)

// A receipt is what remains of every call before a tool, also of one that no rule is
// about: a line before it is judged, and one when it was answered. A hook that is
// killed leaves the first alone. The work and the watchdog may both write it.
type receipt struct {
	mark atomic.Pointer[state.Mark]
	came atomic.Int32 // the outcome, once the answer was given
	took atomic.Int64 // until then

	created atomic.Pointer[[]string] // files that the call makes
}

// begin leaves the first line, where rules are in force.
func (k *clock) begin(p *project.Project, ev *sentinel.Event) {
	if ev.Phase != sentinel.PhasePre || len(p.Folders) == 0 || k.receipt.mark.Load() != nil {
		return
	}
	k.receipt.mark.Store(p.Past().Trace().Begin(
		state.Session{Agent: ev.Agent, ID: ev.Session, Dir: ev.Dir, Transcript: ev.Transcript},
		state.Traced{ID: state.CallDigest(ev.Tool.ID), Args: state.ArgsDigest(ev.Tool.Args), Tool: ev.Tool.Name},
	))
}

// came notes that the answer was given.
func (k *clock) came(o state.Outcome) {
	k.receipt.took.Store(int64(time.Since(k.began)))
	k.receipt.came.Store(int32(o))
}

// creates notes which files the call makes that are not there yet.
func (k *clock) creates(paths []string) {
	if len(paths) > 0 {
		k.receipt.created.Store(&paths)
	}
}

// leave writes the last line, if an answer was given.
func (k *clock) leave() {
	if o := k.receipt.came.Load(); o != 0 {
		var created []string
		if c := k.receipt.created.Load(); c != nil {
			created = *c
		}
		k.receipt.mark.Load().End(state.Outcome(o), time.Duration(k.receipt.took.Load()), created...)
	}
}

// lost are the calls just before this one whose hook ended without an answer.
func (k *clock) lost() []state.Traced { return k.receipt.mark.Load().Lost() }

// outcome is what came of a decision.
func outcome(d sentinel.Decision) state.Outcome {
	switch {
	case d.Relayed:
		return state.TraceRelayed
	case d.Verdict == sentinel.VerdictUndecided, d.Verdict >= sentinel.VerdictAsk:
		return state.TraceStopped
	}
	return state.TracePassed
}

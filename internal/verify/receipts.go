package verify

import (
	"time"

	"github.com/agentsentinel/sentinel/internal/state"
)

// receipts are those of one session, to be found by a call.
type receipts struct {
	calls   []*receipt
	count   int
	partial bool      // older ones were forgotten
	from    time.Time // of the oldest
	byID    map[uint64][]*receipt
	byArgs  map[uint64][]*receipt // of those without an id
}

type receipt struct {
	state.Traced
	taken bool // the transcript has the call
	alike bool // the transcript has one with the same arguments
}

// add adds those of a session. otherIDs says that the transcript numbers calls in another
// way than the events of hooks.
func (r *receipts) add(all *state.Receipts, otherIDs bool) {
	r.byID, r.byArgs = map[uint64][]*receipt{}, map[uint64][]*receipt{}
	if all == nil {
		return
	}
	r.partial = !all.Whole
	for i := range all.Calls {
		c := &receipt{Traced: all.Calls[i]}
		if otherIDs {
			c.ID = 0
		}
		r.calls = append(r.calls, c)
		r.count++
		if r.from.IsZero() || c.Began.Before(r.from) {
			r.from = c.Began
		}
		if c.ID != 0 {
			r.byID[c.ID] = append(r.byID[c.ID], c)
		} else {
			r.byArgs[c.Args] = append(r.byArgs[c.Args], c)
		}
	}
}

// take finds the receipt of a call: by its id or, for a hook without one, by its
// arguments, once. Of several hooks of one id the one that did most counts. It is nil if
// no hook saw the call.
func (r *receipts) take(id, args uint64) *state.Traced {
	if same := r.byID[id]; id != 0 && len(same) > 0 {
		best := same[0]
		for _, c := range same {
			c.taken = true
			if rank(c.Outcome) > rank(best.Outcome) {
				best = c
			}
		}
		return &best.Traced
	}
	for _, c := range r.byArgs[args] {
		c.alike = true
	}
	for _, c := range r.byArgs[args] {
		if !c.taken {
			c.taken = true
			return &c.Traced
		}
	}
	return nil
}

// rank orders outcomes by how much was done for the call.
func rank(o state.Outcome) int {
	for i, known := range []state.Outcome{
		state.TraceOpen, state.TraceFailed, state.TraceUnjudged, state.TraceNoRule, state.TraceRelayed, state.TraceAlone, state.TracePassed, state.TraceStopped,
	} {
		if o == known {
			return i
		}
	}
	return -1
}

// rest are the receipts of calls that no transcript has; unlike says to leave out those
// with the same arguments as one that it has, which another hook of the call may have
// left.
func (r *receipts) rest(unlike bool) (rest []*state.Traced) {
	for _, c := range r.calls {
		if !c.taken && !(unlike && c.alike) && c.Outcome != state.TraceRelayed { // which is of a call that has another
			rest = append(rest, &c.Traced)
		}
	}
	return rest
}

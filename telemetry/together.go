package telemetry

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Together counts the calls that some rules judged: a call once, whichever of them judged it
// and how often.
type Together struct {
	Held   int64 // none of the rules was violated
	Broken int64 // one was; shadow rules too
}

// maxTogether bounds the last calls that are remembered of one set of rules. The lines of a
// call follow each other, but for those that a background job adds.
const maxTogether = 64

// A together counts the calls of one set of rules.
type together struct {
	rules []string
	count Together
	calls [maxTogether]judgedCall
	next  int
}

// A judgedCall is a call that was counted.
type judgedCall struct {
	key    uint64 // 0 for none
	broken bool
}

// add counts the line of one of the rules.
func (g *together) add(key uint64, broken bool) {
	at := slices.IndexFunc(g.calls[:], func(c judgedCall) bool { return key != 0 && c.key == key })
	if at < 0 {
		at, g.next = g.next, (g.next+1)%maxTogether
		g.calls[at] = judgedCall{key: key}
		g.count.Held++
	}
	if broken && !g.calls[at].broken {
		g.calls[at].broken = true
		g.count.Held--
		g.count.Broken++
	}
}

// together counts the line of a rule that was judged in the sets that have it.
func (a *aggregator) together(r *Record, broken bool) {
	var key uint64
	for i := range a.sets {
		if !slices.Contains(a.sets[i].rules, r.RuleID) {
			continue
		}
		if key == 0 {
			key = a.callOf(r)
		}
		a.sets[i].add(key, broken)
	}
}

// callOf names the call of a line: 0 where the line does not tell.
func (a *aggregator) callOf(r *Record) uint64 {
	if i := strings.LastIndexByte(r.ID, '.'); i > 0 {
		return maphash.String(a.seed, r.ID[:i])
	}
	if r.CallID == "" {
		return 0
	}
	return maphash.Comparable(a.seed, [2]string{r.Session, r.CallID})
}

package telemetry

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A RuleInfo is a rule in force, which the log may know or not.
type RuleInfo struct {
	ID     string
	Shadow bool
}

// SignKind is one kind of remark about a rule.
type SignKind string

// The kinds of signs, in the order in which they are reported.
const (
	SignOverridden SignKind = "overridden" // users nearly always allow the calls that it stops
	SignUnjudged   SignKind = "unjudged"   // its judge often has no answer
	SignAlways     SignKind = "always"     // it fires on nearly everything that it sees
	SignNoisy      SignKind = "noisy"      // it fires very often
	SignContested  SignKind = "contested"  // blocked actions are soon tried again
	SignFlaky      SignKind = "flaky"      // it judges the same target in different ways
	SignNear       SignKind = "near"       // many violations stay below the threshold
	SignSlow       SignKind = "slow"       // its judge takes long
	SignShadow     SignKind = "shadow"     // its figures in shadow mode
	SignQuiet      SignKind = "quiet"      // it was judged often, and never fired
	SignNever      SignKind = "never"      // it was never judged at all
)

// A Sign is a remark about a rule that its owner should look at.
type Sign struct {
	Rule string   `json:"rule_id"`
	Kind SignKind `json:"kind"`
	Text string   `json:"text"` // in words, with the figures
}

// Thresholds of remarks. They are small enough to be reached within days, and large
// enough not to be reached by chance.
const (
	enough       = 10              // evaluations before anything is said of a rule
	plenty       = 50              // evaluations before silence says something
	alwaysShare  = 0.95            // of evaluations that are violations
	noisyShare   = 0.25            //
	flakyShare   = 0.10            // of the targets that came more than once
	nearShare    = 0.10            // of evaluations that are near misses
	unjudged     = 0.10            // of attempts to judge
	overridden   = 0.80            // of the calls that it stopped
	slowAfter    = 2 * time.Second // the 95th percentile; an agent waits for it
	fewOverrides = 3
)

// Signs returns the remarks about the rules in force and those of the log. An
// unremarkable rule has none.
func (s *Stats) Signs(inForce []RuleInfo) []Sign {
	var signs []Sign
	for i := range s.Rules {
		signs = append(signs, s.Rules[i].signs()...)
	}
	for _, info := range inForce {
		if r, known := s.Rule(info.ID); !known || r.Tally.lines() == 0 {
			signs = append(signs, Sign{info.ID, SignNever, "was never judged in this time: no call was within its scope"})
		}
	}
	order := [...]SignKind{SignOverridden, SignUnjudged, SignAlways, SignNoisy, SignContested, SignFlaky, SignNear, SignSlow, SignShadow, SignQuiet, SignNever}
	slices.SortStableFunc(signs, func(a, b Sign) int {
		return cmp.Or(cmp.Compare(slices.Index(order[:], a.Kind), slices.Index(order[:], b.Kind)), cmp.Compare(a.Rule, b.Rule))
	})
	return signs
}

func (r *RuleStats) signs() (signs []Sign) {
	say := func(kind SignKind, format string, args ...any) {
		signs = append(signs, Sign{r.ID, kind, fmt.Sprintf(format, args...)})
	}
	if stopped := max(r.Blocks+r.Asks, r.Overridden); r.Overridden >= fewOverrides && float64(r.Overridden) >= overridden*float64(stopped) {
		say(SignOverridden, "people let through %d of the %d calls that it stopped", r.Overridden, stopped)
	}
	if tried := r.Evaluations + r.Unavailable; tried >= enough && float64(r.Unavailable) >= unjudged*float64(tried) {
		say(SignUnjudged, "could not be judged %d of %d times", r.Unavailable, tried)
	}
	switch n := float64(r.Evaluations); {
	case r.Evaluations < enough:
	case float64(r.Violations) >= alwaysShare*n:
		say(SignAlways, "was violated in %d of %d evaluations: its scope or its prompt is too broad", r.Violations, r.Evaluations)
	case float64(r.Violations) >= noisyShare*n:
		say(SignNoisy, "was violated in %d of %d evaluations", r.Violations, r.Evaluations)
	case r.Violations+r.NearMisses == 0 && r.Evaluations >= plenty:
		say(SignQuiet, "was never violated in %d evaluations", r.Evaluations)
	}
	if r.Contested >= fewOverrides {
		say(SignContested, "what it blocked was tried again soon %d times, of which %d went through", r.Contested, r.Insisted)
	}
	if r.FlakyTargets >= 2 && float64(r.FlakyTargets) >= flakyShare*float64(r.RepeatedTargets) {
		say(SignFlaky, "judged %d of %d targets that came more than once in different ways", r.FlakyTargets, r.RepeatedTargets)
	}
	if r.NearMisses >= 5 && float64(r.NearMisses) >= nearShare*float64(r.Evaluations) {
		say(SignNear, "its judge said violation %d times below the threshold", r.NearMisses)
	}
	if p95 := r.Latency.Quantile(0.95); r.Latency.Count() >= enough && p95 >= float64(slowAfter.Milliseconds()) {
		say(SignSlow, "takes %.1f s for one of twenty evaluations", p95/1000)
	}
	if r.ShadowEvaluations > 0 {
		say(SignShadow, "in shadow mode it would have blocked %d, asked about %d and warned of %d in %s", r.WouldBlock, r.WouldAsk, r.WouldWarn, evaluations(r.ShadowEvaluations))
	}
	return signs
}

// evaluations is a number of them in words.
func evaluations(n int64) string {
	if n == 1 {
		return "1 evaluation"
	}
	return fmt.Sprintf("%d evaluations", n)
}

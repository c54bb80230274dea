package telemetry

import (
	"iter"

	"github.com/agentsentinel/sentinel"
)

// Actions yields the actions of a decision and those of its findings, each once.
func Actions(d sentinel.Decision) iter.Seq[*sentinel.Action] {
	return func(yield func(*sentinel.Action) bool) {
		seen := map[*sentinel.Action]bool{nil: true}
		next := func(a *sentinel.Action) bool {
			if seen[a] {
				return true
			}
			seen[a] = true
			return yield(a)
		}
		for i := range d.Actions {
			if !next(&d.Actions[i]) {
				return
			}
		}
		for i := range d.Findings {
			if !next(d.Findings[i].Action) {
				return
			}
		}
	}
}

// Texts returns the tool's arguments, and the target, content and arguments of each
// action, once. The secrets in them have to be masked in all that is written about
// the decision: a judge may quote one.
func Texts(ev sentinel.Event, d sentinel.Decision) []string {
	texts := []string{string(ev.Tool.Args)}
	for a := range Actions(d) {
		texts = append(texts, a.Target, a.Content, a.Old, string(a.Args))
	}
	return texts
}

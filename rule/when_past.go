package rule

import (
	"slices"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// aboutPast finds what may be a function about the session, so that other expressions are
// not parsed for their needs.
var aboutPast = lazy.Regexp{Source: `\b(?:ran|read|wrote)\b`}

// needsOf are the facts that an expression asks about.
func needsOf(src, phase string) *Needs {
	if src == "" || !aboutPast.Get().MatchString(src) {
		return &Needs{}
	}
	_, names, err := parseWhen(src, sentinel.Any, phase)
	if err != nil {
		return &Needs{} // the rule is broken
	}
	return &names.kept
}

// lineOrder is from where commands of the line itself come in the order of facts.
const lineOrder = 1 << 30

// addPast adds the functions about what the session did. At the end of a turn ran is about
// the turn.
func (w *whenProgram) addPast(env *whenEnv, a *sentinel.Action, m sentinel.Match, clock *whenClock) {
	last := func(kind facts.Kind) func(string) (int, error) {
		return func(pattern string) (int, error) {
			d, err := (&Rule{fold: w.fold}).duty(clock.ctx, a, m)
			if err != nil {
				return 0, err
			}
			return d.latest(kind, pattern), nil
		}
	}
	happened := func(last func(string) (int, error)) func(string) (bool, error) {
		return func(pattern string) (bool, error) {
			order, err := last(pattern)
			return order > 0, err
		}
	}
	env.LastRan, env.LastRead, env.LastWrote = last(facts.Ran), last(facts.Read), last(facts.Wrote)
	env.Wrote = happened(env.LastWrote)
	env.Read = happened(env.LastRead)
	if a.Turn == nil {
		env.Ran = happened(env.LastRan)
	}
}

// latest is when a command that the pattern matches ran last and did not fail, or a file was
// written: a greater number is later, 0 is never. The line itself is later than all else.
func (d *duty) latest(kind facts.Kind, pattern string) (order int) {
	if kind == facts.Ran {
		for _, i := range d.guards([]string{pattern}) {
			order = max(order, lineOrder+i)
		}
		return max(order, d.Last(func(f *facts.Fact) bool {
			return f.Kind == kind && !f.Other && f.Text == pattern && f.Result != facts.Failed
		}).Order)
	}
	paths := pathScope{in: scope.NewPaths([]string{pattern}, d.fold)}
	if kind == facts.Read {
		own := forms(d.action)
		itself := slices.Contains(own, pattern) // read(path): no pattern, whatever is in it; what the session wrote it knows, too
		return d.Last(func(f *facts.Fact) bool {
			known := f.Kind == facts.Read || itself && f.Kind == facts.Wrote && !f.Below
			return known && !f.Other && (itself && slices.Contains(own, f.Text) || !itself && paths.meets(f.Text, false))
		}).Order
	}
	d.linesWrites(&paths, -1, func(_ string, e *shell.Effect) { order = max(order, lineOrder+e.Command) })
	return max(order, d.Last(func(f *facts.Fact) bool { return f.Kind == kind && paths.meets(f.Text, f.Below) }).Order)
}

package rule

import (
	"regexp"
	"slices"
	"sync"

	"github.com/expr-lang/expr/parser"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/intent"
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
func (w *whenProgram) addPast(env *whenEnv, a *sentinel.Action, m sentinel.Match) {
	last := func(kind facts.Kind) func(string) (int, error) {
		return func(pattern string) (int, error) {
			d, err := (&Rule{fold: w.fold}).duty(a, m)
			if err != nil {
				return 0, err
			}
			order := d.latest(kind, pattern)
			if d.broken(max(order, d.First-1)) { // something may be missing that is later
				return 0, errBroken
			}
			return order, nil
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
			order = max(order, lineOrder+d.line.Ends(i))
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
	d.linesWrites(&paths, stretch{}, func(_ string, _ bool, e *shell.Effect) { order = max(order, lineOrder+d.line.Order(e.Command)) })
	return max(order, d.Last(func(f *facts.Fact) bool { return f.Kind == kind && !f.Anywhere() && paths.meets(f.Text, f.Below) }).Order)
}

// turnFunctions are the functions of expressions about what a turn did: whether a
// command ran that a pattern matches, and whether a file was written or removed. The
// patterns are those of `scope`.
func turnFunctions(turn []sentinel.Action, fold bool) (ran, changed func(pattern string) (bool, error)) {
	ran = func(pattern string) (bool, error) {
		if err := scope.CheckCommand(pattern); err != nil {
			return false, err
		}
		commands := scope.NewCommands([]string{pattern})
		for i := range turn {
			if a := &turn[i]; a.Trigger == sentinel.Bash {
				if _, ok := commands.Match(parsed(a), nil); ok {
					return true, nil
				}
			}
		}
		return false, nil
	}
	changed = func(pattern string) (bool, error) {
		if err := scope.CheckPath(pattern); err != nil {
			return false, err
		}
		paths := pathScope{in: scope.NewPaths([]string{pattern}, fold)}
		for i := range turn {
			if a := &turn[i]; a.Trigger == sentinel.FileWrite && paths.touches(a) {
				return true, nil
			}
		}
		return false, nil
	}
	return ran, changed
}

// touches reports whether an action is about a file that a pattern matches.
func (s *pathScope) touches(a *sentinel.Action) bool {
	for _, form := range forms(a) {
		if _, ok := s.matchForm(a, form); ok {
			return true
		}
	}
	return false
}

// The words with which a rule looks at what the person has asked for.
const (
	askedFunction = "asked"        // of expressions
	userRequest   = "user_request" // of templates
)

// maxAsked bounds a pattern of `asked`, in bytes.
const maxAsked = 1000

// askedPattern compiles a pattern of `asked`. People write large and small letters as they
// like.
func askedPattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxAsked {
		return nil, &scope.PatternError{Message: "is longer than 1000 bytes"}
	}
	compiled, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return nil, &scope.PatternError{Message: err.Error()}
	}
	if compiled.MatchString("") {
		return nil, &scope.PatternError{Message: "matches any text: name what is to be asked for"}
	}
	return compiled, nil
}

func checkAsked(pattern string) error {
	_, err := askedPattern(pattern)
	return err
}

// requested is the sentence in which the person asked for an action, or "".
func requested(a *sentinel.Action) string {
	if a.Command == nil && a.Trigger == sentinel.Bash {
		with := *a
		with.Command = parsed(a)
		a = &with
	}
	return a.Requested()
}

// askedFunctionOf is the function of expressions that says whether the person asked for an
// action, in a sentence that a pattern matches and that has certain names. It notes the
// sentence.
func askedFunctionOf(notes *whenNotes, a *sentinel.Action) func(pattern string, names ...string) (bool, error) {
	said := sync.OnceValue(func() string { return requested(a) })
	return func(pattern string, names ...string) (bool, error) {
		compiled, err := askedPattern(pattern)
		if err != nil || said() == "" || !compiled.MatchString(said()) {
			return false, err
		}
		for _, name := range names {
			if name == "" || !intent.Holds(said(), name) {
				return false, nil
			}
		}
		text := said()
		notes.quote.Store(&text)
		return true, nil
	}
}

// calls reports whether an expression has a function in it.
func calls(src, function string) bool {
	tree, err := parser.Parse(src)
	c := contentless{names: []string{function}}
	return err == nil && c.reads(tree.Node)
}

package rule

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/lazy"
	"github.com/agentsentinel/sentinel/scope"
	"github.com/agentsentinel/sentinel/shell"
)

// A Rule is a [sentinel.Rule] and [sentinel.Conditional] made of a rule file by
// [Build]. It is immutable to its users and safe for concurrent use.
type Rule struct {
	spec    sentinel.RuleSpec
	def     *Definition
	path    string // of the file, as messages name it
	line    int    // on which the definition begins
	file    string // absolute path of the rule's own file, or ""
	fold    bool
	isTool  func(name string) bool // see [Options.IsTool]; may be nil
	agents  func() []string        // see [Options.Agents]
	off     bool                   // it is not in force
	paths   lazy.Value[pathScope]
	lines   lazy.Value[lineScope]
	tools   lazy.Value[toolScope]
	program lazy.Value[compiled]
	removal lazy.Value[compiled] // of the same for actions that write nothing
	doubt   lazy.Value[compiled]
}

type (
	pathScope struct{ in, out *scope.Paths }
	lineScope struct {
		in, out  *scope.Commands
		requests bool // it is about calls that publish: see withoutReads
	}
	toolScope struct{ in, out *scope.Tools }
	compiled  struct {
		when *whenProgram
		err  error
	}
)

// fill makes r of a file. err says what is wrong with it.
func (r *Rule) fill(f *File, id string, opts *Options, err error) {
	d := &f.Definition
	r.def, r.path, r.line, r.file, r.fold, r.isTool, r.agents = d, f.Path, f.Line, f.Abs, opts.CaseFold, opts.IsTool, opts.Agents
	mode := d.Mode
	r.off = mode == off
	if mode == "" {
		mode = opts.DefaultMode
	}
	severity, bad := ParseSeverity(d.Severity)
	if bad != nil {
		severity = sentinel.SeverityBlock
	}
	judge := d.Backend
	if decidedByWhen(d, opts) {
		judge = builtin
	}
	r.spec = sentinel.RuleSpec{
		ID:       id,
		Source:   f.source(),
		Trigger:  sentinel.Trigger(d.Trigger),
		Severity: severity,
		Post:     d.Post,
		Stop:     d.Phase == stop,
		Turns:    d.turns(),
		Obliges:  d.obliges(),
		Shadow:   mode == "shadow",
		Undo:     d.Undo,
		Exact:    d.exact(),
		Doubts:   d.exact() && d.Doubtful != "",
		Intent:   d.Intent,
		Requests: d.Intent || strings.Contains(d.When, askedFunction) || strings.Contains(d.Prompt, userRequest),
		Prompt:   question(d, id),
		Message:  d.attributed(),
		Backend:  judge,
		Model:    d.Model,
		Fallback: d.Fallback,
		Err:      err,
	}
}

// source is where the definition is, as an absolute path where it is known.
func (f *File) source() string {
	name := f.Abs
	if name == "" {
		name = f.Path
	}
	return name + ":" + strconv.Itoa(f.Line)
}

// Spec returns what the engine needs to know.
func (r *Rule) Spec() *sentinel.RuleSpec { return &r.spec }

// off is the mode of a rule that is switched off.
const off = "off"

// Off reports whether the rule is switched off: then it matches nothing.
func (r *Rule) Off() bool { return r.off }

// Path returns the path of the rule's file as [Problem].File has it.
func (r *Rule) Path() string { return r.path }

// Definition returns the content of the rule's file. It must not be changed.
func (r *Rule) Definition() *Definition { return r.def }

// Match reports whether the rule is about the action: its trigger covers it,
// a pattern of its scope matches, and none of its exclude exempts what matched.
//
// Both forms of a file's path are tried, and an exclude exempts only the
// form it matches, so that no symbolic link avoids a rule. An action that deletes or moves
// a folder, or has git restore it, meets the rules on what is in it.
//
// In a rule for any action a pattern that is not one for the kind at hand matches
// nothing there.
//
// A broken rule is about no tool call that writes its own file: it can be
// repaired.
func (r *Rule) Match(a *sentinel.Action) sentinel.Match {
	if !r.spec.Trigger.Covers(a.Trigger) {
		return no("trigger")
	}
	if r.off {
		return no("it is switched off (mode: off)")
	}
	if r.spec.Err != nil && r.repairedBy(a) {
		return no("repairs the broken rule")
	}
	if a.Agent == commit && a.Trigger == sentinel.Bash && !r.def.obliges() {
		return no("a person commits: of a commit itself only obligations are judged")
	}
	switch a.Trigger {
	case sentinel.Bash:
		return r.matchCommand(a)
	case sentinel.MCP:
		return r.matchTool(a)
	default:
		return r.matchPath(a)
	}
}

func no(why string) sentinel.Match { return sentinel.Match{Why: why} }

const unmatched = "no pattern matches"

func excludedBy(pattern string) string { return "excluded by " + pattern }

func (r *Rule) matchPath(a *sentinel.Action) sentinel.Match {
	s := r.paths.Get(func() *pathScope {
		return &pathScope{scope.NewPaths(r.def.Scope, r.fold), scope.NewPaths(r.def.Exclude, r.fold)}
	})
	why := unmatched
	for _, form := range forms(a) {
		pattern, ok := "", len(r.def.Scope) == 0
		if !ok {
			pattern, ok = s.matchForm(a, form)
		}
		if !ok {
			continue
		}
		if out, exempt := s.out.Match(form); exempt {
			why = excludedBy(out)
			continue
		}
		return sentinel.Match{OK: true, Pattern: pattern, Form: form}
	}
	return no(why)
}

// matchForm tries the patterns on a form of the action's path, and on what is in it.
func (s *pathScope) matchForm(a *sentinel.Action, form string) (pattern string, ok bool) {
	if pattern, ok = s.in.Match(form); ok {
		return pattern, true
	}
	return s.matchInside(a, form)
}

// matchInside tries the patterns on what is in the folder form.
func (s *pathScope) matchInside(a *sentinel.Action, form string) (pattern string, ok bool) {
	if meetsInside(a) {
		if pattern, ok = s.in.MatchBelow(form); ok {
			return pattern, true
		}
	}
	if dir, unknown := unknownBelow(form); unknown {
		return s.in.MatchSomewhereBelow(dir)
	}
	return "", false
}

// forms are the texts of an action that patterns are tried on.
func forms(a *sentinel.Action) []string {
	if len(a.Forms) == 0 {
		return []string{a.Target}
	}
	return a.Forms
}

// lineScope are the rule's patterns of commands.
func (r *Rule) lineScope() *lineScope {
	return r.lines.Get(func() *lineScope {
		in := r.def.Scope
		if len(in) == 0 {
			in = []string{"*"}
		}
		return &lineScope{scope.NewCommands(in), scope.NewCommands(r.def.Exclude), slices.Contains(r.def.Also.By, byRequest)}
	})
}

func (r *Rule) matchCommand(a *sentinel.Action) sentinel.Match {
	if len(r.def.Scope) == 0 && len(r.def.Exclude) == 0 {
		return sentinel.Match{OK: true, Form: a.Target}
	}
	s, line := r.lineScope(), parsed(a)
	if s.requests {
		line = withoutReads(line)
	}
	m, ok := s.in.Match(line, s.out)
	switch {
	case ok && len(r.def.Scope) == 0:
		m.Pattern = ""
	case !ok && m.ExcludedBy != "":
		return no(excludedBy(m.ExcludedBy))
	case !ok:
		return no(unmatched)
	}
	found := sentinel.Match{OK: true, Pattern: m.Pattern, Form: m.Form, Spans: m.Spans, Within: m.Within}
	if m.Command >= 0 && m.Command < len(line.Commands) {
		found.Command = &line.Commands[m.Command]
	}
	return found
}

// parsed is the command line of an action, which a caller may have made without parsing it.
func parsed(a *sentinel.Action) *shell.Line {
	if a.Command != nil {
		return a.Command
	}
	return shell.Parse(a.Target, nil)
}

func (r *Rule) matchTool(a *sentinel.Action) sentinel.Match {
	s := r.tools.Get(func() *toolScope {
		return &toolScope{scope.NewTools(r.def.Scope), scope.NewTools(r.def.Exclude)}
	})
	forms := forms(a)
	pattern, form, ok := "", forms[0], len(r.def.Scope) == 0
	if !ok {
		pattern, form, ok = s.in.Match(forms)
	}
	if !ok {
		return no(unmatched)
	}
	if out, _, exempt := s.out.Match(forms); exempt {
		return no(excludedBy(out))
	}
	return sentinel.Match{OK: true, Pattern: pattern, Form: form}
}

// repairedBy reports whether the action writes the rule's own file, as a tool
// call that says so itself. To remove it repairs nothing.
func (r *Rule) repairedBy(a *sentinel.Action) bool {
	if r.file == "" || a.Trigger != sentinel.FileWrite || a.DerivedFrom != "" {
		return false
	}
	switch a.Op {
	case sentinel.OpCreate, sentinel.OpEdit, sentinel.OpAppend:
	default:
		return false
	}
	for _, form := range a.Forms {
		name := filepath.FromSlash(form)
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.Root, name)
		}
		if name = filepath.Clean(name); name == r.file || r.fold && strings.EqualFold(name, r.file) {
			return true
		}
	}
	return false
}

// Conditional reports whether the rule has a when, or keys that are a condition.
func (r *Rule) Conditional() bool { return r.def.When != "" || r.def.Once || r.def.obliges() }

// ReadsDisk reports whether the rule's expression depends on more than the call: on files,
// on git or on the turn, so that it can have another value later. It is true of a broken
// expression.
func (r *Rule) ReadsDisk() bool {
	if r.def.When == "" {
		return r.Conditional()
	}
	if r.def.Once || r.def.obliges() {
		return true
	}
	w, err := compileWhen(r.def.When)
	return err != nil || w.reads(onDisk...)
}

// When evaluates the rule's expression on an action that it matched, and then whether what
// the rule says must have happened has not. For a rule without either it is true. The
// expression is compiled at the first call.
func (r *Rule) When(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	return r.when(ctx, a, m, &whenNotes{})
}

func (r *Rule) when(ctx context.Context, a *sentinel.Action, m sentinel.Match, notes *whenNotes) (bool, error) {
	if r.spec.Err != nil {
		return false, r.spec.Err
	}
	if holds, err := r.holds(ctx, a, m, notes); !holds || err != nil {
		return false, err
	}
	if r.def.Once {
		if approved, err := r.approved(a); approved || err != nil {
			return false, err
		}
	}
	if !r.def.obliges() {
		return true, nil
	}
	l, err := r.lacks(a, m)
	return l.missing != "", err
}

// holds evaluates `when`.
func (r *Rule) holds(ctx context.Context, a *sentinel.Action, m sentinel.Match, notes *whenNotes) (bool, error) {
	if r.def.When == "" {
		return true, nil
	}
	if removesOnly(a) {
		return r.evaluate(ctx, &r.removal, withoutContent(r.def.When), a, m, notes)
	}
	return r.evaluate(ctx, &r.program, r.def.When, a, m, notes)
}

// Doubtful reports whether a model has to judge an action that `when` is true of: it evaluates
// the rule's `doubtful`, within the bounds of When. A rule without one never doubts. The engine
// takes an error for false, because `when` has said that the rule is violated.
func (r *Rule) Doubtful(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	if r.spec.Err != nil {
		return false, r.spec.Err
	}
	if r.def.Doubtful == "" {
		return false, nil
	}
	return r.evaluate(ctx, &r.doubt, r.def.Doubtful, a, m, &whenNotes{})
}

// evaluate runs an expression.
func (r *Rule) evaluate(ctx context.Context, program *lazy.Value[compiled], src string, a *sentinel.Action, m sentinel.Match, notes *whenNotes) (bool, error) {
	p := r.compiled(program, src)
	if p.err != nil {
		return false, p.err
	}
	return p.when.noting(ctx, a, m, notes)
}

// compiled is an expression, which is compiled at the first call.
func (r *Rule) compiled(program *lazy.Value[compiled], src string) *compiled {
	return program.Get(func() *compiled {
		when, err := compileWhen(src)
		if err == nil {
			when.fold = r.fold
		}
		return &compiled{when, err}
	})
}

// Asked returns the person's words for which When is false: without them it is true. It is ""
// where there are none. It takes up to twice as long as When.
func (r *Rule) Asked(ctx context.Context, a *sentinel.Action, m sentinel.Match) string {
	if !r.spec.Requests || r.spec.Severity == sentinel.SeverityBlock || len(a.Requests) == 0 {
		return ""
	}
	var notes whenNotes
	if is, err := r.when(ctx, a, m, &notes); is || err != nil {
		return ""
	}
	said := notes.quote.Load()
	without := *a
	without.Requests = nil
	if is, err := r.When(ctx, &without, m); !is || err != nil || said == nil {
		return ""
	}
	return *said
}

var (
	_ sentinel.Rule        = (*Rule)(nil)
	_ sentinel.Conditional = (*Rule)(nil)
)

// Fold reports whether case does not matter in the rule's paths.
func (r *Rule) Fold() bool { return r.fold }

package rule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/nearest"
)

// The bounds of an expression. It comes with a repository and runs on what an
// agent sends, so neither is trusted.
const (
	whenTime   = 90 * time.Millisecond // of computing; with whenGrace the promise of sentinel.Conditional
	whenGrace  = 10 * time.Millisecond // for an evaluation that is ending
	whenWall   = 2 * time.Second       // for an evaluation on a machine that hardly lets it compute
	whenNodes  = 2000                  // of the syntax tree
	whenMemory = 200_000               // elements of lists made while it runs
	whenList   = 2000                  // elements of a list it is given: all commands of a line
	whenNested = 2                     // predicates within predicates: four million steps at most
	whenText   = 64 << 20              // bytes of text joined while it runs
)

// whenError says what is wrong with an expression.
type whenError struct {
	Line, Column int // in the expression, in characters, from 1
	Message      string
}

// Error returns "line:column: message".
func (e *whenError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Errors of an evaluation. Each means that the rule could not be judged.
var (
	errWhenSlow    = errors.New("rule: `when` took longer than 100ms; make it simpler")
	errWhenText    = errors.New("rule: `when` joins more than 64 MB of text")
	errWhenList    = errors.New("rule: `when` is false for the first 2000 elements, and there are more")
	errWhenBounded = errors.New("rule: `when` could not judge: the command is too long or too deeply nested to be understood whole")
)

// A whenProgram is a compiled expression. It is safe for concurrent use.
type whenProgram struct {
	program *vm.Program
	uses    []string // the variables it reads, sorted
	fold    bool     // paths are compared without case
}

// compileWhen compiles an expression. The error is a *whenError.
func compileWhen(src string) (*whenProgram, error) {
	program, names, err := parseWhen(src, sentinel.Any, stop)
	if err != nil {
		return nil, err
	}
	return &whenProgram{program: program, uses: names.variables()}, nil
}

// checkWhen says what is wrong with the expression of a rule with the given
// trigger and phase. In addition to the faults that compileWhen finds, it reports a
// variable that actions of that kind never have, and a function about a turn in a rule
// about calls. The error is a *whenError.
func checkWhen(src string, trigger sentinel.Trigger, phase string) error {
	_, _, err := parseWhen(src, trigger, phase)
	return err
}

// patchers are several patchers in one pass over the tree. expr checks all types
// before each pass, and with them compiles every pattern, which is most of what a
// `when` costs.
type patchers []ast.Visitor

// Visit lets each patcher see the node that the one before it left.
func (ps patchers) Visit(node *ast.Node) {
	for _, p := range ps {
		p.Visit(node)
	}
}

// parseWhen compiles an expression for the actions of one kind. The error is a
// *whenError.
func parseWhen(src string, trigger sentinel.Trigger, phase string) (*vm.Program, *namePatcher, error) {
	names := &namePatcher{trigger: trigger, phase: phase}
	options := append(whenOptions(), expr.Patch(patchers{names, boundPatcher{}}))
	program, err := expr.Compile(src, options...)
	if fault := names.firstFault(); fault != nil {
		err = fault.Bind(file.NewSource(src))
	}
	if err != nil {
		return nil, nil, explainWhen(err)
	}
	return program, names, nil
}

// whenOptions are the language and its bounds. namePatcher refuses the functions
// that are not whenBuiltin.
func whenOptions() []expr.Option {
	return []expr.Option{
		expr.Env(&whenEnv{}),
		expr.AsBool(),
		expr.WarnOnAny(),
		expr.MaxNodes(whenNodes),
	}
}

// whenBuiltin reports whether a function of the language may be called. It
// lacks those that depend on the day, and those whose result can be far larger than
// what they are given.
func whenBuiltin(name string) bool {
	switch name {
	case "all", "any", "none", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "sum",
		"len", "type", "get", "first", "last", "take", "keys", "values", "concat", "flatten", "sort", "reverse",
		"trim", "trimPrefix", "trimSuffix", "upper", "lower", "split", "splitAfter", "hasPrefix", "hasSuffix", "indexOf", "lastIndexOf",
		"int", "float", "abs", "ceil", "floor", "round", "max", "min", "fromJSON", "fromBase64":
		return true
	}
	return false
}

// whenNotes are what an evaluation tells besides its value.
type whenNotes struct {
	quote atomic.Pointer[string] // the words that make `asked` true; an evaluation that took too long may still run
	seen  *[]string              // the answers of `disposable`, in words; nil keeps none
}

func (w *whenProgram) eval(ctx context.Context, a *sentinel.Action, m sentinel.Match) (bool, error) {
	return w.noting(ctx, a, m, &whenNotes{})
}

// noting runs the expression on an action that the rule's scope matched in the way
// m says. Loops end by the clock; one step on a very long text may take longer, and
// then it is not waited for.
func (w *whenProgram) noting(ctx context.Context, a *sentinel.Action, m sentinel.Match, notes *whenNotes) (bool, error) {
	clock := newClock(ctx)
	clock.notes = notes
	limit := clock.limit // a copy: the other is the evaluation's own
	clock.evidence = &whenEvidence{about: sessionOf(a), action: a, fold: w.fold, computed: limit.computed, seen: notes.seen}
	defer clock.evidence.close()
	done := make(chan whenResult, 1)
	go limit.computed.during(func() {
		ok, err := w.evalPaths(clock, a, m)
		done <- whenResult{ok, err}
	})
	for waiting := true; waiting; {
		timer := time.NewTimer(time.Until(limit.next))
		select {
		case r := <-done:
			timer.Stop()
			return r.ok, r.err
		case <-timer.C:
			waiting = !limit.over()
		case <-ctx.Done():
			timer.Stop()
			waiting = false
		}
	}
	// The findings of the expression so far count.
	select {
	case r := <-done:
		return r.ok, r.err
	case <-time.After(whenGrace):
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return false, errWhenSlow
}

// evalPaths runs the expression for each path of the action's file. It is
// true when it is for one of them, so that neither a symbolic link nor a pattern such
// as *.sql, which means files that are there, avoids a rule.
func (w *whenProgram) evalPaths(clock *whenClock, a *sentinel.Action, m sentinel.Match) (bool, error) {
	paths := []string{a.Path}
	byPath := w.reads("path", "writes", "reads", "removes")
	if a.Path != "" && (byPath || w.reads("exists", "tracked", "operation")) {
		paths = append(paths, a.Forms...)
		slices.Sort(paths[1:])
		paths = slices.Compact(paths)
	}
	tracked := w.tracked(a, paths)
	seen := map[whenState]bool{}
	var failed error
	for i, path := range paths {
		if i > 0 && path == a.Path {
			continue
		}
		env := w.newEnv(a, m, path, tracked, clock)
		state := whenState{env.Operation, env.Exists, env.Tracked, env.fault != nil}
		if !byPath && seen[state] {
			continue // nothing that the expression reads is another
		}
		seen[state] = true
		ok, err := w.run(env)
		switch {
		case ok:
			return true, nil
		case errors.Is(err, errWhenSlow) || clock.ctx.Err() != nil:
			return false, cmp.Or(err, clock.ctx.Err()) // the other paths are not looked at
		case err != nil:
			failed = err
		}
	}
	return false, failed
}

type whenResult struct {
	ok  bool
	err error
}

func (w *whenProgram) run(env *whenEnv) (bool, error) {
	if env.fault != nil {
		return false, env.fault
	}
	machine := vm.VM{MemoryBudget: whenMemory}
	value, err := machine.Run(w.program, env)
	for _, known := range [...]error{errWhenSlow, errWhenText, facts.ErrUnknown, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return false, known
		}
	}
	if err != nil {
		return false, fmt.Errorf("rule: `when` could not be evaluated: %w", explainWhen(err))
	}
	ok, isBool := value.(bool)
	switch {
	case !isBool:
		return false, fmt.Errorf("rule: `when` gave %T, not true or false", value)
	case !ok && env.Bounded && w.reads("commands", "cmd", "writes", "reads", "removes", "effects", "sends", "runs", "loses"):
		return false, errWhenBounded // what it looks for may be in the part that was not read
	case !ok && env.cut:
		return false, errWhenList
	}
	return ok, nil
}

// reads reports whether the expression reads one of the variables.
func (w *whenProgram) reads(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, found := slices.BinarySearch(w.uses, name)
		return found
	})
}

// explainWhen makes a *whenError of an error of the expression language, in words
// that say what to write.
func explainWhen(err error) *whenError {
	e := &whenError{Line: 1, Column: 1, Message: err.Error()}
	var fault *file.Error
	if errors.As(err, &fault) {
		e.Line, e.Column, e.Message = max(fault.Line, 1), fault.Column+1, fault.Message
	}
	if name, ok := strings.CutPrefix(e.Message, "unknown name "); ok {
		e.Message = unknownName(name)
	} else if owner, field, ok := strings.Cut(e.Message, " has no field "); ok {
		e.Message = unknownField(owner, field)
	} else if owner, method, ok := strings.Cut(e.Message, " has no method "); ok {
		e.Message = noMethod(owner, method)
	} else if word, ok := strings.CutPrefix(e.Message, `unexpected token Operator("`); ok && strings.HasPrefix(word, "=\"") {
		e.Message = "`=` is not an operator; did you mean `==`?"
	} else if kind, ok := strings.CutPrefix(e.Message, "expected bool, but got "); ok {
		e.Message = "the expression gives " + plainType(kind) + "; compare it with something, so that it gives true or false"
	} else {
		e.Message = plainType(e.Message)
	}
	if strings.HasSuffix(e.Message, "unexpected token EOF") {
		e.Message += "; when a # stands behind a blank, YAML takes the rest for a comment: put quotes around the expression, or write it below `when: |`"
	}
	return e
}

// operatorOf is the operator that takes the place of a method of other languages.
func operatorOf(method string) string {
	switch strings.ToLower(method) {
	case "includes", "contains", "indexof", "has":
		return "contains"
	case "startswith":
		return "startsWith"
	case "endswith":
		return "endsWith"
	case "match", "matches", "test":
		return "matches"
	}
	return ""
}

// noMethod names the operator that does what a method of a text was meant to do.
func noMethod(owner, method string) string {
	kind := plainType(strings.TrimPrefix(owner, "type "))
	said := fmt.Sprintf("%s has no method `%s`", kind, method)
	if operator := operatorOf(method); operator != "" {
		said += fmt.Sprintf("; write `content %s \"…\"`", operator)
	}
	return said
}

func unknownName(name string) string {
	if near := nearest.Word(name, append(whenVariables(), whenFunctions()...)); near != "" {
		return fmt.Sprintf("unknown name %q; did you mean %q?", name, near)
	}
	return fmt.Sprintf("unknown name %q; the variables are %s; the functions are %s, and those of the language", name,
		strings.Join(whenVariables(), ", "), strings.Join(whenFunctions(), ", "))
}

func unknownField(owner, field string) string {
	var known []string
	switch {
	case strings.Contains(owner, "whenCommand"):
		owner, known = "a command", whenFields(reflect.TypeFor[whenCommand]())
	case strings.Contains(owner, "whenEffect"):
		owner, known = "an effect", whenFields(reflect.TypeFor[whenEffect]())
	case strings.Contains(owner, "whenSecret"):
		owner, known = "a secret", whenFields(reflect.TypeFor[whenSecret]())
	case strings.HasSuffix(owner, "string"):
		return fmt.Sprintf("a text has no field %q; the parsed commands are in commands and cmd, and command has command.unparsed and command.bounded alone", field)
	default:
		return fmt.Sprintf("%s has no field %q", plainType(owner), field)
	}
	if near := nearest.Word(field, known); near != "" {
		return fmt.Sprintf("%s has no field %q; did you mean %q?", owner, field, near)
	}
	return fmt.Sprintf("%s has no field %q; it has %s", owner, field, strings.Join(known, ", "))
}

// plainType takes names of Go types out of a message.
func plainType(message string) string {
	return strings.NewReplacer(
		"[]*rule.whenCommand", "a list of commands", "*rule.whenCommand", "a command",
		"[]rule.whenEffect", "a list of effects", "rule.whenEffect", "an effect",
		"[]rule.whenSecret", "a list of secrets", "rule.whenSecret", "a secret",
		"map[string]interface {}", "a map", "[]interface {}", "a list", "interface {}", "a value of any type", "[]string", "a list of texts", "string", "a text",
	).Replace(message)
}

// whenClock bounds one evaluation in time and memory. It is used by one
// goroutine.
type whenClock struct {
	ctx      context.Context
	limit    timeLimit
	ticks    int
	joined   int // bytes
	evidence *whenEvidence
	notes    *whenNotes
}

func newClock(ctx context.Context) *whenClock {
	return &whenClock{ctx: ctx, limit: limitOf(whenTime, &computing{}), evidence: &whenEvidence{about: &facts.Session{}}, notes: &whenNotes{}}
}

// tick is called at each step of each loop. It is true, so that it can be
// put before anything.
func (c *whenClock) tick() (bool, error) {
	if c.ticks++; c.ticks%16 != 0 {
		return true, nil
	}
	if err := c.ctx.Err(); err != nil {
		return false, err
	}
	if c.limit.over() {
		return false, errWhenSlow
	}
	return true, nil
}

func (c *whenClock) join(a, b string) (string, error) {
	if c.joined += len(a) + len(b); c.joined > whenText {
		return "", errWhenText
	}
	return a + b, nil
}

// A timeLimit ends when an evaluation has computed for a time since the limit was
// made. Time during which a busy machine, or a busy program around it, does not let the
// evaluation run does not count: else a rule could be put out by keeping the machine
// busy. whenWall ends it in any case.
type timeLimit struct {
	computed    *computing
	next, last  time.Time // when to look again, and the end in any case
	begun, most time.Duration
}

func limitOf(most time.Duration, computed *computing) timeLimit {
	now := time.Now()
	return timeLimit{computed: computed, next: now.Add(most), last: now.Add(whenWall), begun: computed.time(), most: most}
}

// over reports whether the time is used up. As long as no more than that time has
// passed at all that costs one look at the clock.
func (l *timeLimit) over() bool {
	now := time.Now()
	if now.Before(l.next) {
		return false
	}
	left := l.most - (l.computed.time() - l.begun)
	if left <= 0 || !now.Before(l.last) {
		return true
	}
	l.next = now.Add(left)
	return false
}

// computing is how long one evaluation has computed. On Linux that is the time of its
// thread; elsewhere other threads of the process count too. Its methods may be called
// at the same time, but during only once.
type computing struct {
	begun   time.Duration
	clock   cpuClock
	started atomic.Bool // begun and clock are set
}

// during runs the evaluation. No other goroutine uses its thread in the meantime.
func (c *computing) during(evaluate func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c.clock = threadClock()
	c.begun = c.clock.now()
	c.started.Store(true)
	evaluate()
}

// time is 0 before the evaluation begins.
func (c *computing) time() time.Duration {
	if !c.started.Load() {
		return 0
	}
	return max(0, c.clock.now()-c.begun)
}

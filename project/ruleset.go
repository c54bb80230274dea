package project

import (
	"context"
	"slices"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/selfprotect"
	"github.com/agentsentinel/sentinel/rule"
)

// A ruleSet holds a folder's rules. Those of a compiled file are read and built
// when an action comes by that they may match. It is safe for concurrent use;
// nil holds none.
type ruleSet struct {
	options func() *rule.Options // asked for when a rule is built

	mu       sync.Mutex
	rules    []*rule.Rule // of a compiled file: nil where a rule was not needed yet
	problems []rule.Problem

	snapshot *snapshot          // nil: all rules are built, and problems are all of theirs
	faults   [][]rule.Problem   // of a compiled file: of each rule that was built
	reload   func() []rule.File // for when the compiled file was replaced or damaged
	drop     func(*snapshot)    // is called with a snapshot that cannot be read
}

// buildRules holds the rules of files.
func buildRules(files []rule.File, opts *rule.Options) *ruleSet {
	s := &ruleSet{}
	s.rules, s.problems = rule.Build(files, opts)
	return s
}

// all are the rules and their problems, in the order of their files.
func (s *ruleSet) all() ([]*rule.Rule, []rule.Problem) {
	if s == nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot != nil {
		numbers := make([]int, s.snapshot.count())
		for i := range numbers {
			numbers[i] = i
		}
		s.build(numbers)
	}
	if s.snapshot != nil { // it was not damaged: every rule is built
		s.problems = slices.Concat(s.faults...)
		s.snapshot = nil
	}
	return s.rules, s.problems
}

// candidates are the rules that may match one of the actions, in the order of
// their files, of those that judge in this phase. Rules that match none may be among
// them.
func (s *ruleSet) candidates(ctx context.Context, actions []sentinel.Action, phase sentinel.Phase) []*rule.Rule {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot == nil {
		return s.rules
	}
	var numbers []int
	for i := range actions {
		if ctx.Err() != nil {
			return nil // the caller looks at ctx
		}
		if !s.snapshot.index.Candidates(&actions[i], phase, func(n int) { numbers = append(numbers, n) }) {
			s.rebuild()
			return s.rules
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	if s.build(numbers); s.snapshot == nil {
		return s.rules
	}
	found := make([]*rule.Rule, len(numbers))
	for i, n := range numbers {
		found[i] = s.rules[n]
	}
	return found
}

// judges reports whether there may be a rule that judges in this phase.
func (s *ruleSet) judges(phase sentinel.Phase) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot != nil {
		return s.snapshot.index.Judges(phase)
	}
	return slices.ContainsFunc(s.rules, func(r *rule.Rule) bool {
		return !r.Off() && (r.Spec().Judges(phase, sentinel.Any) || r.Spec().Judges(phase, sentinel.FileWrite))
	})
}

// any reports whether there are rules, without building one.
func (s *ruleSet) any() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules) > 0 || s.snapshot != nil && s.snapshot.count() > 0
}

// needs are the facts that the rules ask about.
func (s *ruleSet) needs() (n rule.Needs) {
	if s == nil {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot != nil {
		return s.snapshot.needs
	}
	for _, r := range s.rules {
		n.Add(r.Needs())
	}
	return n
}

// build builds the rules with these numbers. No two rules of a compiled file have
// the same id, so that each can be built by itself.
func (s *ruleSet) build(numbers []int) {
	if s.rules == nil {
		s.rules, s.faults = make([]*rule.Rule, s.snapshot.count()), make([][]rule.Problem, s.snapshot.count())
	}
	missing := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return s.rules[n] != nil })
	read, err := s.snapshot.rules(missing)
	if err != nil {
		s.drop(s.snapshot)
		s.rebuild()
		return
	}
	for i, n := range missing {
		built, faults := rule.Build([]rule.File{read[i].file}, s.options())
		s.rules[n], s.faults[n] = built[0], faults
	}
}

// rebuild reads all rules from their own files.
func (s *ruleSet) rebuild() {
	s.snapshot = nil
	s.rules, s.problems = rule.Build(s.reload(), s.options())
}

// withSelfProtection are the self-protection rules that may be about one of the
// actions, all of them without actions, then the user's. Where they are alone, a
// command that is too complex hides nothing from other rules.
func (p *Project) withSelfProtection(user []*rule.Rule, actions []sentinel.Action, alone bool) (all []sentinel.Rule, err error) {
	o := &p.opts
	guard := selfprotect.Guard{
		Program: o.Program, Agents: o.Agents, Home: o.Home, Getenv: o.getenv, CacheDir: o.CacheDir, StateDir: o.StateDir, UserDir: o.UserDir,
		Trash: o.trash(), Folder: configPath, Fold: foldsCase(),
	}
	own, err := guard.Rules(actions)
	if err != nil {
		return nil, err
	}
	if !alone {
		all = selfprotect.Bounds()
	}
	if o.tight {
		all = append(all, selfprotect.NotCertain(p.opts.Program))
	}
	return slices.Concat(all, own, rule.Rules(user).Engine()), nil
}

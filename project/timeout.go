package project

import "time"

// HookTimeout is how long the agents wait for an answer, as the folders that apply
// say by hook_timeout_s; 0 without any folder. The longest counts: a repository takes
// no time from the rules of the user, or of the repository around it.
func (i *Inspector) HookTimeout() time.Duration {
	longest := 0
	for _, f := range i.project.Folders {
		if !f.User || f.configured || f.rules.any() {
			longest = max(longest, f.Config.HookTimeoutS)
		}
	}
	return time.Duration(longest) * time.Second
}

// EndBy makes the answer due earlier than Options.Ends; a later time has no effect. It
// is to be called before the first event.
func (p *Project) EndBy(ends time.Time) {
	if p.opts.Ends.IsZero() || ends.Before(p.opts.Ends) {
		p.opts.Ends = ends
	}
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

package telemetry

import (
	"hash/maphash"
	"strings"
	"time"

	sentinel "github.com/agentsentinel/sentinel"
)

// count adds a line to the figures. It reports whether the line is a finding.
func (a *aggregator) count(r *Record, older bool) (finding bool) {
	switch r.Level {
	case LevelEval, LevelSkipped, LevelUnavailable:
		return a.evaluation(r, older)
	case LevelDecision:
		a.decision(r)
	case LevelContext:
		a.work(&a.Context, r)
	case LevelScribe:
		a.work(&a.Scribe, r)
	case LevelAllowed:
		a.Overridden++
		if rule := a.rule(r); rule != nil {
			rule.Overridden++
		}
		return true
	case LevelPaused:
		a.Pauses++
	case levelInfo, levelDebug:
	default:
		a.Lines.Unknown++
	}
	return false
}

// total adds the result of a line to the totals and, unless its time lies in the future, to
// the timeline.
func (a *aggregator) total(r *Record, t *Tally) {
	a.Tally.add(t)
	if unix := r.Time.Unix(); unix <= a.ahead {
		a.timeline.at(unix).add(t)
	}
}

// evaluation counts a line about one rule.
func (a *aggregator) evaluation(r *Record, older bool) (finding bool) {
	t := classify(r, older)
	a.total(r, &t)
	rule := a.rule(r)
	if rule != nil {
		rule.count(r, &t, a.ahead)
	}
	for kind, key := range groupKeys(r) {
		if g := a.group(kind, key); g != nil {
			g.Tally.add(&t)
			g.Usage.add(r)
			if t.Evaluations > t.Cached {
				g.Latency.Add(r.ElapsedMS)
			}
		}
	}
	a.spend(r)
	if r.Seen > 0 {
		a.Unseen++
	}
	a.AskedFor += one(r.AskedFor != "")
	if r.Tainted {
		a.Tainted++
	}
	if t.Evaluations > 0 {
		a.together(r, t.Violations > 0)
		a.judged.add(r.Target)
		if t.Violations > 0 {
			a.violated.add(r.Target)
		}
		if rule != nil {
			a.compare(r, t.Violations > 0)
			if !rule.Shadow { // its judgement stopped nothing
				a.contests.judged(r, older, t.Blocks > 0)
			}
		}
	}
	return t.Violations+t.NearMisses+t.Unavailable > 0 || r.Tainted
}

// classify returns the result of a line about one rule.
func classify(r *Record, older bool) (t Tally) {
	if r.Level != LevelEval {
		t.Skipped, t.Unavailable = one(r.Level == LevelSkipped), one(r.Level != LevelSkipped)
		t.Timeouts = one(timedOut(r.Error) || older && timedOut(r.Reason))
		return t
	}
	t.Evaluations, t.Cached = 1, one(r.Cached)
	t.NearMisses = one(r.NearMiss)
	t.Violations = one(r.Violation && !r.NearMiss)
	stops := t.Violations > 0 && r.Mode == ""
	t.Blocks, t.Asks = one(stops && r.Severity == "block"), one(stops && r.Severity == "ask")
	return t
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

// timedOut reports whether a text says that time ran out, in the words of this
// program, of Go, or of older programs.
func timedOut(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{"deadline exceeded", "timed out", "timeout", "time-out"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// rule returns the figures of a line's rule, nil if there are too many rules.
func (a *aggregator) rule(r *Record) *RuleStats {
	rule := a.rules[r.RuleID]
	if rule == nil {
		if len(a.rules) >= maxRules {
			a.Left.RuleLines++
			return nil
		}
		rule = &RuleStats{ID: r.RuleID, timeline: newTimeline(maxOfRule), spent: map[string]*Usage{}}
		a.rules[r.RuleID] = rule
	}
	return rule
}

// count adds a line to its rule.
func (s *RuleStats) count(r *Record, t *Tally, ahead int64) {
	s.Tally.add(t)
	s.Trigger = r.Trigger
	if r.Severity != "" {
		s.Severity = r.Severity
	}
	s.Tainted += one(r.Tainted)
	s.Unseen += one(r.Seen > 0)
	s.Paused += one(r.Mode == ModePaused)
	s.AskedFor += one(r.AskedFor != "")
	if s.Shadow = r.Mode == ModeShadow; s.Shadow {
		s.shadow(r, t)
	}
	if t.Evaluations > 0 {
		s.Confidence.add(r.Confidence)
		if t.Violations+t.NearMisses > 0 {
			s.Sure.add(r.Confidence)
		}
		if !r.Cached {
			s.Latency.Add(r.ElapsedMS)
		}
	}
	if unix := r.Time.Unix(); unix <= ahead {
		s.First, s.Last = widened(s.First, s.Last, unix)
		s.timeline.at(unix).add(t)
	}
	model := r.Model
	if s.spent[model] == nil && len(s.spent) >= maxModels {
		model = "" // of the models beyond the limit
	}
	usageOf(s.spent, model).add(r)
}

// usageOf returns the usage of a model.
func usageOf(spent map[string]*Usage, model string) *Usage {
	if spent[model] == nil {
		spent[model] = &Usage{}
	}
	return spent[model]
}

// shadow counts what a rule in shadow mode would have done.
func (s *RuleStats) shadow(r *Record, t *Tally) {
	s.ShadowEvaluations += t.Evaluations
	switch r.Severity {
	case "block":
		s.WouldBlock += t.Violations
	case "ask":
		s.WouldAsk += t.Violations
	case "info": // it only informs
	default:
		s.WouldWarn += t.Violations
	}
}

// groupKeys are the groups that a line belongs to, by kind.
func groupKeys(r *Record) [groupKinds]groupKey {
	return [groupKinds]groupKey{
		byTrigger: {name: r.Trigger}, byTool: {name: r.Tool}, byAgent: {name: r.Agent}, byBackend: {name: r.Backend}, byModel: {r.Model, r.Backend},
	}
}

// group returns a group, nil if the line names none or if there are too many.
func (a *aggregator) group(kind int, key groupKey) *Group {
	if key == (groupKey{}) {
		return nil
	}
	g := a.groups[kind][key]
	if g == nil {
		if len(a.groups[kind]) >= maxGroups {
			a.Left.GroupLines++
			return nil
		}
		g = &Group{Name: firstOf(key.name, key.backend), Backend: key.backend}
		a.groups[kind][key] = g
	}
	return g
}

// spend counts the tokens of a line by day and model.
func (a *aggregator) spend(r *Record) {
	if r.PromptTokens == 0 && r.OutputTokens == 0 {
		return
	}
	a.Usage.add(r)
	unix := r.Time.Unix()
	if unix > a.ahead {
		return
	}
	key := dayModel{floorDiv(unix, 24*3600), r.Model}
	s := a.spent[key]
	if s == nil {
		if len(a.spent) >= maxSpent {
			a.Left.SpentCalls++
			return
		}
		s = &Spent{Day: time.Unix(key.day*24*3600, 0).UTC(), Model: r.Model}
		a.spent[key] = s
	}
	s.Calls++
	s.Usage.add(r)
}

// compare notes how a model judged a target for a rule. An answer of the cache repeats
// an earlier judgement, and an expression answers otherwise only where the action is
// another one.
func (a *aggregator) compare(r *Record, violated bool) {
	key := maphash.Comparable(a.seed, [2]string{r.RuleID, r.Target})
	if r.Cached || r.Backend == sentinel.Builtin || !a.pairs.holds(key) {
		return
	}
	p := a.pairs.values[key]
	if p == nil {
		p = &pair{rule: r.RuleID}
		a.pairs.set(key, p)
	}
	if !violated {
		p.pass++
		return
	}
	p.violations++
	p.target = r.Target
}

// decision counts a line about a whole call.
func (a *aggregator) decision(r *Record) {
	var t Tally
	switch r.Verdict {
	case "allow":
		t.Allowed = 1
	case "warn":
		t.Warned = 1
	case "ask":
		t.Asked = 1
	case "block":
		t.Blocked = 1
	default:
		t.Undecided = 1
	}
	a.total(r, &t)
	a.CallLatency.Add(r.ElapsedMS)
	for kind, key := range groupKeys(r) {
		if kind == byBackend || kind == byModel { // a decision has no judge of its own
			continue
		}
		if g := a.group(kind, key); g != nil {
			g.Tally.add(&t)
		}
	}
	a.contests.decided(r)
}

// work counts a line about work behind a session.
func (a *aggregator) work(p *Pipeline, r *Record) {
	p.Runs++
	switch r.Outcome {
	case "skipped":
		p.Skipped++
	case "unavailable":
		p.Failed++
	default:
		p.Done++
	}
	p.Latency.Add(r.ElapsedMS)
	if p.spent == nil {
		p.spent = map[string]*Usage{}
	}
	if p.spent[r.Model] != nil || len(p.spent) < maxModels {
		usageOf(p.spent, r.Model).add(r)
	}
	a.spend(r)
	if r.Time.Unix() <= a.ahead && !r.Time.Before(p.Last) {
		p.Last = r.Time.Truncate(time.Second)
		p.LastError = firstOf(r.Error, p.LastError)
	}
}

package telemetry

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"time"
)

// Bounds of what a lane remembers. They are generous for logs of honest people,
// and hold against others.
const (
	maxRules    = 500
	maxGroups   = 100
	maxSpent    = 4000
	maxTargets  = 500
	maxSessions = 4096
	maxPairs    = 1 << 14
	maxModels   = 16 // of one rule
	overAll     = 4096
	overRule    = 128
)

// A lane aggregates a part of a log by itself; lanes are merged in the end.
type lane struct {
	opts  *StatsOptions
	since int64
	until int64
	ahead int64
	seed  maphash.Seed
	scan  scanner

	lines           LineCounts
	first, last     int64
	seen            bool
	tally           *Tally
	calls           Histogram
	overridden      int64
	pauses          int64
	tainted         int64
	rules           map[string]*RuleStats
	rule            *RuleStats // of the line before
	groups          [groupKinds]groupSet
	judged          frequent
	violated        frequent
	sessions        sample[struct{}]
	lastSession     []byte
	pairs           sample[*pair]
	spent           map[dayModel]*Spent
	spentKey        dayModel
	spentNow        *Spent
	tokens          Usage
	context         Pipeline
	scribe          Pipeline
	left            Left
	timeline        timeline
	nowhere         Tally // what stands at no place in time
	events          []event
	modelKey        []byte
	previous        int64
	previousIsKnown bool
}

type dayModel struct {
	day   int64
	model string
}

// A pair is how a rule judged a target.
type pair struct {
	pass, violations uint32
	rule, target     string // target is known once there is a violation
}

// The kinds of groups.
const (
	byTrigger = iota
	byTool
	byAgent
	byBackend
	byModel
	groupKinds
)

// A groupSet holds the groups of one kind.
type groupSet struct {
	rows map[string]*Group
	last *Group // of the line before
	key  []byte
}

func newLane(opts *StatsOptions, seed maphash.Seed) *lane {
	l := &lane{
		opts: opts, since: unixOr(opts.Since, -1<<62), until: unixOr(opts.Until, 1<<62), ahead: 1 << 62, seed: seed, tally: &Tally{},
		rules: map[string]*RuleStats{}, judged: newFrequent(maxTargets), violated: newFrequent(maxTargets),
		sessions: newSample[struct{}](maxSessions), pairs: newSample[*pair](maxPairs), spent: map[dayModel]*Spent{}, timeline: newTimeline(overAll),
	}
	if !opts.Now.IsZero() {
		l.ahead = opts.Now.Add(24 * time.Hour).Unix()
	}
	for i := range l.groups {
		l.groups[i].rows = map[string]*Group{}
	}
	return l
}

func unixOr(t time.Time, otherwise int64) int64 {
	if t.IsZero() {
		return otherwise
	}
	return t.Unix()
}

// wants reports whether the filters let a line through.
func (l *lane) wants(b *brief) bool {
	if b.unix < l.since || b.unix >= l.until {
		return false
	}
	if len(l.opts.Rules) > 0 && !slices.ContainsFunc(l.opts.Rules, func(id string) bool { return id == string(b.rule) }) {
		return false
	}
	return (l.opts.Session == "" || l.opts.Session == string(b.session)) && (l.opts.Agent == "" || l.opts.Agent == string(b.agent))
}

// add counts a line. finding says that it is one of those that are kept.
func (l *lane) add(line []byte) (finding bool) {
	l.lines.Read++
	b, err := l.scan.read(line)
	if err != nil {
		l.broken(line)
		return false
	}
	if l.previousIsKnown && l.previous-b.unix > 300 {
		l.lines.Backward++
	}
	l.previous, l.previousIsKnown = b.unix, true
	if !l.wants(b) {
		return false
	}
	l.lines.Counted++
	over := &l.nowhere
	if b.unix > l.ahead {
		l.lines.Ahead++
	} else {
		l.date(b.unix)
		over = l.timeline.at(b.unix)
	}
	l.session(b)
	switch string(b.level) {
	case LevelEval, LevelSkipped, LevelUnavailable:
		return l.evaluation(b, over)
	case LevelDecision:
		l.decision(b, over)
	case LevelContext:
		l.work(&l.context, b)
	case LevelScribe:
		l.work(&l.scribe, b)
	case LevelAllowed:
		l.overridden++
		if r := l.ruleOf(b); r != nil {
			r.Overridden++
		}
		return true
	case LevelPaused:
		l.pauses++
	default:
		l.lines.Unknown++
	}
	return false
}

// broken counts a line that is no record.
func (l *lane) broken(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) > 1 && line[len(line)-1] == '}' && line[0] == '{' {
		l.lines.Foreign++
		return
	}
	l.lines.Torn++
}

func (l *lane) date(unix int64) {
	if !l.seen {
		l.first, l.last, l.seen = unix, unix, true
	}
	l.first, l.last = min(l.first, unix), max(l.last, unix)
}

func (l *lane) session(b *brief) {
	if len(b.session) == 0 || bytes.Equal(b.session, l.lastSession) {
		return
	}
	l.lastSession = append(l.lastSession[:0], b.session...)
	if key := maphash.Bytes(l.seed, b.session); l.sessions.holds(key) {
		l.sessions.set(key, struct{}{})
	}
}

// evaluation counts a line about one rule.
func (l *lane) evaluation(b *brief, over *Tally) (finding bool) {
	t := classify(b)
	l.tally.add(&t)
	over.add(&t)
	r := l.ruleOf(b)
	if r != nil {
		usage := r.count(b, &t, l.ahead)
		usage.PromptTokens += b.prompt
		usage.OutputTokens += b.output
	}
	for i, key := range [groupKinds][]byte{byTrigger: b.trigger, byTool: b.tool, byAgent: b.agent, byBackend: b.backend, byModel: l.modelOf(b)} {
		if g := l.group(i, key, b); g != nil {
			g.Tally.add(&t)
			g.PromptTokens += b.prompt
			g.OutputTokens += b.output
			if t.Evaluations > t.Cached {
				g.Latency.Add(b.elapsed)
			}
		}
	}
	if b.prompt != 0 || b.output != 0 {
		l.spend(b)
	}
	if b.tainted {
		l.tainted++
	}
	if t.Evaluations > 0 {
		l.judged.add(b.target)
		if t.Violations > 0 {
			l.violated.add(b.target)
		}
		if r != nil {
			l.compare(r, b, t.Violations > 0)
			if !r.Shadow { // its judgement stopped nobody
				l.follow(r, b, t.Blocks > 0)
			}
		}
	}
	return t.Violations+t.NearMisses+t.Unavailable > 0 || b.tainted
}

// classify says what came of a line about one rule.
func classify(b *brief) (t Tally) {
	switch string(b.level) {
	case LevelEval:
		t.Evaluations = 1
	case LevelSkipped:
		t.Skipped = 1
	default:
		t.Unavailable = 1
	}
	if t.Evaluations == 0 {
		if timedOut(b.failure) || b.older && timedOut(b.reason) {
			t.Timeouts = 1
		}
		return t
	}
	if b.cached {
		t.Cached = 1
	}
	switch {
	case b.near || b.older && b.violation && b.confidence < b.threshold: // older programs mark none
		t.NearMisses = 1
	case b.violation:
		t.Violations = 1
	}
	if t.Violations > 0 && len(b.mode) == 0 {
		switch string(b.severity) {
		case "block":
			t.Blocks = 1
		case "ask":
			t.Asks = 1
		}
	}
	return t
}

// timedOut reports whether a text says that time ran out, in the words of this
// program, of Go, or of the older ones.
func timedOut(text []byte) bool {
	for _, word := range [...]string{"deadline exceeded", "timed out", "timeout", "time-out"} {
		if len(text) >= len(word) && strings.Contains(strings.ToLower(string(text)), word) {
			return true
		}
	}
	return false
}

// ruleOf returns the figures of a line's rule, nil if there are too many rules.
func (l *lane) ruleOf(b *brief) *RuleStats {
	if l.rule != nil && l.rule.ID == string(b.rule) {
		return l.rule
	}
	r := l.rules[string(b.rule)]
	if r == nil {
		if len(l.rules) >= maxRules {
			l.left.RuleLines++
			return nil
		}
		r = &RuleStats{ID: string(b.rule), timeline: newTimeline(overRule), spent: map[string]*Usage{}}
		l.rules[r.ID] = r
	}
	l.rule = r
	return r
}

// count adds a line to its rule. It returns where its tokens belong.
func (r *RuleStats) count(b *brief, t *Tally, ahead int64) *Usage {
	r.Tally.add(t)
	if string(b.trigger) != r.Trigger {
		r.Trigger = string(b.trigger)
	}
	if len(b.severity) > 0 && string(b.severity) != r.Severity {
		r.Severity = string(b.severity)
	}
	if b.tainted {
		r.Tainted++
	}
	r.Shadow = string(b.mode) == ModeShadow
	switch {
	case r.Shadow:
		r.shadow(b, t)
	case string(b.mode) == ModePaused:
		r.Paused++
	}
	if t.Evaluations > 0 {
		r.Confidence.add(b.confidence)
		if t.Violations+t.NearMisses > 0 {
			r.Sure.add(b.confidence)
		}
		if !b.cached {
			r.Latency.Add(b.elapsed)
		}
	}
	if b.unix <= ahead {
		r.date(b.unix)
		r.timeline.at(b.unix).add(t)
	}
	return r.spentOn(b.model)
}

// shadow counts what a rule in shadow mode would have done.
func (r *RuleStats) shadow(b *brief, t *Tally) {
	r.ShadowEvaluations += t.Evaluations
	if t.Violations == 0 {
		return
	}
	switch string(b.severity) {
	case "block":
		r.WouldBlock++
	case "ask":
		r.WouldAsk++
	case "info": // says something, and stops nobody
	default:
		r.WouldWarn++
	}
}

func (r *RuleStats) date(unix int64) {
	at := time.Unix(unix, 0).UTC()
	if r.First.IsZero() || at.Before(r.First) {
		r.First = at
	}
	if at.After(r.Last) {
		r.Last = at
	}
}

// spentOn is where the tokens of a model go; of models beyond the limit, to "".
func (r *RuleStats) spentOn(model []byte) *Usage {
	if r.usage != nil && r.model == string(model) {
		return r.usage
	}
	u := r.spent[string(model)]
	if u == nil {
		name := string(model)
		if len(r.spent) >= maxModels {
			name = ""
		}
		if u = r.spent[name]; u == nil {
			u = &Usage{}
			r.spent[name] = u
		}
	}
	r.model, r.usage = string(model), u
	return u
}

// modelOf is the key of a line's model: with its backend, since two may offer one.
func (l *lane) modelOf(b *brief) []byte {
	l.modelKey = append(append(append(l.modelKey[:0], b.backend...), 0), b.model...)
	return l.modelKey
}

// group returns the group of a kind that a line belongs to, nil if it says none,
// or if there are too many.
func (l *lane) group(i int, key []byte, b *brief) *Group {
	s := &l.groups[i]
	if s.last != nil && bytes.Equal(s.key, key) {
		return s.last
	}
	if len(key) == 0 || i == byModel && len(key) == 1 {
		return nil
	}
	g := s.rows[string(key)]
	if g == nil {
		if len(s.rows) >= maxGroups {
			l.left.GroupLines++
			return nil
		}
		g = &Group{Name: string(key)}
		if i == byModel {
			g.Name, g.Backend = string(b.model), string(b.backend)
			if g.Name == "" {
				g.Name = g.Backend
			}
		}
		s.rows[string(key)] = g
	}
	s.last, s.key = g, append(s.key[:0], key...)
	return g
}

// spend counts the tokens of a line by day and model.
func (l *lane) spend(b *brief) {
	l.tokens.PromptTokens += b.prompt
	l.tokens.OutputTokens += b.output
	if b.unix > l.ahead {
		return
	}
	day := floorDiv(b.unix, 24*3600)
	if l.spentNow == nil || l.spentKey.day != day || l.spentKey.model != string(b.model) {
		key := dayModel{day, string(b.model)}
		s := l.spent[key]
		if s == nil {
			if len(l.spent) >= maxSpent {
				l.left.SpentCalls++
				return
			}
			s = &Spent{Day: time.Unix(day*24*3600, 0).UTC(), Model: key.model}
			l.spent[key] = s
		}
		l.spentKey, l.spentNow = key, s
	}
	l.spentNow.Calls++
	l.spentNow.PromptTokens += b.prompt
	l.spentNow.OutputTokens += b.output
}

// compare remembers how a rule judged a target. An answer of the cache is no
// judgement of its own.
func (l *lane) compare(r *RuleStats, b *brief, violated bool) {
	if b.cached {
		return
	}
	key := l.hash(b.rule, b.target)
	if !l.pairs.holds(key) {
		return
	}
	p := l.pairs.values[key]
	if p == nil {
		p = &pair{rule: r.ID}
		l.pairs.set(key, p)
	}
	if !violated {
		p.pass++
		return
	}
	if p.violations++; p.target == "" {
		p.target = string(b.target)
	}
}

func (l *lane) hash(a, b []byte) uint64 {
	return maphash.Bytes(l.seed, a)*0x9E3779B97F4A7C15 ^ maphash.Bytes(l.seed, b)
}

// decision counts a line about a whole call.
func (l *lane) decision(b *brief, over *Tally) {
	var t Tally
	switch string(b.verdict) {
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
	l.tally.add(&t)
	over.add(&t)
	l.calls.Add(b.elapsed)
	for i, key := range [...][]byte{byTrigger: b.trigger, byTool: b.tool, byAgent: b.agent} {
		if g := l.group(i, key, b); g != nil {
			g.Tally.add(&t)
		}
	}
	l.events = append(l.events, event{kind: callEnds, key: l.hash(b.session, b.target), unix: b.unix})
}

// work counts a line about work behind a session.
func (l *lane) work(p *Pipeline, b *brief) {
	p.Runs++
	switch string(b.outcome) {
	case "skipped":
		p.Skipped++
	case "unavailable":
		p.Failed++
	default:
		p.Done++
	}
	p.Latency.Add(b.elapsed)
	if p.spent == nil {
		p.spent = map[string]*Usage{}
	}
	u := p.spent[string(b.model)]
	if u == nil && len(p.spent) < maxModels {
		u = &Usage{}
		p.spent[string(b.model)] = u
	}
	if u != nil {
		u.PromptTokens += b.prompt
		u.OutputTokens += b.output
	}
	if b.prompt != 0 || b.output != 0 {
		l.spend(b)
	}
	if b.unix >= p.lastAt && b.unix <= l.ahead {
		p.lastAt, p.Last = b.unix, time.Unix(b.unix, 0).UTC()
		if len(b.failure) > 0 {
			p.LastError = string(b.failure)
		}
	}
}

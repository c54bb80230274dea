package telemetry

import (
	"maps"
	"time"
)

// An event is what a line means for the question whether a block was contested.
// Lanes see parts of the log; events are put in the log's order again.
type event struct {
	kind   eventKind
	older  bool   // from a log that has no lines about whole calls
	key    uint64 // of session and target
	call   uint64 // of the call's id, 0 when it has none
	unix   int64
	rule   string
	target string // of blocked
}

type eventKind uint8

const (
	passed   eventKind = iota // a rule was judged, and did not block
	blocked                   // a rule blocked
	callEnds                  // the answer to the whole call
)

// follow notes an evaluation for the question whether a block was contested.
func (l *lane) follow(r *RuleStats, b *brief, blocks bool) {
	e := event{kind: passed, older: b.older, key: l.hash(b.session, b.target), unix: b.unix, rule: r.ID}
	if len(b.call) > 0 {
		e.call = l.hash(b.call, nil)
	}
	if blocks {
		e.kind, e.target = blocked, string(b.target)
	}
	l.events = append(l.events, e)
}

// maxOpen bounds the blocks that are waited on, and the targets that are named.
const (
	maxOpen     = 4096
	maxContests = 256
)

// contests finds out which blocks were followed by a new try of the same target.
// Events come in the order of the log.
type contests struct {
	window int64 // seconds
	open   map[uint64]*openBlock
	byRule map[string]*Contest // by id: tries and those that went through
	byText map[contestKey]*Contest
	left   int64
	sweep  int64 // blocks until it is worth looking for old ones again
}

type contestKey struct{ rule, target string }

// An openBlock is a target that was blocked, and may be tried again.
type openBlock struct {
	unix   int64
	call   uint64
	rules  []string // that blocked it
	target string
	ended  bool // the call is over: whatever comes is another
	tried  bool // this is not the first try
	stays  bool // this try was blocked too
}

func newContests(window time.Duration) *contests {
	if window <= 0 {
		window = 10 * time.Minute
	}
	return &contests{
		window: int64(window / time.Second), open: map[uint64]*openBlock{}, byRule: map[string]*Contest{}, byText: map[contestKey]*Contest{},
	}
}

func (c *contests) take(e *event) {
	if len(c.open) == 0 && e.kind != blocked {
		return
	}
	o := c.open[e.key]
	if o != nil && (e.unix-o.unix > c.window || o.unix-e.unix > c.window) {
		delete(c.open, e.key)
		o = nil
	}
	switch {
	case o == nil && e.kind == blocked:
		c.begin(e)
	case o == nil:
	case e.kind == callEnds:
		c.end(e, o)
	default:
		c.again(e, o)
	}
}

func (c *contests) begin(e *event) {
	if len(c.open) >= maxOpen {
		if c.sweep--; c.sweep <= 0 {
			c.sweep = maxOpen / 4
			c.forget(e.unix)
		}
		if len(c.open) >= maxOpen {
			c.left++
			return
		}
	}
	c.open[e.key] = &openBlock{unix: e.unix, call: e.call, rules: []string{e.rule}, target: e.target, stays: true}
}

// forget drops the blocks that nobody waits on any more.
func (c *contests) forget(now int64) {
	for key, o := range c.open {
		if now-o.unix > c.window || o.unix-now > c.window {
			delete(c.open, key)
		}
	}
}

// again takes a further evaluation of a target that was blocked.
func (c *contests) again(e *event, o *openBlock) {
	known := contains(o.rules, e.rule)
	anew := o.ended || known
	if e.call != 0 && o.call != 0 {
		anew = e.call != o.call
	}
	if anew {
		o.unix, o.call, o.ended, o.tried, o.stays = e.unix, e.call, false, true, false
		for _, rule := range o.rules {
			c.count(rule, o.target, e.unix, func(n *Contest) { n.Tries++ })
		}
	}
	switch {
	case e.kind == blocked:
		o.stays = true
		if !known && len(o.rules) < 8 {
			o.rules = append(o.rules, e.rule)
		}
	case e.older && known && o.tried && !o.stays:
		c.through(e, o)
	}
}

// end takes the end of a call that is about a target that was blocked.
func (c *contests) end(e *event, o *openBlock) {
	if o.tried && !o.stays && !o.ended {
		c.through(e, o)
		return
	}
	o.ended = true
}

// through notes that a try went through in the end.
func (c *contests) through(e *event, o *openBlock) {
	for _, rule := range o.rules {
		c.count(rule, o.target, e.unix, func(n *Contest) { n.Insisted++ })
	}
	delete(c.open, e.key)
}

func (c *contests) count(rule, target string, unix int64, add func(*Contest)) {
	r := c.byRule[rule]
	if r == nil {
		r = &Contest{Rule: rule}
		c.byRule[rule] = r
	}
	add(r)
	key := contestKey{rule, target}
	t := c.byText[key]
	if t == nil {
		if len(c.byText) >= maxContests {
			c.left++
			return
		}
		t = &Contest{Rule: rule, Target: target}
		c.byText[key] = t
	}
	add(t)
	if at := time.Unix(unix, 0).UTC(); at.After(t.Last) {
		t.Last = at
	}
}

func (c *contests) all() []Contest {
	list := make([]Contest, 0, len(c.byText))
	for t := range maps.Values(c.byText) {
		list = append(list, *t)
	}
	return list
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

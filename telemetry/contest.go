package telemetry

import (
	"cmp"
	"slices"
	"time"
)

// Bounds of contests: the blocks that are followed, the rules that are kept of
// one, and the targets that are named.
const (
	maxOpen     = 4096
	maxBlockers = 8
	maxContests = 256
)

// retryWindow is how soon the same target has to be tried again for a block to
// count as contested, in seconds.
const retryWindow = 10 * 60

// contests finds the blocks after which the same target was tried again. It takes
// lines in the order of the log.
type contests struct {
	open   map[targetKey]*openBlock
	byRule map[string]*Contest // by id
	byText map[contestKey]*Contest
	left   int64
	sweep  int // blocks until old ones are looked for again
}

type targetKey struct{ session, target string }

type contestKey struct{ rule, target string }

// An openBlock is a target that was blocked and may be tried again.
type openBlock struct {
	unix  int64
	call  string
	rules []string // that blocked it
	ended bool     // the call is over: the next line belongs to another call
	tried bool     // this is not the first try
	stays bool     // this try was blocked too
}

func newContests() *contests {
	return &contests{open: map[targetKey]*openBlock{}, byRule: map[string]*Contest{}, byText: map[contestKey]*Contest{}}
}

// block returns the open block of a target, nil if none is within the window.
func (c *contests) block(key targetKey, unix int64) *openBlock {
	o := c.open[key]
	if o != nil && o.old(unix) {
		delete(c.open, key)
		return nil
	}
	return o
}

// old reports whether a line at this time is outside the window of a block. A clock
// may jump backward too.
func (o *openBlock) old(now int64) bool { return max(now-o.unix, o.unix-now) > retryWindow }

// judged takes a line about one rule. older marks a line of a log without lines
// about whole calls.
func (c *contests) judged(r *Record, older, blocked bool) {
	key, unix := targetKey{r.Session, r.Target}, r.Time.Unix()
	o := c.block(key, unix)
	if o == nil {
		if blocked {
			c.begin(key, r, unix)
		}
		return
	}
	known := slices.Contains(o.rules, r.RuleID)
	again := o.ended || known
	if r.CallID != "" && o.call != "" {
		again = r.CallID != o.call
	}
	if again {
		o.unix, o.call, o.ended, o.tried, o.stays = unix, r.CallID, false, true, false
		c.count(o, key, unix, Contest{Tries: 1})
	}
	switch {
	case blocked:
		o.stays = true
		if !known && len(o.rules) < maxBlockers {
			o.rules = append(o.rules, r.RuleID)
		}
	case older && known && o.tried && !o.stays:
		c.passed(o, key, unix)
	}
}

// begin opens a block. It is left out if there are too many.
func (c *contests) begin(key targetKey, r *Record, unix int64) {
	if len(c.open) >= maxOpen {
		if c.sweep--; c.sweep <= 0 {
			c.sweep = maxOpen / 4
			for key, o := range c.open {
				if o.old(unix) {
					delete(c.open, key)
				}
			}
		}
		if len(c.open) >= maxOpen {
			c.left++
			return
		}
	}
	c.open[key] = &openBlock{unix: unix, call: r.CallID, rules: []string{r.RuleID}, stays: true}
}

// decided takes the line that ends a call.
func (c *contests) decided(r *Record) {
	key, unix := targetKey{r.Session, r.Target}, r.Time.Unix()
	switch o := c.block(key, unix); {
	case o == nil:
	case o.tried && !o.stays && !o.ended:
		c.passed(o, key, unix)
	default:
		o.ended = true
	}
}

// passed ends a block: the last try went through.
func (c *contests) passed(o *openBlock, key targetKey, unix int64) {
	c.count(o, key, unix, Contest{Insisted: 1})
	delete(c.open, key)
}

// count adds to the figures of the rules that blocked a target.
func (c *contests) count(o *openBlock, key targetKey, unix int64, more Contest) {
	for _, rule := range o.rules {
		if c.byRule[rule] == nil {
			c.byRule[rule] = &Contest{}
		}
		c.byRule[rule].add(more)
		t := c.byText[contestKey{rule, key.target}]
		if t == nil {
			if len(c.byText) >= maxContests {
				c.left++
				continue
			}
			t = &Contest{Rule: rule, Target: key.target}
			c.byText[contestKey{rule, key.target}] = t
		}
		t.add(more)
		if at := time.Unix(unix, 0).UTC(); at.After(t.Last) {
			t.Last = at
		}
	}
}

func (c *Contest) add(o Contest) {
	c.Tries += o.Tries
	c.Insisted += o.Insisted
}

// all returns the contests, those with most tries first.
func (c *contests) all() []Contest {
	list := make([]Contest, 0, len(c.byText))
	for _, t := range c.byText {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Contest) int {
		return cmp.Or(cmp.Compare(b.Tries, a.Tries), b.Last.Compare(a.Last), cmp.Compare(a.Target, b.Target), cmp.Compare(a.Rule, b.Rule))
	})
	return list
}

package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/facts"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
)

// session is one transcript that was read.
type session struct {
	path    string
	agent   string
	err     error
	results []*result
}

// result is one call that rules are about.
type result struct {
	session, agent, tool, target string
	sub                          bool
	time                         time.Time
	offset                       int64
	findings                     []Finding
	pending                      []pending

	next Next
	said string
}

// pending is a call that the models of a set have to judge.
type pending struct {
	set   int // index of its engines
	event sentinel.Event
}

// verdicts returns the verdicts on the call by the rules in force, and with the
// drafts.
func (r *result) verdicts(rules []ruleInfo) (before, after sentinel.Verdict) {
	before, after = sentinel.VerdictAllow, sentinel.VerdictAllow
	for i := range r.findings {
		f := &r.findings[i]
		if info := &rules[f.rule]; !info.draft {
			before = max(before, f.verdict)
			if info.replaced {
				continue
			}
		}
		after = max(after, f.verdict)
	}
	return before, after
}

// objects reports whether a rule, a shadow rule too, objects to the call.
func (r *result) objects(rules []ruleInfo) bool {
	for i := range r.findings {
		if r.findings[i].outcome == sentinel.OutcomeViolation {
			return true
		}
	}
	before, after := r.verdicts(rules)
	return max(before, after) > sentinel.VerdictAllow
}

// reportEvery is the number of calls between two reports of progress.
const reportEvery = 64

// read reads a transcript and judges the calls in it.
func (r *Replay) read(ctx context.Context, path string) (s session) {
	s = session{path: path}
	c := &course{replay: r, session: &s, after: newAftermath(), past: r.newPast()}
	defer func() {
		if p := recover(); p != nil { // the caller's mapper met hostile content
			s.err = fmt.Errorf("replay: reading panicked: %v", p)
		}
		c.end()
	}()
	reader, err := transcript.Open(path, transcript.Position{}, r.opts.whose(path))
	if err != nil {
		s.err = err
		return s
	}
	defer reader.Close()
	c.reader = reader
	for {
		if err := ctx.Err(); err != nil {
			s.err = fmt.Errorf("replay: %w", err)
			break
		}
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.err = err
			break
		}
		c.entry(ctx, e)
	}
	if s.agent = reader.Agent(); s.agent == "" && s.err == nil {
		s.err = fmt.Errorf("replay: %s: %w", path, transcript.ErrFormat)
	}
	return s
}

// course is a session while it is read.
type course struct {
	replay  *Replay
	session *session
	reader  *transcript.Reader
	after   *aftermath
	past    *past  // nil where no rule asks about it
	home    string // the folder in which the session began; "" as long as it is not known
}

func (c *course) entry(ctx context.Context, e transcript.Entry) {
	switch e.Kind {
	case transcript.Human:
		c.after.human(e.Text)
		c.past.turn(e.Time)
	case transcript.Result:
		c.after.outcome(e.CallID, e.Denied)
		c.past.done(&e)
	case transcript.Call:
		c.call(ctx, e)
	}
}

// call judges a call, and notes what it means for those before it.
func (c *course) call(ctx context.Context, e transcript.Entry) {
	r, s := c.replay, c.session
	if n := r.calls.Add(1); n%reportEvery == 0 {
		r.notify()
	}
	ev := c.event(e)
	actions, known := c.views(ctx, ev)
	res := &result{session: ev.Session, agent: ev.Agent, tool: ev.Tool.Name, sub: e.Sub, time: e.Time, offset: e.Offset}
	if len(actions[0]) > 0 {
		res.target = line(actions[0][0].Target)
	}
	if known {
		c.judge(ctx, ev, actions, res)
	}
	c.past.begin(&e, actions, res)
	sign := c.after.sign(&ev.Tool)
	c.after.call(sign, actions[0])
	if ctx.Err() != nil {
		return // a call that was not judged completely is not counted
	}
	r.count(func(t *tally) { t.calls++; t.actions += len(actions[0]) })
	if !res.objects(r.rules) && (!r.opts.WillAsk || len(res.pending) == 0) {
		r.count(func(t *tally) { t.add(res, r.rules, 1) })
		return
	}
	s.results = append(s.results, res)
	c.after.watch(res, sign, e.CallID, actions[0])
}

// end counts the watched calls: only now it is known what followed them.
func (c *course) end() {
	for _, res := range c.session.results {
		res.become(Ended)
		c.replay.count(func(t *tally) { t.add(res, c.replay.rules, 1) })
	}
}

// event is the hook call that the agent would have made.
func (c *course) event(e transcript.Entry) sentinel.Event {
	ev := c.reader.Event(e)
	if !transcript.Usable(ev.Dir) {
		ev.Dir = "" // the agent does not say, or it was on another system
	}
	if c.home == "" {
		c.home = ev.Dir
	}
	return ev
}

// views returns the actions of a call by view. known is false when there is nothing
// to judge.
func (c *course) views(ctx context.Context, ev sentinel.Event) (actions [][]sentinel.Action, known bool) {
	r := c.replay
	actions = make([][]sentinel.Action, len(r.opts.Views))
	unknown, misunderstood := len(actions), false
	for i := range r.opts.Views {
		v := &r.opts.Views[i]
		seen := ev
		seen.Root, seen.Dir = c.root(v.Root), c.dir(v.Root, ev.Dir)
		var err error
		actions[i], err = v.Mapper.MapTool(ctx, seen)
		switch {
		case errors.Is(err, sentinel.ErrUnknownTool):
			unknown--
		case err != nil:
			misunderstood = true
		}
	}
	switch {
	case misunderstood:
		r.count(func(t *tally) { t.misunderstood++ })
	case unknown == 0:
		r.count(func(t *tally) { t.unknown++ })
	}
	for _, list := range actions {
		known = known || len(list) > 0
	}
	return actions, known
}

// root is where path patterns start: in the project or, for a session that was
// held elsewhere, where it began.
func (c *course) root(project string) string {
	if c.home == "" || safefile.Within(c.home, project) {
		return project
	}
	return c.home
}

func (c *course) dir(root, dir string) string {
	if dir == "" {
		return c.root(root)
	}
	return dir
}

// judge adds the findings of every rule to the result.
func (c *course) judge(ctx context.Context, ev sentinel.Event, actions [][]sentinel.Action, res *result) {
	r := c.replay
	for i := range r.engines {
		b := &r.engines[i]
		list := actions[b.set.View]
		if len(list) == 0 {
			continue
		}
		root := r.opts.Views[b.set.View].Root
		ev := ev
		ev.Root, ev.Dir, ev.Actions = c.root(root), c.dir(root, ev.Dir), list
		open := false
		var known *facts.Session
		if c.past != nil {
			known = c.past.known(b.set.View, res.time)
			ev.Past = known
		}
		d, err := b.gauged.Evaluate(ctx, ev)
		if err != nil {
			continue // ctx has ended, or an action without a trigger: a mapper's fault
		}
		for k := range d.Findings {
			f := r.finding(&d.Findings[k])
			open = open || f.Open
			res.findings = append(res.findings, f)
		}
		res.findings = append(res.findings, r.advice(b, list)...)
		if open && r.opts.WillAsk {
			if known != nil {
				_, _ = known.Facts() // as it is now
			}
			res.pending = append(res.pending, pending{i, ev})
		}
	}
}

// advice returns findings for the rules that would have given advice after the tool.
func (r *Replay) advice(b *engines, actions []sentinel.Action) (found []Finding) {
	for _, rule := range b.post {
		for i := range actions {
			if !rule.Match(&actions[i]).OK {
				continue
			}
			f := r.finding(&sentinel.Finding{Rule: rule.Spec(), Action: &actions[i], Outcome: sentinel.OutcomePass, Verdict: sentinel.VerdictAllow})
			f.advised = true
			found = append(found, f)
		}
	}
	return found
}

// finding returns the part of a finding that is kept.
func (r *Replay) finding(f *sentinel.Finding) Finding {
	out := Finding{
		Rule: f.Rule.ID, Severity: f.Rule.Severity.String(), Shadow: f.Rule.Shadow, Trigger: string(f.Action.Trigger), Target: line(f.Action.Target),
		Confidence: f.Confidence, Reason: line(f.Reason), Cached: f.Response.Cached,
		rule: r.index[f.Rule], outcome: f.Outcome, verdict: f.Verdict, advised: f.Advice != "",
	}
	out.Draft = r.rules[out.rule].draft
	for i := range f.Attempts {
		out.Open = out.Open || errors.Is(f.Attempts[i].Err, errNotAsked)
	}
	switch {
	case f.Outcome != sentinel.OutcomeUnavailable:
	case out.Open:
		out.outcome, out.Reason = sentinel.OutcomeSkipped, errNotAsked.Error()
	default:
		r.failed(out.rule, out.Reason)
	}
	return out
}

// failed keeps the first reason why a rule could not be judged.
func (r *Replay) failed(rule int, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why[rule] == "" {
		r.why[rule] = why
	}
}

// maxLine bounds a text that is shown, in characters.
const maxLine = 300

// line is a text in one line.
func line(s string) string {
	s = text.CutBytes(s, 8*maxLine)                          // a heredoc of megabytes takes long
	return strings.Clone(text.Cut(text.OneLine(s), maxLine)) // not a part of a long text, which would stay in memory with it
}

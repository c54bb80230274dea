package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/replay"
	"github.com/agentsentinel/sentinel/internal/safefile"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
	"github.com/agentsentinel/sentinel/internal/transcript"
	"github.com/agentsentinel/sentinel/project"
	"github.com/agentsentinel/sentinel/telemetry"
)

// Bounds, so that a transcript of any size takes bounded memory.
const (
	maxListed  = 1000 // calls of a session that are listed
	maxPending = 4000 // calls that wait for their result
	maxJudged  = 4000 // calls whose like is not judged again
	maxFolders = 64   // folders whose rules are kept open
	maxSubject = 120  // characters
	maxTools   = 20
)

// A session is one that is being verified.
type session struct {
	Session
	v        *Verifier
	receipts receipts
	logged   func() map[uint64]bool // digests of the calls that the log tells of, once
	hooks    *hooks
	home     string // the folder that it was started in
	calls    []*pendingCall
	waiting  map[string]*pendingCall // by id: their result says whether they ran
	asked    map[string]bool         // tools that the hook was asked about
	judged   map[string]Call         // by what they do: equal calls are judged once

	lastAsked time.Time
	first     time.Time
	last      time.Time
}

// A pendingCall is one that no hook is known to have judged.
type pendingCall struct {
	Call
	at time.Time
}

// verify verifies one session.
func (v *Verifier) verify(ctx context.Context, g group) Session {
	s := &session{
		Session: Session{ID: g.id, Transcripts: []string{}, Problems: []string{}, Listed: []Call{}, Tools: []string{}},
		v:       v, waiting: map[string]*pendingCall{}, asked: map[string]bool{}, judged: map[string]Call{},
	}
	s.receipts.add(g.receipts, v.otherIDs(g.receipts))
	s.logged = s.readLog(ctx)
	if g.receipts != nil {
		s.Agent, s.home = g.receipts.Agent, g.receipts.Dir
		for _, c := range g.receipts.Calls {
			s.lastAsked = c.Began
		}
	}
	s.hooks = v.hooksOf(s.Agent)
	for i, t := range g.files {
		s.read(ctx, t, i == 0)
	}
	if len(g.files) == 0 {
		s.withoutTranscript()
	} else {
		s.extras()
	}
	s.conclude()
	return s.Session
}

// otherIDs reports whether the agent of some receipts numbers calls in its records in
// another way than in its events.
func (v *Verifier) otherIDs(r *state.Receipts) bool {
	if r == nil {
		return false
	}
	a := v.opts.Agents.Find(r.Agent)
	return a != nil && a.Sessions.OtherIDs
}

// read compares the calls of a transcript with the receipts.
func (s *session) read(ctx context.Context, t replay.Transcript, first bool) {
	r, err := transcript.Open(t.Path, transcript.Position{}, &transcript.Options{Agent: t.Agent, Format: t.Format})
	if err != nil {
		s.problem(t.Path, err)
		return
	}
	defer r.Close()
	size := int64(0)
	if info, err := os.Stat(t.Path); err == nil {
		size = info.Size()
	}
	before := s.Calls
	for n := 0; ctx.Err() == nil; n++ {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			s.problem(t.Path, err)
			break
		}
		if s.v.Progress != nil && n%256 == 0 {
			s.v.Progress(e.Offset, size)
		}
		s.entry(ctx, r, e)
	}
	if s.Agent = cmp.Or(r.Agent(), s.Agent); r.Agent() == "" {
		s.problem(t.Path, transcript.ErrFormat)
		return
	}
	if s.Calls == before && first && s.receipts.count > 0 {
		s.problem(t.Path, errors.New("there is no call in it that can be read, though the hook was asked about some: it was cut, or has a newer format"))
		return
	}
	s.Transcripts = append(s.Transcripts, t.Path)
}

// problem says why a transcript could not be read.
func (s *session) problem(path string, err error) {
	said := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "transcript: "), path+": ")
	s.Problems = append(s.Problems, text.OneLine(path+": "+said))
}

func (s *session) entry(ctx context.Context, r *transcript.Reader, e transcript.Entry) {
	switch e.Kind {
	case transcript.Call:
		s.call(ctx, r, e)
	case transcript.Result:
		if c := s.waiting[e.CallID]; c != nil {
			if e.Denied || e.Failed && c.harmless {
				c.State = NotRun
			}
			delete(s.waiting, e.CallID)
		}
	}
}

// call looks for the receipt of a call, and without one for the rules that are about it.
func (s *session) call(ctx context.Context, r *transcript.Reader, e transcript.Entry) {
	if s.hooks == nil || s.Agent != r.Agent() {
		s.Agent = r.Agent()
		s.hooks = s.v.hooksOf(s.Agent)
	}
	s.Calls++
	s.saw(e.Time)
	ev := r.Event(e)
	if s.home == "" && transcript.Usable(ev.Dir) {
		s.home = ev.Dir
	}
	args := state.ArgsDigest(e.Call.Args)
	c := s.receipts.take(state.CallDigest(e.CallID), args)
	switch {
	case c == nil && s.logged()[state.CallDigest(e.CallID)]:
		s.Asked++
		s.add(Checked, 1)
		return
	case c == nil:
		s.unseen(ctx, ev, e, "")
		return
	}
	s.Asked++
	s.asked[e.Tool] = true
	switch now := s.v.opts.Now; {
	case c.Outcome == state.TraceOpen && !c.Lost(now()):
		s.add(Unknown, 1)
	case c.Outcome == state.TraceOpen:
		s.unseen(ctx, ev, e, Killed)
	case c.Outcome == state.TraceUnjudged, c.Outcome == state.TraceFailed:
		s.unseen(ctx, ev, e, Failed)
	case c.Outcome == state.TraceNoRule:
		s.add(NoRule, 1)
	case s.hooks.timeout > 0 && c.Took >= s.hooks.timeout:
		late := s.describe(ctx, ev, e)
		late.State, late.TookMS = Late, c.Took.Milliseconds()
		late.Said = fmt.Sprintf("the hook answered after %s, and the agent waits %s", c.Took.Round(time.Millisecond), s.hooks.timeout)
		s.add(Late, 1)
		s.keep(&pendingCall{late, e.Time})
	default:
		s.add(Checked, 1)
	}
}

// unseen keeps a call that no hook has judged, if a rule is about it now.
func (s *session) unseen(ctx context.Context, ev sentinel.Event, e transcript.Entry, why Why) {
	c := s.describe(ctx, ev, e)
	switch {
	case len(c.Rules) == 0:
		s.add(NoRule, 1)
		return
	case s.receipts.partial && (e.Time.IsZero() || e.Time.Before(s.receipts.from)):
		s.add(Unknown, 1)
		return
	}
	c.State, c.Why = Never, why
	p := &pendingCall{c, e.Time}
	if !s.keep(p) {
		s.add(Never, 1)
		if why == "" && s.why(&p.Call, p.at) == BeforeSetUp {
			s.Before++
		}
		return
	}
	if e.CallID != "" && len(s.waiting) < maxPending && why == "" {
		s.waiting[e.CallID] = p
	}
}

// keep keeps a call to be listed, if there is room for one more.
func (s *session) keep(p *pendingCall) bool {
	if len(s.calls) >= maxListed {
		s.More++
		return false
	}
	s.calls = append(s.calls, p)
	return true
}

// describe says what a call is about, by the rules as they are now.
func (s *session) describe(ctx context.Context, ev sentinel.Event, e transcript.Entry) Call {
	key := digest.Hex(fmt.Sprintf("%q %q %t %s", ev.Dir, e.Tool, e.Truncated, e.Call.Args))
	c, known := s.judged[key]
	if !known {
		c = s.judge(ctx, ev, e)
		if len(s.judged) < maxJudged {
			s.judged[key] = c
		}
	}
	c.Rules = slices.Clone(c.Rules)
	c.Time, c.ID, c.Sub = text.Stamp(e.Time), text.Line(e.CallID), e.Sub
	return c
}

// judge says what is the same of all calls that do the same.
func (s *session) judge(ctx context.Context, ev sentinel.Event, e transcript.Entry) Call {
	c := Call{Tool: text.Line(e.Tool), Rules: []string{}}
	subject := e.Text
	if until := s.v.Until; !until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, until)
		defer cancel()
		if ctx.Err() != nil { // none can be cleared
			s.v.hurried, c.Rules = true, append(c.Rules, notInTime)
			c.Subject = masked(subject)
			return c
		}
	}
	docket := s.v.project(ev.Dir).Match(ctx, s.v.placed(ev))
	c.Rules = append(c.Rules, docket.Rules()...)
	if len(c.Rules) > 0 && !e.Truncated {
		c.Rules = slices.DeleteFunc(c.Rules, cleared(ctx, docket))
	}
	if docket.Unknown() && !slices.Contains(s.Tools, c.Tool) && len(s.Tools) < maxTools {
		s.Tools = append(s.Tools, c.Tool)
	}
	c.harmless = len(docket.Parts) > 0
	for i := range docket.Parts {
		p := &docket.Parts[i]
		if p.Err != nil && len(c.Rules) == 0 {
			c.Rules = append(c.Rules, "(not understood)")
		}
		for k := range p.Actions {
			a := &p.Actions[k]
			if k == 0 && i == 0 {
				subject = a.Target
			}
			c.harmless = c.harmless && (a.Trigger == sentinel.FileWrite || a.Trigger == sentinel.FileRead)
		}
	}
	c.Subject = masked(subject)
	return c
}

// notInTime replaces the rules of a call for which no time was left.
const notInTime = "(not judged in time)"

// masked is what a call is about on one line, without secrets.
func masked(subject string) string {
	return text.Cut(text.OneLine(secret.Mask(text.CutBytes(subject, 8*maxSubject))), maxSubject)
}

// cleared reports of a rule whether it says by itself, with no model, that there is nothing
// against the call. A rule that reads the disk cannot say it: the call itself may have
// changed what is there.
func cleared(ctx context.Context, docket *project.Docket) func(rule string) bool {
	says := map[string]bool{}
	d, err := docket.Judge(ctx)
	if err != nil {
		return func(string) bool { return false }
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		before, known := says[f.Rule.ID]
		says[f.Rule.ID] = f.Outcome == sentinel.OutcomePass && (before || !known)
	}
	return func(rule string) bool { return says[rule] && docket.Lasting(rule) }
}

// project has the rules that are in force in the folder of a call.
func (v *Verifier) project(dir string) *project.Project {
	if !transcript.Usable(dir) {
		dir = v.root
	}
	p := v.rules[dir]
	if p == nil {
		if len(v.rules) >= maxFolders {
			clear(v.rules)
		}
		p = project.Open([]string{dir, v.root}, v.opts)
		v.rules[dir] = p
	}
	return p
}

// placed is an event in a folder of this machine.
func (v *Verifier) placed(ev sentinel.Event) sentinel.Event {
	if !transcript.Usable(ev.Dir) {
		ev.Dir = v.root
	}
	return ev
}

// saw notes the time of a call.
func (s *session) saw(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.first.IsZero() || t.Before(s.first) {
		s.first = t
	}
	if t.After(s.last) {
		s.last = t
	}
}

// withoutTranscript counts what the hook was asked where the agent's own words are
// missing.
func (s *session) withoutTranscript() {
	said := noTranscript
	if s.v.opts.Agents.Readable(s.Agent) {
		said = "its transcript is not there any more: only what its hook was asked is known"
	}
	s.Problems = append(s.Problems, said)
	for _, c := range s.receipts.rest(false) {
		s.Calls++
		s.Asked++
		s.saw(c.Began)
		p := &pendingCall{receiptCall(c), c.Began}
		p.Rules = []string{}
		switch {
		case c.Outcome == state.TraceNoRule:
			s.add(NoRule, 1)
		case c.Outcome == state.TraceOpen && !c.Lost(s.v.opts.Now()):
			s.add(Unknown, 1)
		case c.Lost(s.v.opts.Now()), c.Outcome == state.TraceUnjudged:
			p.State, p.Why = Never, Killed
			if c.Outcome != state.TraceOpen {
				p.Why = Failed
			}
			if !s.keep(p) {
				s.add(Never, 1)
			}
		case s.hooks.timeout > 0 && c.Took >= s.hooks.timeout:
			p.State = Late
			s.add(Late, 1)
			s.keep(p)
		default:
			s.add(Checked, 1)
		}
	}
}

// extras are calls that the hook was asked about and that no transcript has.
func (s *session) extras() {
	for _, c := range s.receipts.rest(true) {
		if transcript.Leaves(c.Tool) {
			continue
		}
		p := &pendingCall{receiptCall(c), c.Began}
		p.State, p.Rules = Extra, []string{}
		p.Said = "the hook was asked about it, and the transcript does not have it: it was cut, is not yet written, or was changed, or it is a subagent's of which the agent keeps no record"
		s.add(Extra, 1)
		s.keep(p)
	}
}

func receiptCall(c *state.Traced) Call {
	return Call{Time: text.Stamp(c.Began), Tool: c.Tool, TookMS: c.Took.Milliseconds()}
}

// conclude decides about the calls that are left.
func (s *session) conclude() {
	slices.SortStableFunc(s.calls, func(a, b *pendingCall) int { return a.at.Compare(b.at) })
	for _, c := range s.calls {
		switch c.State {
		case NotRun:
			s.add(NotRun, 1)
			continue
		case Never:
			s.add(Never, 1)
			if c.Why = cmp.Or(c.Why, s.why(&c.Call, c.at)); c.Why == BeforeSetUp {
				s.Before++
			}
			c.Said = c.Why.said(s, &c.Call)
		}
		s.Listed = append(s.Listed, c.Call)
	}
	s.ID, s.Agent = text.Line(s.ID), text.Line(s.Agent)
	s.First, s.Last = text.Stamp(s.first), text.Stamp(s.last)
}

// readLog reads, once, which calls of the session the log tells of: the receipts may be
// older than it, or be gone.
func (s *session) readLog(ctx context.Context) func() map[uint64]bool {
	var calls map[uint64]bool
	return func() map[uint64]bool {
		if calls != nil {
			return calls
		}
		calls = map[uint64]bool{}
		logs, _ := s.v.project(s.v.root).Inspect().Logs()
		for _, log := range logs {
			for _, file := range telemetry.Files(log.Path) {
				s.readLogFile(ctx, file, calls)
			}
		}
		return calls
	}
}

func (s *session) readLogFile(ctx context.Context, path string, calls map[uint64]bool) {
	f, _, err := safefile.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for rec, err := range telemetry.Scan(f) {
		if ctx.Err() != nil {
			return
		}
		if err == nil && rec.Session == s.ID && rec.CallID != "" && rec.Level == telemetry.LevelDecision {
			calls[state.CallDigest(rec.CallID)] = true
		}
	}
}

package project

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/gate"
	"github.com/agentsentinel/sentinel/internal/selfprotect"
	"github.com/agentsentinel/sentinel/rule"
)

// A Docket says which rules are about one event, and their folders. It is what
// [Project.Match] returns and [Docket.Judge] works on. It is for one goroutine.
type Docket struct {
	Event sentinel.Event
	Parts []Part // Sentinel's own rules with the user's, then those of the projects, nearest first

	project *Project
	ends    time.Time // when the time for the event is up; zero if only a context bounds it
}

// A Part of a docket is what one folder's rules are about: its paths start from the
// folder's own root, and tools are mapped by its own names.
type Part struct {
	Folder  *Folder
	Actions []sentinel.Action
	Unknown bool  // the tool is not known
	Err     error // why the rules cannot judge the event at all

	docket  *sentinel.Docket // nil: no rule of the folder is about the event
	further bool             // only a path of the call leads to the folder
	strict  bool             // an event that it cannot judge at all is stopped
	paused  bool
	silent  bool // a text of the folder waits for trust
}

// Match finds the rules that are about the event. To the folders that were opened
// it adds those found upward from each path that the call touches. It asks no judge.
func (p *Project) Match(ctx context.Context, ev sentinel.Event) *Docket {
	d := &Docket{Event: ev, project: p}
	if ev.Phase != sentinel.PhasePre && ev.Phase != sentinel.PhasePost && (ev.Phase != sentinel.PhaseStop || ev.Actions == nil) {
		if _, err := noRules().Match(ctx, sentinel.Event{Phase: ev.Phase}); err != nil {
			d.Parts = []Part{{Folder: p.matchingUser(), Err: err, strict: p.Strict()}}
		}
		return d
	}
	if d.ends = p.opts.Ends; d.ends.IsZero() && p.opts.Deadline > 0 {
		d.ends = time.Now().Add(p.opts.Deadline)
	}
	ctx, cancel := d.bound(ctx)
	defer cancel()
	own := p.ownView(ctx, ev)
	var user Part
	if len(p.Folders) > 0 { // before a repository can take time
		user = p.part(ctx, ev, own)
	}
	share, end := d.share(ctx)
	defer end()
	others := p.views(share, ev, own)
	switch {
	case len(p.Folders) > 0:
	case len(others) == 0 && (ev.Phase != sentinel.PhasePre || own.err != nil && !p.denies(own.err)):
		return d // without any rules, an event that is not understood is not reported
	default:
		own.alone = len(others) == 0
		user = p.part(ctx, ev, own)
	}
	d.Parts = append(d.Parts, user)
	for _, v := range others {
		d.Parts = append(d.Parts, p.part(share, ev, v))
	}
	return d
}

// MatchSources is [Project.Match] for an event whose actions are known, and for the
// rules at these sources alone, which unlike ids are of one folder. It is for shadow
// rules that are judged after the answer: the actions are those seen before the
// tool ran, since afterwards files are no longer what they were. A rule that has
// changed its place since, or is gone, is left out.
func (p *Project) MatchSources(ctx context.Context, ev sentinel.Event, sources []string) *Docket {
	d := &Docket{Event: ev, project: p}
	for _, f := range p.Folders {
		d.Parts = append(d.Parts, p.part(ctx, ev, view{folder: f, actions: ev.Actions, only: sources}))
	}
	return d
}

// denies reports whether a call is blocked because of this error of a mapper.
func (p *Project) denies(err error) bool {
	return p.opts.DenyUnknown && errors.Is(err, sentinel.ErrUnknownTool)
}

// share is ctx with the end of the time for matching the rules of projects.
func (d *Docket) share(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.ends.IsZero() {
		return ctx, func() {}
	}
	return withEnd(ctx, half(time.Now(), d.ends))
}

// part finds the rules of one folder that are about the event. Where there are any,
// an engine is made of these alone.
func (p *Project) part(ctx context.Context, ev sentinel.Event, v view) Part {
	part := Part{Folder: v.folder, Actions: v.actions, strict: !v.folder.Config.FailOpen || p.opts.tight, further: v.further}
	switch {
	case errors.Is(v.err, sentinel.ErrUnknownTool):
		part.Unknown = true
		return part
	case v.err != nil:
		part.Err = v.err
		return part
	}
	rules, err := p.rulesOf(ctx, ev.Phase, v)
	if ctx.Err() != nil {
		part.Err = errNotMatched
		return part
	}
	if len(rules) == 0 {
		part.Err = err
		return part
	}
	v.folder.complete()
	var book *sentinel.Rulebook
	book, err = sentinel.New(rules, v.folder.engineOptions(&p.opts, ev.Session))
	if err == nil {
		ev.Actions = v.actions
		part.docket, err = book.Match(ctx, ev)
	}
	if ctx.Err() != nil && err != nil {
		err = errNotMatched
	}
	part.Err = err
	return part
}

// rulesOf are the rules of a view that are about an action of the event; all of
// them where a caller wants to know of each why it is not.
func (p *Project) rulesOf(ctx context.Context, phase sentinel.Phase, v view) (rules []sentinel.Rule, err error) {
	f := v.folder
	var all []*rule.Rule
	if p.opts.Explain || v.only != nil {
		all = f.Rules()
	} else {
		all = f.candidates(ctx, phase, v.actions)
	}
	if v.own {
		actions := v.actions
		if p.opts.Explain {
			actions = nil
		}
		rules, err = p.withSelfProtection(all, actions, v.alone)
	} else {
		rules = f.engineRules(all)
	}
	if v.only != nil {
		rules = slices.DeleteFunc(rules, func(r sentinel.Rule) bool { return !slices.Contains(v.only, r.Spec().Source) })
	}
	if only := p.opts.Only; only != "" {
		rules = slices.DeleteFunc(rules, func(r sentinel.Rule) bool { return r.Spec().ID != only })
	}
	if p.opts.Explain {
		return rules, err
	}
	if !v.own && pairs(len(rules), v.actions) > maxPairs {
		return nil, errTooMuch
	}
	return about(ctx, rules, v.actions), err
}

// engineRules are rules of the folder as the engine takes them: what a rule with
// Post asks is the judge and model of the session's summary, unless it names its own.
func (f *Folder) engineRules(all []*rule.Rule) []sentinel.Rule {
	rules := make([]sentinel.Rule, len(all))
	for i, r := range all {
		rules[i] = r
		if s := r.Spec(); s.Post && s.Backend == "" {
			rules[i] = f.adviser(r)
		}
	}
	return rules
}

// An adviser is a rule with Post, with the backend and the model that write its
// text.
type adviser struct {
	*rule.Rule
	spec sentinel.RuleSpec
}

func (f *Folder) adviser(r *rule.Rule) sentinel.Rule {
	a := &adviser{r, *r.Spec()}
	m := f.model(&a.spec)
	a.spec.Backend, a.spec.Model = m.backend, m.name
	return a
}

// Spec implements [sentinel.Rule].
func (a *adviser) Spec() *sentinel.RuleSpec { return &a.spec }

// candidates are those of the folder's rules that may match one of the event's
// actions and judge in the event's phase, in the order of their files. Rules that match
// none may be among them.
func (f *Folder) candidates(ctx context.Context, phase sentinel.Phase, actions []sentinel.Action) rule.Rules {
	return f.rules.candidates(ctx, actions, phase)
}

// about are the rules that match an action, as far as ctx lasts.
func about(ctx context.Context, rules []sentinel.Rule, actions []sentinel.Action) []sentinel.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r sentinel.Rule) bool {
		for i := range actions {
			if ctx.Err() != nil {
				return true
			}
			if mayMatch(r, &actions[i]) {
				return false
			}
		}
		return true
	})
}

// mayMatch keeps a rule that panics: the engine finds the same, and counts it as one
// that could not be judged.
func mayMatch(r sentinel.Rule, a *sentinel.Action) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = true
		}
	}()
	return r.Match(a).OK
}

// Empty reports whether there is nothing to judge: no rule is about the event, and
// nothing went wrong.
func (d *Docket) Empty() bool {
	return !slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Err != nil || p.docket != nil && !p.docket.Empty() })
}

// Unknown reports whether no folder knows the tool.
func (d *Docket) Unknown() bool {
	return len(d.Parts) > 0 && !slices.ContainsFunc(d.Parts, func(p Part) bool { return !p.Unknown })
}

// matches yields the rules that are about the event, of all parts.
func (d *Docket) matches() iter.Seq[sentinel.Rule] {
	return func(yield func(sentinel.Rule) bool) {
		for i := range d.Parts {
			if d.Parts[i].docket == nil {
				continue
			}
			for r := range d.Parts[i].docket.Matches() {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Rules are the ids of the rules that are about the event, each once.
func (d *Docket) Rules() (ids []string) {
	seen := map[string]bool{}
	for r := range d.matches() {
		if id := r.Spec().ID; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// Lasting reports whether what the expressions of the rules with an id say of the event is
// the same at any time: none depends on files, git or the turn.
func (d *Docket) Lasting(id string) bool {
	for r := range d.matches() {
		if r.Spec().ID != id {
			continue
		}
		// of a rule of another type only Go code knows
		if of, knows := r.(interface{ ReadsDisk() bool }); !knows || of.ReadsDisk() {
			return false
		}
	}
	return true
}

// Call is the event as the gate sees it.
func (d *Docket) Call() gate.Call {
	c := gate.Call{Event: d.Event, Root: d.Event.Dir}
	if f := d.project.nearest(); f != nil {
		c.Root = f.at()
	}
	for i := range d.Parts {
		part := &d.Parts[i]
		version := func() string {
			if part.Folder.version == nil {
				return d.requests(part)
			}
			return part.Folder.version() + d.requests(part) + d.pastVersion(part)
		}
		c.Parts = append(c.Parts, gate.Part{Folder: part.Folder.gated(), Version: version, Actions: part.Actions})
	}
	return c
}

// Pause leaves the rules of a part unjudged, for the reason why. Sentinel's own rules are
// judged all the same. A call that the project could not judge at all then passes.
func (d *Docket) Pause(part int, why string) {
	p := &d.Parts[part]
	p.paused = !p.Folder.User
	if d.Event.Phase == sentinel.PhasePost {
		p.docket = nil
	}
	if p.docket == nil {
		return
	}
	p.docket.Waive(func(r *sentinel.RuleSpec) string {
		if strings.HasPrefix(r.Source, selfprotect.Source) {
			return ""
		}
		return why
	})
}

// Judge judges what was matched and joins the decisions of the folders. The error
// is that of the event as a whole, and wraps [ErrStrict] when a project that could
// not judge it is strict. After the tool has run nothing is decided: whatever goes
// wrong is silence.
func (d *Docket) Judge(ctx context.Context) (sentinel.Decision, error) {
	ctx, cancel := d.bound(ctx)
	defer cancel()
	decisions := make([]sentinel.Decision, len(d.Parts))
	var wait sync.WaitGroup
	for i := range d.Parts {
		p := &d.Parts[i]
		if p.docket == nil {
			decisions[i] = p.plain()
			d.project.attribute(p, &decisions[i])
			continue
		}
		judged := make(chan struct{})
		wait.Go(func() {
			defer close(judged)
			decisions[i] = d.judge(ctx, p)
		})
		if p.Folder.User && len(d.Parts) > 1 {
			headStart(ctx, judged)
		}
	}
	wait.Wait()
	out := d.conclude(decisions)
	if d.Event.Phase == sentinel.PhasePre && d.Unknown() && d.project.denies(sentinel.ErrUnknownTool) {
		out.Verdict, out.Err = sentinel.VerdictBlock, fmt.Errorf("%w: %q, and calls of unknown tools are denied", sentinel.ErrUnknownTool, d.Event.Tool.Name)
	}
	if len(out.Findings) > 0 || out.Err != nil {
		out.ID = newID()
	}
	if out.Verdict == sentinel.VerdictUndecided {
		return out, out.Err
	}
	return out, nil
}

// headStartPart is the part of the time that is left in which the user's rules are
// judged alone: those of a repository take judges and processors from them.
const headStartPart = 3

// headStart waits until the user's rules are judged, or have had their start.
func headStart(ctx context.Context, judged <-chan struct{}) {
	ends, limited := ctx.Deadline()
	if !limited {
		<-judged
		return
	}
	over := time.NewTimer(time.Until(ends) / headStartPart)
	defer over.Stop()
	select {
	case <-judged:
	case <-over.C:
	}
}

// plain is the decision of a part that has no rule about the event.
func (p *Part) plain() sentinel.Decision {
	out := sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: p.Actions, Unknown: p.Unknown}
	if p.Err != nil && !p.paused {
		out.Verdict, out.Err = sentinel.VerdictUndecided, p.Err
	}
	return out
}

// judge judges one part.
func (d *Docket) judge(ctx context.Context, p *Part) sentinel.Decision {
	o := &d.project.opts
	p.docket.Shadow, p.docket.KeepRequests = o.Shadow, p.Folder.Config.LogPrompts
	if d.Event.Phase == sentinel.PhasePost {
		if p.silent = d.project.silent(p.Folder); p.silent { // no model is asked for a text that is not given
			return sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: p.Actions}
		}
		p.docket.Summary = d.project.Memory().Summary(d.Event)
	}
	p.docket.Event.Past = d.session(ctx, p)
	out, err := p.docket.Judge(ctx)
	if err != nil {
		out.Err = err
	}
	if d.Event.Phase == sentinel.PhasePre {
		out.Findings = p.collapsed(out.Findings)
	}
	if out.Verdict == sentinel.VerdictUndecided && p.paused {
		return sentinel.Decision{Verdict: sentinel.VerdictAllow, Actions: out.Actions}
	}
	d.project.attribute(p, &out)
	// With a block not every agent reads what else there is to say; and past the
	// deadline nothing is waited for.
	if out.Verdict < sentinel.VerdictBlock && ctx.Err() == nil {
		if given := o.given(d.Event.Session); given != nil {
			out.Mute(given)
		}
	}
	return out
}

// conclude joins what the folders decided.
func (d *Docket) conclude(decisions []sentinel.Decision) sentinel.Decision {
	if d.project.opts.Shadow == sentinel.ShadowOnly { // no agent waits for it
		return sentinel.Join(decisions...)
	}
	if d.Event.Phase != sentinel.PhasePost {
		out := conclude(d.Parts, decisions)
		out.Notice = d.project.notices(d.Event, out.Verdict, d.Parts, decisions)
		return out
	}
	notice := d.project.notice(d.Event, sentinel.VerdictAllow, d.Parts, decisions)
	out := sentinel.Join(slices.DeleteFunc(decisions, func(d sentinel.Decision) bool { return d.Verdict != sentinel.VerdictAllow || d.Err != nil })...)
	out.Notice = notice
	out.Verdict, out.Unknown = sentinel.VerdictAllow, false // an unknown tool was noted before the call
	return out
}

// conclude joins what the parts decided. One that could not judge the event at
// all stops it if it is strict; else it takes nothing from what another one is
// certain of, and without that the event is undecided.
func conclude(parts []Part, decisions []sentinel.Decision) sentinel.Decision {
	var certain []sentinel.Decision
	var undecided sentinel.Decision
	failed, strict, denied := false, false, false
	for i, d := range decisions {
		if d.Verdict != sentinel.VerdictUndecided {
			certain = append(certain, d)
			continue
		}
		failed, undecided = true, d
		strict = strict || parts[i].strict
		denied = denied || parts[i].strict && !parts[i].Folder.User
	}
	if len(decisions) == 0 {
		return sentinel.Decision{Verdict: sentinel.VerdictAllow}
	}
	if !failed {
		return sentinel.Join(certain...)
	}
	if len(certain) > 0 {
		if d := sentinel.Join(certain...); d.Verdict > sentinel.VerdictAllow && (!strict || d.Verdict == sentinel.VerdictBlock) {
			return d
		}
	}
	if denied {
		undecided.Err = strictError{undecided.Err}
	}
	return undecided // the caller of a strict project makes a deny of it
}

// ErrStrict is what the error of [Docket.Judge] is when a project that the call
// touches could not judge it and is strict: the call is to be denied. It may be one
// that [Project.Strict] does not know, which is found by the paths of the call.
var ErrStrict = errors.New("the project is strict")

// strictError is an error that is ErrStrict too, with the text of its own.
type strictError struct{ error }

func (strictError) Is(target error) bool { return target == ErrStrict }

func (e strictError) Unwrap() error { return e.error }

// idLength is the length of a decision's name: 50 bits. Among thirty million decisions, a
// call in a million gets a name that is taken.
const idLength = 10

// newID names a decision in what is recorded of it.
func newID() string { return strings.ToLower(rand.Text()[:idLength]) }

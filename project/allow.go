package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// AllowedFor is how long a call that a person has allowed may pass, once.
const AllowedFor = state.AllowedFor

// A Stopped is a call that an agent was stopped at, and that a person may let
// through by the code that the agent was told.
type Stopped struct {
	Code    string
	Project string    // absolute: the folder that the call belongs to
	Agent   string    // whose call it is
	At      time.Time // when it was stopped last
	Allowed time.Time // when a person allowed it; zero if nobody has yet
	By      string    // who did
	Rules   []StoppedBy
	More    int // further rules that stopped it, beyond those in Rules
	Actions int // things that the whole call does

	opts Options
}

// A StoppedBy is one rule that stopped a call, at one of the things it does. All
// texts are as the log has them: secrets are masked.
type StoppedBy struct {
	Rule   string `json:"rule"`
	Target string `json:"target"`           // path, command line or server:tool; at most 500 characters of it
	Length int    `json:"length,omitempty"` // of the whole target, in characters, when Target is not all of it
	Reason string `json:"reason"`

	Trigger  string `json:"trigger"`
	Severity string `json:"severity"`
}

// stoppedDetail is what is kept of a stopped call beside its digest.
type stoppedDetail struct {
	Agent   string      `json:"agent"`
	Session string      `json:"session"`
	Tool    string      `json:"tool"`
	Actions int         `json:"actions"`
	More    int         `json:"more,omitempty"`
	Rules   []StoppedBy `json:"rules"`
}

// Bounds of what is kept of a stopped call, so that many have room.
const (
	maxStoppedRules  = 3
	maxStoppedTarget = 500 // characters
	maxStoppedName   = 60

	maxSearched = 64 << 10 // bytes of a content, or of arguments, that are searched for secrets to mask
)

// codes is where stopped calls wait.
func (p *Project) codes() *state.Codes { return p.opts.codes() }

func (o *Options) codes() *state.Codes {
	return state.NewCodes(filepath.Join(o.StateDir, "stopped"), o.Now)
}

// letThrough takes what a person has allowed out of a decision that would stop
// the call; else it adds the code by which a person can. Where no code can be
// kept the call stays stopped, without one.
func (s *sitting) letThrough(d *sentinel.Decision) {
	if s == nil || d.Verdict < sentinel.VerdictAsk || !hasFinding(d) {
		return
	}
	stopped := state.Stopped{Action: s.action(), Project: s.root(), Detail: s.detail(*d)}
	code, allowed, err := s.project.codes().Stop(stopped)
	switch {
	case err != nil:
		s.project.opts.Logger.Debug("sentinel: no code can be kept for a stopped call", "error", err)
	case allowed != nil:
		waive(d)
	default:
		d.Code = code
	}
}

// hasFinding reports whether a rule led to the verdict. What could not be judged
// as a whole is nothing that a person could look at.
func hasFinding(d *sentinel.Decision) bool {
	for i := range d.Findings {
		if d.Findings[i].Verdict == d.Verdict {
			return true
		}
	}
	return false
}

// waive takes what stops a call, or asks about it, out of the verdict.
func waive(d *sentinel.Decision) {
	d.Verdict = sentinel.VerdictAllow
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Verdict >= sentinel.VerdictAsk {
			f.Waived, f.Verdict = true, sentinel.VerdictAllow
		}
		d.Verdict = max(d.Verdict, f.Verdict)
	}
}

// root is the folder that the call belongs to.
func (s *sitting) root() string {
	if f := s.project.nearest(); f != nil {
		return f.Root
	}
	return s.event.Dir
}

// detail is what a person will be shown, as much of it as may be kept.
func (s *sitting) detail(d sentinel.Decision) json.RawMessage {
	stops := s.stops(d)
	ev := s.event
	if len(ev.Tool.Args) > maxSearched {
		ev.Tool.Args = nil
	}
	records := telemetry.Records(s.project.opts.now(), ev, stops, nil, 0)
	for _, limit := range []int{maxStoppedTarget, maxStoppedTarget / 4, maxStoppedTarget / 16} {
		data, err := json.Marshal(stoppedBy(stops, records, limit))
		if err == nil && len(data) <= state.MaxDetail {
			return data
		}
	}
	return nil // then the code is of no use: nobody allows what cannot be shown
}

// stops is the part of a decision that stops the call, without large contents:
// searching these for secrets would take seconds. What a judge quotes of such a
// one is left out with its reason.
func (s *sitting) stops(d sentinel.Decision) sentinel.Decision {
	stops := sentinel.Decision{Verdict: d.Verdict, Actions: make([]sentinel.Action, len(d.Actions))}
	for i := range d.Actions {
		stops.Actions[i], _ = lean(d.Actions[i])
	}
	for _, f := range d.Findings {
		if f.Verdict < sentinel.VerdictAsk {
			continue
		}
		a, cut := lean(*f.Action)
		if f.Action = &a; cut {
			f.Reason = "the content is too large to say more"
		}
		stops.Findings = append(stops.Findings, f)
	}
	return stops
}

// lean is an action without texts that are too large to be searched.
func lean(a sentinel.Action) (out sentinel.Action, cut bool) {
	if len(a.Content)+len(a.Old) > maxSearched {
		a.Content, a.Old, cut = "", "", true
	}
	if len(a.Args) > maxSearched {
		a.Args, cut = nil, true
	}
	return a, cut
}

// stoppedBy tells what stopped a call, with at most limit characters of each text.
// The log's own lines are used, whose secrets are masked.
func stoppedBy(stops sentinel.Decision, records []telemetry.Record, limit int) stoppedDetail {
	out := stoppedDetail{Actions: len(stops.Actions)}
	for i, f := range stops.Findings {
		r := records[i] // one for each finding, in their order
		out.Agent, out.Session, out.Tool = beginning(r.Agent, maxStoppedName), beginning(r.Session, maxStoppedName), beginning(r.Tool, maxStoppedName)
		if len(out.Rules) == maxStoppedRules {
			out.More++
			continue
		}
		by := StoppedBy{
			Rule: beginning(r.RuleID, maxStoppedName), Trigger: r.Trigger, Severity: r.Severity,
			Target: beginning(r.Target, limit), Reason: beginning(r.Reason, limit/2),
		}
		if by.Target != r.Target || strings.HasSuffix(r.Target, "…") {
			by.Length = utf8.RuneCountInString(f.Action.Target)
		}
		out.Rules = append(out.Rules, by)
	}
	return out
}

// beginning is the first characters of a text.
func beginning(text string, limit int) string {
	for i := range text {
		if limit--; limit < 0 {
			return text[:i]
		}
	}
	return text
}

// FindStopped returns the call that waits for a code. The error says why there is
// none.
func FindStopped(code string, opts *Options) (*Stopped, error) {
	if opts.StateDir == "" {
		return nil, errors.New("project: no folder keeps codes; set HOME or XDG_STATE_HOME")
	}
	found, err := opts.codes().Find(code)
	if err != nil {
		return nil, codeError(code, err)
	}
	s := stoppedOf(found)
	if len(s.Rules) == 0 {
		return nil, fmt.Errorf("project: what was stopped under %s is not known any more; let the agent try the call again", found.Code)
	}
	s.opts = *opts
	return s, nil
}

func stoppedOf(found state.Stopped) *Stopped {
	s := &Stopped{Code: found.Code, Project: found.Project, At: found.At, Allowed: found.Allowed, By: found.By}
	var detail stoppedDetail
	if json.Unmarshal(found.Detail, &detail) == nil {
		s.Agent, s.Rules, s.More, s.Actions = detail.Agent, detail.Rules, detail.More, detail.Actions
	}
	return s
}

// Allow lets the call pass once, within [AllowedFor]. by is who says so. It is
// written to the log of the call's project, and noted.
func (s *Stopped) Allow(by string) error {
	allowed, err := s.opts.codes().Allow(s.Code, by)
	if err != nil {
		return codeError(s.Code, err)
	}
	s.Allowed, s.By = allowed.Allowed, allowed.By
	p := Open([]string{s.Project}, &s.opts)
	var detail stoppedDetail
	_ = json.Unmarshal(allowed.Detail, &detail) // what cannot be read is not shown either
	var records []telemetry.Record
	for _, r := range detail.Rules {
		records = append(records, telemetry.Record{
			RuleID: r.Rule, Trigger: r.Trigger, Target: r.Target, Severity: r.Severity,
			Session: detail.Session, Agent: detail.Agent, Tool: detail.Tool,
		})
	}
	return p.person(telemetry.LevelAllowed, by, "a person let this call through once, with the code "+s.Code, records)
}

// codeError says what is wrong with a code, for the person who entered it.
func codeError(code string, err error) error {
	switch {
	case errors.Is(err, state.ErrNoCode):
		return fmt.Errorf("%q is not a code; it is four letters and digits, such as K7QX", code)
	case errors.Is(err, state.ErrUnknown):
		return fmt.Errorf("no call waits for the code %s; a code is good for an hour after the call was stopped, and for %d minutes once it was allowed",
			code, int(AllowedFor.Minutes()))
	case errors.Is(err, state.ErrCodeUsed):
		return fmt.Errorf("the code %s was used already; a call is let through once", code)
	}
	return fmt.Errorf("project: the codes cannot be read: %w", err)
}

// person records what a person did: a line for each of the records, or one if
// there is none, and a note.
func (p *Project) person(level, by, what string, records []telemetry.Record) error {
	if len(records) == 0 {
		records = []telemetry.Record{{}}
	}
	target := what
	for i := range records {
		r := &records[i]
		r.Time, r.Level, r.By, r.Reason = p.opts.now(), level, by, what
		if r.Target != "" {
			target = fmt.Sprintf("%s: %s [%s]", what, r.Target, r.RuleID)
		}
	}
	err := p.Note(level, records[0].Agent, cmp.Or(by, "a person")+": "+target)
	if f, path := p.log(); f != nil && !p.opts.NoLog {
		err = errors.Join(err, p.appendLog(f, path, records))
	}
	return err
}

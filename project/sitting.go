package project

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"path/filepath"
	"sync"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
)

// A sitting is the judging of one event by all its panels, when an agent will act
// on the answer. A person may have paused it or let the call through, and another
// process may be judging the same call: a plugin's hook beside one that init
// registered, or two hooks of one agent.
//
// Nothing is looked at before a rule applies. A nil sitting is one of an answer
// that nobody acts on.
type sitting struct {
	project *Project
	event   sentinel.Event
	panels  []panel

	once   sync.Once
	paused map[string]state.Pause // by folder
	turn   *state.Turn
	relay  bool              // another process has judged the call
	answer sentinel.Decision // of that one

	digestOnce sync.Once
	digest     string
}

// sit opens the sitting of an event.
func (p *Project) sit(ev sentinel.Event, panels []panel) *sitting {
	if !p.opts.ForAgent || p.opts.StateDir == "" {
		return nil
	}
	return &sitting{project: p, event: ev, panels: panels}
}

// seatKey is the key under which the context of a panel has its seat.
type seatKey struct{}

// A seat is a panel in a sitting.
type seat struct {
	sitting *sitting
	folder  *Folder
}

// seated tells the panel's engine, by its context, in which sitting it judges.
func (s *sitting) seated(ctx context.Context, b *panel) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, seatKey{}, seat{s, b.folder})
}

// errRelayed ends the judging of a call that another process has judged.
var errRelayed = errors.New("project: another process has judged this call")

// begin is [sentinel.Options.Begin] of every engine of a project.
func begin(ctx context.Context, _ sentinel.Event) (func(*sentinel.RuleSpec) string, error) {
	at, ok := ctx.Value(seatKey{}).(seat)
	if !ok {
		return nil, nil
	}
	s := at.sitting
	s.once.Do(func() {
		s.paused = s.project.pauses().All()
		s.take(ctx)
	})
	if s.relay {
		return nil, errRelayed
	}
	return s.waived(at.folder), nil
}

// take takes the turn to judge the call, or the answer of who has it. When time
// is up before there is one, the rules are left unjudged by their own clock.
func (s *sitting) take(ctx context.Context) {
	if s.project.opts.Numbered && s.event.Tool.ID == "" {
		return // nothing tells a second hook from a second try
	}
	call := state.Call{Session: s.event.Session, Action: s.version(), ID: s.event.Tool.ID}
	turn, answered, err := s.project.turns().Take(ctx, call, s.use)
	if err != nil {
		return
	}
	s.turn, s.relay = turn, answered
}

// turns is where processes that see the same call agree who judges it.
func (p *Project) turns() *state.Turns {
	return state.NewTurns(filepath.Join(p.opts.StateDir, "turns"), p.opts.Now)
}

// use takes the answer of another process for its own, unless it cannot be read or
// a person has let the call through since.
func (s *sitting) use(answer []byte) bool {
	d, err := unmarshalAnswer(answer, s.panels)
	if err != nil || d.Verdict >= sentinel.VerdictAsk && s.project.codes().Granted(s.action()) {
		return false
	}
	s.answer = d
	return true
}

// finish passes the decision on to processes that see the same call.
func (s *sitting) finish(d sentinel.Decision) {
	if s == nil || s.turn == nil { // nobody waits for the answer
		return
	}
	s.pass(marshalAnswer(d, s.panels))
}

// pass leaves an answer for the processes that see the same call.
func (s *sitting) pass(answer []byte) {
	if s != nil {
		s.turn.Finish(answer)
	}
}

// close gives the turn back when there is no decision to pass on.
func (s *sitting) close() {
	if s != nil {
		s.turn.Finish(nil)
	}
}

// relayed is the decision of another process, if there is one.
func (s *sitting) relayed() (sentinel.Decision, bool) {
	if s == nil || !s.relay {
		return sentinel.Decision{}, false
	}
	return s.answer, true
}

// answer is a decision as processes pass it on. Warnings and advice are not in
// it: they were given by who judged.
type answer struct {
	Verdict  string          `json:"verdict"`
	Code     string          `json:"code,omitempty"`
	Findings []answerFinding `json:"findings,omitempty"`
}

// answerFinding is a finding that stops the call, or asks about it.
type answerFinding struct {
	Rule     string `json:"rule"`
	Panel    int    `json:"panel"`  // of the panels, in their order
	Action   int    `json:"action"` // of the panel's actions
	Outcome  string `json:"outcome"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason"`
	Message  string `json:"message,omitempty"`
	Tainted  bool   `json:"tainted,omitempty"`
	Disputed bool   `json:"disputed,omitempty"`
}

// marshalAnswer returns nil for a decision that is not to be passed on.
func marshalAnswer(d sentinel.Decision, panels []panel) []byte {
	if d.Verdict == sentinel.VerdictUndecided {
		return nil
	}
	out := answer{Verdict: d.Verdict.String(), Code: d.Code}
	for i := range d.Findings {
		f := &d.Findings[i]
		if f.Verdict < sentinel.VerdictAsk {
			continue
		}
		at, n := whereIs(f.Action, panels)
		out.Findings = append(out.Findings, answerFinding{
			Rule: f.Rule.ID, Panel: at, Action: n, Outcome: f.Outcome.String(), Verdict: f.Verdict.String(),
			Reason: f.Reason, Message: f.Message, Tainted: f.Tainted, Disputed: f.Disputed,
		})
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil
	}
	return data
}

// whereIs finds an action among those of the panels.
func whereIs(a *sentinel.Action, panels []panel) (at, n int) {
	for i := range panels {
		for k := range panels[i].actions {
			if a == &panels[i].actions[k] {
				return i, k
			}
		}
	}
	return 0, 0
}

// unmarshalAnswer reads what another process decided. Both have the same actions,
// or the answer would not be about this call.
func unmarshalAnswer(data []byte, panels []panel) (sentinel.Decision, error) {
	var in answer
	if err := json.Unmarshal(data, &in); err != nil {
		return sentinel.Decision{}, err
	}
	d := sentinel.Decision{Code: in.Code, Relayed: true}
	var ok bool
	if d.Verdict, ok = byName(in.Verdict, sentinel.VerdictAllow, sentinel.VerdictBlock); !ok {
		return d, errors.New("project: an unknown verdict")
	}
	if len(panels) > 0 {
		d.Actions = panels[0].actions
	}
	for _, f := range in.Findings {
		outcome, ok := byName(f.Outcome, sentinel.OutcomeUnknown, sentinel.OutcomeUnavailable)
		verdict, ok2 := byName(f.Verdict, sentinel.VerdictAsk, sentinel.VerdictBlock)
		if !ok || !ok2 || f.Panel < 0 || f.Panel >= len(panels) || f.Action < 0 || f.Action >= len(panels[f.Panel].actions) {
			return d, errors.New("project: an unknown finding")
		}
		severity := sentinel.SeverityAsk
		if verdict == sentinel.VerdictBlock {
			severity = sentinel.SeverityBlock
		}
		d.Findings = append(d.Findings, sentinel.Finding{
			Rule: &sentinel.RuleSpec{ID: f.Rule, Severity: severity}, Action: &panels[f.Panel].actions[f.Action],
			Match: sentinel.Match{OK: true}, Outcome: outcome, Verdict: verdict,
			Reason: f.Reason, Message: f.Message, Tainted: f.Tainted, Disputed: f.Disputed,
		})
	}
	if d.Verdict >= sentinel.VerdictAsk && len(d.Findings) == 0 {
		return d, errors.New("project: a verdict without a finding")
	}
	return d, nil
}

// byName is the value from lowest to highest that has the name.
func byName[T interface {
	~uint8
	String() string
}](name string, lowest, highest T) (T, bool) {
	for v := lowest; v <= highest; v++ {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

// action is the digest of all that the call does, as every panel sees it, and of
// the project. Whose call it is and what the agent calls its tool are no part of
// it: two hooks of one call can differ in that.
func (s *sitting) action() string {
	s.digestOnce.Do(func() {
		h := sha256.New()
		for i := range s.panels {
			b := &s.panels[i]
			addText(h, "panel", b.folder.Dir)
			if i > 0 && sameActions(b.actions, s.panels[0].actions) {
				continue // a file of many megabytes is read once
			}
			for k := range b.actions {
				addAction(h, &b.actions[k])
			}
		}
		s.digest = hex.EncodeToString(h.Sum(nil))
	})
	return s.digest
}

// version is the action under the rules, and the pauses, as they are now: an
// answer by others is none.
func (s *sitting) version() string {
	h := sha256.New()
	addText(h, s.action())
	for _, b := range s.panels {
		if b.folder.version != nil {
			addText(h, b.folder.version())
		}
		if at, ok := s.project.pauseOf(s.paused, b.folder); ok {
			addText(h, at.Until.String())
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sameActions reports whether two panels look at the very same actions.
func sameActions(a, b []sentinel.Action) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

func addAction(h hash.Hash, a *sentinel.Action) {
	addText(h, "action", string(a.Trigger), a.Op.String(), a.Root, a.Target, a.Path, a.Content, a.Old, a.Server, a.MCPTool, a.DerivedFrom)
	addText(h, a.Forms...)
	switch a.Trigger {
	case sentinel.Bash:
		addText(h, a.Dir) // the same command does something else elsewhere
	case sentinel.MCP:
		addText(h, canonical(a.Args))
	}
}

// canonical is JSON in one form, whoever wrote it.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(data)
}

// addText adds texts so that "a","bc" is not "ab","c".
func addText(h hash.Hash, texts ...string) {
	var size [binary.MaxVarintLen64]byte
	h.Write(size[:binary.PutUvarint(size[:], uint64(len(texts)))])
	for _, t := range texts {
		h.Write(size[:binary.PutUvarint(size[:], uint64(len(t)))])
		var part [4096]byte // a whole file is not copied
		for len(t) > 0 {
			n := copy(part[:], t)
			h.Write(part[:n])
			t = t[n:]
		}
	}
}

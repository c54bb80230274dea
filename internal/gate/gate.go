// Package gate is the step between the matching of a call and its judging, when an agent
// acts on the answer. A user may have paused the rules or approved the call, and another
// process may judge the same call: a plugin's hook in addition to the one that init
// registered, or two hooks of one agent.
//
// It takes data and has no callbacks: [Gate.Admit] before the judging, [Pass.Settle] after
// it.
package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/record"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A Gate keeps what a user has decided about calls. It may be used concurrently, by
// many processes.
type Gate struct {
	StateDir string           // the user's; "" keeps nothing, and admits everything
	Program  string           // what the user enters codes to; "" means sentinel
	Seal     state.Sealing    // of what is kept there
	Now      func() time.Time // nil means time.Now

	Folders []Folder // of rules that apply, the user's own first
	Nearest int      // the project that the agent works in, in Folders; -1 means none

	// Numbered says that the agent gives each call an id. Of one that does not, an
	// event that is the same as one of a moment ago counts as the same call.
	Numbered bool

	// Question says that the agent asks its user about a call. It names no id then, and
	// the answer is one to other hooks of the question, not to a call.
	Question bool

	// Log writes what a user did to the log and the notes; nil writes nothing.
	Log func(level, by, what string, records []telemetry.Record) error
}

// A Folder of rules, as far as pauses are about it.
type Folder struct {
	Dir  string // absolute
	Key  string // Dir without symbolic links
	User bool   // the user's own
}

// A Call is an event and who will judge it.
type Call struct {
	Event sentinel.Event
	Root  string // folder that the call belongs to
	Parts []Part
}

// A Part of a call is what one folder's rules see of it.
type Part struct {
	Folder  Folder
	Version func() string // identifies the rules as they are; nil for rules that do not change
	Actions []sentinel.Action
}

// A Pass is one call on its way through the gate. It belongs to one goroutine.
type Pass struct {
	gate   *Gate
	call   Call
	paused map[string]state.Pause // by folder
	claim  *state.Claim
	answer *sentinel.Decision // of another process
	digest string
}

// Admit begins a call that a rule is about, and waits while another process judges
// the same one, as long as ctx lasts. A nil pass, which a gate without a state
// folder gives, has no effect.
func (g *Gate) Admit(ctx context.Context, call Call) *Pass {
	if g == nil || g.StateDir == "" {
		return nil
	}
	p := &Pass{gate: g, call: call, paused: g.pauses().All()}
	switch call.Event.Phase {
	case sentinel.PhasePre:
		p.claimCall(ctx)
	case sentinel.PhasePost:
		p.claimAdvice(ctx)
	}
	return p
}

// Glance is [Gate.Admit] for a call that cannot wait: it looks at the pauses alone.
func (g *Gate) Glance(call Call) *Pass {
	if g == nil || g.StateDir == "" {
		return nil
	}
	return &Pass{gate: g, call: call, paused: g.pauses().All()}
}

// claimCall takes the right to judge the call, or the answer of the process that
// has it. When time is up before there is one, the rules are left unjudged by their
// own clock.
func (p *Pass) claimCall(ctx context.Context) {
	if p.unnumbered() {
		return
	}
	action := p.version()
	if p.gate.Question {
		action = "question " + action
	}
	claim, answered, err := p.gate.claims().Take(ctx, p.claimed(action), p.use)
	if err == nil {
		p.claim = claim
	}
	if !answered {
		p.answer = nil
	}
}

// unnumbered reports whether nothing tells a second hook from a second try.
func (p *Pass) unnumbered() bool {
	return p.gate.Numbered && !p.gate.Question && p.call.Event.Tool.ID == ""
}

func (p *Pass) claimed(action string) state.Call {
	return state.Call{Session: p.call.Event.Session, Action: action, ID: p.call.Event.Tool.ID}
}

// adviceGiven is what a hook that has given advice leaves for its twins.
var adviceGiven = []byte("true")

// claimAdvice takes the right to give advice on a call: what a model writes twice
// is written in two ways, and would not be recognised as given before.
func (p *Pass) claimAdvice(ctx context.Context) {
	if p.unnumbered() {
		return
	}
	claim, given, err := p.gate.claims().Take(ctx, p.claimed("after "+p.version()), func([]byte) bool { return true })
	p.claim = claim
	if given || err != nil { // without time to wait there is no time to ask either
		p.answer = &sentinel.Decision{Verdict: sentinel.VerdictAllow, Relayed: true}
	}
}

// claims is where processes that see the same call agree which one judges it.
func (g *Gate) claims() *state.Claims {
	return state.NewClaims(filepath.Join(g.StateDir, "turns"), g.Seal, g.Now)
}

func (g *Gate) now() time.Time {
	if g.Now != nil {
		return g.Now()
	}
	return time.Now()
}

// Relayed is the decision of another process on this very call, if there is one.
func (p *Pass) Relayed() (sentinel.Decision, bool) {
	if p == nil || p.answer == nil {
		return sentinel.Decision{}, false
	}
	return *p.answer, true
}

// use takes the answer of another process for its own, unless it cannot be read or
// a user has approved the call since.
func (p *Pass) use(answer []byte) bool {
	d, err := p.call.readAnswer(answer)
	if err != nil || d.Verdict >= sentinel.VerdictAsk && p.gate.approvals().Granted(p.action()) {
		return false
	}
	p.answer = &d
	return true
}

// Settle applies a user's approval to a decision that would stop the call; else it
// adds the code with which a user can approve it. Where no code can be kept the call
// stays stopped, without one. It then hands the decision on to processes that see
// the same call. c is what is recorded of the decision, and is changed as d is. At the
// end of a turn it has no effect.
func (p *Pass) Settle(d *sentinel.Decision, c *record.Call) error {
	if p == nil {
		return nil
	}
	switch p.call.Event.Phase {
	case sentinel.PhasePre:
	case sentinel.PhasePost:
		p.claim.Finish(adviceGiven)
		return nil
	default:
		return nil // a user cannot approve the end of a turn
	}
	err := p.approve(d, c)
	if d.Verdict != sentinel.VerdictUndecided {
		p.claim.Finish(p.call.answer(d))
	}
	return err
}

// Close gives the claim on the call back unless a decision was handed on.
func (p *Pass) Close() {
	if p != nil {
		p.claim.Finish(nil)
	}
}

// action is the digest of all that the call does, as every part sees it, and of
// the project. The agent and its name for the tool are not part of it: two hooks of
// one call can differ in that.
func (p *Pass) action() string {
	if p.digest != "" {
		return p.digest
	}
	h := digest.NewLists()
	for i := range p.call.Parts {
		part := &p.call.Parts[i]
		h.Add("panel", part.Folder.Dir)
		if i > 0 && sameActions(part.Actions, p.call.Parts[0].Actions) {
			continue // a file of many megabytes is read once
		}
		for k := range part.Actions {
			addAction(h, &part.Actions[k])
		}
	}
	p.digest = h.Hex()
	return p.digest
}

// version is the action under the rules, and the pauses, as they are now: an
// answer under others is not an answer to this call.
func (p *Pass) version() string {
	h := digest.NewLists()
	h.Add(p.action())
	for i := range p.call.Parts {
		part := &p.call.Parts[i]
		if part.Version != nil {
			h.Add(part.Version())
		}
		if at, ok := p.gate.pauseOf(p.paused, part.Folder); ok {
			h.Add(at.Until.String())
		}
	}
	return h.Hex()
}

// hasFinding reports whether a rule led to the verdict. A call that could not be
// judged as a whole has nothing that a user could look at.
func hasFinding(d *sentinel.Decision) bool {
	for i := range d.Findings {
		if d.Findings[i].Verdict == d.Verdict {
			return true
		}
	}
	return false
}

// Once reports whether this process is the one of several hooks that is to keep an
// event without a verdict, such as a prompt. done ends the claim; kept says that the
// event was kept.
func (g *Gate) Once(ev sentinel.Event) (done func(kept bool), mine bool) {
	h := digest.NewLists()
	h.Add("journal", ev.Phase.String(), ev.Prompt, ev.Tool.Name, string(ev.Tool.Args), ev.Tool.Output)
	ctx, cancel := context.WithTimeout(context.Background(), onceWait)
	defer cancel()
	call := state.Call{Session: ev.Session, Action: h.Hex(), ID: ev.Tool.ID}
	claim, twin, err := g.claims().Take(ctx, call, func([]byte) bool { return true })
	if twin || err != nil {
		return nil, false
	}
	return func(kept bool) {
		if kept {
			claim.Finish(adviceGiven)
		}
		claim.Finish(nil)
	}, true
}

// onceWait is how long a hook waits for a twin that writes the same event, which
// takes a millisecond.
const onceWait = 500 * time.Millisecond

// log writes what a user did, where there is a log.
func (g *Gate) log(level, by, what string, records []telemetry.Record) error {
	if g.Log == nil {
		return nil
	}
	if err := g.Log(level, by, what, records); err != nil {
		return fmt.Errorf("gate: what was done is not in the log: %w", err)
	}
	return nil
}

// sameActions reports whether two parts look at the very same actions.
func sameActions(a, b []sentinel.Action) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

func addAction(h *digest.Lists, a *sentinel.Action) {
	h.Add("action", string(a.Trigger), a.Op.String(), a.Root, a.Target, a.Path, a.Content, a.Old, a.Server, a.MCPTool, a.DerivedFrom)
	h.Add(a.Forms...)
	switch a.Trigger {
	case sentinel.Bash:
		h.Add(a.Dir) // the same command does something else elsewhere
	case sentinel.MCP:
		h.Add(canonical(a.Args))
	}
}

// canonical is JSON in one form, whatever its source.
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

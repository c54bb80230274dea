package project

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/rule"
	"github.com/agentsentinel/sentinel/telemetry"
)

// A shadow rule that asks a model is judged after the agent has its answer, by a
// process that nobody waits for. That process gets the actions as they were seen
// before the tool ran: afterwards files are no longer what they were.

// shadowWork is what is handed to that process.
type shadowWork struct {
	ID    string         `json:"id"` // of the decision
	Event sentinel.Event `json:"event"`
	Items []shadowItem   `json:"items"`
}

// A shadowItem is one rule to be judged on one action.
type shadowItem struct {
	Source string `json:"source"` // the rule's, which unlike its id no other folder has
	Action int    `json:"action"` // of the event's
}

const (
	// maxShadowWork bounds what is handed over, in bytes: the whole content of what
	// is written is part of it.
	maxShadowWork = 48 << 20
	// maxShadowInput is what fits into the pipe to a child. More goes through a file.
	maxShadowInput = 24 << 10
	// shadowWorkAge is after how long such a file is nobody's any more.
	shadowWorkAge = 24 * time.Hour
)

// shadowInput is the work, or where it is kept.
type shadowInput struct {
	Work json.RawMessage `json:"work,omitempty"`
	File string          `json:"file,omitempty"` // in the state folder
}

// KeepShadow returns what [ReadShadow] makes the findings of d again from that are
// left to be judged after the answer; nil when there are none. It fits into a pipe:
// what does not is kept in the user's state folder, mode 0600, until it is read.
func (p *Project) KeepShadow(ev sentinel.Event, d sentinel.Decision) ([]byte, error) {
	if d.Relayed || !d.Deferred() {
		return nil, nil
	}
	w := shadowWork{ID: d.ID, Event: ev}
	w.Event.Actions, w.Event.Tool.Args, w.Event.Prompt = nil, nil, "" // the actions say it all
	at := map[*sentinel.Action]int{}
	for i := range d.Findings {
		f := &d.Findings[i]
		if !f.Deferred {
			continue
		}
		n, known := at[f.Action]
		if !known {
			n = len(w.Event.Actions)
			at[f.Action] = n
			w.Event.Actions = append(w.Event.Actions, *f.Action)
		}
		w.Items = append(w.Items, shadowItem{f.Rule.Source, n})
	}
	work, err := unescaped(w)
	switch {
	case err != nil:
		return nil, fmt.Errorf("project: shadow rules are not judged: %w", err)
	case len(work) > maxShadowWork:
		return nil, fmt.Errorf("project: shadow rules are not judged: the call has %d bytes, more than %d", len(work), maxShadowWork)
	case len(work) <= maxShadowInput:
		return unescaped(shadowInput{Work: work})
	case p.opts.StateDir == "":
		return nil, errors.New("project: shadow rules are not judged: there is no folder to keep the call in; set HOME or XDG_STATE_HOME")
	}
	dir := p.opts.stateFolder("shadow")
	state.Prune(dir, shadowWorkAge, p.opts.now()) // of processes that were killed
	name := newID()
	if err := state.Write(filepath.Join(dir, name), work); err != nil {
		return nil, fmt.Errorf("project: shadow rules are not judged: %w", err)
	}
	return unescaped(shadowInput{File: name})
}

// unescaped is JSON in which < > and & stay as they are: an argument that is quoted
// in a prompt must not change on the way.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// A ShadowCall is a call whose shadow rules are to be judged.
type ShadowCall struct {
	Event sentinel.Event
	work  shadowWork
}

// ReadShadow reads what [Project.KeepShadow] returned, and removes what it kept.
func ReadShadow(input []byte, opts *Options) (*ShadowCall, error) {
	var in shadowInput
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fmt.Errorf("project: the work for shadow rules is not understood: %w", err)
	}
	if in.File != "" {
		if filepath.Base(in.File) != in.File || opts == nil || opts.StateDir == "" {
			return nil, fmt.Errorf("project: the work for shadow rules cannot be in %q", in.File)
		}
		path := opts.stateFolder("shadow", in.File)
		data, err := state.Read(path)
		if err != nil {
			return nil, fmt.Errorf("project: the work for shadow rules: %w", err)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("project: the work for shadow rules: %w", err)
		}
		in.Work = data
	}
	c := &ShadowCall{}
	if err := json.Unmarshal(in.Work, &c.work); err != nil {
		return nil, fmt.Errorf("project: the work for shadow rules is not understood: %w", err)
	}
	for _, item := range c.work.Items {
		if item.Action < 0 || item.Action >= len(c.work.Event.Actions) {
			return nil, errors.New("project: the work for shadow rules names an action that is not there")
		}
	}
	c.Event = c.work.Event
	return c, nil
}

// Starts are the folders that the rules of the call stand in, to be opened beside
// those at which the call happened.
func (c *ShadowCall) Starts() []string {
	var dirs []string
	for _, item := range c.work.Items {
		if dir := filepath.Dir(item.Source); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// JudgeShadow judges the shadow rules of a call and writes what came of them to
// the log: lines of evaluations, with the mode shadow and what each would have
// done. No agent is told. A rule that has changed since, or is gone, is left out.
// The decision holds the findings, and allows.
func (p *Project) JudgeShadow(ctx context.Context, c *ShadowCall) (sentinel.Decision, error) {
	began := p.opts.now()
	out := sentinel.Decision{ID: c.work.ID, Verdict: sentinel.VerdictAllow, Actions: c.work.Event.Actions}
	if out.ID != "" {
		out.ID += shadowMark
	}
	var errs []error
	for _, f := range p.Folders {
		ev, wanted := c.meant(f)
		if len(ev.Actions) == 0 {
			continue
		}
		engine, err := f.engines.get(ev.Session)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d, err := engine.Evaluate(ctx, ev)
		if err != nil {
			errs = append(errs, err)
		}
		for i := range d.Findings {
			found := &d.Findings[i]
			if found.Deferred && wanted[found.Rule.Source][found.Action.Target] {
				out.Findings = append(out.Findings, *found)
			}
		}
	}
	if len(out.Findings) > 0 {
		errs = append(errs, p.recordShadow(c.Event, out))
	}
	out.Took = p.opts.now().Sub(began)
	return out, errors.Join(errs...)
}

// shadowMark stands behind the name of a call in the names of findings that were
// judged after its answer.
const shadowMark = "s"

// meant is the event with the actions that the folder's shadow rules are to judge,
// and by rule the targets of them.
func (c *ShadowCall) meant(f *Folder) (sentinel.Event, map[string]map[string]bool) {
	ev := c.Event
	ev.Actions = nil
	wanted := map[string]map[string]bool{}
	taken := map[int]bool{}
	for _, item := range c.work.Items {
		known := slices.ContainsFunc(f.Rules(), func(r *rule.Rule) bool { return r.Spec().Source == item.Source })
		if !known {
			continue
		}
		action := c.work.Event.Actions[item.Action]
		if wanted[item.Source] == nil {
			wanted[item.Source] = map[string]bool{}
		}
		wanted[item.Source][action.Target] = true
		if !taken[item.Action] {
			taken[item.Action] = true
			ev.Actions = append(ev.Actions, action)
		}
	}
	return ev, wanted
}

func (p *Project) recordShadow(ev sentinel.Event, d sentinel.Decision) error {
	err := p.keepPrompts(ev, d)
	f, path := p.log()
	if f == nil || p.opts.NoLog {
		return err
	}
	records := telemetry.Records(p.opts.now(), ev, d, nil, threshold(&f.Config))
	return errors.Join(err, p.appendLog(f, path, withoutDecisions(records)))
}

// idLength is how long the name of a decision is: 50 bits, of which two are the
// same once in a million calls among thirty million.
const idLength = 10

// newID names a decision in what is recorded of it.
func newID() string { return strings.ToLower(rand.Text()[:idLength]) }

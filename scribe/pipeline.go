package scribe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
)

const (
	// maxAttempts is how many useless answers a convention gets before it is given
	// up. A model that was busy or down does not count.
	maxAttempts = 3
	// maxPending is how many conventions of earlier runs are tried again in one.
	maxPending = 10
)

// A run is one run of Reflect or Learn.
type run struct {
	*Options
	store     *Store
	result    Result
	dismissed []Dismissal
}

func (o *Options) newRun() (*run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.openState(); err != nil {
		return nil, err
	}
	r := &run{Options: o, store: OpenStore(o.stateDir())}
	r.result.Drafts = []string{}
	dismissed, err := r.store.Dismissals()
	if err == nil {
		_, err = r.store.load() // if nothing can be stored, no model is asked
	}
	r.dismissed = dismissed
	return r, err
}

// paid counts a question to the model.
func (r *run) paid(resp sentinel.Response) {
	r.result.Calls++
	if !resp.Cached {
		r.result.PromptTokens += resp.PromptTokens
		r.result.OutputTokens += resp.OutputTokens
	}
}

// keep stores a proven convention. One that is dismissed, or that a rule has already,
// is stored in that state and gets no draft.
func (r *run) keep(ctx context.Context, ob Observation) error {
	ob.ID, ob.State, ob.Seen, ob.Time = digestOf(normal(ob.Statement)), Observed, 1, r.Now().UTC().Truncate(time.Second)
	if slices.ContainsFunc(r.dismissed, func(d Dismissal) bool { return d.covers(&ob) }) {
		r.result.Dismissed++
		ob.State = Dismissed
	} else if id := r.stated(ob.Statement); id != "" {
		r.result.Redundant++
		ob.State, ob.RuleID, ob.Reason = Redundant, id, "the rule says it in the same words"
	}
	now, err := r.store.note(ctx, ob, ob.Time)
	if err != nil {
		return err
	}
	if ob.State != Observed || now.State == Observed {
		return nil
	}
	r.result.Duplicate++
	switch {
	case now.State == Redundant && !r.applies(now.RuleID): // the rule that covered it is gone
		return r.store.set(ctx, change{ID: now.ID, Changed: ob.Time, State: Observed})
	case now.State == Drafted && now.Draft != "":
		r.countSeen(ctx, now)
	}
	return nil
}

// stated is the id of the rule whose prompt or message has a statement as a whole line.
// A part of a line may mean the contrary.
func (r *run) stated(statement string) string {
	plain := normal(statement)
	for _, known := range r.Rules {
		d := known.Definition()
		for line := range strings.Lines(d.Prompt + "\n" + d.Message) {
			if normal(line) == plain {
				return known.Spec().ID
			}
		}
	}
	return ""
}

// applies reports whether a rule, a draft or a dismissal has the id.
func (r *run) applies(id string) bool {
	return slices.ContainsFunc(r.known(), func(k known) bool { return k.id == id })
}

// known is everything that may cover a convention.
func (r *run) known() []known {
	var all []known
	for _, d := range r.dismissed {
		about := d.Statement
		if len(d.Scope) > 0 {
			about = strings.TrimSpace(about + " (" + d.Trigger + " " + strings.Join(d.Scope, " ") + ")")
		}
		id := dismissedPrefix + d.ID
		all = append(all, known{id: id, text: sentence(id+": dismissed: "+about, maxKnownLine), words: words(about), dismissed: true})
	}
	for _, known := range r.Rules {
		all = append(all, describe("rule", known.Spec().ID, known.Definition()))
	}
	drafts, err := r.drafts()
	if err != nil {
		r.Logger.Warn("scribe: the drafts cannot be read", "error", err)
	}
	for i := range drafts {
		if d := &drafts[i]; !d.Broken() {
			k := describe("draft", d.ID, &d.File.Definition)
			k.words = append(k.words, words(d.Provenance.Statement)...)
			all = append(all, k)
		}
	}
	return all
}

// pending are the observations for which a draft is to be written: those of this
// run and those that failed in an earlier one.
func (r *run) pending() ([]Observation, error) {
	all, err := r.store.Observations()
	if err != nil {
		return nil, err
	}
	var list []Observation
	for _, ob := range slices.Backward(all) { // the newest first
		wants := ob.State == Observed && ob.Attempts < maxAttempts && ob.Confidence >= r.ExtractionConfidence
		if ob.Source == Documentation {
			wants = wants && ob.Confidence >= r.DraftConfidence
		}
		wants = wants && !aboutSentinel(ob.Statement, ob.ScopeHint) && !talksToJudge(ob.Statement) // the file may come with a clone
		if wants && len(list) < maxPending+maxConventions {
			list = append(list, ob)
		}
	}
	return list, nil
}

// draftAll writes a draft for each pending observation. It goes on after one that
// fails, and stops when the model cannot be asked.
func (r *run) draftAll(ctx context.Context, tick func()) error {
	list, err := r.pending()
	if err != nil {
		return err
	}
	var errs []error
	for i := range list {
		err := r.draft(ctx, &list[i])
		if tick != nil {
			tick()
		}
		if err == nil {
			continue
		}
		r.result.Failed++
		errs = append(errs, err)
		r.Logger.Warn("scribe: no draft for a convention", "statement", list[i].Statement, "error", err)
		if !errors.Is(err, sentinel.ErrMalformed) {
			r.result.Failed += len(list) - i - 1
			break
		}
	}
	return errors.Join(errs...)
}

// draft asks the model about one observation and records the result.
func (r *run) draft(ctx context.Context, ob *Observation) error {
	near := nearest(ob, r.known())
	s, resp, err := r.synthesize(ctx, ob, near, "", nil)
	r.paid(resp)
	if err != nil {
		return r.failed(ctx, ob, err)
	}
	if s.redundant {
		return r.covered(ctx, ob, s)
	}
	id, faults, err := r.save(ctx, ob, &s, resp)
	if err == nil && len(faults) > 0 { // once more, with the faults
		r.Logger.Info("scribe: a draft is repaired", "statement", ob.Statement, "faults", faults)
		s, resp, err = r.synthesize(ctx, ob, near, resp.Text, faults)
		r.paid(resp)
		switch {
		case err != nil:
			return r.failed(ctx, ob, err)
		case s.redundant:
			return r.covered(ctx, ob, s)
		}
		id, faults, err = r.save(ctx, ob, &s, resp)
	}
	switch {
	case err != nil:
		return err
	case len(faults) > 0:
		return r.failed(ctx, ob, fmt.Errorf("%w: the draft was dropped: %s", sentinel.ErrMalformed, strings.Join(faults, "; ")))
	case id != "":
		r.result.Drafts = append(r.result.Drafts, id)
	}
	return nil
}

func (r *run) save(ctx context.Context, ob *Observation, s *synthesis, resp sentinel.Response) (string, []string, error) {
	return r.saveDraft(ctx, r.store, ob, s.file.Definition.ID, func(id string) ([]byte, []string) {
		return r.compose(ctx, id, ob, &s.file, resp.Model)
	})
}

// covered records that something covers an observation already.
func (r *run) covered(ctx context.Context, ob *Observation, s synthesis) error {
	c := change{ID: ob.ID, Changed: r.Now(), State: Redundant, RuleID: s.ruleID, Reason: s.reason}
	if strings.HasPrefix(s.ruleID, dismissedPrefix) {
		c.State = Dismissed
		r.result.Dismissed++
	} else {
		r.result.Redundant++
	}
	return r.store.set(ctx, c)
}

// failed records an answer that made no draft. Without an answer nothing is recorded,
// and the next run tries again.
func (r *run) failed(ctx context.Context, ob *Observation, cause error) error {
	if !errors.Is(cause, sentinel.ErrMalformed) {
		return cause
	}
	err := r.store.set(ctx, change{ID: ob.ID, Changed: r.Now(), Attempts: ob.Attempts + 1, Reason: sentence(cause.Error(), maxStatement)})
	return errors.Join(cause, err)
}

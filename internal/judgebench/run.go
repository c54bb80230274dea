package judgebench

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/ruletest"
	"github.com/agentsentinel/sentinel/internal/text"
)

// What a judge said of a case, besides violation and pass.
const (
	unusable    = "unusable"    // it answered, and not in the form that was asked for
	unavailable = "unavailable" // it gave no answer
	noQuestion  = "no question" // the rule is not about the case, or asks this judge nothing
)

// A Record is what one judge said of one case.
type Record struct {
	Case   string `json:"case"`  // digest of source, rule, action, request and label
	Judge  string `json:"judge"` // see [Spec.String]
	Asked  string `json:"asked"` // digest of the question and of what makes the judge what it is; "" keeps nothing
	Source string `json:"source"`
	Rule   string `json:"rule"`
	Action string `json:"action"` // in one line, cut
	Place  string `json:"place"`
	Label  string `json:"label"`

	Said         string   `json:"said"` // violation, pass, unusable, unavailable or no question
	Confidence   float64  `json:"confidence"`
	PTrue        *float64 `json:"p_true,omitempty"` // the model's own probability of a violation
	Why          string   `json:"why,omitempty"`
	AskedFor     string   `json:"asked_for,omitempty"` // the person's words for which a violation passes
	Model        string   `json:"model,omitempty"`     // that answered
	TookMS       float64  `json:"took_ms"`             // the model's own time
	PromptTokens int      `json:"prompt_tokens"`
	OutputTokens int      `json:"output_tokens"`
	Kept         bool     `json:"kept,omitempty"` // answered in an earlier run
}

// usable reports whether the judge gave a verdict.
func (r *Record) usable() bool { return r.Said == violation || r.Said == pass }

// mostSilent is how often in a row a judge may give no answer before the others are not
// put to it: a server that hangs would take its timeout for each.
const mostSilent = 20

// Run puts the cases to the judge and returns what it said, in their order. kept has what is
// not asked again, and gets what is new; nil keeps nothing. step, if any, is called after each
// case, from several goroutines. When ctx ends it returns what it has, with the error.
func (j *Judge) Run(ctx context.Context, s *Source, kept *Results, step func()) ([]Record, error) {
	records := make([]Record, len(s.Cases))
	slots := make(chan struct{}, cmp.Or(j.opts.Engine.MaxParallel, sentinel.DefaultMaxParallel))
	var wait sync.WaitGroup
	var silent atomic.Int64
	var failed error
	rules := map[string]*ruletest.Judged{}
	for i := range s.Cases {
		if slots <- struct{}{}; ctx.Err() != nil {
			<-slots
			break
		}
		c := &s.Cases[i]
		key := c.Rule.Path + "\x00" + c.Rule.Definition.ID
		r, made := rules[key]
		var why error
		if !made {
			if r, why = ruletest.Alone(c.Rule, j.Backend, j.Spec.Model, &j.opts); why == nil {
				rules[key] = r
			}
		}
		wait.Go(func() {
			defer func() { <-slots }()
			record := s.record(c, j)
			if why != nil {
				record.Said, record.Why = noQuestion, why.Error()
			} else if !j.judge(ctx, r, c, &record, kept, &silent) {
				return
			}
			records[i] = record
			if step != nil {
				step()
			}
		})
	}
	wait.Wait()
	if kept != nil {
		failed = kept.failed()
	}
	done := records[:0]
	for i := range records {
		if records[i].Said != "" {
			done = append(done, records[i])
		}
	}
	return done, errors.Join(ctx.Err(), failed)
}

func (s *Source) record(c *Case, j *Judge) Record {
	return Record{
		Case: s.id(c), Judge: j.String(), Source: s.Name, Rule: c.Rule.Definition.ID, Place: c.Place, Label: c.Action.Expect,
		Action: text.Cut(text.OneLine(c.Action.Name()), maxAction),
	}
}

const maxAction = 300 // characters of an action in a record

// judge fills the record. It is false when ctx ended before there was an answer.
func (j *Judge) judge(ctx context.Context, r *ruletest.Judged, c *Case, record *Record, kept *Results, silent *atomic.Int64) bool {
	if j.Backend != sentinel.Builtin { // which costs nothing
		asked, err := j.question(ctx, r, c)
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil:
			record.Said, record.Why = noQuestion, text.Line(err.Error())
			return true
		case asked == "":
			record.Said = noQuestion
			return true
		}
		if kept.get(record, asked) {
			return true
		}
		record.Asked = asked
		if silent.Load() >= mostSilent {
			record.Said, record.Why = unavailable, "not asked: the judge gave no answer too often before"
			return true
		}
	}
	a, asked, err := r.Ask(ctx, &c.Action)
	if ctx.Err() != nil && (!asked || a.Err != nil) {
		return false
	}
	record.answer(&a, asked, err)
	if record.Said == unavailable {
		silent.Add(1)
		return true
	}
	silent.Store(0)
	if j.Backend != sentinel.Builtin && record.Said != noQuestion {
		kept.put(record)
	}
	return true
}

func (r *Record) answer(a *ruletest.Answer, asked bool, err error) {
	r.Model, r.TookMS, r.PromptTokens, r.OutputTokens = a.Model, float64(a.Took)/float64(time.Millisecond), a.PromptTokens, a.OutputTokens
	switch {
	case err != nil:
		r.Said, r.Why = noQuestion, text.Line(err.Error())
	case !asked:
		r.Said = noQuestion
	case errors.Is(a.Err, sentinel.ErrMalformed):
		r.Said, r.Why = unusable, text.Line(a.Err.Error())
	case a.Err != nil:
		r.Said, r.Why = unavailable, text.Line(a.Err.Error())
	default:
		r.Said, r.AskedFor, r.Confidence, r.PTrue = labelled(a.Violation), a.AskedFor, a.Confidence, a.PTrue
	}
}

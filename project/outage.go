package project

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/digest"
	"github.com/agentsentinel/sentinel/internal/state"
	"github.com/agentsentinel/sentinel/internal/text"
)

// A judge that does not answer leads to one notice: the user of the agent gets it
// when the outage begins, and not with every call until the judge has answered. The
// state is shared by all sessions, so that one stopped server is one notice. Where it lasts,
// each later session is told once: its user may never have heard of it.

// notices are what the user is told with a decision. With a block the agent reads the
// reason, and no other text: the next call tells.
func (p *Project) notices(ev sentinel.Event, verdict sentinel.Verdict, parts []Part, decisions []sentinel.Decision) string {
	said := p.notice(ev, verdict, parts, decisions)
	if verdict == sentinel.VerdictBlock {
		return said
	}
	folders := make([]*Folder, len(parts))
	for i := range parts {
		folders[i] = parts[i].Folder
	}
	return text.Join(p.warning(ev, folders), said)
}

// notice is the text for the user about the judges that the folders asked, now that
// the verdict is known; "" for none. It also writes a note of it.
func (p *Project) notice(ev sentinel.Event, verdict sentinel.Verdict, parts []Part, decisions []sentinel.Decision) string {
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	w := &watch{opts: &p.opts, session: ev.Session, stopped: verdict == sentinel.VerdictBlock}
	for i, d := range decisions {
		w.folder = parts[i].Folder
		if parts[i].silent {
			w.once(w.session, "texts", w.folder.Dir, "the rules of "+quoted(w.folder.Root)+
				" hold, but what they say is not shown to the agent before it is trusted. Read them, then run `"+text.Command(p.opts.Program, "trust")+"` in that folder.")
		}
		for k := range d.Findings {
			w.look(&d.Findings[k])
		}
	}
	if w.text != "" {
		p.Past().Book().Note(w.kind, ev.Agent, w.text) // the notice itself matters more than its record
	}
	return w.text
}

// A watch goes through the questions to judges that led to one decision.
type watch struct {
	folder  *Folder
	opts    *Options
	session string
	stopped bool // the agent reads the reason, and no other text

	kind, text string // the first notice; the next call shows the next one
}

func (w *watch) look(f *sentinel.Finding) {
	if f.Outcome == sentinel.OutcomeUnavailable && strings.Contains(f.Rule.Source, andFurther) {
		w.once("", "bounds", w.folder.Dir+" "+f.Reason, "not all rules are judged: "+f.Reason+".")
	}
	if f.Seen > 0 && f.Outcome == sentinel.OutcomePass && f.Rule.Severity >= sentinel.SeverityAsk && !f.Rule.Shadow {
		w.once(w.session, "unseen", "", fmt.Sprintf("rule %s passed %s, of which judges were shown %d %%: the rest is unjudged (fail_open: true). "+
			"content_windows and content_max_chars in config.yaml bound what is shown.", f.Rule.ID, text.Cut(text.OneLine(f.Action.Target), maxShown), int(100*f.Seen)))
	}
	w.undecided(f)
	primary := cmp.Or(f.Rule.Backend, w.folder.Config.Backend)
	for i := range f.Attempts {
		q := query{backend: f.Attempts[i].Backend}
		if q.backend == primary { // no other has the rule's model; a long action is asked about several times
			q.model = f.Rule.Model
		}
		if q.backend != sentinel.Builtin && !f.Attempts[i].Response.Cached {
			w.see(f, q, f.Attempts[i].Err)
		}
	}
}

// undecided reports a rule whose own expression could not decide about a call that goes on:
// no judge failed, so that nothing else would tell.
func (w *watch) undecided(f *sentinel.Finding) {
	if f.Outcome != sentinel.OutcomeUnavailable || f.Rule.Shadow || f.Rule.Err != nil || f.Action == nil || !w.folder.Config.FailOpen {
		return
	}
	if slices.ContainsFunc(f.Attempts, func(a sentinel.Attempt) bool { return a.Backend != sentinel.Builtin }) {
		return
	}
	if strings.Contains(f.Rule.Source, andFurther) || errors.Is(f.Err, sentinel.ErrRefused) || errors.Is(f.Err, sentinel.ErrOverBudget) {
		return // they have notices of their own
	}
	said := f.Reason
	if f.Err != nil {
		said = strings.TrimPrefix(why(f.Err), fmt.Sprintf("rule %q: rule: ", f.Rule.ID))
	}
	w.once(w.session, "undecided", f.Rule.ID, fmt.Sprintf("rule %s could not be judged about %s, which goes on: %s.",
		f.Rule.ID, text.Cut(text.OneLine(f.Action.Target), maxShown), text.Cut(text.OneLine(said), 2*maxShown)))
}

// A query names the backend and the model that were asked; model is "" for the
// backend's own.
type query struct{ backend, model string }

// see handles the result of one question.
func (w *watch) see(f *sentinel.Finding, q query, err error) {
	switch t := troubleOf(err); t {
	case none:
	case answered:
		w.recovered(q)
	case overBudget:
		day := w.opts.now().Format(time.DateOnly)
		w.once("", "budget", day+" "+w.folder.Dir, why(err)+". Until then rules that need a model are left out.")
	case refused:
		w.once(w.session, "refused", q.backend, "the judge "+q.backend+" is not asked: "+why(err))
	default:
		w.failed(q, t, fmt.Sprintf("the judge %s cannot judge: %s. %s", q.backend, why(err), w.consequence(f)))
	}
}

// why is the text of an error without the prefixes that the notice has already.
func why(err error) string {
	if be := (*sentinel.BackendError)(nil); errors.As(err, &be) {
		err = be.Err
	}
	text := strings.TrimPrefix(err.Error(), "backend: ")
	for _, kind := range []error{sentinel.ErrUnavailable, sentinel.ErrOverBudget, sentinel.ErrRefused} {
		text = strings.TrimPrefix(text, kind.Error()+": ")
	}
	return text
}

// consequence says how calls are judged until a judge answers again.
func (w *watch) consequence(f *sentinel.Finding) string {
	switch {
	case f.Rule.Post:
		return "There is no advice of it until it answers."
	case f.Outcome != sentinel.OutcomeUnavailable:
		return "Its fallback judges meanwhile."
	case w.folder.Config.FailOpen, f.Rule.Stop: // a turn must be able to end
		return "What only it can judge goes on unjudged until it answers."
	}
	return "What only it can judge counts as violated until it answers (fail_open: false)."
}

// once sets a notice that the session was not given yet. With the session "" it is
// given once a day over all sessions.
func (w *watch) once(session, kind, what, notice string) {
	if w.stopped || w.text != "" {
		return
	}
	if !w.opts.noticed(session, kind, what) {
		w.kind, w.text = kind, text.Line(notice)
	}
}

// maxShown bounds a target in a notice, in characters.
const maxShown = 80

// An outage is the stored state of a backend that does not answer.
type outage struct {
	Models  []string  `json:"models"` // digests of those that did not answer the last question
	Noticed time.Time `json:"told"`
	Doubts  time.Time `json:"doubts"` // time of the notice about a late or malformed answer
}

const (
	// doubtRepeat is the least time between two notices about a judge whose answers
	// are sometimes late or malformed. An outage is noticed at once.
	doubtRepeat = time.Hour
	// spread is the time in which an outage reaches the other models of a server. A
	// failure that begins later is another outage: a model that is not installed is
	// missing until it is installed.
	spread = time.Minute
	// remindAfter is the least time between two notices about an outage that lasts.
	remindAfter = time.Hour
	// maxModels bounds outage.Models.
	maxModels = 32
)

// failed begins an outage of a model with a notice, unless there is one already.
func (w *watch) failed(q query, t trouble, notice string) {
	if w.stopped || w.text != "" {
		return
	}
	now, notify, key := w.opts.now(), false, q.key()
	remind := w.untold(q, key)
	err := w.outages().Update(w.name(q), func(old []byte) []byte {
		o := decodeOutage(old)
		notify = false // this may be called again
		if !remind && (slices.Contains(o.Models, key) || len(o.Models) == maxModels) {
			return old
		}
		if !slices.Contains(o.Models, key) {
			o.Models = append(o.Models, key)
		}
		switch {
		case remind:
			notify = true
		case t == down:
			notify = now.Sub(o.Noticed).Abs() >= spread
		case t == doubtful:
			notify = now.Sub(o.Noticed).Abs() >= spread && now.Sub(o.Doubts).Abs() >= doubtRepeat
		}
		if notify {
			o.Noticed = now
		}
		if notify && t == doubtful {
			o.Doubts = now
		}
		return o.encode()
	})
	if err == nil && notify {
		w.opts.noticed(w.session, outageNotice, w.name(q))
		w.kind, w.text = "judge", text.Line(notice)
	}
}

const outageNotice = "outage"

// untold reports whether an outage lasts of which the session was not told, nor any other
// for a while.
func (w *watch) untold(q query, key string) bool {
	data := w.outages().Load(w.name(q))
	o := decodeOutage(data)
	return data != nil && w.session != "" && slices.Contains(o.Models, key) && w.opts.now().Sub(o.Noticed).Abs() >= remindAfter &&
		!w.opts.noticed(w.session, outageNotice, w.name(q))
}

// recovered ends the outage of a model.
func (w *watch) recovered(q query) {
	store, name := w.outages(), w.name(q)
	if store.Load(name) == nil {
		return // the usual case costs no lock
	}
	store.Update(name, func(old []byte) []byte {
		o := decodeOutage(old)
		o.Models = slices.DeleteFunc(o.Models, func(m string) bool { return m == q.key() })
		if len(o.Models) == 0 {
			o.Noticed = time.Time{}
			if w.opts.now().Sub(o.Doubts).Abs() >= doubtRepeat {
				return nil
			}
		}
		return o.encode()
	})
}

// key identifies a model, whose name may be of any length.
func (q query) key() string { return digest.Hex(q.model)[:16] }

// decodeOutage reads what encode wrote; anything else counts as no outage.
func decodeOutage(data []byte) (o outage) {
	if json.Unmarshal(data, &o) != nil {
		return outage{}
	}
	return o
}

func (o outage) encode() []byte {
	b, err := json.Marshal(o)
	if err != nil { // a year beyond 9999: the clock is wrong
		return nil
	}
	return b
}

func (w *watch) outages() *state.Values {
	return state.NewValues(filepath.Join(w.opts.StateDir, "outages"))
}

func (w *watch) name(q query) string {
	return w.folder.target(q.backend)
}

// trouble is the kind of failure of a question to a judge.
type trouble int

const (
	none       trouble = iota // it says nothing about the judge
	answered                  // it is there
	doubtful                  // too late, malformed, or it limits its callers
	down                      // it is not there, or broken
	refused                   // it may not be asked
	overBudget                // as for every backend that costs money
)

func troubleOf(err error) trouble {
	switch {
	case err == nil:
		return answered
	case errors.Is(err, sentinel.ErrOverBudget):
		return overBudget
	case errors.Is(err, sentinel.ErrRefused):
		return refused
	case errors.Is(err, sentinel.ErrBusy) && errors.Is(err, sentinel.ErrUnavailable): // it is the server that limits its callers, and no queue of ours
		return doubtful
	case errors.Is(err, context.Canceled), errors.Is(err, sentinel.ErrBusy), errors.Is(err, sentinel.ErrPreempted), errors.Is(err, errors.ErrUnsupported):
		return none
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, sentinel.ErrMalformed):
		return doubtful
	}
	return down
}

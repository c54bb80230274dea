package project

import (
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

// A judge that does not answer is told of once: the person at the agent hears it
// when it begins, and not again with every call until it has answered. The state
// is shared by all sessions, so that one server that stops is one notice.

// notice says what the person should hear about the judges that the folders asked,
// now that the verdict is known. It notes for later what it says.
func (p *Project) notice(ev sentinel.Event, verdict sentinel.Verdict, parts []Part, decisions []sentinel.Decision) string {
	if p.opts.StateDir == "" || p.opts.NoLog {
		return ""
	}
	w := &watch{opts: &p.opts, session: ev.Session, stopped: verdict == sentinel.VerdictBlock}
	for i, d := range decisions {
		w.folder = parts[i].Folder
		for k := range d.Findings {
			w.look(&d.Findings[k])
		}
	}
	if w.text != "" {
		p.Book().Note(w.kind, ev.Agent, w.text) // the notice itself matters more than its record
	}
	return w.text
}

// A watch goes through the questions to judges that led to one decision.
type watch struct {
	folder  *Folder
	opts    *Options
	session string
	stopped bool // the agent reads why, and nothing beside it

	kind, text string // the notice: the first that there is; the next call has the next
}

func (w *watch) look(f *sentinel.Finding) {
	for i := range f.Attempts {
		q := query{backend: f.Attempts[i].Backend}
		if i == 0 {
			q.model = f.Rule.Model
		}
		if q.backend != sentinel.Builtin && !f.Attempts[i].Response.Cached {
			w.see(f, q, f.Attempts[i].Err)
		}
	}
}

// A query is whom a question was put to; model is "" for the backend's own.
type query struct{ backend, model string }

// see takes note of what came of one question.
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

// why is an error without the names in front of it that the sentence has already.
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

// consequence says what becomes of calls until a judge answers again.
func (w *watch) consequence(f *sentinel.Finding) string {
	switch {
	case f.Rule.Post:
		return "There is no advice of it until it answers."
	case f.Outcome != sentinel.OutcomeUnavailable:
		return "Its fallback judges meanwhile."
	case w.folder.Config.FailOpen:
		return "What only it can judge goes on unjudged until it answers."
	}
	return "What only it can judge counts as violated until it answers (fail_open: false)."
}

// once says a text that was not said yet to the session; to nobody in particular
// with "", then for a day.
func (w *watch) once(session, kind, what, notice string) {
	if w.stopped || w.text != "" {
		return
	}
	within := time.Duration(0)
	if session == "" {
		within = 24 * time.Hour
	}
	if !w.opts.givenTexts().Repeated(session, "notice:"+kind, what, within) {
		w.kind, w.text = kind, text.Line(notice)
	}
}

// An outage is what is kept of a backend that does not answer.
type outage struct {
	Models []string  `json:"models"` // those that did not answer when they were asked last, by digest
	Told   time.Time `json:"told"`
	Doubts time.Time `json:"doubts"` // told of for being late or not understood
}

const (
	// doubtRepeat is how often at most a person hears of a judge that is late or
	// not understood now and then. One that is not there is another matter.
	doubtRepeat = time.Hour
	// spread is in which time an outage reaches the other models of a server. Later
	// it is another one: a model that nobody has is missing for ever.
	spread = time.Minute
	// maxModels bounds what is kept.
	maxModels = 32
)

// failed begins an outage of a model, and tells of it, unless there is one.
func (w *watch) failed(q query, t trouble, notice string) {
	if w.stopped || w.text != "" {
		return
	}
	now, tell, key := w.opts.now(), false, q.key()
	err := w.outages().Update(w.name(q), func(old []byte) []byte {
		o := decodeOutage(old)
		tell = false // this may be called again
		if slices.Contains(o.Models, key) || len(o.Models) == maxModels {
			return old
		}
		o.Models = append(o.Models, key)
		switch {
		case t == down:
			tell = now.Sub(o.Told).Abs() >= spread
		case t == doubtful:
			tell = now.Sub(o.Told).Abs() >= spread && now.Sub(o.Doubts).Abs() >= doubtRepeat
		}
		if tell {
			o.Told = now
		}
		if tell && t == doubtful {
			o.Doubts = now
		}
		return o.encode()
	})
	if err == nil && tell {
		w.kind, w.text = "judge", text.Line(notice)
	}
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
			o.Told = time.Time{}
			if w.opts.now().Sub(o.Doubts).Abs() >= doubtRepeat {
				return nil
			}
		}
		return o.encode()
	})
}

// key stands for a model, whose name may be of any length.
func (q query) key() string { return digest.Hex(q.model)[:16] }

// decodeOutage reads what encode wrote; anything else is no outage.
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

// trouble is what a question to a judge came to.
type trouble int

const (
	none       trouble = iota // nothing that says anything about the judge
	answered                  // it is there
	doubtful                  // too late, or not in the form asked for
	down                      // it is not there, or broken
	refused                   // it may not be asked
	overBudget                // nor may any other that costs
)

func troubleOf(err error) trouble {
	switch {
	case err == nil:
		return answered
	case errors.Is(err, sentinel.ErrOverBudget):
		return overBudget
	case errors.Is(err, sentinel.ErrRefused):
		return refused
	case errors.Is(err, context.Canceled), errors.Is(err, sentinel.ErrBusy), errors.Is(err, sentinel.ErrPreempted), errors.Is(err, errors.ErrUnsupported):
		return none
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, sentinel.ErrMalformed):
		return doubtful
	}
	return down
}

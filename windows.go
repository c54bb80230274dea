package sentinel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/agentsentinel/sentinel/internal/prompt"
	"github.com/agentsentinel/sentinel/internal/secret"
	"github.com/agentsentinel/sentinel/internal/text"
)

// What is longer than one question may show is judged in several, each about another
// window of it. The worst answer counts, and what no question shows is not cleared.

// A look is the result of one window: the answer, or the errors of all backends that were
// asked.
type look struct {
	question prompt.Question
	backend  string // that answered
	answer   answer
	attempts []Attempt
	errs     []error // no backend answered
	tainted  bool
	done     bool
}

// askInWindows asks about all windows of the action.
func (d *Docket) askInWindows(ctx context.Context, j *job, chain []string, primary string) Finding {
	o := &d.book.opts
	opts := prompt.Options{Key: d.fence, ContentMax: o.ContentMax, Windows: o.Windows, Focus: j.focus(o)}
	if chain[0] == Builtin {
		opts.Windows = 1 // it sees the action itself
	}
	for {
		looks, tooLong := d.lookAll(ctx, j, chain, prompt.Questions(j.spec.Prompt, j.seen().Var, opts), opts.Most != leastShown)
		if !tooLong {
			return d.concludeLooks(ctx, j, looks, primary)
		}
		if opts.Most == 0 {
			opts.Most = max(o.ContentMax, leastShown)
		}
		opts.Most = max(opts.Most/2, leastShown)
	}
}

// leastShown is the least that a question is cut to for a model with a small context,
// in characters.
const leastShown = 1000

// lookAll asks about each window, several at once where there are slots. It returns
// early when one window is a violation that counts. tooLong says that a prompt did not
// fit and a shorter one may; then nothing else is said.
func (d *Docket) lookAll(ctx context.Context, j *job, chain []string, questions []prompt.Question, shorter bool) (looks []look, tooLong bool) {
	if len(questions) == 1 {
		l := d.look(ctx, j, chain, questions[0], shorter)
		return []look{l}, l.tooLong(shorter)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errDecided)
	looks = make([]look, len(questions))
	results := d.startLooks(ctx, j, chain, questions, shorter)
	ended := ctx.Done()
	for pending := len(questions); pending > 0; pending-- {
		select {
		case at := <-results:
			looks[at.window] = at.look
			if at.tooLong(shorter) {
				return nil, true
			}
			if at.answered() && d.book.opts.counts(j.spec, at.answer) {
				return looks, false
			}
		case <-ended:
			ended, pending = nil, len(results)+1 // what has come counts
		}
	}
	return looks, false
}

// A lookAt is a look at the window of that number.
type lookAt struct {
	window int
	look
}

// startLooks begins the looks: one after the other, and more at once where there are
// slots.
func (d *Docket) startLooks(ctx context.Context, j *job, chain []string, questions []prompt.Question, shorter bool) <-chan lookAt {
	results := make(chan lookAt, len(questions)) // buffered: an abandoned look must not leak
	next := make(chan int, len(questions))
	for i := range questions {
		next <- i
	}
	close(next)
	work := func() {
		for i := range next {
			results <- lookAt{i, d.look(ctx, j, chain, questions[i], shorter)}
		}
	}
	go work() // in the slot of the job
	for range len(questions) - 1 {
		go func() {
			select {
			case d.slots <- struct{}{}:
				defer func() { <-d.slots }()
				work()
			case <-ctx.Done():
			}
		}()
	}
	return results
}

func (l *look) answered() bool { return l.done && len(l.errs) == 0 }

// tooLong reports whether the look ended because its prompt did not fit.
func (l *look) tooLong(shorter bool) bool {
	return shorter && len(l.errs) > 0 && errors.Is(l.errs[len(l.errs)-1], ErrTooLong)
}

// look puts one question to each backend of the chain, until one of them answers. A
// prompt that is too long for one ends it, where a shorter one can be made. It does
// not panic.
func (d *Docket) look(ctx context.Context, j *job, chain []string, q prompt.Question, shorter bool) (l look) {
	l = look{question: q, done: true}
	defer func() {
		if p := recover(); p != nil {
			l.errs = append(l.errs, fmt.Errorf("panicked: %v", p))
			d.panicked(j, p)
		}
	}()
	for i, name := range chain {
		model := ""
		if i == 0 {
			model = j.spec.Model
		}
		ans, attempt := d.attempt(ctx, j, name, model, q)
		l.attempts = append(l.attempts, attempt)
		if attempt.Err == nil {
			l.backend, l.answer, l.errs = name, ans, nil
			return l
		}
		l.errs = append(l.errs, attempt.Err)
		l.tainted = l.tainted || errors.Is(attempt.Err, errFence)
		if ctx.Err() != nil || shorter && errors.Is(attempt.Err, ErrTooLong) {
			break
		}
	}
	return l
}

// concludeLooks makes one finding of the windows: the worst of them counts.
func (d *Docket) concludeLooks(ctx context.Context, j *job, looks []look, primary string) Finding {
	o := &d.book.opts
	f := j.finding()
	var worst *look
	var failed []error
	missing := false
	seen := 0.0
	for i := range looks {
		l := &looks[i]
		f.Attempts = append(f.Attempts, l.attempts...)
		f.Tainted = f.Tainted || l.tainted
		if !l.answered() {
			failed, missing = append(failed, l.errs...), true
			continue
		}
		seen += l.question.Share
		if l.backend == Builtin {
			seen = 1 // it looks at the action, and at no window
		}
		if worst == nil || o.worse(j.spec, l.answer, worst.answer) {
			worst = l
		}
	}
	violated := worst != nil && o.counts(j.spec, worst.answer)
	if missing && !violated {
		if len(failed) == 0 {
			failed = []error{context.Cause(ctx)}
		}
		u := j.unanswered(failed)
		u.Attempts, u.Tainted = f.Attempts, f.Tainted
		u.Response.Backend, u.Response.Model = primary, j.spec.Model
		if seen > 0 { // else the reason is not what was shown
			u.Seen = share(seen)
		}
		return u
	}
	f.Response = worst.attempts[len(worst.attempts)-1].Response
	o.conclude(&f, worst.answer)
	d.confirm(ctx, j, worst.backend, worst.question, &f)
	if !violated { // a violation is one, whatever else there is
		f.Seen = share(seen)
	}
	if f.Seen > 0 {
		o.unseen(&f)
	}
	return f
}

// worse reports whether a is the stricter answer: a violation before a clean one, and
// the surer violation and the less sure clean one before others.
func (o *Options) worse(spec *RuleSpec, a, b answer) bool {
	if x, y := o.counts(spec, a), o.counts(spec, b); x != y {
		return x
	}
	if a.violation != b.violation {
		return a.violation
	}
	return a.violation == (a.confidence > b.confidence) && a.confidence != b.confidence
}

// share is what Finding.Seen says: at most 0.999 where something was not seen, and 0
// where all was.
func share(seen float64) float64 {
	const whole = 1 - 1e-9
	if seen >= whole {
		return 0
	}
	return max(math.Floor(seen*1000), 1) / 1000
}

// unseen is what becomes of a pass if the judge did not see all of the content. If the rule
// stops or asks, and the project is strict, it counts as not judged.
func (o *Options) unseen(f *Finding) {
	why := fmt.Errorf("%w: judges were shown %s of it, in %s; content_max_chars and content_windows bound that",
		ErrUnseen, percent(f.Seen), text.Plural(o.Windows, "window", "windows"))
	if f.Rule.Severity >= SeverityAsk && !o.FailOpen {
		f.Outcome, f.Err = OutcomeUnavailable, why
		f.Reason = "could not be judged: " + line(why.Error())
		return
	}
	f.Reason = strings.TrimSpace(f.Reason + " (judges were shown " + percent(f.Seen) + " of it)")
}

// percent is a share below 1 in words.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share*100)) }

// maxBefore bounds the texts that are compared, in bytes: beyond, all counts as changed.
const maxBefore = 4 << 20

// Lines that are shown around a change.
const contextLines = 6

// focus says what of the action's content has to be seen: what changes, and first
// what the rule looks for, and secrets.
func (j *job) focus(o *Options) func(name, value string) ([][2]int, []int) {
	return func(name, value string) (needed [][2]int, places []int) {
		if name == "command" || name == "action_summary" {
			at := max(strings.Index(value, j.action.Target), 0)
			for _, s := range j.match.Spans {
				places = append(places, at+s.Start)
			}
			return nil, places
		}
		if p, ok := j.rule.(pointer); ok && len(value) <= maxBefore {
			places = p.Places(value)
		}
		if len(value) <= maxBefore {
			for _, s := range secret.Find(value) {
				places = append(places, s.Start)
			}
		}
		if name == "content_snippet" {
			needed = j.changed(o, value)
		}
		return needed, places
	}
}

// changed are the parts of a content that differ from what it replaces; nil means all.
func (j *job) changed(o *Options, content string) [][2]int {
	before := j.action.Old
	if before == "" {
		if o.Before == nil || j.action.Trigger != FileWrite || j.action.Op != OpCreate {
			return nil
		}
		var ok bool
		if before, ok = o.Before(j.action); !ok {
			return nil
		}
	}
	if before == "" || len(before) > maxBefore || len(content) > maxBefore {
		return nil
	}
	return text.Changed(before, content, contextLines)
}

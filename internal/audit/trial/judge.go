package trial

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/judges"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
)

// record returns a record with the evidence, without results.
func (f findings) record() *audit.Record {
	r := &audit.Record{
		Subject: f.subject, Rubric: f.rubric.Ref(), Evidence: f.evidence,
		Failures: append([]audit.Failure{}, f.failures...), Seats: []audit.Seat{}, Results: []audit.Result{},
	}
	r.Criteria, r.Probes, r.Rules = f.rubric.Told()
	for i := range r.Criteria {
		r.Criteria[i].NotApplicable = f.standing.notApplicable[r.Criteria[i].ID]
	}
	return r
}

// judge asks the judges, applies the rules of the Chief Justice, and completes
// the record.
func (t *trial) judge(ctx context.Context, f findings, record *audit.Record) {
	o := &justice.Options{Now: t.now(), NotApplicable: f.standing.notApplicable, FactsOnly: t.FactsOnly || len(t.Judges) == 0}
	var opinions []audit.Opinion
	if !o.FactsOnly {
		h := t.hear(ctx, f)
		opinions = h.opinions
		record.Samples, record.Seats = h.samples, h.seats
		record.Failures = append(record.Failures, h.failures...)
	}
	t.progress(Progress{Stage: StageJustice})
	ruling, err := guarded(func() (justice.Ruling, error) { return justice.Rule(f.rubric, f.evidence, opinions, o), nil })
	if err != nil {
		record.Failures = append(record.Failures, audit.Failure{Stage: StageJustice, Err: err.Error()})
		record.Gate = audit.Gate{Reasons: []string{"the Chief Justice could not rule: " + err.Error()}}
		return
	}
	record.Results, record.Overall, record.Gate = append(record.Results, ruling.Results...), ruling.Overall, ruling.Gate
	record.Narrative, record.Evidence, record.Waivers = ruling.Narrative, ruling.Evidence, ruling.Waivers
}

// benchResult is the result of asking the judges.
type benchResult struct {
	opinions []audit.Opinion
	seats    []audit.Seat
	samples  int
	failures []audit.Failure
}

// hear asks the judges whose models can be asked. The others get opinions that
// say why not. A missing backend is one failure, not one for each opinion.
func (t *trial) hear(ctx context.Context, f findings) benchResult {
	h := benchResult{samples: cmp.Or(t.Samples, judges.DefaultSamples)}
	ready, silent, failures := t.reachable(ctx)
	h.failures = failures
	if len(f.standing.judged) > 0 && len(ready) > 0 {
		opinions, err := guarded(func() ([]audit.Opinion, error) { return t.ask(ctx, f, ready, h.samples), nil })
		if err != nil {
			h.failures = append(h.failures, audit.Failure{Stage: StageBench, Err: err.Error()})
			for judge := range ready {
				silent[judge] = err.Error()
			}
		}
		h.failures = append(h.failures, mute(opinions, ready)...)
		for _, o := range opinions {
			if silent[o.Judge] == "" { // the others are in unasked, with the reason
				h.opinions = append(h.opinions, o)
			}
		}
	}
	h.opinions = append(h.opinions, t.unasked(f, silent, h.samples)...)
	h.seats = t.seats(h.opinions)
	return h
}

// line identifies a model behind a backend. Several judges may share one.
type line struct{ backend, model string }

func lineOf(m judges.Model) line { return line{m.Name, m.Model} }

// reachable separates the models that can be asked from the reasons why others
// cannot. The failures name each unreachable model once.
func (t *trial) reachable(ctx context.Context) (ready map[audit.Judge]judges.Model, silent map[audit.Judge]string, failures []audit.Failure) {
	ready, silent = map[audit.Judge]judges.Model{}, map[audit.Judge]string{}
	dead := t.unreachable(ctx)
	reported := map[line]bool{}
	for _, judge := range audit.Judges() {
		m, given := t.Judges[judge]
		if !given {
			continue
		}
		l := lineOf(m)
		err := dead[l]
		if err == nil {
			m.Backend = t.meter.on(m.Backend)
			ready[judge] = m
			continue
		}
		silent[judge] = "no model can be asked by " + m.Name // the failures say why
		if !reported[l] {
			reported[l] = true
			failures = append(failures, audit.Failure{Stage: StageBench, Err: fmt.Sprintf("%s does not answer: %v", m.Name, err)})
		}
	}
	return ready, silent, failures
}

// unreachable says why models cannot be asked. It pings each model once, and all
// at the same time.
func (t *trial) unreachable(ctx context.Context) map[line]error {
	byLine := map[line]judges.Model{}
	for _, m := range t.Judges {
		byLine[lineOf(m)] = m
	}
	models := slices.Collect(maps.Values(byLine))
	found := make([]error, len(models)) // each goroutine writes its own
	var group errgroup.Group
	for i, m := range models {
		group.Go(func() error {
			_, found[i] = guarded(func() (struct{}, error) { return struct{}{}, ping(ctx, m) })
			return nil
		})
	}
	_ = group.Wait() // no error: see found
	dead := map[line]error{}
	for i, err := range found {
		if err != nil {
			dead[lineOf(models[i])] = err
		}
	}
	return dead
}

// ask asks the judges about the criteria. Opinions of an earlier run in the folder
// are used again.
func (t *trial) ask(ctx context.Context, f findings, ready map[audit.Judge]judges.Model, samples int) []audit.Opinion {
	return judges.Ask(ctx, f.rubric, justice.Waived(f.rubric, f.evidence, t.now()), &judges.Options{
		Judges: ready, Samples: samples, Seed: t.Seed, Parallel: t.Parallel, Criteria: f.standing.judged,
		Known: func(key string) (o audit.Opinion, ok bool) {
			if ok = t.folder.get("opinion", key, &o); ok {
				t.meter.known()
			}
			return o, ok
		},
		Answered: func(key string, o audit.Opinion) {
			if o.Err == "" {
				t.folder.put("opinion", key, o)
			}
		},
		Progress: func(done, total int, o audit.Opinion) {
			t.progress(Progress{Stage: StageBench, Criterion: o.Criterion, Judge: o.Judge, Done: done, Total: total})
		},
	})
}

// unasked returns opinions that say why a judge was not asked: because its model
// cannot be asked, or because no probe of the criterion could look.
func (t *trial) unasked(f findings, silent map[audit.Judge]string, samples int) []audit.Opinion {
	var all []audit.Opinion
	for i := range f.rubric.Dimensions {
		id := f.rubric.Dimensions[i].ID
		if _, skipped := f.standing.notApplicable[id]; skipped {
			continue
		}
		for _, judge := range audit.Judges() {
			m, given := t.Judges[judge]
			why := cmp.Or(f.standing.unseen[id], silent[judge])
			if !given || why == "" {
				continue
			}
			for sample := range samples {
				all = append(all, audit.Opinion{
					Judge: judge, Criterion: id, Sample: sample, Cited: []string{},
					Backend: m.Name, Model: m.Model, Err: "not asked: " + why,
				})
			}
		}
	}
	return all
}

// seats returns the judges with the models that answered.
func (t *trial) seats(opinions []audit.Opinion) []audit.Seat {
	var all []audit.Seat
	for _, judge := range audit.Judges() {
		m, given := t.Judges[judge]
		if !given {
			continue
		}
		seat := audit.Seat{Judge: judge, Backend: m.Name}
		if i := slices.IndexFunc(opinions, func(o audit.Opinion) bool { return o.Judge == judge && o.Err == "" }); i >= 0 {
			seat.Model = opinions[i].Model
		}
		all = append(all, seat)
	}
	return all
}

// mute returns one failure for each backend that gave no valid opinion at all.
func mute(opinions []audit.Opinion, ready map[audit.Judge]judges.Model) []audit.Failure {
	var all []audit.Failure
	checked := map[string]bool{}
	for _, judge := range audit.Judges() {
		m, asked := ready[judge]
		if !asked || checked[m.Name] {
			continue
		}
		checked[m.Name] = true
		spoke, why := false, ""
		for _, o := range opinions {
			if o.Backend == m.Name {
				spoke, why = spoke || o.Err == "", cmp.Or(why, o.Err)
			}
		}
		if !spoke && why != "" {
			all = append(all, audit.Failure{Stage: StageBench, Err: fmt.Sprintf("%s gave no opinion on anything: %s", m.Name, why)})
		}
	}
	return all
}

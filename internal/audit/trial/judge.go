package trial

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/agentsentinel/sentinel/internal/audit"
	"github.com/agentsentinel/sentinel/internal/audit/bench"
	"github.com/agentsentinel/sentinel/internal/audit/justice"
)

// record is the record as far as the evidence goes.
func (f findings) record() *audit.Record {
	r := &audit.Record{
		Subject: f.subject, Rubric: f.rubric.Ref(), Evidence: f.evidence,
		Failures: append([]audit.Failure{}, f.failures...), Seats: []audit.Seat{}, Results: []audit.Result{},
	}
	for i := range f.rubric.Dimensions {
		d := &f.rubric.Dimensions[i]
		r.Criteria = append(r.Criteria, audit.Criterion{ID: d.ID, Name: d.Name, Weight: d.Weight})
	}
	return r
}

// judge has the judges heard and the Chief Justice rule, and completes the record.
func (t *trial) judge(ctx context.Context, f findings, record *audit.Record) {
	o := &justice.Options{Now: t.now(), NotApplicable: f.standing.notApplicable, FactsOnly: t.FactsOnly || len(t.Seats) == 0}
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

// hearing is what the judges said.
type hearing struct {
	opinions []audit.Opinion
	seats    []audit.Seat
	samples  int
	failures []audit.Failure
}

// hear asks those judges whose models can be asked. The others give no opinion,
// and say why; of a backend that is not there the record tells once.
func (t *trial) hear(ctx context.Context, f findings) hearing {
	h := hearing{samples: cmp.Or(t.Samples, bench.DefaultSamples)}
	seats, silent, failures := t.seated(ctx)
	h.failures = failures
	if len(f.standing.heard) > 0 && len(seats) > 0 {
		opinions, err := guarded(func() ([]audit.Opinion, error) { return t.ask(ctx, f, seats, h.samples), nil })
		if err != nil {
			h.failures = append(h.failures, audit.Failure{Stage: StageBench, Err: err.Error()})
			for judge := range seats {
				silent[judge] = err.Error()
			}
		}
		h.failures = append(h.failures, mute(opinions, seats)...)
		for _, o := range opinions {
			if silent[o.Judge] == "" { // the bench knows no more of those than that their seats are empty
				h.opinions = append(h.opinions, o)
			}
		}
	}
	h.opinions = append(h.opinions, t.unheard(f, silent, h.samples)...)
	h.seats = t.models(h.opinions)
	return h
}

// line is a model behind a backend. Several judges may speak by one.
type line struct{ backend, model string }

func lineOf(s bench.Seat) line { return line{s.Name, s.Model} }

// seated parts the seats into those whose models can be asked, and why the others
// cannot be. Of each model that cannot, the failures tell once.
func (t *trial) seated(ctx context.Context) (seats map[audit.Judge]bench.Seat, silent map[audit.Judge]string, failures []audit.Failure) {
	seats, silent = map[audit.Judge]bench.Seat{}, map[audit.Judge]string{}
	dead := t.unreachable(ctx)
	told := map[line]bool{}
	for _, judge := range audit.Judges() {
		s, taken := t.Seats[judge]
		if !taken {
			continue
		}
		l := lineOf(s)
		err := dead[l]
		if err == nil {
			s.Backend = t.meter.on(s.Backend)
			seats[judge] = s
			continue
		}
		silent[judge] = "no model can be asked by " + s.Name // why stands in the failures
		if !told[l] {
			told[l] = true
			failures = append(failures, audit.Failure{Stage: StageBench, Err: fmt.Sprintf("no judge can speak by %s: %v", s.Name, err)})
		}
	}
	return seats, silent, failures
}

// unreachable says why models cannot be asked, as far as that can be told. Each is
// looked for once, and all at the same time.
func (t *trial) unreachable(ctx context.Context) map[line]error {
	byLine := map[line]bench.Seat{}
	for _, s := range t.Seats {
		byLine[lineOf(s)] = s
	}
	seats := slices.Collect(maps.Values(byLine))
	found := make([]error, len(seats)) // each goroutine writes its own
	var group errgroup.Group
	for i, s := range seats {
		group.Go(func() error {
			_, found[i] = guarded(func() (struct{}, error) { return struct{}{}, ping(ctx, s) })
			return nil
		})
	}
	_ = group.Wait() // what went wrong is in found
	dead := map[line]error{}
	for i, err := range found {
		if err != nil {
			dead[lineOf(seats[i])] = err
		}
	}
	return dead
}

// ask has the bench hear the criteria, as far as no earlier run has.
func (t *trial) ask(ctx context.Context, f findings, seats map[audit.Judge]bench.Seat, samples int) []audit.Opinion {
	return bench.Hear(ctx, f.rubric, justice.Waived(f.rubric, f.evidence, t.now()), &bench.Options{
		Seats: seats, Samples: samples, Seed: t.Seed, Parallel: t.Parallel, Criteria: f.standing.heard,
		Known: func(key string) (o audit.Opinion, ok bool) {
			if ok = t.folder.get("opinion", key, &o); ok {
				t.meter.known()
			}
			return o, ok
		},
		Heard: func(key string, o audit.Opinion) {
			if o.Valid() {
				t.folder.put("opinion", key, o)
			}
		},
		Progress: func(done, total int, o audit.Opinion) {
			t.progress(Progress{Stage: StageBench, Criterion: o.Criterion, Judge: o.Judge, Done: done, Total: total})
		},
	})
}

// unheard are the opinions that were not asked for, so that the report can say
// why: of judges who cannot speak, and on criteria of which nothing could be
// examined.
func (t *trial) unheard(f findings, silent map[audit.Judge]string, samples int) []audit.Opinion {
	var all []audit.Opinion
	for i := range f.rubric.Dimensions {
		id := f.rubric.Dimensions[i].ID
		if _, skipped := f.standing.notApplicable[id]; skipped {
			continue
		}
		for _, judge := range audit.Judges() {
			s, taken := t.Seats[judge]
			why := cmp.Or(f.standing.unseen[id], silent[judge])
			if !taken || why == "" {
				continue
			}
			for sample := range samples {
				all = append(all, audit.Opinion{
					Judge: judge, Criterion: id, Sample: sample, Cited: []string{},
					Backend: s.Name, Model: s.Model, Err: "not asked: " + why,
				})
			}
		}
	}
	return all
}

// models says who sat in judgement, with the models that answered.
func (t *trial) models(opinions []audit.Opinion) []audit.Seat {
	var all []audit.Seat
	for _, judge := range audit.Judges() {
		s, taken := t.Seats[judge]
		if !taken {
			continue
		}
		seat := audit.Seat{Judge: judge, Backend: s.Name}
		if i := slices.IndexFunc(opinions, func(o audit.Opinion) bool { return o.Judge == judge && o.Valid() }); i >= 0 {
			seat.Model = opinions[i].Model
		}
		all = append(all, seat)
	}
	return all
}

// mute tells once of each backend that was asked and gave not one opinion.
func mute(opinions []audit.Opinion, seats map[audit.Judge]bench.Seat) []audit.Failure {
	var all []audit.Failure
	told := map[string]bool{}
	for _, judge := range audit.Judges() {
		s, asked := seats[judge]
		if !asked || told[s.Name] {
			continue
		}
		told[s.Name] = true
		spoke, why := false, ""
		for _, o := range opinions {
			if o.Backend == s.Name {
				spoke, why = spoke || o.Valid(), cmp.Or(why, o.Err)
			}
		}
		if !spoke && why != "" {
			all = append(all, audit.Failure{Stage: StageBench, Err: fmt.Sprintf("%s gave no opinion on anything: %s", s.Name, why)})
		}
	}
	return all
}

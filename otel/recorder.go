package otel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/agentsentinel/sentinel"
)

// Options are the settings of a [Recorder]. The zero value of each is its default.
type Options struct {
	// TracerProvider and MeterProvider take what is recorded. nil means the global
	// one.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider

	// Details adds what an agent works on: the targets of actions (paths, command
	// lines), the judges' reasons and the texts of errors. Secrets in them are
	// masked; contents, prompts and answers are never sent.
	Details bool

	// Providers are the values of gen_ai.provider.name for backends that Sentinel
	// does not have itself, by their names. Without one it is the backend's name.
	Providers map[string]string
}

// A Recorder makes spans and measurements of decisions. It is safe for concurrent
// use if its providers are.
type Recorder struct {
	tracer    trace.Tracer
	meters    meters
	details   bool
	providers map[string]string
}

// NewRecorder returns a Recorder. opts may be nil. The error is that of a meter
// that refuses an instrument.
func NewRecorder(opts *Options) (*Recorder, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	r := &Recorder{
		tracer:  o.TracerProvider.Tracer(ScopeName, trace.WithSchemaURL(semconv.SchemaURL)),
		details: o.Details, providers: o.Providers,
	}
	var err error
	if r.meters, err = newMeters(o.MeterProvider.Meter(ScopeName, metric.WithSchemaURL(semconv.SchemaURL))); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return r, nil
}

// Record records a decision that was made at this moment. The span is a child of
// the one in ctx, if there is one; that ctx has ended does not matter. A call that
// no rule was about, and one that another process judged, leave nothing.
func (r *Recorder) Record(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) {
	findings := d.Concluded()
	if d.Relayed || len(findings) == 0 && d.Err == nil && d.Verdict != sentinel.VerdictUndecided {
		return
	}
	c := &call{Recorder: r, event: ev, decision: d, findings: findings, texts: textsOf(ev, d, r.details), began: at.Add(-max(d.Took, 0)), ended: at}
	c.record(context.WithoutCancel(ctx))
}

// Engine returns an engine that decides as e does, and has every decision
// recorded.
func (r *Recorder) Engine(e sentinel.Engine) sentinel.Engine { return &engine{r, e} }

type engine struct {
	recorder *Recorder
	inner    sentinel.Engine
}

// Evaluate implements [sentinel.Engine].
func (e *engine) Evaluate(ctx context.Context, ev sentinel.Event) (sentinel.Decision, error) {
	began := time.Now()
	d, err := e.inner.Evaluate(ctx, ev)
	seen := d
	if seen.Took == 0 {
		seen.Took = time.Since(began)
	}
	if seen.Err == nil || !errors.Is(err, seen.Err) {
		seen.Err = errors.Join(seen.Err, err)
	}
	e.recorder.Record(ctx, time.Now(), ev, seen)
	return d, err
}

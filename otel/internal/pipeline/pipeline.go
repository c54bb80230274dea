// Package pipeline sends what a process of the command has recorded to a
// collector, once. It is set up by OpenTelemetry's own environment variables.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/otel"
)

// DetailsVariable is the environment variable that adds targets, reasons and the
// texts of errors, see [otel.Options].
const DetailsVariable = "SENTINEL_OTEL_DETAILS"

// sendTime bounds the whole of sending: no caller waits for it, but a process should not
// stay for long because a collector does not answer.
const sendTime = 20 * time.Second

// Trying again, when the collector says that it is overloaded. One that cannot be
// reached at all is left alone.
const (
	firstPause = 250 * time.Millisecond
	maxPause   = 4 * time.Second
)

// An Observe is what sentinelcmd.Config.Observe takes.
type Observe = func(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error

// New returns what sends each decision to the collector that the environment
// names; nil when the environment wants nothing sent.
func New(getenv func(string) string) Observe {
	s := settingsOf(getenv)
	if !s.traces && !s.metrics && s.err == nil {
		return nil
	}
	return s.observe
}

// settings are what the environment says of things that the exporters do not read
// themselves.
type settings struct {
	traces, metrics bool
	delta           bool // no temporality is set
	details         bool
	parent          propagation.MapCarrier
	err             error
}

func settingsOf(getenv func(string) string) settings {
	s := settings{
		delta:   getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE") == "",
		details: isTrue(getenv(DetailsVariable)),
		parent:  propagation.MapCarrier{"traceparent": getenv("TRACEPARENT"), "tracestate": getenv("TRACESTATE")},
	}
	if isTrue(getenv("OTEL_SDK_DISABLED")) {
		return s
	}
	var errs [4]error
	s.traces, errs[0] = exports("OTEL_TRACES_EXPORTER", getenv)
	s.metrics, errs[1] = exports("OTEL_METRICS_EXPORTER", getenv)
	if s.traces {
		errs[2] = checkSignal("TRACES", getenv)
	}
	if s.metrics {
		errs[3] = checkSignal("METRICS", getenv)
	}
	s.err = errors.Join(errs[:]...)
	return s
}

// isTrue reads a variable as the specification has it: only "true" is true.
func isTrue(value string) bool { return strings.EqualFold(strings.TrimSpace(value), "true") }

// exports reports whether a signal is sent.
func exports(variable string, getenv func(string) string) (bool, error) {
	switch value := strings.TrimSpace(getenv(variable)); value {
	case "", "otlp":
		return true, nil
	case "none":
		return false, nil
	default:
		return false, fmt.Errorf("sentinel-otel: %s is %q; this build sends by OTLP: set it to otlp or none", variable, value)
	}
}

// checkSignal reports faults that the exporters would only write to standard error, which
// is not shown here, before they go on with a default.
func checkSignal(signal string, getenv func(string) string) error {
	value := func(name string) (variable, text string) {
		if v := "OTEL_EXPORTER_OTLP_" + signal + "_" + name; getenv(v) != "" {
			return v, getenv(v)
		}
		return "OTEL_EXPORTER_OTLP_" + name, getenv("OTEL_EXPORTER_OTLP_" + name)
	}
	switch variable, text := value("PROTOCOL"); strings.TrimSpace(text) {
	case "", "http/protobuf", "http/json":
	default:
		return fmt.Errorf("sentinel-otel: %s is %q; set it to http/protobuf, and the endpoint to the collector's HTTP port (4318 as a rule)", variable, text)
	}
	if variable, text := value("ENDPOINT"); text != "" {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("sentinel-otel: %s is not a URL such as http://localhost:4318", variable) // it may hold a password
		}
	}
	return nil
}

// observe records one decision and sends it.
func (s *settings) observe(ctx context.Context, at time.Time, ev sentinel.Event, d sentinel.Decision) error {
	if s.err != nil {
		return s.err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	about, err := describe(ctx)
	if err != nil {
		return err
	}
	p, err := s.open(ctx, about)
	if err != nil {
		return err
	}
	recorder, err := otel.NewRecorder(&otel.Options{TracerProvider: p.tracers, MeterProvider: p.meters, Details: s.details})
	if err != nil {
		return err
	}
	recorder.Record(propagation.TraceContext{}.Extract(ctx, s.parent), at, ev, d)
	return p.send(ctx)
}

// describe says what sends: the service, its version, and the machine. The
// environment has the last word.
func describe(ctx context.Context) (*resource.Resource, error) {
	r, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("sentinel"), semconv.ServiceVersion(version())),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if r == nil {
		return nil, fmt.Errorf("sentinel-otel: %w", err)
	}
	return r, nil // an attribute that could not be read is missing, no more
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// A pipeline takes spans and measurements, and sends all of them at once. The
// processors and readers that OpenTelemetry has are for processes that stay: they send in
// the background, and do not report what went wrong.
type pipeline struct {
	tracers *sdktrace.TracerProvider
	meters  *sdkmetric.MeterProvider
	spans   *spans
	reader  *sdkmetric.ManualReader

	traceExporter  sdktrace.SpanExporter
	metricExporter sdkmetric.Exporter
}

func (s *settings) open(ctx context.Context, about *resource.Resource) (*pipeline, error) {
	p := &pipeline{spans: &spans{}}
	var err error
	traceOptions := []sdktrace.TracerProviderOption{sdktrace.WithResource(about)}
	meterOptions := []sdkmetric.Option{sdkmetric.WithResource(about)}
	if s.traces {
		p.traceExporter, err = otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: firstPause, MaxInterval: maxPause, MaxElapsedTime: sendTime,
		}))
		if err != nil {
			return nil, fmt.Errorf("sentinel-otel: traces: %w", err)
		}
		traceOptions = append(traceOptions, sdktrace.WithSpanProcessor(p.spans))
	}
	if s.metrics {
		p.metricExporter, err = otlpmetrichttp.New(ctx, otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{
			Enabled: true, InitialInterval: firstPause, MaxInterval: maxPause, MaxElapsedTime: sendTime,
		}))
		if err != nil {
			return nil, fmt.Errorf("sentinel-otel: metrics: %w", err)
		}
		temporality := p.metricExporter.Temporality
		if s.delta {
			temporality = sdkmetric.DeltaTemporalitySelector // each process counts its own call, and no more
		}
		p.reader = sdkmetric.NewManualReader(sdkmetric.WithTemporalitySelector(temporality), sdkmetric.WithAggregationSelector(p.metricExporter.Aggregation))
		meterOptions = append(meterOptions, sdkmetric.WithReader(p.reader))
	}
	p.tracers, p.meters = sdktrace.NewTracerProvider(traceOptions...), sdkmetric.NewMeterProvider(meterOptions...)
	return p, nil
}

// send sends traces and metrics at the same time. One that fails does not keep
// the other back.
func (p *pipeline) send(ctx context.Context) error {
	var traces, metrics error
	var wait sync.WaitGroup
	if p.traceExporter != nil {
		wait.Go(func() { traces = p.sendTraces(ctx) })
	}
	if p.metricExporter != nil {
		wait.Go(func() { metrics = p.sendMetrics(ctx) })
	}
	wait.Wait()
	return errors.Join(traces, metrics)
}

func (p *pipeline) sendTraces(ctx context.Context) error {
	ended := p.spans.take()
	if len(ended) == 0 {
		return nil // a sampler wanted none
	}
	if err := p.traceExporter.ExportSpans(ctx, ended); err != nil {
		return fmt.Errorf("sentinel-otel: traces could not be sent: %w", err)
	}
	return nil
}

func (p *pipeline) sendMetrics(ctx context.Context) error {
	var collected metricdata.ResourceMetrics
	err := p.reader.Collect(ctx, &collected)
	if err == nil {
		err = p.metricExporter.Export(ctx, &collected)
	}
	if err != nil {
		return fmt.Errorf("sentinel-otel: metrics could not be sent: %w", err)
	}
	return nil
}

// spans keeps the spans that have ended.
type spans struct {
	mu    sync.Mutex
	ended []sdktrace.ReadOnlySpan
}

// OnStart implements [sdktrace.SpanProcessor].
func (*spans) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements [sdktrace.SpanProcessor].
func (s *spans) OnEnd(span sdktrace.ReadOnlySpan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, span)
}

// Shutdown implements [sdktrace.SpanProcessor].
func (*spans) Shutdown(context.Context) error { return nil }

// ForceFlush implements [sdktrace.SpanProcessor].
func (*spans) ForceFlush(context.Context) error { return nil }

func (s *spans) take() []sdktrace.ReadOnlySpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := s.ended
	s.ended = nil
	return ended
}

package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
)

// meters are the instruments.
type meters struct {
	decisions, evaluations       metric.Int64Counter
	decisionTime, ruleTime, chat metric.Float64Histogram
	tokens                       metric.Int64Histogram
}

// The bounds of histograms: those that the conventions give for model calls, in
// seconds and tokens, and for what may take no model at all, in seconds.
func chatBounds() []float64 {
	return []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
}

func tokenBounds() []float64 {
	return []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
}

func decisionBounds() []float64 {
	return []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20}
}

func newMeters(m metric.Meter) (meters, error) {
	var i meters
	var errs [6]error
	i.decisions, errs[0] = m.Int64Counter(MetricDecisions,
		metric.WithUnit("{decision}"), metric.WithDescription("Tool calls that rules were about, by what was answered."))
	i.decisionTime, errs[1] = m.Float64Histogram(MetricDecisionDuration,
		metric.WithUnit("s"), metric.WithDescription("Time until the answer to a tool call."), metric.WithExplicitBucketBoundaries(decisionBounds()...))
	i.evaluations, errs[2] = m.Int64Counter(MetricEvaluations,
		metric.WithUnit("{evaluation}"), metric.WithDescription("Rules on actions, by what came of them."))
	i.ruleTime, errs[3] = m.Float64Histogram(MetricRuleDuration,
		metric.WithUnit("s"), metric.WithDescription("Time that a rule took on an action, with all waiting."), metric.WithExplicitBucketBoundaries(decisionBounds()...))
	var chat genaiconv.ClientOperationDuration
	chat, errs[4] = genaiconv.NewClientOperationDuration(m, metric.WithExplicitBucketBoundaries(chatBounds()...))
	var tokens genaiconv.ClientTokenUsage
	tokens, errs[5] = genaiconv.NewClientTokenUsage(m, metric.WithExplicitBucketBoundaries(tokenBounds()...))
	i.chat, i.tokens = chat.Inst(), tokens.Inst()
	return i, errors.Join(errs[:]...)
}

func count(ctx context.Context, c metric.Int64Counter, attrs []attribute.KeyValue) {
	c.Add(ctx, 1, metric.WithAttributes(attrs...))
}

func measure(ctx context.Context, h metric.Float64Histogram, d time.Duration, attrs []attribute.KeyValue) {
	h.Record(ctx, max(d, 0).Seconds(), metric.WithAttributes(attrs...))
}

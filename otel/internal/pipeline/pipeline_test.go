package pipeline_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/otel/internal/collector"
	"github.com/agentsentinel/sentinel/otel/internal/pipeline"
)

// TestMain keeps what is set where the tests run out of them: the exporters read
// the process's own environment.
func TestMain(m *testing.M) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") || strings.HasPrefix(name, "TRACE") || strings.HasPrefix(name, "SENTINEL_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// observe tells a decision under an environment.
func observe(t *testing.T, environment map[string]string) error {
	t.Helper()
	for name, value := range environment {
		t.Setenv(name, value)
	}
	o := pipeline.New(os.Getenv)
	require.NotNil(t, o)
	rule := &sentinel.RuleSpec{ID: "no-force", Severity: sentinel.SeverityBlock}
	action := sentinel.Action{Trigger: sentinel.Bash, Target: "COMMAND"}
	return o(t.Context(), time.Date(2026, 11, 20, 21, 11, 57, 0, time.UTC),
		sentinel.Event{Phase: sentinel.PhasePre, Agent: "claude", Session: "s", Tool: sentinel.ToolCall{Name: "Bash", Args: json.RawMessage(`"ARGS"`)}},
		sentinel.Decision{Verdict: sentinel.VerdictBlock, Took: time.Second, Findings: []sentinel.Finding{{
			Rule: rule, Action: &action, Match: sentinel.Match{OK: true}, Outcome: sentinel.OutcomeViolation, Verdict: sentinel.VerdictBlock, Confidence: 1, Reason: "REASON",
			Attempts: []sentinel.Attempt{{Backend: "ollama", Response: sentinel.Response{Backend: "ollama", Model: "gemma3:4b", PromptTokens: 3, OutputTokens: 4, Took: time.Second}}},
		}}})
}

func TestSends(t *testing.T) {
	c := collector.New(t, nil)
	require.NoError(t, observe(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL,
		"OTEL_EXPORTER_OTLP_HEADERS":  "authorization=Bearer%20t",
		"OTEL_RESOURCE_ATTRIBUTES":    "team=blue,host.name=m7",
	}))
	spans, raw := c.Spans(t)
	require.Len(t, spans, 3)
	for _, s := range spans {
		require.Equal(t, spans[0].TraceId, s.TraceId)
	}
	for _, private := range []string{"COMMAND", "ARGS", "REASON"} {
		require.NotContains(t, raw, private)
	}
	about, header := c.Resource(t)
	require.Equal(t, "sentinel", about["service.name"])
	require.Equal(t, "m7", about["host.name"])
	require.Equal(t, "blue", about["team"])
	require.Equal(t, "Bearer t", header.Get("Authorization"))

	got := c.Metrics(t)
	for _, name := range []string{"sentinel.decisions", "sentinel.decision.duration", "sentinel.rule.evaluations", "sentinel.rule.duration", "gen_ai.client.operation.duration", "gen_ai.client.token.usage"} {
		require.Contains(t, got, name)
	}
	require.Equal(t, metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA, got["sentinel.decisions"].GetSum().AggregationTemporality,
		"a process counts its own call, and no more")
	require.EqualValues(t, 1, got["sentinel.decisions"].GetSum().DataPoints[0].GetAsInt())
	require.Equal(t, 2, c.Requests())
}

func TestEnvironment(t *testing.T) {
	c := collector.New(t, nil)
	require.NoError(t, observe(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SERVICE_NAME": "guard", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
		"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "cumulative", pipeline.DetailsVariable: "true",
		"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "TRACESTATE": "v=1",
	}))
	spans, raw := c.Spans(t)
	require.Contains(t, raw, "COMMAND")
	require.Contains(t, raw, "REASON")
	require.NotContains(t, raw, "ARGS")
	require.Equal(t, []byte("\x0a\xf7\x65\x19\x16\xcd\x43\xdd\x84\x48\xeb\x21\x1c\x80\x31\x9c"), spans[0].TraceId, "a part of the agent's own trace")
	about, _ := c.Resource(t)
	require.Equal(t, "guard", about["service.name"])
	require.Equal(t, metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, c.Metrics(t)["sentinel.decisions"].GetSum().AggregationTemporality)
}

func TestOneSignal(t *testing.T) {
	for _, off := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"} {
		t.Run(off, func(t *testing.T) {
			c := collector.New(t, nil)
			require.NoError(t, observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, off: "none"}))
			spans, _ := c.Spans(t)
			require.Equal(t, off == "OTEL_TRACES_EXPORTER", len(spans) == 0)
			require.Equal(t, off == "OTEL_METRICS_EXPORTER", len(c.Metrics(t)) == 0)
		})
	}
}

func TestSampler(t *testing.T) {
	c := collector.New(t, nil)
	require.NoError(t, observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_TRACES_SAMPLER": "always_off"}))
	spans, _ := c.Spans(t)
	require.Empty(t, spans)
	require.NotEmpty(t, c.Metrics(t), "what is counted is counted for all")
}

func TestNothingIsWanted(t *testing.T) {
	for name, environment := range map[string]map[string]string{
		"disabled": {"OTEL_SDK_DISABLED": "TRUE"},
		"none":     {"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Nil(t, pipeline.New(func(name string) string { return environment[name] }))
		})
	}
}

// A setting that would silently send elsewhere, or nowhere, is reported.
func TestMistakes(t *testing.T) {
	for want, environment := range map[string]map[string]string{
		"OTEL_TRACES_EXPORTER is \"jaeger\"":                      {"OTEL_TRACES_EXPORTER": "jaeger"},
		"OTEL_METRICS_EXPORTER is \"prometheus\"":                 {"OTEL_METRICS_EXPORTER": "prometheus"},
		"OTEL_EXPORTER_OTLP_PROTOCOL is \"grpc\"":                 {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL is \"grpc\"":         {"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc"},
		"OTEL_EXPORTER_OTLP_ENDPOINT is not a URL":                {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not a URL such as": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://user:password@host"},
	} {
		t.Run(want, func(t *testing.T) {
			err := observe(t, environment)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "password")
		})
	}
}

// A collector that is gone, refuses or talks nonsense is an error for the note, and
// one signal does not keep the other back.
func TestBadCollectors(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := "http://" + closed.Addr().String()
	require.NoError(t, closed.Close())
	err = observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": address})
	require.ErrorContains(t, err, "traces could not be sent")
	require.ErrorContains(t, err, "metrics could not be sent")

	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"refuses": func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "no", http.StatusForbidden)
			return true
		},
		"garbage": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.Write([]byte("\xff\xff\xff"))
			return true
		},
		"hangs up": func(w http.ResponseWriter, _ *http.Request) bool { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			c := collector.New(t, answer)
			require.ErrorContains(t, observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}), "could not be sent")
		})
	}
	t.Run("only traces", func(t *testing.T) {
		c := collector.New(t, func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/v1/metrics" {
				http.NotFound(w, r)
			}
			return r.URL.Path == "/v1/metrics"
		})
		require.ErrorContains(t, observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}), "metrics could not be sent")
		spans, _ := c.Spans(t)
		require.NotEmpty(t, spans)
	})
}

// One that is overloaded is asked again.
func TestOverloadedCollector(t *testing.T) {
	var asked atomic.Int64
	c := collector.New(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if asked.Add(1) > 2 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	require.NoError(t, observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL}))
	require.Equal(t, 2, c.Requests())
}

// One that never answers is given up with the caller's time.
func TestHangingCollector(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	c := collector.New(t, func(http.ResponseWriter, *http.Request) bool {
		cancel()
		<-release
		return true
	})
	t.Cleanup(func() { close(release) })
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	err := pipeline.New(os.Getenv)(ctx, time.Now(), sentinel.Event{Phase: sentinel.PhasePre}, sentinel.Decision{Err: sentinel.ErrEvent})
	require.ErrorIs(t, err, context.Canceled)
}

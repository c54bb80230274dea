// Package collector is a receiver of OTLP over HTTP for tests: it keeps what it
// is sent, decoded.
package collector

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traceservice "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A Collector is a receiver on loopback.
type Collector struct {
	URL string

	mu        sync.Mutex
	raw       []byte
	headers   []http.Header
	resources []*resource.Resource
	scopes    []*common.InstrumentationScope
	spans     []*trace.Span
	metrics   []*metrics.Metric
	errs      []error
}

// New starts a collector that ends with the test. answer may be nil; else it is
// asked first, and answers a request itself if it returns true.
func New(t testing.TB, answer func(http.ResponseWriter, *http.Request) bool) *Collector {
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != nil && answer(w, r) {
			return
		}
		if err := c.take(r); err != nil {
			c.mu.Lock()
			c.errs = append(c.errs, err)
			c.mu.Unlock()
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = z
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if got := r.Header.Get("Content-Type"); got != "application/x-protobuf" {
		return fmt.Errorf("content type %q", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, data...)
	c.headers = append(c.headers, r.Header)
	switch r.URL.Path {
	case "/v1/traces":
		var request traceservice.ExportTraceServiceRequest
		if err := proto.Unmarshal(data, &request); err != nil {
			return err
		}
		for _, of := range request.ResourceSpans {
			c.resources = append(c.resources, of.Resource)
			for _, scope := range of.ScopeSpans {
				c.scopes = append(c.scopes, scope.Scope)
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	case "/v1/metrics":
		var request metricsservice.ExportMetricsServiceRequest
		if err := proto.Unmarshal(data, &request); err != nil {
			return err
		}
		for _, of := range request.ResourceMetrics {
			c.resources = append(c.resources, of.Resource)
			for _, scope := range of.ScopeMetrics {
				c.scopes = append(c.scopes, scope.Scope)
				c.metrics = append(c.metrics, scope.Metrics...)
			}
		}
	default:
		return fmt.Errorf("path %q", r.URL.Path)
	}
	return nil
}

// Spans are those that came, and the request bodies as they were. A request that
// was not understood fails the test.
func (c *Collector) Spans(t testing.TB) (spans []*trace.Span, raw string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Empty(t, c.errs)
	return c.spans, string(c.raw)
}

// Metrics are those that came, by name.
func (c *Collector) Metrics(t testing.TB) map[string]*metrics.Metric {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Empty(t, c.errs)
	named := map[string]*metrics.Metric{}
	for _, m := range c.metrics {
		named[m.Name] = m
	}
	return named
}

// Resource has the attributes of what sent the first request, and Header what it
// sent with it.
func (c *Collector) Resource(t testing.TB) (attributes map[string]any, header http.Header) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.NotEmpty(t, c.resources)
	return Attributes(c.resources[0].Attributes), c.headers[0]
}

// Requests is how many there were.
func (c *Collector) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.headers)
}

// Attributes are attributes as Go values.
func Attributes(list []*common.KeyValue) map[string]any {
	values := map[string]any{}
	for _, kv := range list {
		values[kv.Key] = value(kv.Value)
	}
	return values
}

func value(v *common.AnyValue) any {
	switch x := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return x.StringValue
	case *common.AnyValue_BoolValue:
		return x.BoolValue
	case *common.AnyValue_IntValue:
		return x.IntValue
	case *common.AnyValue_DoubleValue:
		return x.DoubleValue
	case *common.AnyValue_ArrayValue:
		var all []any
		for _, e := range x.ArrayValue.GetValues() {
			all = append(all, value(e))
		}
		return all
	}
	return nil
}

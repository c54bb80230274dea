package otel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/otel"
)

// tables are the first columns of a page's tables, by heading.
func tables(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "opentelemetry.md"))
	require.NoError(t, err)
	found := map[string]map[string]string{}
	heading := ""
	row := regexp.MustCompile("^\\| `([^`]+)` \\|(.*)\\|$")
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			heading = name
			found[heading] = map[string]string{}
		}
		if m := row.FindStringSubmatch(line); m != nil && heading != "" {
			found[heading][m[1]] = m[2]
		}
	}
	return found
}

// everything has all that is ever sent.
func everything(t *testing.T) *recording {
	r := record(t, otel.Options{Details: true})
	ev, d := blocked()
	d.Err = sentinel.ErrEvent
	r.Record(t.Context(), now, ev, d)
	ev.Phase = sentinel.PhasePost
	r.Record(t.Context(), now, ev, d)
	ev.Phase = sentinel.PhasePre
	d.Findings = d.Findings[:1]
	d.Findings[0].Deferred, d.Findings[0].Asked = true, "do it"
	r.Record(t.Context(), now, ev, d)
	return r
}

// points are the attributes of a metric's points, and its type as the page says it.
func points(t *testing.T, m metricdata.Metrics) (kind string, sets []attribute.Set) {
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		kind = "counter"
		for _, p := range data.DataPoints {
			sets = append(sets, p.Attributes)
		}
	case metricdata.Histogram[float64]:
		kind = "histogram"
		for _, p := range data.DataPoints {
			sets = append(sets, p.Attributes)
		}
	case metricdata.Histogram[int64]:
		kind = "histogram"
		for _, p := range data.DataPoints {
			sets = append(sets, p.Attributes)
		}
	default:
		t.Fatalf("%s is a %T", m.Name, m.Data)
	}
	return kind, sets
}

// The page names everything that is sent, and nothing else.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page := tables(t)
	r := everything(t)

	names := map[string]bool{}
	attributes := map[string]bool{}
	for _, s := range r.spans.Ended() {
		name := s.Name()
		switch {
		case strings.HasPrefix(name, "sentinel.rule "):
			name = "sentinel.rule ID"
		case s.SpanKind() == trace.SpanKindClient:
			name = "chat MODEL"
		}
		names[name] = true
		for _, a := range s.Attributes() {
			attributes[string(a.Key)] = true
		}
	}
	require.Len(t, page["Traces"], len(names))
	for name := range names {
		require.Contains(t, page["Traces"], name)
	}

	got := r.metrics(t)
	require.Len(t, page["Metrics"], len(got))
	for name, m := range got {
		kind, sets := points(t, m)
		require.Contains(t, page["Metrics"], name)
		require.True(t, strings.HasPrefix(page["Metrics"][name], " "+kind+" | `"+m.Unit+"` |"), "%s: %s", name, page["Metrics"][name])
		for _, set := range sets {
			for _, a := range set.ToSlice() {
				if !strings.Contains(page["Metrics"][name], " the same") {
					require.Contains(t, page["Metrics"][name], "`"+string(a.Key)+"`", name)
				}
				attributes[string(a.Key)] = true
			}
		}
	}

	require.Len(t, page["Attributes"], len(attributes))
	for key := range attributes {
		require.Contains(t, page["Attributes"], key)
	}
	for _, name := range []string{otel.ErrorTimeout, otel.ErrorCanceled, otel.ErrorOverBudget, otel.ErrorRefused, otel.ErrorMalformed, otel.ErrorBusy,
		otel.ErrorPreempted, otel.ErrorEvent, otel.ErrorUnsupported, otel.ErrorUnavailable, otel.ErrorOther} {
		require.Contains(t, page["Attributes"]["error.type"], "`"+name+"`")
	}
}

// Names that are not Sentinel's own are those of the conventions, with what the
// conventions require besides them.
func TestConventions(t *testing.T) {
	t.Parallel()
	known := []attribute.Key{
		semconv.GenAIAgentNameKey, semconv.GenAIConversationIDKey, semconv.GenAIToolNameKey, semconv.GenAIToolCallIDKey, semconv.GenAIOperationNameKey,
		semconv.GenAIProviderNameKey, semconv.GenAIRequestModelKey, semconv.GenAIResponseModelKey, semconv.GenAIOutputTypeKey,
		semconv.GenAIUsageInputTokensKey, semconv.GenAIUsageOutputTokensKey, semconv.GenAITokenTypeKey, semconv.ErrorTypeKey,
	}
	check := func(key attribute.Key) {
		require.True(t, strings.HasPrefix(string(key), "sentinel.") || slices.Contains(known, key), "%s is neither Sentinel's nor known to the conventions", key)
	}
	r := everything(t)
	chats := 0
	for _, s := range r.spans.Ended() {
		have := values(s.Attributes())
		for key := range have {
			check(attribute.Key(key))
		}
		require.Equal(t, s.Status().Code.String() == "Error", have["error.type"] != nil, "error.type if and only if there is an error")
		if s.SpanKind() != trace.SpanKindClient {
			require.NotContains(t, have, "gen_ai.operation.name", s.Name())
			continue
		}
		chats++
		require.Equal(t, "chat", have["gen_ai.operation.name"])
		require.NotEmpty(t, have["gen_ai.provider.name"])
		name := "chat"
		if model, ok := have["gen_ai.request.model"]; ok {
			name += " " + model.(string)
		}
		require.Equal(t, name, s.Name(), "{gen_ai.operation.name} {gen_ai.request.model}")
	}
	require.NotZero(t, chats)

	got := r.metrics(t)
	for name, required := range map[string][]attribute.Key{
		genaiconv.ClientOperationDuration{}.Name(): {semconv.GenAIOperationNameKey, semconv.GenAIProviderNameKey},
		genaiconv.ClientTokenUsage{}.Name():        {semconv.GenAIOperationNameKey, semconv.GenAIProviderNameKey, semconv.GenAITokenTypeKey},
	} {
		require.Contains(t, got, name)
		_, sets := points(t, got[name])
		for _, set := range sets {
			for _, key := range required {
				require.True(t, set.HasValue(key), "%s without %s", name, key)
			}
		}
	}
	for _, m := range got {
		_, sets := points(t, m)
		for _, set := range sets {
			for _, a := range set.ToSlice() {
				check(a.Key)
			}
		}
	}
}

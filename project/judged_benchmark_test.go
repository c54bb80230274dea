package project_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/project"
)

// BenchmarkJudged is what Sentinel adds to the model's own time in a process that
// goes on: "bare" sends the bytes of the same question to the same server, which
// answers at once. "cached" asks what was asked before.
func BenchmarkJudged(b *testing.B) {
	server := fakeserver.NewOllamaServer(b)
	dir, opts := repository(b, 24, tree{
		"config.yaml":        "backends: {ollama: {url: \"" + server.URL + "\"}}\n",
		"rules/applies.yaml": "trigger: file_write\nscope: [\"src/**\"]\nprompt: \"RULE: {{file_path}} {{content_snippet}}\"\n",
	})
	ask := func(noCache bool) func(*testing.B) {
		return func(b *testing.B) {
			own := *opts
			own.NoCache = noCache
			p := project.Open([]string{dir}, &own)
			measure(b, func() { evaluate(b, p, dir, sentinel.VerdictAllow) })
		}
	}
	evaluate(b, project.Open([]string{dir}, opts), dir, sentinel.VerdictAllow)
	sent := server.Chats()[0]
	b.Run("judged", ask(true))
	b.Run("cached", ask(false))
	b.Run("bare", func(b *testing.B) {
		measure(b, func() {
			resp, err := http.Post(server.URL+"/api/chat", "application/json", bytes.NewReader(sent))
			require.NoError(b, err)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		})
	})
}

// measure reports the median and the mean.
func measure(b *testing.B, call func()) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		call()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
}

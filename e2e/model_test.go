package e2e

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// judged is a rule that only a model can judge.
const judged = `id: judged
trigger: file_write
severity: block
scope: ["docs/**"]
prompt: |
  FILE: {{file_path}}
  CONTENT: {{content_snippet}}
  RULE: Documentation is written in plain words.
`

// useOllama makes one model at url the judge, whatever init chose.
func (r *repository) useOllama(url string, failOpen bool, threshold float64) {
	r.t.Helper()
	r.write(".claude/sentinel/config.yaml", fmt.Sprintf(`backend: ollama
model: %s
backends:
  ollama:
    url: %s
timeout_ms: 15000 # the machine may be busy with other tests
fail_open: %t
context: {enabled: false}
scribe: {enabled: false}
confidence_threshold: %g
log_file: %s
`, realollama.Model, url, failOpen, threshold, logFile))
	r.write(".claude/sentinel/rules/judged.yaml", judged)
}

// judgements returns the lines of the rule, by tool call.
func (r *repository) judgements() map[string]record {
	r.t.Helper()
	byCall := make(map[string]record)
	for _, rec := range r.records() {
		if rec.RuleID == "judged" {
			assert.NotContains(r.t, byCall, rec.CallID, "judged twice")
			byCall[rec.CallID] = rec
		}
	}
	return byCall
}

// The model has random weights: what it answers is chance, and often a violation
// with no confidence. That the decision is what it answered is not chance, nor
// that the same answer weighs differently under another threshold.
func TestClaudeIsJudgedByOllama(t *testing.T) {
	for _, threshold := range []float64{0.7, 0} {
		t.Run(fmt.Sprintf("threshold %g", threshold), func(t *testing.T) {
			begin(t)
			url := realollama.Start(t)
			r := newRepository(t)
			r.initSentinel()
			r.useOllama(url, true, threshold)

			const calls = 3
			name := func(i int) string { return fmt.Sprintf("docs/page-%d.md", i) }
			var script []fakeserver.Step
			for i := range calls {
				script = append(script, write(r.path(name(i)), fmt.Sprintf("# Page %d\n\n%d in plain words.\n", i, i*i*7919)))
			}
			s := r.claude(append(script, fakeserver.Text("Done."))...)

			byCall := r.judgements()
			answered := 0
			for i, result := range s.results(calls) {
				require.Contains(t, byCall, result.ID)
				rec := byCall[result.ID]
				assert.Equal(t, "ollama", rec.Backend)
				assert.Equal(t, realollama.Model, rec.Model)
				if rec.Outcome == "unavailable" { // such a model also answers a confidence of 4·10¹²
					assert.NotEmpty(t, rec.Error)
				} else {
					answered++
					assert.InDelta(t, threshold, rec.Threshold, 0)
					assert.NotZero(t, rec.OutputTokens, "nobody was asked")
					violated := (rec.Violation || rec.NearMiss) && rec.Confidence >= threshold
					assert.Equal(t, violated, rec.Outcome == "violation", "%+v", rec)
				}
				_, written := r.read(name(i))
				assert.Equal(t, rec.Outcome != "violation", written, "%+v", rec)
				assert.Equal(t, rec.Outcome == "violation", result.IsError, result.Text)
			}
			assert.Positive(t, answered, "no answer of %d counted: %+v", calls, byCall)
		})
	}
}

// nobody is a URL on loopback where no server listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

func TestClaudeWithNoJudge(t *testing.T) {
	for name, failOpen := range map[string]bool{"open": true, "closed": false} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			r := newRepository(t)
			r.initSentinel()
			r.useOllama(nobody(t), failOpen, 0.7)
			s := r.claude(write(r.path("docs/page.md"), "# Page\n"), write(r.path("docs/next.md"), "# Next\n"), fakeserver.Text("Done."))

			result := s.results(2)[0]
			told := 0
			for _, run := range s.hook("PreToolUse") {
				told += strings.Count(run.Stdout, `"systemMessage":"Sentinel: the judge ollama cannot judge`)
			}
			assert.Equal(t, failOpen, told == 1, "the person is told once, where no block says it: %d times", told)
			for _, req := range s.server.Requests() {
				assert.NotContains(t, string(req.Body), "the judge ollama", "the model is told")
			}
			_, written := r.read("docs/page.md")
			assert.Equal(t, failOpen, written)
			assert.Equal(t, !failOpen, result.IsError, result.Text)
			if !failOpen {
				assert.Contains(t, result.Text, "could not be judged", "the model must not take it for a no")
			}
			byCall := r.judgements()
			require.Contains(t, byCall, result.ID)
			rec := byCall[result.ID]
			assert.Equal(t, "unavailable", rec.Level)
			assert.Equal(t, "unavailable", rec.Outcome)
			assert.False(t, rec.Violation)
			assert.NotEmpty(t, rec.Error)
		})
	}
}

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/internal/realollama"
)

// summary is what a session is remembered by.
type summary struct {
	TaskScope    string `json:"task_scope"`
	Progress     string `json:"progress"`
	CurrentFocus string `json:"current_focus"`
	Updated      time.Time
}

const scriptedSummary = `{"task_scope":"Write the page about invoices.","progress":"docs/page.md is written.","current_focus":"Nothing is left."}`

// remember has session summaries written by a model at url, and nothing else.
func (r *repository) remember(url, model string) {
	r.t.Helper()
	r.initSentinel()
	r.rememberBy(url, model)
}

// rememberBy is remember where init was run.
func (r *repository) rememberBy(url, model string) {
	r.t.Helper()
	r.write(".claude/sentinel/config.yaml", `backend: builtin
context: {backend: ollama, model: "`+model+`", min_events: 1}
backends: {ollama: {url: "`+url+`"}}
log_file: `+logFile+"\n")
}

// summaries waits until a summary of any session is there.
func (r *repository) summary() (s summary) {
	r.t.Helper()
	pattern := filepath.Join(r.dir, ".sentinel", "sessions", "*", "summary.json")
	require.Eventually(r.t, func() bool {
		found, err := filepath.Glob(pattern)
		return err == nil && len(found) == 1
	}, 2*time.Minute, 20*time.Millisecond, "no summary was written")
	found, err := filepath.Glob(pattern)
	require.NoError(r.t, err)
	data, err := os.ReadFile(found[0])
	require.NoError(r.t, err)
	require.NoError(r.t, json.Unmarshal(data, &s))
	return s
}

// The process that writes the summary outlives Claude Code, which does not wait
// for it: the model answers only when Claude Code has ended.
func TestSummaryAfterClaudeHasEnded(t *testing.T) {
	begin(t)
	ended := make(chan struct{})
	model := fakeserver.NewOllamaServer(t, fakeserver.OllamaAfter(ended, fakeserver.OllamaText(scriptedSummary)))
	r := newRepository(t)
	r.remember(model.URL, "gemma3:4b")
	s := r.claude(write(r.path("docs/page.md"), "# Invoices\n"), fakeserver.Text("The page is written."))
	for _, run := range s.hook("Stop") {
		assert.Zero(t, run.ExitCode)
		assert.Empty(t, run.Stdout+run.Stderr)
	}
	close(ended)

	got := r.summary()
	assert.Equal(t, "Write the page about invoices.", got.TaskScope)
	assert.Equal(t, "docs/page.md is written.", got.Progress)
	assert.Equal(t, "Nothing is left.", got.CurrentFocus)
	var asked []string
	for _, chat := range model.Chats() {
		asked = append(asked, string(chat))
	}
	require.NotEmpty(t, asked)
	assert.Contains(t, asked[0], "human: Do the task.")
	assert.Contains(t, asked[0], "tool Write: ")
	assert.Contains(t, asked[0], "task_scope")
	assert.NotContains(t, r.git("status", "--porcelain"), ".sentinel", "git sees it")
}

// A post rule's text, written by a model after the tool, reaches the agent's model.
func TestAdviceReachesClaude(t *testing.T) {
	begin(t)
	model := fakeserver.NewOllamaServer(t,
		fakeserver.OllamaText(`{"context":"CHANGELOG.md names every migration: add this one."}`).To("DOMAIN KNOWLEDGE"),
		fakeserver.OllamaText(scriptedSummary))
	r := newRepository(t)
	r.remember(model.URL, "gemma3:4b")
	r.write(".claude/sentinel/rules/migrations.yaml", `id: migrations
trigger: file_write
severity: info
post: true
scope: ["migrations/**"]
prompt: "DOMAIN KNOWLEDGE: CHANGELOG.md names every migration. Give a brief reminder."
`)
	s := r.claude(write(r.path("migrations/001.sql"), "CREATE TABLE t (id int);\n"), bash("cat migrations/none.sql"), fakeserver.Text("Done."))
	s.results(2)
	assert.Equal(t, 1, strings.Count(s.context(), "CHANGELOG.md names every migration: add this one."), s.context())
	var advised bool
	for _, chat := range model.Chats() {
		advised = advised || strings.Contains(string(chat), "DOMAIN KNOWLEDGE") && strings.Contains(string(chat), "migrations/001.sql")
	}
	assert.True(t, advised)
	var recorded int
	for _, rec := range r.records() {
		if rec.RuleID == "migrations" {
			recorded++
			assert.Equal(t, "eval", rec.Level)
			assert.Equal(t, "pass", rec.Outcome)
			assert.Equal(t, "ollama", rec.Backend)
		}
	}
	assert.Equal(t, 1, recorded)
	r.summary() // no process is left running
}

// The real server obeys the schema, so even random weights write a summary, unless
// their answer is cut; then the next stop asks again, about the same events.
func TestSummaryByOllama(t *testing.T) {
	begin(t)
	url := realollama.StartLong(t)
	r := newRepository(t)
	r.remember(url, realollama.LongModel)
	r.write(".claude/sentinel/config.yaml", fmt.Sprintf(`backend: builtin
context: {backend: ollama, model: %s, min_events: 1}
cache: {enabled: false}
backends: {ollama: {url: %q, num_ctx: %d}}
log_file: %s
`, realollama.LongModel, url, realollama.LongContext, logFile))
	r.claude(write(r.path("docs/page.md"), "# Invoices\n"), fakeserver.Text("The page is written."))
	var asked []record
	require.Eventually(t, func() bool {
		asked = asked[:0]
		for _, rec := range r.records() {
			if rec.Level == "context" {
				asked = append(asked, rec)
			}
		}
		return len(asked) > 0
	}, 2*time.Minute, 20*time.Millisecond, "the model was not asked")
	if asked[0].Outcome == "pass" {
		s := r.summary()
		assert.NotEmpty(t, s.TaskScope+s.Progress+s.CurrentFocus)
		assert.Equal(t, "ollama", asked[0].Backend)
		assert.NotZero(t, asked[0].OutputTokens)
		return
	}
	assert.Equal(t, "unavailable", asked[0].Outcome)
	assert.Contains(t, asked[0].Error, "malformed", "the model has answered")
	found, err := filepath.Glob(filepath.Join(r.dir, ".sentinel", "sessions", "*", "checkpoint"))
	require.NoError(t, err)
	if len(found) > 0 { // the end of the session asked again
		assert.Eventually(t, func() bool {
			return slices.ContainsFunc(r.records(), func(rec record) bool { return rec.Level == "context" && rec.Outcome == "pass" })
		}, time.Minute, 20*time.Millisecond, "a failed summary left a checkpoint: %v", found)
	}
}

package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
)

// TestForms shows that a configuration that can be understood in part counts in part,
// and that none of these forms is an error, which would stop every call of a strict
// project.
func TestForms(t *testing.T) {
	t.Parallel()
	forms := []struct {
		name, text string
		key        string
		want       any
		warns      string // a part of the warnings; "" for none
	}{
		{"empty", "", "max_parallel", 4, ""},
		{"JSON", `{"max_parallel": 2}`, "max_parallel", 2, ""},
		{"backend", "backend: claude", "backend", "claude", ""},
		{"model", "model: gemma3:12b", "model", "gemma3:12b", ""},
		{"the older place of the URL", "ollama_url: http://gpu:11434", "ollama_url", "http://gpu:11434", ""},
		{"settings of backends", "backends: {ollama: {url: 'http://a:1', model: m}, claude: {model: opus}, copilot: {model: x}}", "backends.claude.model", "opus", ""},
		{"timeout_ms", "timeout_ms: 900", "timeout_ms", 900, ""},
		{"confidence_threshold", "confidence_threshold: 1", "confidence_threshold", 1.0, ""},
		{"max_parallel", "max_parallel: 8", "max_parallel", 8, ""},
		{"ollama_concurrency", "ollama_concurrency: 2", "ollama_concurrency", 2, ""},
		{"think", "think: yes", "think", true, ""},
		{"fail_open", "fail_open: false", "fail_open", false, ""},
		{"content_max_chars", "content_max_chars: 400", "content_max_chars", 400, ""},
		{"log_file", "log_file: .sentinel/log.jsonl", "log_file", ".sentinel/log.jsonl", ""},
		{"log_file is null", "log_file: null", "log_file", "", ""},
		{"rules_dir", "rules_dir: my-rules", "rules_dir", "my-rules", ""},
		{"tool_map", "tool_map: {w: file_write, s: bash}", "tool_map", map[string]string{"w": "file_write", "s": "bash"}, ""},
		{"prefix and separator", "mcp_prefix: mcp_\nmcp_separator: _", "mcp_separator", "_", ""},
		{"context", "context: {enabled: false, backend: claude, model: m, min_events: 1, lock_timeout_s: 1, summary_max_words: 80}", "context.min_events", 1, ""},
		{"scribe", "scribe: {enabled: false, model: m, guidance: null, sources: {documentation: false}, notification: {max_age_days: 1}}", "scribe.model", "m", ""},
		{"scribe.backend", "scribe: {backend: claude, model: haiku}", "scribe.backend", "claude", ""},
		{"sections without content", "context:\nscribe:\nbackends:\nmax_parallel: 2", "max_parallel", 2, ""},
		{"an unknown key", "colour: red\nmax_parallel: 2", "max_parallel", 2, "unknown key `colour` (without effect)"},
		{"an unknown key in a section", "scribe: {depth: 3, think: true}", "scribe.think", true, "unknown key `scribe.depth`"},
		{"an unknown key of a backend", "backends: {ollama: {gpu: 1, model: m}}", "backends.ollama.model", "m", "unknown key `backends.ollama.gpu`"},
		{"a section of a newer version", "sandbox: {network: [a, b]}\nmax_parallel: 2", "max_parallel", 2, "unknown key `sandbox`"},
		{"a value of a newer version", "default_mode: sample\nmax_parallel: 2", "default_mode", "enforce", "`default_mode` cannot be `sample`"},
		{"a value of a newer version in a mapping", "tool_map_extra: {Fetch: network, Put: file_write}", "tool_map_extra", map[string]string{"Put": "file_write"}, "cannot be `network`"},
		{"a slip", "max_paralel: 2", "max_parallel", 2, "is taken for `max_parallel`"},
		{"hyphens", "fail-open: false", "fail_open", false, "is taken for `fail_open`"},
		{"capital letters", "Backend: claude", "backend", "claude", "is taken for `backend`"},
		{"a slip in a value", "default_mode: shdow", "default_mode", "shadow", "is taken for `shadow`"},
		{"a slip beside the key", "model: a\nmodle: b", "model", "a", "unknown key `modle`"},
		{"a key twice", "max_parallel: 2\nmax_parallel: 3", "max_parallel", 3, "duplicate key"},
		{"a strict key twice", "fail_open: false\nfail_open: true", "fail_open", false, "duplicate key"},
		{"a quoted number", "max_parallel: '2'", "max_parallel", 2, "without quotes"},
		{"a quoted truth", "fail_open: 'false'", "fail_open", false, "without quotes"},
		{"a text for a list", "scribe: {doc_globs: '*.md'}", "scribe.doc_globs", []string{"*.md"}, "must be a list"},
		{"a second document", "max_parallel: 2\n---\nmax_parallel: 3", "max_parallel", 2, "a second document"},
		{"an unknown backend", "backend: mine", "backend", "mine", "unknown backend `mine`"},
		{"an open quote", "model: \"m\nmax_parallel: 2", "max_parallel", 2, "this is not YAML"},
	}
	require.GreaterOrEqual(t, len(forms), 38)
	for _, f := range forms {
		c, problems := config.Parse("c", []byte(f.text))
		got, ok := c.Get(f.key)
		require.True(t, ok, f.key)
		assert.Equal(t, f.want, got, f.name)
		for _, p := range problems {
			assert.True(t, p.Warning, "%s: %s", f.name, p.Message)
		}
		if _, said := report(t, "c", []byte(f.text)); f.warns == "" {
			assert.Empty(t, said, f.name)
		} else {
			assert.Contains(t, said, f.warns, f.name)
		}
	}
}

func TestScribeBackend(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"":                                       {"ollama", "gemma3:4b"},
		"scribe: {backend: claude}":              {"claude", "haiku"},
		"scribe: {backend: claude, model: opus}": {"claude", "opus"},
		"backend: claude\nmodel: opus":           {"claude", "opus"},
		"backend: claude\nscribe: {backend: ollama}":             {"ollama", "gemma3:4b"},
		"scribe: {backend: claude, extraction_model: gemma3:4b}": {"claude", "haiku"},
	} {
		c, _ := config.Parse("c", []byte(text))
		assert.Equal(t, want, [2]string{c.ScribeBackend(), c.ExtractionModel()}, text)
	}
}

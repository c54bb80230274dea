package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// report writes problems as the files of testdata do.
func report(t *testing.T, file string, data []byte) (config.Config, string) {
	t.Helper()
	c, problems := config.Parse(file, data)
	var b strings.Builder
	for _, p := range problems {
		if p.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(p.Error() + "\n")
	}
	return c, b.String()
}

// TestProblems walks testdata: each NAME.yaml has its problems in NAME.want.
func TestProblems(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			_, got := report(t, filepath.Base(file), data)
			names := (&config.Config{}).BackendNames()
			got = strings.ReplaceAll(got, strings.Join(names, ", "), "{backends}") // a new judge changes no file
			wantFile := strings.TrimSuffix(file, ".yaml") + ".want"
			if *update {
				require.NoError(t, os.WriteFile(wantFile, []byte(got), 0o644))
			}
			want, err := os.ReadFile(wantFile)
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
		})
	}
}

// TestReferenceDefaults states every default of the two tables of the reference
// once more. context.model has another one, which is the same where no model is named.
func TestReferenceDefaults(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"backend": "ollama", "model": "gemma3:4b", "backends.ollama.url": "http://localhost:11434",
		"backends.ollama.model": "(model)", "backends.claude.model": "haiku", "backends.copilot.model": "gpt-5-mini",
		"timeout_ms": "5000", "confidence_threshold": "0.7", "max_parallel": "4", "ollama_concurrency": "1",
		"think": "false", "fail_open": "true", "log_file": "null", "rules_dir": "rules",
		"tool_map": "(built in)", "mcp_prefix": "mcp__", "mcp_separator": "__",
		"context.enabled": "true", "context.backend": "(backend)", "context.model": "(model)", "context.min_events": "3",
		"context.lock_timeout_s": "30", "context.summary_max_words": "150",
		"scribe.enabled": "true", "scribe.model": "(model)", "scribe.extraction_model": "(scribe.model)",
		"scribe.synthesis_model": "(scribe.model)", "scribe.guidance": "null", "scribe.think": "false",
		"scribe.extraction_timeout_ms": "15000", "scribe.extraction_num_predict": "1000",
		"scribe.synthesis_timeout_ms": "15000", "scribe.synthesis_num_predict": "1000", "scribe.temperature": "0.1",
		"scribe.transcript_budget_chars": "4000", "scribe.thresholds.extraction_confidence": "0.7",
		"scribe.thresholds.draft_confidence": "0.8", "scribe.sources.documentation": "true",
		"scribe.doc_globs":                 "[CLAUDE.md, AGENTS.md, README.md, docs/**/*.md, ADR*.md]",
		"scribe.notification.max_age_days": "7",
		// The Python Sentinel shows 800 characters.
		"content_max_chars": "8000", "content_windows": "4",
		"ollama_url": "(backends.ollama.url)", "tool_map_extra": "{}", "tool_args": "{}", "derive": "true",
		"default_mode": "enforce", "hook_timeout_s": "20", "collect_all": "false", "fallback": "[]",
		"cache.enabled": "true", "cache.max_age_h": "168", "cache.max_mb": "64", "breaker.failures": "3",
		"breaker.pause_s": "60", "lock.scope": "session", "lock.synthesizer_timeout_s": "5", "scribe.lock_timeout_s": "10",
		"backends.ollama.keep_alive": "10m", "backends.ollama.num_ctx": "4096", "backends.ollama.schema_branches": "2",
		"backends.ollama.confidence": "stated", "backends.command.argv": "[]", "judge.second_opinion": "off",
		"pricing": "{}", "budget.tokens_per_day": "0", "budget.money_per_day": "0", "log_max_mb": "20", "log_keep": "5", "log_prompts": "false",
	}
	keys := config.Keys()
	for name, value := range want {
		i := slices.IndexFunc(keys, func(k config.Key) bool { return k.Name == name })
		if assert.GreaterOrEqual(t, i, 0, "no key %s", name) {
			assert.Equal(t, value, keys[i].Default, name)
		}
	}
	for _, k := range keys {
		assert.NotEmpty(t, k.Doc, k.Name)
		assert.NotEmpty(t, k.Type, k.Name)
	}
}

func TestEmptyIsDefault(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# nothing\n", "{}", "context:\nscribe:\nbackends:\n", "---\n"} {
		c, problems := report(t, "c", []byte(text))
		require.Empty(t, problems, "%q", text)
		require.Equal(t, config.Default(), c, "%q", text)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text                            string
		ollama, claude, copilot, openai string
	}{
		{"", "gemma3:4b", "haiku", "gpt-5-mini", ""},
		{"model: qwen3", "qwen3", "haiku", "gpt-5-mini", ""},
		{"{backend: claude, model: opus}", "gemma3:4b", "opus", "gpt-5-mini", ""},
		{"{backend: claude, model: opus, backends: {claude: {model: sonnet}}}", "gemma3:4b", "sonnet", "gpt-5-mini", ""},
		{"{backend: claude, model: 'gemma3:4b'}", "gemma3:4b", "haiku", "gpt-5-mini", ""},
		{"{backend: claude}", "gemma3:4b", "haiku", "gpt-5-mini", ""},
		{"{model: a, backends: {ollama: {model: b}}}", "b", "haiku", "gpt-5-mini", ""},
		{"{backend: openai, model: 'gemma3:4b'}", "gemma3:4b", "haiku", "gpt-5-mini", "gemma3:4b"},
	} {
		c, _ := config.Parse("c", []byte(tc.text))
		assert.Equal(t, tc.ollama, c.Model("ollama"), tc.text)
		assert.Equal(t, tc.claude, c.Model("claude"), tc.text)
		assert.Equal(t, tc.copilot, c.Model("copilot"), tc.text)
		assert.Equal(t, tc.openai, c.Model("openai"), tc.text)
		assert.Empty(t, c.Model("builtin"), tc.text)
	}
	c, _ := config.Parse("c", []byte("backends: {mine: {model: m}, yours: {depth: 1}}\nbackend: yours\nmodel: y"))
	require.Equal(t, "m", c.Model("mine"))
	require.Equal(t, "y", c.Model("yours"))
	require.Equal(t, append(rows(), sentinel.Builtin, "mine", "yours"), c.BackendNames())
}

func TestOllamaURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "http://localhost:11434",
		"ollama_url: http://gpu:11434": "http://gpu:11434",
		"backends: {ollama: {url: 'https://a/b'}}":                           "https://a/b",
		"ollama_url: http://gpu:1\nbackends: {ollama: {url: 'http://a:2'}}":  "http://a:2",
		"ollama_url: http://gpu:1\nbackends: {ollama: {model: x}}":           "http://gpu:1",
		"ollama_url: gpu:11434":                                              "http://localhost:11434",
		"ollama_url: http://gpu:1\nbackends: {ollama: {url: 'ftp://files'}}": "http://gpu:1",
	} {
		c, _ := config.Parse("c", []byte(text))
		assert.Equal(t, want, c.OllamaURL(), text)
	}
}

func TestOtherModels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, context, extraction, synthesis string }{
		{"", "gemma3:4b", "gemma3:4b", "gemma3:4b"},
		{"model: big", "big", "big", "big"},
		{"model: big\nbackends: {ollama: {model: judge}}", "judge", "big", "big"},
		{"context: {model: small}\nscribe: {model: s, extraction_model: e}", "small", "e", "s"},
		{"backend: claude", "haiku", "haiku", "haiku"},
		{"backend: claude\ncontext: {model: 'gemma3:4b'}\nscribe: {model: 'gemma3:4b'}", "haiku", "haiku", "haiku"},
		{"context: {backend: claude}", "haiku", "gemma3:4b", "gemma3:4b"},
		{"backend: claude\nmodel: opus\ncontext: {backend: ollama}", "gemma3:4b", "opus", "opus"},
	} {
		c, _ := config.Parse("c", []byte(tc.text))
		assert.Equal(t, tc.context, c.ContextModel(), tc.text)
		assert.Equal(t, tc.extraction, c.ExtractionModel(), tc.text)
		assert.Equal(t, tc.synthesis, c.SynthesisModel(), tc.text)
	}
}

func TestSecondBackend(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "",
		"fallback: [claude]": "",
		"fallback: [claude]\njudge: {second_opinion: block}":                   "claude",
		"judge: {second_opinion: block, second_backend: copilot}":              "copilot",
		"judge: {second_opinion: off, second_backend: copilot}":                "",
		"judge: {second_opinion: block}":                                       "",
		"fallback: [builtin]\njudge: {second_opinion: 'off'}\nbackend: claude": "",
	} {
		c, _ := config.Parse("c", []byte(text))
		assert.Equal(t, want, c.SecondBackend(), text)
	}
}

// TestStrictSurvives shows that a configuration with a fault stays strict
// when it says so anywhere.
func TestStrictSurvives(t *testing.T) {
	t.Parallel()
	for text, open := range map[string]bool{
		"backend: [\nfail_open: false\n":                           false,
		"a: b: c\n  fail_open: false\n":                            false,
		"{\"fail_open\": false, \"backend\": }":                    false,
		"{\"backend\": }\n\"fail_open\" : 'off'":                   false,
		"fail_open: \"false\"\n":                                   false,
		"fail_open: no\nx: [":                                      false,
		"x: [\n# fail_open: false\n":                               true,
		"x: [\nfail_open: falsehood\n":                             true,
		"x: [\nnot_fail_open: false\n":                             true,
		"x: [\nfail_open: true\n":                                  true,
		"x: [":                                                     true,
		"scribe: {fail_open: false}":                               false, // a fault: the key is in the wrong place
		"fail_open: true\nfail_open: false\n":                      false,
		"fail_open: true\n---\nfail_open: false\n":                 false,
		"fail_open: true\nx: 1\n# fail_open: false\n":              true,
		"fail_open: true\nlog_file: 'fail_open: false'\n":          true, // nothing is wrong with it
		"fail_open: false\n" + strings.Repeat("# long\n", 200_000): false,
		"\xff\nfail_open: false":                                   false,
		"x: \"\x00\"\nfail_open: false":                            false,
		"\ufefffail_open: false\nx: [":                             false,
		"\xff\xfef\x00a\x00i\x00l\x00_\x00o\x00p\x00e\x00n\x00:\x00n\x00o\x00\n\x00": false, // UTF-16, as PowerShell 5 writes it
		"fail_open: false\n---\nfail_open: true":                                     false,
		"scribe: {guidance: 'text, fail_open: false'}\nbackend: [":                   false, // too strict rather than too lax
	} {
		c, _ := config.Parse("c", []byte(text))
		assert.Equal(t, open, c.FailOpen, "%.60q", text)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"",
		"fallback: []\ntool_map: {}\nscribe: {doc_globs: []}",
		"fallback: [builtin]\ntool_map: {a: bash}\ntool_args: {a: {command: c}}\npricing: {m: {input: 0.1, output: 3}}",
		"backends: {mine: {b: [1, 2.50, <x>, {c: null}], a: 'ü'}, command: {argv: [a, b]}}\nbudget: {tokens_per_day: 12345678901}",
	} {
		c, _ := config.Parse("c", []byte(text))
		roundTrip(t, c)
	}
}

func roundTrip(t *testing.T, c config.Config) {
	t.Helper()
	data, err := json.Marshal(c)
	require.NoError(t, err)
	var back config.Config
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, c, back)
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte("a: [\nfail_open: false"))
	f.Add([]byte("backends:\n 0: 0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, problems := config.Parse("c", data)
		require.Positive(t, c.TimeoutMS)
		require.Positive(t, c.MaxParallel)
		require.NotEmpty(t, c.Backend)
		require.True(t, c.ConfidenceThreshold >= 0 && c.ConfidenceThreshold <= 1)
		for _, p := range problems {
			require.Positive(t, p.Line)
		}
		roundTrip(t, c)
	})
}

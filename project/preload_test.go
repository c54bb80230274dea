package project_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/fakeserver"
	"github.com/agentsentinel/sentinel/project"
)

// loads are the models that a server was asked to load, in order. Whether it applies
// schemas is asked once for each.
func loads(t *testing.T, server *fakeserver.OllamaServer) []string {
	t.Helper()
	models := []string{}
	probed := map[string]bool{}
	for _, r := range server.Requests() {
		if r.Path == "/api/show" {
			continue
		}
		var body struct {
			Model    string
			Messages []json.RawMessage
		}
		require.Equal(t, "/api/chat", r.Path)
		require.NoError(t, json.Unmarshal(r.Body, &body))
		if bytes.Contains(r.Body, []byte("kestrel")) {
			require.False(t, probed[body.Model], "it was known")
			probed[body.Model] = true
			continue
		}
		require.Empty(t, body.Messages, "a question was asked")
		models = append(models, body.Model)
	}
	return models
}

func TestWarmLoadsWhatRulesAsk(t *testing.T) {
	t.Parallel()
	const asks = "trigger: file_write\nprompt: x\n"
	for name, c := range map[string]struct {
		config string
		rules  tree
		want   []string
	}{
		"the default":            {"", tree{"a.yaml": asks, "b.yaml": asks}, []string{"gemma3:4b"}},
		"the configured one":     {"model: small", tree{"a.yaml": asks}, []string{"small"}},
		"a rule's own too":       {"", tree{"a.yaml": asks, "b.yaml": asks + "model: small\n"}, []string{"gemma3:4b", "small"}},
		"a rule's backend":       {"backend: builtin", tree{"a.yaml": asks + "backend: ollama\n"}, []string{"gemma3:4b"}},
		"advice after a tool":    {"", tree{"a.yaml": asks + "severity: info\npost: true\n"}, []string{"gemma3:4b"}},
		"advice by another":      {"backend: builtin\ncontext: {backend: ollama, model: small}", tree{"a.yaml": asks + "severity: info\npost: true\n"}, []string{"small"}},
		"advice, and a judge":    {"context: {model: small}", tree{"a.yaml": asks + "severity: info\npost: true\n", "b.yaml": asks}, []string{"small", "gemma3:4b"}},
		"no rule":                {"", nil, []string{}},
		"only a fallback":        {"backend: builtin\nfallback: [ollama]", tree{"a.yaml": asks + "when: \"true\"\n"}, []string{}},
		"builtin":                {"", tree{"a.yaml": asks + "backend: builtin\nwhen: \"true\"\n"}, []string{}},
		"another":                {"backend: claude", tree{"a.yaml": asks}, []string{}},
		"plain advice":           {"", tree{"a.yaml": asks + "severity: info\n"}, []string{}},
		"a broken rule":          {"", tree{"a.yaml": asks + "when: 1 +\n"}, []string{}},
		"somebody else's model":  {"", tree{"a.yaml": asks + "model: gpt-oss:120b-cloud\n"}, []string{}},
		"none where none may be": {"", tree{"a.yaml": asks}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeserver.NewOllamaServer(t)
			server.SetModels(fakeserver.OllamaModel{Name: "gemma3:4b"}, fakeserver.OllamaModel{Name: "small"})
			files := tree{".claude/sentinel/config.yaml": c.config + "\nbackends: {ollama: {url: \"" + server.URL + "\"}}\n"}
			for name, text := range c.rules {
				files[".claude/sentinel/rules/"+name] = text
			}
			opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state"), NoModel: c.want == nil}
			p := project.Open([]string{files.write(t)}, opts)
			for range 2 { // one after the other does not leave it out
				err := p.Models().Warm(t.Context())
				if name == "somebody else's model" {
					require.ErrorIs(t, err, sentinel.ErrRefused)
				} else {
					require.NoError(t, err)
				}
			}
			require.Equal(t, append([]string{}, append(c.want, c.want...)...), loads(t, server))
			left, err := os.ReadDir(filepath.Join(opts.StateDir, "warming"))
			if !errors.Is(err, os.ErrNotExist) {
				require.NoError(t, err)
			}
			require.Empty(t, left)
		})
	}
}

// Questions about schemas to a judge that costs money count to the limit of the day.
func TestWarmCountsWhatItAsks(t *testing.T) {
	t.Parallel()
	for limit, probes := range map[string]int{"1": 1, "2": 1, "0": 0} { // 0 means no limit: nothing is counted
		server := fakeserver.NewOllamaServer(t)
		server.SetModels(fakeserver.OllamaModel{Name: "big:1t-cloud"})
		dir := tree{
			".claude/sentinel/config.yaml":  "model: big:1t-cloud\nbackends: {ollama: {url: \"" + server.URL + "\"}}\nbudget: {paid_calls_per_day: " + limit + "}\n",
			".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\n",
		}.write(t)
		opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
		p := project.Open([]string{dir}, opts)
		require.NoError(t, p.Folders[0].Trust(opts.StateDir))
		require.NoError(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()))
		n, err := p.Inspect().PaidToday(p.Folders[0])
		require.NoError(t, err)
		require.EqualValues(t, probes, n, limit)

		ev := write(dir, "a")
		d, err := project.Open([]string{dir}, opts).Evaluate(t.Context(), ev)
		require.NoError(t, err)
		require.Equal(t, limit == "1", errors.Is(d.Findings[0].Err, sentinel.ErrRefused), limit)
	}
}

// A judge of an OpenAI-compatible server has nothing to load, but is tried.
func TestWarmTriesSchemas(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOpenAIServer(t)
	server.SetModels("small")
	dir := tree{
		".claude/sentinel/config.yaml":  "backend: openai\nbackends: {openai: {base_url: \"" + server.URL + "\", model: small}}\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\n",
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	p := project.Open([]string{dir}, opts)
	require.True(t, p.Inspect().Loads(), "a session's start has work for the background")
	for range 2 {
		require.NoError(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()))
		tried := 0
		for _, r := range server.Requests() {
			if bytes.Contains(r.Body, []byte("kestrel")) {
				tried++
			}
		}
		require.Equal(t, 6, tried, "each way once, and once a week")
	}
}

// A server that loads is not asked to load again by the next session's start; it
// would load twice, or give the first up.
func TestOneWarmsAtATime(t *testing.T) {
	t.Parallel()
	server := fakeserver.NewOllamaServer(t)
	server.Answer("/api/chat", fakeserver.OllamaFault(fakeserver.FaultHang()))
	dir := tree{
		".claude/sentinel/config.yaml":  "backends: {ollama: {url: \"" + server.URL + "\"}}\n",
		".claude/sentinel/rules/a.yaml": "trigger: file_write\nprompt: x\n",
	}.write(t)
	opts := &project.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	ctx, giveUp := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- project.Open([]string{dir}, opts).Models().Warm(ctx) }()
	require.NoError(t, server.Await(t.Context(), 1))
	require.NoError(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()), "returns while the other loads")
	require.Len(t, loads(t, server), 1)
	giveUp()
	require.ErrorIs(t, <-first, context.Canceled)

	server.Close()
	require.ErrorIs(t, project.Open([]string{dir}, opts).Models().Warm(t.Context()), sentinel.ErrUnavailable, "the other has given it back")
}

func TestForgetTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, tree{rules + "a.yaml": guard("**") + "severity: warn\n"})
	p := project.Open([]string{filepath.Join(d.dir, "repo")}, &d.opts)
	require.NoError(t, p.Past().Book().Forget("s"), "nothing is known of it")
	require.False(t, d.write("s", "a").Findings[0].Muted)
	require.True(t, d.write("s", "a").Findings[0].Muted)
	require.NoError(t, p.Past().Book().Forget("another"))
	require.True(t, d.write("s", "a").Findings[0].Muted)
	require.NoError(t, p.Past().Book().Forget("s"))
	require.False(t, d.write("s", "a").Findings[0].Muted)
	require.NoError(t, project.Open(nil, nil).Past().Book().Forget("s"), "where nothing is kept")
}

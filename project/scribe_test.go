package project_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/project"
)

// scribeRepo is a repository with this configuration and a rule.
func scribeRepo(t *testing.T, config string) (root string) {
	t.Helper()
	root = t.TempDir()
	dir := filepath.Join(root, ".claude", "sentinel")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "rules"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules", "a.yaml"), []byte("id: a\ntrigger: bash\nscope: [\"x *\"]\nprompt: x\n"), 0o600))
	return root
}

// Every key of the configuration reaches the Scribe.
func TestScribeOptions(t *testing.T) {
	t.Parallel()
	root := scribeRepo(t, `model: top
rules_dir: ../../guards
scribe:
  extraction_model: small
  synthesis_model: large
  guidance: focus on security
  think: true
  extraction_timeout_ms: 1500
  extraction_num_predict: 11
  synthesis_timeout_ms: 2500
  synthesis_num_predict: 12
  temperature: 0.4
  transcript_budget_chars: 5000
  thresholds: {extraction_confidence: 0.5, draft_confidence: 0.6}
  doc_globs: [X.md]
  notification: {max_age_days: 3}
`)
	p := project.Open([]string{root}, nil)
	require.Empty(t, p.Inspect().Problems())
	o, err := p.Models().Scribe(nil, "s1")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, ".claude", "sentinel"), o.Dir)
	require.Equal(t, root, o.Root)
	require.Equal(t, filepath.Join(root, "guards"), o.RulesDir)
	require.Equal(t, []string{"small", "large"}, []string{o.ExtractionModel, o.SynthesisModel})
	require.Equal(t, "focus on security", o.Guidance)
	require.True(t, o.Think)
	require.Equal(t, []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond}, []time.Duration{o.ExtractionTimeout, o.SynthesisTimeout})
	require.Equal(t, []int{11, 12, 5000}, []int{o.ExtractionTokens, o.SynthesisTokens, o.Budget})
	require.Equal(t, []float64{0.4, 0.5, 0.6}, []float64{o.Temperature, o.ExtractionConfidence, o.DraftConfidence})
	require.Equal(t, []string{"X.md"}, o.DocGlobs)
	require.NotNil(t, o.Mapper)
	require.NotNil(t, o.Backend)
	require.Equal(t, 3*24*time.Hour, p.Memory().Notice.MaxAge)

	// The order in which a model is looked up.
	for config, want := range map[string][2]string{
		"{}":                                     {"gemma3:4b", "gemma3:4b"},
		"model: top":                             {"top", "top"},
		"model: top\nscribe: {model: s}":         {"s", "s"},
		"scribe: {model: s, synthesis_model: y}": {"s", "y"},
	} {
		o, err := project.Open([]string{scribeRepo(t, config)}, nil).Models().Scribe(nil, "")
		require.NoError(t, err)
		require.Equal(t, want, [2]string{o.ExtractionModel, o.SynthesisModel}, config)
		require.Len(t, o.Rules, 1)
	}
}

// A 0 that is written is not the default.
func TestScribeZeros(t *testing.T) {
	t.Parallel()
	p := project.Open([]string{scribeRepo(t, "scribe: {temperature: 0, thresholds: {extraction_confidence: 0, draft_confidence: 0}, notification: {max_age_days: 0}}")}, nil)
	o, err := p.Models().Scribe(nil, "")
	require.NoError(t, err)
	require.Equal(t, []float64{-1, -1, -1}, []float64{o.Temperature, o.ExtractionConfidence, o.DraftConfidence})
	require.Negative(t, p.Memory().Notice.MaxAge)
}

func TestScribeErrors(t *testing.T) {
	t.Parallel()
	_, err := project.Open([]string{t.TempDir()}, nil).Models().Scribe(nil, "")
	require.ErrorContains(t, err, "sentinel init")

	user := filepath.Join(t.TempDir(), "user")
	require.NoError(t, os.Mkdir(user, 0o755))
	p := project.Open([]string{t.TempDir()}, &project.Options{UserDir: user})
	require.Len(t, p.Folders, 1)
	_, err = p.Models().Scribe(p.Folders[0], "")
	require.ErrorContains(t, err, "sentinel init", "the user's own folder has no sessions")

	_, err = project.Open([]string{scribeRepo(t, "rules_dir: ../../../elsewhere")}, nil).Models().Scribe(nil, "")
	require.ErrorContains(t, err, "rules_dir")

	o, err := project.Open([]string{scribeRepo(t, "backend: builtin")}, nil).Models().Scribe(nil, "")
	require.NoError(t, err, "drafts can be looked at without a model")
	_, err = o.Backend.Complete(t.Context(), sentinel.Request{Prompt: "x"})
	require.ErrorIs(t, err, sentinel.ErrRefused)
}

package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/config"
)

func TestGet(t *testing.T) {
	t.Parallel()
	c, _ := config.Parse("c.yaml", []byte("scribe: {thresholds: {draft_confidence: 0.5}}\nfallback: [builtin]\n"))
	for name, want := range map[string]any{
		"scribe.thresholds.draft_confidence": 0.5,
		"fallback":                           []string{"builtin"},
		"fail_open":                          true,
	} {
		got, ok := c.Get(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, key := range config.Keys() {
		_, ok := c.Get(key.Name)
		require.True(t, ok, key.Name)
	}
	for _, name := range []string{"", "nosuch", "scribe", "scribe.thresholds", "fail_open.x", "backends."} {
		_, ok := c.Get(name)
		require.False(t, ok, name)
	}
}

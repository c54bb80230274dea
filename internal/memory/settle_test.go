package memory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/config"
)

// TestSettle: it is waited for as long as something is written, and not for ever.
func TestSettle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		there   bool
		writes  int // the moment after which nothing more is written
		ends    int // the moment after which there is no time, 0 for never
		moments int // that are waited
	}{
		"all is there":        {there: true, moments: quietAfter},
		"some is still to be": {there: true, writes: 4, moments: 4 + quietAfter},
		"nothing is there":    {writes: 2, moments: 2 + quietAfter},
		"it never ends":       {there: true, writes: 1000, moments: maxMoments},
		"it never comes":      {moments: maxMoments},
		"the time is over":    {writes: 1000, ends: 5, moments: 5},
	} {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		text, moments := "", 0
		put := func() {
			text += strings.Repeat("x", 10)
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		if tt.there {
			put()
		}
		settle(path, func() bool {
			if moments++; moments <= tt.writes {
				put()
			}
			return moments != tt.ends
		})
		require.Equal(t, tt.moments, moments, name)
	}
}

// TestOnlyLateRecordsAreWaitedFor: and only after an event that they do not have yet.
func TestOnlyLateRecordsAreWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	for _, tt := range []struct {
		agent  string
		phase  sentinel.Phase
		waited bool
	}{
		{"copilot", sentinel.PhaseStop, true},
		{"copilot", sentinel.PhaseEnd, true},
		{"copilot", sentinel.PhaseStart, false},
		{"claude", sentinel.PhaseEnd, false},
	} {
		waited := false
		m := &Memory{Key: func() string { return "r" }, Root: t.TempDir(), Config: &config.Config{}, Wait: func(context.Context) bool { waited = true; return false }}
		require.NoError(t, m.Work(t.Context(), sentinel.Event{Phase: tt.phase, Agent: tt.agent, Session: "s", Transcript: path}))
		require.Equal(t, tt.waited, waited, "%s %s", tt.agent, tt.phase)
	}
}

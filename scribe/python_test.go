package scribe_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel/scribe"
)

// TestPythonDraft: a draft that the Python Sentinel wrote says where it comes from.
func TestPythonDraft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		draft, evidence string
		seen            time.Time
	}{
		"a list and a date": {"{source: user_feedback, statement: Leave billing alone, synthesized: \"2026-03-31\", confidence: 0.9, evidence: [keep off billing, again]}",
			"keep off billing; again", time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)},
		"a time with microseconds": {"{source: user_prompt, synthesized: \"2026-03-31T10:01:23.123456+02:00\", evidence: one}",
			"one", time.Date(2026, 3, 31, 8, 1, 23, 123456000, time.UTC)},
		"our own": {"{source: user_feedback, evidence: one, first_seen: 2026-03-31T10:01:23Z}", "one", time.Date(2026, 3, 31, 10, 1, 23, 0, time.UTC)},
	} {
		dir := t.TempDir()
		folder := filepath.Join(dir, ".claude", "sentinel")
		require.NoError(t, os.MkdirAll(filepath.Join(folder, "drafts"), 0o755))
		text := "id: billing\ntrigger: file_write\nscope: [\"src/billing/**\"]\nprompt: Is it billing? {{file_path}}\n_draft: " + tt.draft + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(folder, "drafts", "billing.draft.yaml"), []byte(text), 0o644))
		drafts, err := scribe.Drafts(&scribe.Options{Dir: folder, Root: dir})
		require.NoError(t, err)
		require.Len(t, drafts, 1, name)
		require.Empty(t, drafts[0].File.Problems, name)
		require.Equal(t, scribe.UserFeedback, drafts[0].Provenance.Source, name)
		require.Equal(t, tt.evidence, drafts[0].Provenance.Evidence, name)
		require.True(t, tt.seen.Equal(drafts[0].Provenance.FirstSeen), "%s: %v", name, drafts[0].Provenance.FirstSeen)
	}
}

// TestPythonStore: what the Python Sentinel observed is known, and what was dismissed
// there has its digest or its pattern.
func TestPythonStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("Never push on Fridays."))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dismissed.jsonl"), []byte(
		`{"scope":"src/gen/**","trigger":"file_write","statement_hash":"0123456789ab","dismissed_at":"2026-03-31T10:01:23.000001+00:00"}
{"scope":"git push*","trigger":"bash","statement_hash":"`+hex.EncodeToString(sum[:])[:12]+`","dismissed_at":"2026-04-01T10:01:23+00:00"}
{"nothing":1}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "observations.jsonl"), []byte(
		`{"ts":"2026-03-31T10:01:23Z","source":"user_prompt","session_id":"s","statement":"Leave billing alone","scope_hint":"src/billing","trigger_hint":"file_write","confidence":0.91,"evidence":"keep off","drafted":true}
{"ts":"2026-03-31T10:01:23Z","source":"documentation","statement":"Use tabs","confidence":7,"evidence":["a","b"],"drafted":false}
{"ts":"2026-03-31T10:01:23Z","source":"documentation","statement":"No mark of a draft"}
`), 0o600))
	store := scribe.OpenStore(dir)
	dismissed, err := store.Dismissals()
	require.NoError(t, err)
	require.Len(t, dismissed, 2)
	for statement, want := range map[string]bool{"Never push on Fridays.": true, "Never push on Mondays.": false} {
		require.Equal(t, want, dismissed[1].Covers(statement, "", ""), statement)
	}
	require.True(t, dismissed[0].Covers("In other words", "src/gen/**", "file_write"))
	require.False(t, dismissed[0].Covers("In other words", "src/gen/**", "bash"))

	observed, err := store.Observations()
	require.NoError(t, err)
	require.Len(t, observed, 2)
	require.Equal(t, scribe.Drafted, observed[0].State)
	require.Equal(t, scribe.UserFeedback, observed[0].Source)
	require.Equal(t, scribe.Observed, observed[1].State)
	require.Equal(t, "a; b", observed[1].Evidence)
	require.InDelta(t, 1, observed[1].Confidence, 0)
}
